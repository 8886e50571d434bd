//! What kind of SELECT a tree is: looks at one SELECT, never into those inside it.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Expr, Function, GroupByExpr, Query, Select, SelectItem, Visit, Visitor};

/// Functions that make one value of many rows.
pub(super) const AGGREGATES: [&str; 14] = [
    "COUNT",
    "SUM",
    "AVG",
    "MIN",
    "MAX",
    "MEDIAN",
    "STDDEV_SAMP",
    "STDDEV_POP",
    "VAR_SAMP",
    "VAR_POP",
    "CORR",
    "PERCENTILE_CONT",
    "STRING_AGG",
    "COVAR_SAMP",
];

struct Outside<F> {
    depth: usize,
    test: F,
}

impl<F: FnMut(&Expr) -> bool> Visitor for Outside<F> {
    type Break = ();
    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }
    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.depth == 0 && (self.test)(expr) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Whether any expression of the node, outside the queries in it, passes the test.
pub(super) fn any_expr(node: &impl Visit, test: impl FnMut(&Expr) -> bool) -> bool {
    node.visit(&mut Outside { depth: 0, test }).is_break()
}

/// Whether it is an aggregate, also one over a window.
pub(super) fn is_aggregate(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(function) if AGGREGATES.contains(&function.name.to_string().as_str()))
}

/// The function, if it is an aggregate that is no window.
pub(super) fn as_aggregate(expr: &Expr) -> Option<&Function> {
    match expr {
        Expr::Function(function) if function.over.is_none() => {
            let name = function.name.to_string();
            AGGREGATES.contains(&name.as_str()).then_some(function)
        }
        _ => None,
    }
}

pub(super) fn has_aggregate(node: &impl Visit) -> bool {
    any_expr(node, |expr| as_aggregate(expr).is_some())
}

pub(super) fn group_keys(select: &Select) -> &[Expr] {
    match &select.group_by {
        GroupByExpr::Expressions(keys, _) => keys,
        GroupByExpr::All(_) => &[],
    }
}

/// Whether rows are put together: an aggregate, GROUP BY or HAVING.
pub(super) fn is_grouped(select: &Select) -> bool {
    !group_keys(select).is_empty() || select.having.is_some() || select.projection.iter().any(has_aggregate)
}

/// The expression and alias of a select item.
pub(super) fn parts(item: &SelectItem) -> Option<(&Expr, Option<&str>)> {
    match item {
        SelectItem::UnnamedExpr(expr) => Some((expr, None)),
        SelectItem::ExprWithAlias { expr, alias } => Some((expr, Some(&alias.value))),
        SelectItem::ExprWithAliases { .. } | SelectItem::QualifiedWildcard(..) | SelectItem::Wildcard(_) => None,
    }
}
