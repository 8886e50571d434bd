//! What an answer may see.

use crate::ids::Id;

/// Knowledge bases and documents in scope. Every SELECT is limited to it, whatever a statement says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scope {
    pub kbs: Vec<Id>,
    /// Only these documents; `None` is all.
    pub docs: Option<Vec<Id>>,
    /// Conditions on rows that the caller may see, one for each table name; for permissions.
    pub row_predicates: Vec<(String, String)>,
    /// Fields that the caller may not see.
    pub hidden_fields: Vec<String>,
}
