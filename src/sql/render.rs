//! A tree as text in an engine's dialect.

use datafusion::sql::sqlparser::ast::Query;

use super::Refusal;

/// The embedded engine's dialect.
pub fn embedded(query: &Query) -> Result<String, Refusal> {
    Ok(query.to_string())
}
