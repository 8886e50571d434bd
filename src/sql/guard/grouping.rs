//! In a grouped SELECT every column is a group key or stands inside an aggregate.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Expr, Query, Select, Visit, Visitor};

use super::Guard;
use crate::sql::{Code, Refusal, shape, tree};

struct Ungrouped<'a> {
    keys: &'a [Expr],
    /// Open keys, aggregates and queries around the node.
    settled: usize,
}

impl Ungrouped<'_> {
    fn settles(&self, expr: &Expr) -> bool {
        shape::as_aggregate(expr).is_some() || self.keys.contains(expr)
    }
}

impl Visitor for Ungrouped<'_> {
    type Break = String;
    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.settled += 1;
        ControlFlow::Continue(())
    }
    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.settled -= 1;
        ControlFlow::Continue(())
    }
    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        self.settled += usize::from(self.settles(expr));
        match tree::column_name(expr) {
            Some(name) if self.settled == 0 => ControlFlow::Break(name.to_owned()),
            _ => ControlFlow::Continue(()),
        }
    }
    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        self.settled -= usize::from(self.settles(expr));
        ControlFlow::Continue(())
    }
}

impl Guard<'_> {
    pub(super) fn grouped(&self, select: &Select) -> Result<(), Refusal> {
        if !shape::is_grouped(select) {
            return Ok(());
        }
        let mut ungrouped = Ungrouped { keys: shape::group_keys(select), settled: 0 };
        let found = select.projection.visit(&mut ungrouped);
        let found = if found.is_break() { found } else { select.having.visit(&mut ungrouped) };
        match found {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(name) => Err(Refusal::new(
                Code::ExpressionNotAllowed,
                format!("{name} has many values in each group"),
                format!(
                    "add {name} to GROUP BY or put it in an aggregate; for the row of an extreme, ORDER BY it and LIMIT, or compare \
                     with a sub-select"
                ),
            )),
        }
    }
}
