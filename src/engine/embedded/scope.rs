//! Conditions on scope columns, answered from the catalog's word on each document instead of row by row.

use std::collections::HashSet;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::view::{PartView, View};
use crate::engine::Document;
use crate::engine::documents::Documents;
use crate::engine::rowset::Bits;
use crate::ids::Id;

/// What a condition leaves of a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Left {
    All,
    Nothing,
    Documents(Bits),
}

/// A condition that needs only the scope of a row.
#[derive(Debug, Clone)]
enum Condition {
    Ids { column: Column, values: HashSet<Id>, negated: bool },
    Tables { names: HashSet<String>, negated: bool },
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
    Known(bool),
}

#[derive(Debug, Clone, Copy)]
enum Column {
    Kb,
    Table,
    Document,
}

/// Whether [`left`] answers the condition exactly.
pub(super) fn is_of_scope(filter: &Expr) -> bool {
    condition(filter).is_some()
}

/// What all conditions together leave of a part of the view. A condition that is not of scope leaves nothing out.
pub(super) fn left(filters: &[Expr], view: &View, part: &PartView) -> Left {
    let conditions: Vec<Condition> = filters.iter().filter_map(condition).collect();
    let documents = of_kb(&view.documents, part);
    let passing: Vec<&Document> = documents
        .iter()
        .copied()
        .filter(|document| conditions.iter().all(|one| one.holds(document, &view.name)))
        .collect();
    match passing.len() {
        0 => Left::Nothing,
        all if all == documents.len() => Left::All,
        _ => Left::Documents(passing.iter().map(|document| document.no as usize).collect()),
    }
}

fn of_kb<'a>(documents: &'a Documents, part: &PartView) -> Vec<&'a Document> {
    documents.all.iter().filter(|document| document.kb == part.kb).collect()
}

fn condition(filter: &Expr) -> Option<Condition> {
    match filter {
        Expr::BinaryExpr(binary) => compound(binary),
        Expr::InList(list) => {
            let values = list.list.iter().map(text).collect::<Option<_>>()?;
            Some(Condition::among(column(&list.expr)?, values, list.negated))
        }
        Expr::Not(inner) => Some(Condition::Not(Box::new(condition(inner)?))),
        Expr::Literal(ScalarValue::Boolean(Some(known)), _) => Some(Condition::Known(*known)),
        _ => None,
    }
}

fn compound(binary: &BinaryExpr) -> Option<Condition> {
    let both = || Some((Box::new(condition(&binary.left)?), Box::new(condition(&binary.right)?)));
    match binary.op {
        Operator::And => both().map(|(left, right)| Condition::And(left, right)),
        Operator::Or => both().map(|(left, right)| Condition::Or(left, right)),
        Operator::Eq => equal(binary, false),
        Operator::NotEq => equal(binary, true),
        _ => None,
    }
}

fn equal(binary: &BinaryExpr, negated: bool) -> Option<Condition> {
    let (column, value) = match (column(&binary.left), column(&binary.right)) {
        (Some(column), None) => (column, text(&binary.right)?),
        (None, Some(column)) => (column, text(&binary.left)?),
        _ => return None,
    };
    Some(Condition::among(column, HashSet::from([value]), negated))
}

fn column(expr: &Expr) -> Option<Column> {
    match expr {
        Expr::Column(column) => match column.name.as_str() {
            "kb_id" => Some(Column::Kb),
            "table_kwd" => Some(Column::Table),
            "doc_id" => Some(Column::Document),
            _ => None,
        },
        Expr::Cast(cast) => self::column(&cast.expr),
        _ => None,
    }
}

fn text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Literal(literal, _) => literal.try_as_str().flatten().map(str::to_owned),
        Expr::Cast(cast) => text(&cast.expr),
        _ => None,
    }
}

impl Condition {
    /// A text that is not an id as we write it is the id of nothing.
    fn among(column: Column, values: HashSet<String>, negated: bool) -> Self {
        if let Column::Table = column {
            return Condition::Tables { names: values, negated };
        }
        let id = |text: String| text.parse().ok().filter(|id: &Id| id.to_string() == text);
        Condition::Ids { column, values: values.into_iter().filter_map(id).collect(), negated }
    }

    fn holds(&self, document: &Document, table: &str) -> bool {
        match self {
            Condition::Ids { column, values, negated } => {
                let id = if let Column::Kb = column { document.kb } else { document.doc_id };
                values.contains(&id) != *negated
            }
            Condition::Tables { names, negated } => names.contains(table) != *negated,
            Condition::And(left, right) => left.holds(document, table) && right.holds(document, table),
            Condition::Or(left, right) => left.holds(document, table) || right.holds(document, table),
            Condition::Not(inner) => !inner.holds(document, table),
            Condition::Known(known) => *known,
        }
    }
}
