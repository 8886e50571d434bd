//! Literals: text in single quotes, numbers, true and false, dates.

use datafusion::sql::sqlparser::ast::{DataType, Expr, Value};

use super::{Typed, dates, expression, mismatch};
use crate::sql::names::Kind;
use crate::sql::{Code, Refusal, tree};

/// Characters of one literal.
const MAX_LITERAL: usize = 1_000;

/// A literal as it stands.
pub(super) fn plain(value: Value) -> Result<Typed, Refusal> {
    match value {
        Value::Number(text, _) => {
            let kind = if text.contains(['.', 'e', 'E']) { Kind::Decimal } else { Kind::Integer };
            Ok(Typed::literal(tree::number(&text), kind, &text))
        }
        Value::SingleQuotedString(text) => match text.chars().count() {
            0..=MAX_LITERAL => Ok(Typed::literal(tree::text(&text), Kind::Text, &text)),
            chars => {
                let message = format!("a literal has {chars} characters, {MAX_LITERAL} are allowed");
                Err(Refusal::new(Code::TooLarge, message, "write a shorter one"))
            }
        },
        Value::Boolean(flag) => {
            let text = if flag { "true" } else { "false" };
            Ok(Typed::literal(Expr::value(Value::Boolean(flag)), Kind::Truth, text))
        }
        Value::Null => Ok(Typed::new(Expr::value(Value::Null), Kind::Null)),
        Value::Placeholder(name) => Err(expression(&format!("the parameter {name}"))),
        _ => Err(expression("this kind of literal").hinted("write text in single quotes")),
    }
}

/// `DATE '…'` and `TIMESTAMP '…'`.
pub(super) fn typed(data_type: &DataType, value: Value) -> Result<Typed, Refusal> {
    let text = match (data_type, value) {
        (DataType::Date | DataType::Timestamp(..) | DataType::Datetime(_), Value::SingleQuotedString(text)) => text,
        _ => return Err(expression("this typed literal")),
    };
    date_literal(&text)
}

/// A date as a literal: its first moment, and its text for comparisons.
pub(super) fn date_literal(text: &str) -> Result<Typed, Refusal> {
    let (start, _) = dates::range(text).ok_or_else(|| not_a_date(text))?;
    Ok(Typed::literal(tree::moment(start), Kind::DateTime, text))
}

pub(super) fn not_a_date(text: &str) -> Refusal {
    mismatch(format!("{text:?} is not a date"), "write '2024-01-05', '2024-01' or '2024'")
}
