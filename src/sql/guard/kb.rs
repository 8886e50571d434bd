//! Conditions on `kb_id` that a model writes: one that only narrows is dropped, as the scope is chosen outside the
//! statement; any other is refused where its name is looked up.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr};

use super::Guard;
use crate::note::Note;
use crate::sql::tree;

impl Guard<'_> {
    /// The condition of a WHERE without its conjuncts `kb_id = '…'` and `kb_id IN (…)`.
    pub(super) fn without_kb(&mut self, condition: Expr) -> Option<Expr> {
        match condition {
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                let sides = [*left, *right].map(|side| self.without_kb(side));
                tree::all_of(sides.into_iter().flatten())
            }
            Expr::Nested(inner) => self.without_kb(*inner).map(tree::nested),
            condition if is_kb_condition(&condition) => {
                let message = format!("{condition} was left out: the knowledge bases are chosen outside the statement");
                self.notes.push(Note::new("scope_condition_dropped", message));
                None
            }
            condition => Some(condition),
        }
    }
}

fn is_kb_condition(expr: &Expr) -> bool {
    let is_kb = |expr: &Expr| tree::column_name(expr).is_some_and(|name| name.eq_ignore_ascii_case("kb_id"));
    match expr {
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => is_kb(left) && matches!(**right, Expr::Value(_)),
        Expr::InList { expr, list, negated: false } => {
            is_kb(expr) && list.iter().all(|item| matches!(item, Expr::Value(_)))
        }
        _ => false,
    }
}
