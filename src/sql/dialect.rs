//! The one dialect that replies are read in: standard SQL plus what models write.

use datafusion::sql::sqlparser::dialect::Dialect;

/// Names may be quoted with `"` or `` ` ``, hold any letter, and begin with a digit (`2031_long`).
#[derive(Debug)]
pub(super) struct ReplyDialect;

impl Dialect for ReplyDialect {
    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        matches!(ch, '"' | '`')
    }
    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_alphabetic() || ch == '_'
    }
    fn is_identifier_part(&self, ch: char) -> bool {
        ch.is_alphanumeric() || matches!(ch, '_' | '（' | '）' | '％' | '·' | '℃')
    }
    fn supports_numeric_prefix(&self) -> bool {
        true
    }
    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }
    fn supports_group_by_expr(&self) -> bool {
        true
    }
    fn supports_limit_comma(&self) -> bool {
        true
    }
}
