//! Comparisons: a literal is read as the type of the field beside it; dates are half-open ranges; a text equality
//! becomes a mark that grounding ties to cells.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, UnaryOperator, Value};
use unicode_normalization::UnicodeNormalization;

use super::literal::not_a_date;
use super::{At, Guard, Typed, dates, mismatch};
use crate::sql::names::Kind;
use crate::sql::predicate::{Form, Predicate, mark};
use crate::sql::{Code, Refusal, tree};

/// Values of one IN list.
const MAX_IN: usize = 1_000;

impl Guard<'_> {
    pub(super) fn compare(&mut self, left: Typed, op: BinaryOperator, right: Typed, at: At) -> Result<Expr, Refusal> {
        if left.literal.is_some() && right.literal.is_none() {
            return self.compare(right, mirrored(op), left, at);
        }
        if left.kind == Kind::Null || right.kind == Kind::Null {
            return Err(mismatch("nothing is equal to NULL", "write IS NULL or IS NOT NULL"));
        }
        let equality = matches!(op, BinaryOperator::Eq | BinaryOperator::NotEq);
        let negated = op == BinaryOperator::NotEq;
        let Some(text) = right.literal.clone() else { return columns(left, op, right) };
        match (left.kind, right.kind) {
            (Kind::DateTime, Kind::Text | Kind::DateTime | Kind::Integer) => date(left.expr, &op, &text),
            (Kind::Text, Kind::Text) if equality && text.is_empty() => Ok(empty(left.expr, negated)),
            (Kind::Text, _) if equality => Ok(self.text_equality(left, vec![text], negated, at)),
            (Kind::Text, kind) if kind != Kind::Text => Err(mismatch(
                format!("{} is text, {text} is not", left.expr),
                format!("write CAST({} AS DOUBLE) to compare it as a number", left.expr),
            )),
            (Kind::Flag, _) if equality => Ok(tree::binary(left.expr, op, flag(&text)?)),
            (kind, Kind::Text) if kind.is_number() => {
                let number = number(&text, unit(&left))?;
                Ok(tree::binary(left.expr, op, number))
            }
            (Kind::Truth, Kind::Text | Kind::Integer) => Ok(tree::binary(left.expr, op, truth(&text)?)),
            _ => columns(left, op, right),
        }
    }

    /// A field that is one of the texts; an expression that is no field is compared as it is.
    fn text_equality(&mut self, left: Typed, texts: Vec<String>, negated: bool, at: At) -> Expr {
        let base = left.fact.as_ref().and_then(|fact| fact.base.clone());
        let literally = Predicate {
            table: String::new(),
            field: String::new(),
            label: left.fact.map(|fact| fact.label).unwrap_or_default(),
            column: left.expr,
            tokens: left.tokens,
            texts,
            form: Form::Equal,
            negated,
            fuzzy: at.fuzzy && !negated,
        };
        match base {
            Some((table, field)) => self.predicate(Predicate { table, field, ..literally }),
            None => literally.literally(),
        }
    }

    /// Keeps the predicate and gives what stands for it.
    pub(super) fn predicate(&mut self, predicate: Predicate) -> Expr {
        self.predicates.push(predicate);
        mark(self.predicates.len() - 1)
    }

    pub(super) fn in_list(&mut self, expr: Expr, list: Vec<Expr>, negated: bool, at: At) -> Result<Expr, Refusal> {
        if list.is_empty() || list.len() > MAX_IN {
            let message = format!("IN with {} values, 1 to {MAX_IN} are allowed", list.len());
            return Err(Refusal::new(Code::TooLarge, message, "write fewer values"));
        }
        let left = self.expr(expr, at.strict())?;
        let items = list.into_iter().map(|item| self.expr(item, at.strict())).collect::<Result<Vec<_>, _>>()?;
        if items.iter().any(|item| item.kind == Kind::Null) {
            return Err(mismatch("NULL in a list equals nothing", "leave it out and write IS NULL beside it"));
        }
        let texts: Option<Vec<String>> = items.iter().map(|item| item.literal.clone()).collect();
        match (left.kind, texts) {
            (Kind::Text, Some(texts)) => Ok(self.text_equality(left, texts, negated, at)),
            (Kind::DateTime, Some(_)) => {
                let days = items.into_iter().map(|item| self.compare(left.clone(), BinaryOperator::Eq, item, at));
                let any = tree::any_of(days.collect::<Result<Vec<_>, _>>()?);
                any.map(|any| not(tree::nested(any), negated)).ok_or_else(|| mismatch("an empty list", "write a value"))
            }
            (kind, Some(texts)) if kind.is_number() => {
                let numbers = texts.iter().map(|text| number(text, unit(&left))).collect::<Result<Vec<_>, _>>()?;
                Ok(tree::in_list(left.expr, numbers, negated))
            }
            (Kind::Flag, Some(texts)) => {
                let flags = texts.iter().map(|text| flag(text)).collect::<Result<Vec<_>, _>>()?;
                Ok(tree::in_list(left.expr, flags, negated))
            }
            _ => Ok(tree::in_list(left.expr, items.into_iter().map(|item| item.expr), negated)),
        }
    }

    /// Both bounds are part of it; an upper bound that is a day or a month is part of it to its end.
    pub(super) fn between(
        &mut self,
        expr: Expr,
        negated: bool,
        low: Expr,
        high: Expr,
        at: At,
    ) -> Result<Expr, Refusal> {
        let at = at.strict();
        let (left, low, high) = (self.expr(expr, at)?, self.expr(low, at)?, self.expr(high, at)?);
        let from = self.compare(left.clone(), BinaryOperator::GtEq, low, at)?;
        let to = self.compare(left, BinaryOperator::LtEq, high, at)?;
        let both = tree::nested(tree::binary(from, BinaryOperator::And, to));
        Ok(not(both, negated))
    }
}

/// Two values neither of which is a literal beside a field.
fn columns(left: Typed, op: BinaryOperator, right: Typed) -> Result<Expr, Refusal> {
    let alike = |a: Kind, b: Kind| {
        a == b
            || a == Kind::Any
            || b == Kind::Any
            || (a.is_number() && b.is_number())
            || matches!((a, b), (Kind::Text, Kind::Flag) | (Kind::Flag, Kind::Text))
    };
    if !alike(left.kind, right.kind) {
        let message = format!("{} and {} are of different types", left.expr, right.expr);
        return Err(mismatch(message, "CAST one of them to the type of the other"));
    }
    Ok(tree::binary(left.expr, op, right.expr))
}

fn mirrored(op: BinaryOperator) -> BinaryOperator {
    match op {
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        same => same,
    }
}

pub(super) fn not(condition: Expr, negated: bool) -> Expr {
    if negated { Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(condition) } } else { condition }
}

/// No text at all: null, or the empty text.
fn empty(column: Expr, negated: bool) -> Expr {
    if negated {
        return tree::binary(column, BinaryOperator::NotEq, tree::text(""));
    }
    let equal = tree::binary(column.clone(), BinaryOperator::Eq, tree::text(""));
    tree::nested(tree::binary(Expr::IsNull(Box::new(column)), BinaryOperator::Or, equal))
}

/// A date against a text that may be a year, a month, a day or a moment.
pub(super) fn date(column: Expr, op: &BinaryOperator, text: &str) -> Result<Expr, Refusal> {
    let (start, end) = dates::range(text).ok_or_else(|| not_a_date(text))?;
    let (start, end) = (tree::moment(start), tree::moment(end));
    let compare = |op: BinaryOperator, bound: Expr| tree::binary(column.clone(), op, bound);
    Ok(match op {
        BinaryOperator::Lt => compare(BinaryOperator::Lt, start),
        BinaryOperator::LtEq => compare(BinaryOperator::Lt, end),
        BinaryOperator::Gt => compare(BinaryOperator::GtEq, end),
        BinaryOperator::GtEq => compare(BinaryOperator::GtEq, start),
        BinaryOperator::NotEq => tree::nested(tree::binary(
            compare(BinaryOperator::Lt, start),
            BinaryOperator::Or,
            compare(BinaryOperator::GtEq, end),
        )),
        _ => tree::nested(tree::binary(
            compare(BinaryOperator::GtEq, start),
            BinaryOperator::And,
            compare(BinaryOperator::Lt, end),
        )),
    })
}

fn unit(typed: &Typed) -> Option<&str> {
    typed.fact.as_ref()?.unit.as_deref()
}

/// A number written as text: `1,200`, `１２`, `12%`, which is 0.12 unless the field's numbers are percents as they stand.
fn number(text: &str, unit: Option<&str>) -> Result<Expr, Refusal> {
    let plain: String = text.nfkc().filter(|c| *c != ',' && !c.is_whitespace()).collect();
    let (digits, percent) = plain.strip_suffix('%').map_or((plain.as_str(), false), |digits| (digits, true));
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let is_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.parse::<f64>().is_ok();
    if !is_number {
        return Err(mismatch(format!("{text:?} is not a number"), "compare a field of numbers with a number"));
    }
    let value = match digits.parse::<f64>() {
        Ok(value) if percent && unit != Some("percent") => {
            tree::number(crate::value::decimal_text(value / 100.0).trim_start_matches('-'))
        }
        _ => tree::number(unsigned),
    };
    let negative = digits.starts_with('-');
    Ok(if negative { Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(value) } } else { value })
}

fn is_yes(text: &str) -> Result<bool, Refusal> {
    match text.trim().to_lowercase().as_str() {
        "yes" | "y" | "true" | "t" | "1" | "是" | "有" | "对" | "√" => Ok(true),
        "no" | "n" | "false" | "f" | "0" | "否" | "无" | "没有" | "不是" | "×" => Ok(false),
        _ => Err(mismatch(format!("{text:?} is neither yes nor no"), "compare a flag with 'yes' or 'no'")),
    }
}

/// A flag as it is stored.
fn flag(text: &str) -> Result<Expr, Refusal> {
    is_yes(text).map(|yes| tree::text(if yes { "yes" } else { "no" }))
}

fn truth(text: &str) -> Result<Expr, Refusal> {
    is_yes(text).map(|yes| Expr::value(Value::Boolean(yes)))
}
