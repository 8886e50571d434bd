//! What grounding asks an engine, and what it gets.

/// A text predicate that no one has tied to cells yet.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lookup {
    pub table: String,
    /// Stored name of a text field, or a readable source column.
    pub field: String,
    pub text: String,
    pub wanted: Wanted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Cells that are the text, or the nearest: the ladder of equality.
    Equal,
    /// Cells that contain the text (`LIKE '%v%'`).
    Contains,
}

/// The cells of each step of the ladder, each step empty where the one before found something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The cell itself, to the letter (`Contains`: cells that contain it to the letter).
    pub exact: Vec<String>,
    /// Same up to case, width and outer white space.
    pub folded: Vec<String>,
    /// Cells with all tokens of the text.
    pub all_tokens: Vec<String>,
    /// Cells with at least 30 % of the tokens.
    pub some_tokens: Vec<String>,
    /// Nearest cells by edit distance, for hints; filled when nothing above is exact or folded.
    pub nearest: Vec<String>,
    /// More cells than are listed have it: print the MATCH itself.
    pub cut: bool,
}
