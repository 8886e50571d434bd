//! Ties: rows that an ORDER BY leaves equal are put in one order, so that the answer and its sources cut them alike.
//!
//! Comes in: a grounded tree. Goes out: the same with the keys of rows behind every order that a LIMIT or a window depends on.
//! Must never happen: a LIMIT, or a numbering of rows, that two runs of one statement take differently.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Function, OrderByKind, Query, Select, SetExpr, TableAlias, TableFactor, VisitMut, VisitorMut,
    WindowFrameUnits, WindowType,
};

use super::arms::{alias_of, factor_name, is_table};
use super::groups::is_limited;
use super::{append_keys, sort_last, width};
use crate::sql::{shape, tree};

/// Functions that tell apart rows which their order leaves equal.
const NUMBERING: [&str; 6] = ["ROW_NUMBER", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE"];

/// Settles the ties of a query and of all queries in it.
pub(super) fn settle(query: &mut Query, tables: &[String]) {
    let _ = query.visit(&mut Settling { tables, named: Vec::new() });
}

struct Settling<'a> {
    tables: &'a [String],
    /// Named queries seen so far, with their columns.
    named: Vec<(String, Vec<String>)>,
}

impl VisitorMut for Settling<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.named.push((cte.alias.name.value.clone(), columns(&cte.query, Some(&cte.alias))));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let keys = match &*query.body {
            SetExpr::Select(select) => self.keys(select),
            body => (1..=width(body)).map(tree::number).collect(),
        };
        if let Some(order_by) = &mut query.order_by
            && let OrderByKind::Expressions(sorted) = &mut order_by.kind
        {
            sorted.iter_mut().for_each(|key| number_rows(&mut key.expr, &keys));
        }
        if is_limited(query) && !keys.is_empty() {
            sort_last(&mut query.order_by, keys);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let keys = if select.distinct.is_some() { self.row_keys(select) } else { self.keys(select) };
        number_rows(&mut select.projection, &keys);
        number_rows(&mut select.qualify, &keys);
        ControlFlow::Continue(())
    }
}

impl Settling<'_> {
    /// What tells the rows apart that a SELECT gives.
    fn keys(&self, select: &Select) -> Vec<Expr> {
        if select.distinct.is_some() {
            return (1..=select.projection.len()).map(tree::number).collect();
        }
        self.row_keys(select)
    }

    /// What tells the rows or groups apart that the items of a SELECT are taken from.
    fn row_keys(&self, select: &Select) -> Vec<Expr> {
        if shape::is_grouped(select) {
            return shape::group_keys(select).to_vec();
        }
        let factors = select
            .from
            .iter()
            .flat_map(|from| std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation)));
        let factors: Vec<&TableFactor> = factors.collect();
        match factors[..] {
            [only] if is_table(only, self.tables) => vec![tree::column("row_key")],
            _ => factors.into_iter().flat_map(|factor| self.keys_of(factor)).collect(),
        }
    }

    /// The key of a table's row; all columns of what has none.
    fn keys_of(&self, factor: &TableFactor) -> Vec<Expr> {
        let alias = alias_of(factor);
        let columns = match factor {
            _ if is_table(factor, self.tables) => vec!["row_key".to_owned()],
            TableFactor::Derived { subquery, alias, .. } => columns(subquery, alias.as_ref()),
            factor => {
                let name = factor_name(factor).unwrap_or_default();
                let named = self.named.iter().rev().find(|(named, _)| named == name);
                named.map(|(_, columns)| columns.clone()).unwrap_or_default()
            }
        };
        columns.iter().map(|column| tree::qualified(&alias, column)).collect()
    }
}

/// Names of the columns that a query gives, as those around it call them.
fn columns(query: &Query, alias: Option<&TableAlias>) -> Vec<String> {
    match alias {
        Some(alias) if !alias.columns.is_empty() => {
            alias.columns.iter().map(|column| column.name.value.clone()).collect()
        }
        _ => given(&query.body),
    }
}

fn given(body: &SetExpr) -> Vec<String> {
    match body {
        SetExpr::Select(select) => {
            let parts = select.projection.iter().filter_map(shape::parts);
            parts.filter_map(|(expr, alias)| Some(alias.or_else(|| tree::column_name(expr))?.to_owned())).collect()
        }
        SetExpr::Query(query) => given(&query.body),
        SetExpr::SetOperation { left, .. } => given(left),
        _ => Vec::new(),
    }
}

/// Puts the keys behind the order of every window that tells equal rows apart, outside the queries in the node.
fn number_rows(node: &mut impl VisitMut, keys: &[Expr]) {
    let _ = node.visit(&mut Numbering { keys, depth: 0 });
}

struct Numbering<'a> {
    keys: &'a [Expr],
    depth: usize,
}

impl VisitorMut for Numbering<'_> {
    type Break = ();
    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }
    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr
            && self.depth == 0
        {
            number(function, self.keys);
        }
        ControlFlow::Continue(())
    }
}

fn number(function: &mut Function, keys: &[Expr]) {
    let numbering = NUMBERING.contains(&function.name.to_string().as_str());
    let Some(WindowType::WindowSpec(window)) = &mut function.over else { return };
    let by_rows = window.window_frame.as_ref().is_some_and(|frame| frame.units == WindowFrameUnits::Rows);
    let ranges = window.window_frame.as_ref().is_some_and(|frame| frame.units != WindowFrameUnits::Rows);
    if (numbering || by_rows) && !ranges {
        let by_name = keys.iter().filter(|key| !matches!(key, Expr::Value(_))).cloned();
        append_keys(&mut window.order_by, by_name);
    }
}
