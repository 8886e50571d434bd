//! One state of the catalog that a whole answer is read from.

use serde::{Deserialize, Serialize};

use crate::ids::Id;
use crate::schema::Schema;

/// A stored run of rows of one physical table; `rows` of it, deleted ones included.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SegmentRef {
    /// Dense and never used again within a data folder; the high 32 bits of its rows' keys.
    pub no: u32,
    pub table_id: String,
    pub rows: u64,
}

/// One physical table of one knowledge base behind a table of the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub kb: Id,
    pub table_id: String,
    pub segments: Vec<LiveSegment>,
}

/// A segment, and which of its rows are live.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LiveSegment {
    pub segment: SegmentRef,
    /// Document numbers whose rows are live and in scope; `None` is all of its rows.
    pub docs: Option<Vec<u32>>,
}

/// Segments that one new segment stands for: to be named in the catalog in their place, in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    pub old: Vec<u32>,
    /// `None` where no live row was left.
    pub new: Option<SegmentRef>,
}

/// A table of [`Snapshot::schema`], by the same index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LiveTable {
    pub parts: Vec<Part>,
    /// Sheets that would be counted twice.
    pub repeats: Vec<Repeated>,
}

/// A sheet whose rows stand in another sheet of its table too; sheets are `(docnm_kwd, sheet_kwd)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeated {
    pub sheet: (String, String),
    /// `None`: in all other sheets of its file together.
    pub of: Option<(String, String)>,
}

/// One load of one document. A document that is loaded anew gets a new number.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub no: u32,
    pub doc_id: Id,
    pub name: String,
    pub kb: Id,
}

#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub schema: Schema,
    pub tables: Vec<LiveTable>,
    pub documents: Vec<Document>,
}

impl Snapshot {
    /// The document of a number; numbers of one snapshot are unique over its knowledge bases.
    pub fn document(&self, no: u32) -> Option<&Document> {
        self.documents.iter().find(|document| document.no == no)
    }
}
