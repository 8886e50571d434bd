//! Text predicates that wait for the cells they mean.
//!
//! In the tree a mark (a placeholder, which no reply may hold) stands for each. Grounding puts a condition in its place.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Value, VisitMut, visit_expressions_mut};

use super::lookup::{Lookup, Wanted};
use super::tree;

/// A comparison of a text field with literals.
#[derive(Debug, Clone)]
pub(super) struct Predicate {
    pub table: String,
    /// Stored name of the field, or a source column.
    pub field: String,
    pub label: String,
    /// The column with the cells.
    pub column: Expr,
    /// The searchable twin, where this place can write it.
    pub tokens: Option<Expr>,
    pub texts: Vec<String>,
    pub form: Form,
    pub negated: bool,
    /// Stands where text may be read as what is like it.
    pub fuzzy: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Is one of the texts.
    Equal,
    /// `LIKE '%text%'`.
    Contains,
    /// `ILIKE '%text%'`.
    ContainsFolded,
}

impl Predicate {
    /// One for each text.
    pub fn lookups(&self) -> impl Iterator<Item = Lookup> {
        let wanted = if self.form == Form::Equal { Wanted::Equal } else { Wanted::Contains };
        self.texts.iter().map(move |text| Lookup {
            table: self.table.clone(),
            field: self.field.clone(),
            text: text.clone(),
            wanted,
        })
    }

    /// The condition to the letter.
    pub fn literally(&self) -> Expr {
        match self.form {
            Form::Equal => self.is_one_of(&self.texts),
            Form::Contains | Form::ContainsFolded => self.contains(self.form == Form::ContainsFolded),
        }
    }

    /// The column is, or is not, one of the cells.
    pub fn is_one_of(&self, cells: &[String]) -> Expr {
        match cells {
            [cell] => {
                let op = if self.negated { BinaryOperator::NotEq } else { BinaryOperator::Eq };
                tree::binary(self.column.clone(), op, tree::text(cell))
            }
            cells => tree::in_list(self.column.clone(), cells.iter().map(|cell| tree::text(cell)), self.negated),
        }
    }

    /// The column contains the text, with or without regard to case.
    pub fn contains(&self, folded: bool) -> Expr {
        let text = self.texts.first().map_or("", String::as_str);
        let pattern = Box::new(tree::text(&format!("%{}%", escape(text))));
        let (negated, any, expr, escape_char) = (self.negated, false, Box::new(self.column.clone()), None);
        if folded {
            Expr::ILike { negated, any, expr, pattern, escape_char }
        } else {
            Expr::Like { negated, any, expr, pattern, escape_char }
        }
    }
}

/// A text as a part of a LIKE pattern, in which `\` escapes.
pub(super) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// What stands for predicate `number` in the tree.
pub(super) fn mark(number: usize) -> Expr {
    Expr::value(Value::Placeholder(format!("$p{number}")))
}

/// Puts a condition in place of each mark.
pub(super) fn replace_marks(tree: &mut impl VisitMut, conditions: &[Expr]) {
    let _ = visit_expressions_mut(tree, |expr| {
        if let Some(condition) = marked(expr).and_then(|number| conditions.get(number)) {
            *expr = condition.clone();
        }
        ControlFlow::<()>::Continue(())
    });
}

/// Reads every predicate to the letter.
pub(super) fn take_literally(tree: &mut impl VisitMut, predicates: &[Predicate]) {
    let conditions: Vec<Expr> = predicates.iter().map(Predicate::literally).collect();
    replace_marks(tree, &conditions);
}

fn marked(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => name.strip_prefix("$p")?.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
