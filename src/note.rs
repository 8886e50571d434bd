//! Notes: what the reader should know about an answer or an upload.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that was not literal, with its place where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// A stable word for programs, snake_case, e.g. `value_read_as`, `cells_not_numbers`, `totals_row_kept_apart`.
    pub code: String,
    /// One sentence for people.
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
}

impl Note {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), place: None }
    }

    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(place.to_string());
        self
    }
}

/// A place in a file: `book.xlsx › 一月 › B7`, `book.xlsx › 一月 › row 12`.
#[derive(Debug, Clone, Default)]
pub struct Place<'a> {
    pub file: &'a str,
    pub sheet: &'a str,
    /// 1-based.
    pub row: Option<u64>,
    /// 0-based.
    pub column: Option<usize>,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file)?;
        if !self.sheet.is_empty() {
            write!(f, " › {}", self.sheet)?;
        }
        match (self.column, self.row) {
            (Some(column), Some(row)) => write!(f, " › {}{row}", column_letters(column)),
            (None, Some(row)) => write!(f, " › row {row}"),
            (Some(column), None) => write!(f, " › column {}", column_letters(column)),
            (None, None) => Ok(()),
        }
    }
}

/// `0` is `A`, `26` is `AA`.
pub fn column_letters(mut column: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(b'A' + (column % 26) as u8);
        if column < 26 {
            break;
        }
        column = column / 26 - 1;
    }
    letters.reverse();
    letters.into_iter().map(char::from).collect()
}
