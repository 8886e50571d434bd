//! Citations: every statement also says which rows its answer stands on.
//!
//! Comes in: a grounded tree that is not scoped yet. Goes out: the tree, and what gives [`SOURCES`]: the tree's own last columns
//! for a plain select, else a second select over the same conditions. Must never happen: an aggregate whose cited rows give
//! another number.

mod arms;
mod groups;
mod ties;

use datafusion::sql::sqlparser::ast::{
    Expr, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, Query, Select, SelectItem, SetExpr,
};

use super::{SOURCES, shape, tree};

/// The statement with its sources, and the second select where it needs one. `tables` are the names of base tables.
pub(super) fn with_sources(mut query: Query, tables: &[String]) -> (Query, Option<Query>) {
    ties::settle(&mut query, tables);
    let SetExpr::Select(select) = &mut *query.body else {
        let sources = arms::cited(&query, tables);
        let outputs = 1..=width(&query.body);
        sort_last(&mut query.order_by, outputs.map(tree::number));
        return (query, sources);
    };
    if select.distinct.is_none() && !shape::is_grouped(select) && arms::only_table(select, tables) {
        append(select);
        sort_last(&mut query.order_by, [tree::column("row_key")]);
        return (query, None);
    }
    let keys = shape::group_keys(select).to_vec();
    if select.distinct.is_none() && !keys.is_empty() {
        sort_last(&mut query.order_by, keys);
    }
    let sources = arms::cited(&query, tables);
    (query, sources)
}

/// Columns that a set operation gives.
fn width(body: &SetExpr) -> usize {
    match body {
        SetExpr::Select(select) => select.projection.len(),
        SetExpr::Query(query) => width(&query.body),
        SetExpr::SetOperation { left, .. } => width(left),
        _ => 0,
    }
}

/// Adds the source columns behind the statement's own; one of those that is called the same gets another name.
fn append(select: &mut Select) {
    for item in &mut select.projection {
        if let SelectItem::UnnamedExpr(expr) = item
            && let Some(name) = tree::column_name(expr).filter(|name| SOURCES.contains(name))
        {
            *item = tree::item(expr.clone(), Some(&format!("{name}_asked")));
        }
    }
    select.projection.extend(SOURCES.iter().map(|name| tree::item(tree::column(name), None)));
}

/// Sorts by the keys where all before are equal: the same answer each time.
fn sort_last(order_by: &mut Option<OrderBy>, keys: impl IntoIterator<Item = Expr>) {
    match order_by {
        Some(OrderBy { kind: OrderByKind::Expressions(before), .. }) => append_keys(before, keys),
        _ => {
            let mut sorted = Vec::new();
            append_keys(&mut sorted, keys);
            *order_by = Some(OrderBy { kind: OrderByKind::Expressions(sorted), interpolate: None });
        }
    }
}

fn append_keys(before: &mut Vec<OrderByExpr>, keys: impl IntoIterator<Item = Expr>) {
    for expr in keys {
        if !before.iter().any(|sorted| sorted.expr == expr) {
            let options = OrderByOptions { asc: None, nulls_first: Some(false) };
            before.push(OrderByExpr { expr, options, with_fill: None });
        }
    }
}
