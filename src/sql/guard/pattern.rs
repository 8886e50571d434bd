//! LIKE: `'%v%'` on a field becomes a mark for grounding; every other pattern is kept, with `\` as its only escape.

use datafusion::sql::sqlparser::ast::{BinaryOperator, DataType, Expr, Value, ValueWithSpan};

use super::comparison::{date, not};
use super::literal::not_a_date;
use super::{At, Guard, Typed, dates, expression, mismatch};
use crate::sql::names::Kind;
use crate::sql::predicate::{Form, Predicate};
use crate::sql::{Code, Refusal, tree};

/// Wildcards of one pattern: matching takes time in their number.
const MAX_WILDCARDS: usize = 10;

/// A pattern in parts.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// `%`
    Any,
    /// `_`
    One,
}

impl Guard<'_> {
    pub(super) fn like(
        &mut self,
        expr: Expr,
        pattern: Expr,
        escape: Option<ValueWithSpan>,
        negated: bool,
        folded: bool,
        at: At,
    ) -> Result<Expr, Refusal> {
        let left = self.expr(expr, at.strict())?;
        let pattern = self.expr(pattern, at.strict())?;
        let Some(text) = pattern.literal else {
            return Ok(like(as_text(left)?, pattern.expr, negated, folded));
        };
        let parts = parts(&text, escape.map(escape_char).transpose()?);
        if parts.iter().filter(|part| !matches!(part, Part::Text(_))).count() > MAX_WILDCARDS {
            let message = format!("a pattern has more than {MAX_WILDCARDS} wildcards");
            return Err(Refusal::new(Code::TooLarge, message, "search for a shorter pattern"));
        }
        if left.kind == Kind::DateTime {
            return dated(left.expr, &parts, negated);
        }
        match (&parts[..], left.fact.as_ref().and_then(|fact| fact.base.clone())) {
            ([Part::Any, Part::Text(text), Part::Any], Some((table, field))) if left.kind == Kind::Text => Ok(self
                .predicate(Predicate {
                    table,
                    field,
                    label: left.fact.map(|fact| fact.label).unwrap_or_default(),
                    column: left.expr,
                    tokens: left.tokens,
                    texts: vec![text.clone()],
                    form: if folded { Form::ContainsFolded } else { Form::Contains },
                    negated,
                    fuzzy: at.fuzzy && !negated,
                })),
            _ => Ok(like(as_text(left)?, tree::text(&printed(&parts)), negated, folded)),
        }
    }
}

fn like(expr: Expr, pattern: Expr, negated: bool, folded: bool) -> Expr {
    let (any, expr, pattern, escape_char) = (false, Box::new(expr), Box::new(pattern), None);
    if folded {
        Expr::ILike { negated, any, expr, pattern, escape_char }
    } else {
        Expr::Like { negated, any, expr, pattern, escape_char }
    }
}

fn as_text(typed: Typed) -> Result<Expr, Refusal> {
    match typed.kind {
        Kind::Text | Kind::Flag | Kind::Any => Ok(tree::operand(typed.expr)),
        Kind::Integer | Kind::Decimal => Ok(tree::cast(typed.expr, DataType::Varchar(None))),
        _ => Err(mismatch(format!("{} is not text", typed.expr), "compare it with =, < or >")),
    }
}

/// `LIKE '2024-01%'` on a date: the month.
fn dated(column: Expr, parts: &[Part], negated: bool) -> Result<Expr, Refusal> {
    let text = match parts {
        [Part::Text(text)] | [Part::Text(text), Part::Any] => text.trim_end_matches(['-', '/']),
        _ => return Err(mismatch("a date has no such pattern", "write >= and < with dates, or YEAR(…) and MONTH(…)")),
    };
    dates::range(text).ok_or_else(|| not_a_date(text))?;
    date(column, &BinaryOperator::Eq, text).map(|condition| not(condition, negated))
}

fn escape_char(escape: ValueWithSpan) -> Result<char, Refusal> {
    let Value::SingleQuotedString(text) = escape.value else { return Err(expression("this ESCAPE")) };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(escape), None) => Ok(escape),
        _ => Err(expression("an ESCAPE of more than one character")),
    }
}

/// Without ESCAPE a `\` escapes only a wildcard, as models write it; before anything else it is itself.
fn parts(pattern: &str, escape: Option<char>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut text = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = chars.peek().copied().filter(|next| {
            let wildcard = matches!(next, '%' | '_');
            escape.map_or(c == '\\' && wildcard, |escape| c == escape && (wildcard || *next == escape))
        });
        match (escaped, c) {
            (Some(next), _) => {
                text.push(next);
                chars.next();
                continue;
            }
            (None, '%' | '_') => {
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                let wildcard = if c == '%' { Part::Any } else { Part::One };
                if wildcard == Part::One || parts.last() != Some(&Part::Any) {
                    parts.push(wildcard);
                }
            }
            (None, c) => text.push(c),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

fn printed(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Any => "%".to_owned(),
        Part::One => "_".to_owned(),
        Part::Text(text) => crate::sql::predicate::escape(text),
    };
    parts.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::{parts, printed};

    #[test]
    fn a_pattern_keeps_its_wildcards_and_its_literal_signs_apart() {
        let table = [
            ("%50\\% off%", None, "%50\\% off%"),
            ("C:\\tmp%", None, "C:\\\\tmp%"),
            ("50!% %", Some('!'), "50\\% %"),
            ("a__%%b", None, "a__%b"),
            ("%%%", None, "%"),
        ];
        for (pattern, escape, want) in table {
            assert_eq!(printed(&parts(pattern, escape)), want, "{pattern}");
        }
    }
}
