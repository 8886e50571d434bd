//! A tree as text in an engine's dialect.

use datafusion::sql::sqlparser::ast::Query;

/// The embedded engine's dialect.
pub fn embedded(query: &Query) -> String {
    query.to_string()
}
