//! The only thing an engine runs.

use datafusion::sql::sqlparser::ast::Query;

use crate::note::Note;
use crate::value::FieldType;

/// One column of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OutColumn {
    /// As the statement names it.
    pub name: String,
    /// As people read it: the label of its field, `销售额（元） · sum`.
    pub label: String,
    pub kind: Option<FieldType>,
    pub unit: Option<String>,
    /// Places that a decimal is shown with, if they tell it well enough.
    pub decimals: Option<u8>,
    /// A sum of values with no more than `decimals` places.
    pub summed: bool,
}

/// A statement that was parsed, checked, grounded and scoped. Made by `admit` alone.
#[derive(Debug, Clone)]
pub struct ScopedSelect {
    pub(super) statement: Query,
    /// Second select over the same conditions, giving [`SOURCES`] for each row that the answer stands on; `None` for a plain
    /// select, whose own last columns are [`SOURCES`].
    pub(super) sources: Option<Query>,
    pub(super) columns: Vec<OutColumn>,
    pub(super) notes: Vec<Note>,
}

/// The source columns, in order, as the statement names them.
pub const SOURCES: [&str; 4] = ["row_key", "doc_no", "sheet_kwd", "row_long"];

impl ScopedSelect {
    pub fn statement(&self) -> &Query {
        &self.statement
    }
    pub fn sources(&self) -> Option<&Query> {
        self.sources.as_ref()
    }
    pub fn columns(&self) -> &[OutColumn] {
        &self.columns
    }
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
    /// How many times longer its texts can get than the cells that they are made of.
    pub fn text_growth(&self) -> f64 {
        super::growth::of(&self.statement)
    }
    /// One row out for one row in: the statement's last columns are the sources.
    pub fn is_plain(&self) -> bool {
        self.sources.is_none()
    }
}
#[cfg(test)]
impl ScopedSelect {
    /// A statement that no one checked, to try an engine with.
    pub(crate) fn for_test(statement: &str, sources: Option<&str>, columns: Vec<OutColumn>) -> Self {
        let parse = |sql: &str| {
            let dialect = datafusion::sql::sqlparser::dialect::GenericDialect {};
            let mut parser =
                datafusion::sql::sqlparser::parser::Parser::new(&dialect).try_with_sql(sql).expect("tokens");
            *parser.parse_query().expect("a query")
        };
        Self { statement: parse(statement), sources: sources.map(parse), columns, notes: Vec::new() }
    }
}
