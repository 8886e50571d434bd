//! Conditions of a statement as queries of the server: a pure function, exact or nothing.
//!
//! A condition is true, false or null of a row. [`Sides`] has a query for the rows where it is true and one for those where it is
//! false, so that NOT swaps them and a null is in neither, as in SQL.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use serde_json::Value;

use super::place::Place;
use super::query::{all, any, but, exists, having, not, nothing, range, term, terms};
use super::row::is_term;
use crate::engine::Document;
use crate::engine::cells::{column_of, words};
use crate::engine::matching::{Call, MATCH, Need};
use crate::value::FieldType;

/// Levels that a query may have; servers refuse at 20 or 30.
const MAX_LEVELS: usize = 6;
/// Clauses that a query may have; servers refuse at 1,024.
const MAX_CLAUSES: usize = 300;
/// Values in one list; servers take 65,536.
const MAX_VALUES: usize = 50_000;

struct Sides {
    yes: Value,
    no: Value,
    levels: usize,
    clauses: usize,
}

impl Sides {
    fn of(yes: Value, no: Value) -> Option<Self> {
        Some(Self { yes, no, levels: 1, clauses: 2 })
    }
}

/// The rows where the condition is true; `None` where no query says exactly that.
pub(super) fn pushed(condition: &Expr, place: &Place) -> Option<Value> {
    let sides = sides(condition, place)?;
    (sides.levels <= MAX_LEVELS && sides.clauses <= MAX_CLAUSES).then_some(sides.yes)
}

fn sides(condition: &Expr, place: &Place) -> Option<Sides> {
    match condition {
        Expr::BinaryExpr(binary) => match binary.op {
            Operator::And | Operator::Or => joined(condition, binary.op, place),
            op => comparison(binary, op, place),
        },
        Expr::Not(inner) => sides(inner, place).map(swapped),
        Expr::IsNull(inner) => presence(inner, place).map(swapped),
        Expr::IsNotNull(inner) => presence(inner, place),
        Expr::Between(between) => {
            let above = compared(&between.expr, Operator::GtEq, &between.low, place)?;
            let below = compared(&between.expr, Operator::LtEq, &between.high, place)?;
            let both = both(Operator::And, vec![above, below]);
            Some(if between.negated { swapped(both) } else { both })
        }
        Expr::InList(list) => {
            let among = among(&list.expr, &list.list, place)?;
            Some(if list.negated { swapped(among) } else { among })
        }
        Expr::ScalarFunction(function) if function.name() == MATCH => matching(&function.args, place),
        Expr::Literal(ScalarValue::Boolean(Some(known)), _) => {
            let known = if *known { (all(Vec::new()), nothing()) } else { (nothing(), all(Vec::new())) };
            Sides::of(known.0, known.1)
        }
        _ => None,
    }
}

fn swapped(sides: Sides) -> Sides {
    Sides { yes: sides.no, no: sides.yes, ..sides }
}

/// A chain of one operator is one level.
fn joined(condition: &Expr, op: Operator, place: &Place) -> Option<Sides> {
    let mut chain = Vec::new();
    let mut rest = vec![condition];
    while let Some(expr) = rest.pop() {
        match expr {
            Expr::BinaryExpr(binary) if binary.op == op => rest.extend([&*binary.right, &*binary.left]),
            other => chain.push(sides(other, place)?),
        }
    }
    Some(both(op, chain))
}

fn both(op: Operator, chain: Vec<Sides>) -> Sides {
    let levels = 1 + chain.iter().map(|sides| sides.levels).max().unwrap_or_default();
    let clauses = chain.iter().map(|sides| sides.clauses).sum();
    let (yes, no) = chain.into_iter().map(|sides| (sides.yes, sides.no)).unzip();
    match op {
        Operator::And => Sides { yes: all(yes), no: any(no), levels, clauses },
        _ => Sides { yes: any(yes), no: all(no), levels, clauses },
    }
}

/// What a condition can be about.
enum Column<'a> {
    /// A stored value that is one term.
    Stored {
        name: &'a str,
        kind: FieldType,
    },
    /// Something that all rows of a document share.
    Document(fn(&Document) -> String),
    Table,
}

fn column<'a>(expr: &'a Expr, place: &Place) -> Option<Column<'a>> {
    let name = match expr {
        Expr::Column(column) => column.name.as_str(),
        Expr::Cast(cast) if cast.field.data_type().is_string() => match &*cast.expr {
            Expr::Column(column) => column.name.as_str(),
            _ => return None,
        },
        _ => return None,
    };
    match name {
        "kb_id" => Some(Column::Document(|document| document.kb.to_string())),
        "doc_id" => Some(Column::Document(|document| document.doc_id.to_string())),
        "docnm_kwd" => Some(Column::Document(|document| document.name.clone())),
        "table_kwd" => Some(Column::Table),
        "sheet_kwd" => Some(Column::Stored { name, kind: FieldType::Text }),
        "row_long" => Some(Column::Stored { name, kind: FieldType::Integer }),
        _ => {
            let kind = place.field(name)?.kind;
            // Another knowledge base may have whole numbers where this one has decimals.
            let one_type = kind != FieldType::Decimal || place.parts.len() < 2;
            one_type.then_some(Column::Stored { name, kind })
        }
    }
}

fn presence(expr: &Expr, place: &Place) -> Option<Sides> {
    match column(expr, place)? {
        Column::Stored { name, .. } => Sides::of(exists(name), not(exists(name))),
        Column::Document(_) | Column::Table => Sides::of(all(Vec::new()), nothing()),
    }
}

fn comparison(binary: &BinaryExpr, op: Operator, place: &Place) -> Option<Sides> {
    compared(&binary.left, op, &binary.right, place)
        .or_else(|| compared(&binary.right, op.swap()?, &binary.left, place))
}

fn compared(of: &Expr, op: Operator, with: &Expr, place: &Place) -> Option<Sides> {
    match op {
        Operator::Eq => among(of, std::slice::from_ref(with), place),
        Operator::NotEq => among(of, std::slice::from_ref(with), place).map(swapped),
        _ => {
            let Column::Stored { name, kind } = column(of, place)? else { return None };
            let value = value(with, kind).filter(|_| kind != FieldType::Text && kind != FieldType::Flag)?;
            let (op, other) = match op {
                Operator::Gt => ("gt", "lte"),
                Operator::GtEq => ("gte", "lt"),
                Operator::Lt => ("lt", "gte"),
                Operator::LtEq => ("lte", "gt"),
                _ => return None,
            };
            Sides::of(range(name, op, value.clone()), range(name, other, value))
        }
    }
}

/// Is one of the values.
fn among(of: &Expr, values: &[Expr], place: &Place) -> Option<Sides> {
    if values.is_empty() || values.len() > MAX_VALUES {
        return None;
    }
    match column(of, place)? {
        Column::Stored { name, kind } => {
            let mut values: Vec<Value> = values.iter().map(|one| value(one, kind)).collect::<Option<_>>()?;
            let yes = if values.len() == 1 { term(name, values.remove(0)) } else { terms(name, values) };
            Sides::of(yes.clone(), but(exists(name), yes))
        }
        Column::Document(part) => {
            let values: Vec<String> = values.iter().map(text).collect::<Option<_>>()?;
            let (yes, no) =
                place.documents.all.iter().partition::<Vec<_>, _>(|document| values.contains(&part(document)));
            let numbers = |documents: Vec<&Document>| {
                let numbers: Vec<Value> = documents.iter().map(|document| document.no.into()).collect();
                if numbers.is_empty() { nothing() } else { terms("doc_no", numbers) }
            };
            let fits = place.documents.all.len() <= MAX_VALUES;
            fits.then(|| Sides::of(numbers(yes), numbers(no)))?
        }
        Column::Table => {
            let values: Vec<String> = values.iter().map(text).collect::<Option<_>>()?;
            let known = (all(Vec::new()), nothing());
            let (yes, no) = if values.contains(&place.name) { known } else { (known.1, known.0) };
            Sides::of(yes, no)
        }
    }
}

fn text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Literal(literal, _) => literal.try_as_str().flatten().map(str::to_owned),
        Expr::Cast(cast) => text(&cast.expr),
        _ => None,
    }
}

/// A literal as a value of a column of this type; `None` where they are not of one type.
fn value(expr: &Expr, kind: FieldType) -> Option<Value> {
    let Expr::Literal(literal, _) = expr else {
        return text(expr).filter(|_| kind == FieldType::Text || kind == FieldType::Flag).and_then(as_term);
    };
    match (kind, literal) {
        (FieldType::Text | FieldType::Flag, literal) => {
            literal.try_as_str().flatten().and_then(|text| as_term(text.to_owned()))
        }
        (FieldType::Integer, ScalarValue::Int64(Some(n))) => Some((*n).into()),
        (FieldType::Integer, ScalarValue::Decimal128(Some(n), _, 0)) => i64::try_from(*n).ok().map(Into::into),
        (FieldType::Decimal, ScalarValue::Float64(Some(x))) => serde_json::Number::from_f64(*x).map(Into::into),
        (FieldType::DateTime, ScalarValue::TimestampSecond(Some(seconds), None)) => moment(*seconds),
        (FieldType::DateTime, ScalarValue::TimestampNanosecond(Some(n), None)) => {
            (n % 1_000_000_000 == 0).then(|| moment(n / 1_000_000_000))?
        }
        _ => None,
    }
}

/// A text short enough to be a term.
fn as_term(text: String) -> Option<Value> {
    is_term(&text).then(|| text.into())
}

/// In the index's one format, which has years of four digits.
fn moment(seconds: i64) -> Option<Value> {
    let at = chrono::DateTime::from_timestamp(seconds, 0)?.naive_utc();
    let year = chrono::Datelike::year(&at);
    (0..=9999).contains(&year).then(|| at.format("%Y-%m-%dT%H:%M:%S").to_string().into())
}

fn matching(args: &[Expr], place: &Place) -> Option<Sides> {
    let [table, field, words, options, _] = args else { return None };
    let call = Call { table: text(table)?, field: text(field)?, words: text(words)?, options: text(options)? };
    if call.table != place.name || call.field == "docnm_kwd" {
        return None;
    }
    let (tokens, column) = (tokens_of(&call.field), column_of(&call.field));
    let yes = has_words(&call, &tokens)?;
    let mut sides = Sides::of(yes.clone(), but(exists(&column), yes))?;
    sides.clauses = 2 + call.words.chars().count();
    Some(sides)
}

/// The stored field that has the words of a field.
pub(super) fn tokens_of(field: &str) -> String {
    if field == "sheet_kwd" { "sheet_tks".to_owned() } else { field.to_owned() }
}

/// Rows that a MATCH finds; `None` for options that no one knows.
pub(super) fn has_words(call: &Call, tokens: &str) -> Option<Value> {
    let words = words(&call.words);
    let need = Need::read(&call.options)?.of(words.len());
    Some(having(tokens, &words, need))
}

#[cfg(test)]
mod tests;
