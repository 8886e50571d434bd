//! Ids: time-based UUIDs (version 1), 32 lower-case hex digits, and the stable id of a row.
//!
//! Comes in: ids from outside as text. Goes out: an [`Id`], which can only hold a valid one.
//! Must never happen: an unchecked id in a path, a query or a scope.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Id of a knowledge base, a document or a load.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Id(uuid::Uuid);

/// A text that is not the id of anything.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a UUID of 32 hex digits")]
pub struct NotAnId(pub String);

impl Id {
    /// A new id, later than any made before on this machine.
    pub fn new() -> Self {
        Self(uuid::Uuid::now_v1(&node()))
    }
}

impl Id {
    /// Whether it is of version 1, as all of ours are.
    pub fn is_time_based(self) -> bool {
        self.0.get_version_num() == 1
    }
}

impl Default for Id {
    fn default() -> Self {
        Self::new()
    }
}

/// Six random bytes for each process: ids never carry a network address (RFC 9562, section 6.10).
fn node() -> [u8; 6] {
    static NODE: std::sync::OnceLock<[u8; 6]> = std::sync::OnceLock::new();
    *NODE.get_or_init(|| {
        let random = uuid::Uuid::new_v4().into_bytes();
        let mut node = [0; 6];
        node.copy_from_slice(&random[10..]);
        node[0] |= 1;
        node
    })
}

impl std::str::FromStr for Id {
    type Err = NotAnId;
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        uuid::Uuid::try_parse(text).map(Self).map_err(|_| NotAnId(text.to_owned()))
    }
}

impl TryFrom<String> for Id {
    type Error = NotAnId;
    fn try_from(text: String) -> Result<Self, NotAnId> {
        text.parse()
    }
}

impl From<Id> for String {
    fn from(id: Id) -> Self {
        id.to_string()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.simple())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The stable id of a row: the same for the same document, sheet and row number, whatever the load.
pub fn row_id(doc: Id, sheet: &str, row: u64) -> String {
    let mut hash = Sha256::new();
    hash.update(doc.0.as_bytes());
    hash.update(row.to_be_bytes());
    hash.update(sheet.as_bytes());
    hash.finalize()[..16].iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_32_lower_case_hex_digits_of_version_1() {
        let text = Id::new().to_string();
        assert_eq!(text.len(), 32);
        assert_eq!(&text[12..13], "1");
        assert!(text.parse::<Id>().is_ok());
    }

    #[test]
    fn a_text_that_is_no_uuid_is_refused() {
        for text in ["", "k1", "' OR 1=1", "00000000-0000"] {
            assert!(text.parse::<Id>().is_err(), "{text}");
        }
    }
}
