//! The rows behind the groups that an answer shows, and behind an extreme.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Join, JoinConstraint, JoinOperator,
    LimitClause, OrderBy, OrderByKind, Query, Select, SelectItem, SetExpr, TableFactor, TableWithJoins,
    WildcardAdditionalOptions,
};

use crate::sql::{SOURCES, shape, tree};

/// The arm of a grouped or DISTINCT select of one table.
pub(super) fn arm(select: &Select, ending: &Query) -> SetExpr {
    let keys = shape::group_keys(select);
    let cut = select.having.is_some() || is_limited(ending);
    if !keys.is_empty() && cut && select.distinct.is_none() && select.qualify.is_none() {
        return SetExpr::Select(Box::new(of_shown_groups(select, ending, keys)));
    }
    let items = SOURCES.iter().map(|source| tree::item(tree::column(source), None)).collect();
    let mut arm = tree::select(items, select.from.clone(), select.selection.clone());
    if let Some(extreme) = extremes(select) {
        let condition = select.selection.clone().map(tree::nested);
        arm.selection = tree::all_of(condition.into_iter().chain([extreme]));
    }
    SetExpr::Select(Box::new(arm))
}

/// An arm over the same rows gets the same ORDER BY and LIMIT, so that it gives the rows that are shown.
pub(super) fn cut_alike(arm: Select, select: &Select, ending: &Query) -> SetExpr {
    let body = SetExpr::Select(Box::new(arm));
    if !is_limited(ending) {
        return body;
    }
    let mut query = tree::query(body);
    if let SetExpr::Select(arm) = &mut *query.body {
        // DISTINCT would sort by its own columns only; a row that comes twice is put together by the UNION around.
        arm.distinct = None;
    }
    query.order_by = expanded(ending.order_by.as_ref(), select);
    query.limit_clause = ending.limit_clause.clone();
    SetExpr::Query(Box::new(query))
}

pub(super) fn is_limited(query: &Query) -> bool {
    matches!(&query.limit_clause, Some(LimitClause::LimitOffset { limit, offset, .. }) if limit.is_some() || offset.is_some())
}

/// Sources of the rows whose keys are among the groups that HAVING and LIMIT leave.
fn of_shown_groups(select: &Select, ending: &Query, keys: &[Expr]) -> Select {
    let relation = select.from.first().map(|from| from.relation.clone());
    let alias = relation.as_ref().map(name_of).unwrap_or_default();
    let key_name = |at: usize| format!("group_key_{}", at + 1);
    let items = keys.iter().enumerate().map(|(at, key)| tree::item(key.clone(), Some(&key_name(at)))).collect();
    let mut groups = tree::select(items, select.from.clone(), select.selection.clone());
    groups.group_by = select.group_by.clone();
    groups.having = select.having.clone();
    let mut groups = tree::query(SetExpr::Select(Box::new(groups)));
    groups.order_by = expanded(ending.order_by.as_ref(), select);
    groups.limit_clause = ending.limit_clause.clone();

    let everything = SelectItem::Wildcard(WildcardAdditionalOptions::default());
    let rows = tree::select(vec![everything], select.from.clone(), select.selection.clone());
    let rows = tree::query(SetExpr::Select(Box::new(rows)));
    let same = keys.iter().enumerate().map(|(at, key)| {
        let group = tree::qualified(GROUPS, &key_name(at));
        // Bare, its right side would read back as all that follows, the next key too.
        Expr::Nested(Box::new(Expr::IsNotDistinctFrom(Box::new(tree::operand(key.clone())), Box::new(group))))
    });
    let on = tree::all_of(same).map_or(JoinConstraint::None, JoinConstraint::On);
    let join = Join { relation: tree::derived(groups, GROUPS), global: false, join_operator: JoinOperator::Inner(on) };
    let from = TableWithJoins { relation: tree::derived(rows, &alias), joins: vec![join] };
    let items = SOURCES.iter().map(|source| tree::item(tree::qualified(&alias, source), Some(source))).collect();
    tree::select(items, vec![from], None)
}

const GROUPS: &str = "shown_groups";

fn name_of(factor: &TableFactor) -> String {
    match factor {
        TableFactor::Table { name, alias, .. } => match alias {
            Some(alias) => alias.name.value.clone(),
            None => name.0.last().and_then(|part| part.as_ident()).map(|name| name.value.clone()).unwrap_or_default(),
        },
        _ => String::new(),
    }
}

/// The ORDER BY with the expressions that its names and numbers stand for.
fn expanded(order_by: Option<&OrderBy>, select: &Select) -> Option<OrderBy> {
    let mut order_by = order_by?.clone();
    let OrderByKind::Expressions(keys) = &mut order_by.kind else { return None };
    for key in keys {
        let item = match &key.expr {
            Expr::Identifier(name) => {
                let named = |item: &&SelectItem| {
                    shape::parts(item).is_some_and(|(_, alias)| alias == Some(name.value.as_str()))
                };
                select.projection.iter().find(named)
            }
            Expr::Value(value) => {
                let number = value.value.to_string().parse::<usize>().ok();
                number.and_then(|number| select.projection.get(number.checked_sub(1)?))
            }
            _ => None,
        };
        if let Some((expr, _)) = item.and_then(shape::parts) {
            key.expr = expr.clone();
        }
    }
    Some(order_by)
}

/// The condition of rows that hold the extreme, if the select gives nothing but extremes of columns over all its rows.
fn extremes(select: &Select) -> Option<Expr> {
    if !shape::group_keys(select).is_empty() || select.having.is_some() {
        return None;
    }
    let holds = select.projection.iter().map(|item| {
        let (expr, _) = shape::parts(item)?;
        let function = shape::as_aggregate(expr)?;
        let name = function.name.to_string();
        let FunctionArguments::List(list) = &function.args else { return None };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(column))] = &list.args[..] else { return None };
        if !matches!(name.as_str(), "MIN" | "MAX") || function.filter.is_some() || tree::column_name(column).is_none() {
            return None;
        }
        let extreme = tree::select(vec![tree::item(expr.clone(), None)], select.from.clone(), select.selection.clone());
        let extreme = Expr::Subquery(Box::new(tree::query(SetExpr::Select(Box::new(extreme)))));
        Some(tree::binary(column.clone(), BinaryOperator::Eq, extreme))
    });
    tree::any_of(holds.collect::<Option<Vec<_>>>()?).map(tree::nested)
}
