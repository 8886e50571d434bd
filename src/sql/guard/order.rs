//! ORDER BY, LIMIT and OFFSET. Nulls are last in every order; a plain or grouped result has one order only.

use datafusion::sql::sqlparser::ast::{
    Expr, Fetch, LimitClause, Offset, OffsetRows, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, Query, Select,
    SetExpr, Value,
};

use super::{At, Guard, Output, absent, clause};
use crate::note::Note;
use crate::sql::names::{fold, unknown_field};
use crate::sql::{Code, Refusal, tree};

/// What stands after the body of a query.
pub(super) struct Ending {
    pub order_by: Option<OrderBy>,
    pub limit_clause: Option<LimitClause>,
    pub fetch: Option<Fetch>,
}

impl Guard<'_> {
    pub(super) fn end_select(
        &mut self,
        select: Select,
        ending: Ending,
        outputs: &[Output],
        top: Option<Expr>,
    ) -> Result<Query, Refusal> {
        let Ending { order_by, limit_clause, fetch } = ending;
        let at = At { aliases: true, ..At::SELECT };
        let mut query = tree::query(SetExpr::Select(Box::new(select)));
        query.order_by = self.order_by(order_by, |guard, expr| match guard.ordinal(&expr, outputs.len())? {
            Some(ordinal) => Ok(ordinal),
            None => guard.sorted_by(expr, at),
        })?;
        query.limit_clause = self.limit(limit_clause, fetch, top)?;
        Ok(query)
    }

    /// A key: the name of a select item alone stays a name.
    fn sorted_by(&mut self, expr: Expr, at: At) -> Result<Expr, Refusal> {
        let alias = match &expr {
            Expr::Identifier(name) => self.aliased(name).map(|(alias, _)| tree::column(alias)),
            _ => None,
        };
        alias.map_or_else(|| Ok(self.expr(expr, at)?.expr), Ok)
    }

    pub(super) fn end_set(&mut self, body: SetExpr, ending: Ending, outputs: &[Output]) -> Result<Query, Refusal> {
        let Ending { order_by, limit_clause, fetch } = ending;
        let mut query = tree::query(body);
        query.order_by = self.order_by(order_by, |guard, expr| match guard.ordinal(&expr, outputs.len())? {
            Some(ordinal) => Ok(ordinal),
            None => output_named(expr, outputs),
        })?;
        query.limit_clause = self.limit(limit_clause, fetch, None)?;
        Ok(query)
    }

    fn order_by(
        &mut self,
        order_by: Option<OrderBy>,
        resolve: impl Fn(&mut Self, Expr) -> Result<Expr, Refusal>,
    ) -> Result<Option<OrderBy>, Refusal> {
        let Some(OrderBy { kind, interpolate }) = order_by else { return Ok(None) };
        absent(interpolate.is_some(), "INTERPOLATE")?;
        let OrderByKind::Expressions(keys) = kind else { return Err(clause("ORDER BY ALL")) };
        let keys = keys.into_iter().map(|key| sorted(self, key, &resolve)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None }))
    }

    /// The keys of a window or an ordered aggregate.
    pub(super) fn sort_keys(&mut self, keys: Vec<OrderByExpr>, at: At) -> Result<Vec<OrderByExpr>, Refusal> {
        keys.into_iter()
            .map(|key| sorted(self, key, &|guard: &mut Self, expr| Ok(guard.expr(expr, at)?.expr)))
            .collect()
    }

    /// A key that is the number of a column.
    fn ordinal(&self, expr: &Expr, columns: usize) -> Result<Option<Expr>, Refusal> {
        let Some(number) = whole_number(expr) else { return Ok(None) };
        if number == 0 || number > columns as u64 {
            let message = format!("ORDER BY {number}, but there are {columns} columns");
            return Err(Refusal::new(Code::UnknownField, message, "name the column to order by"));
        }
        Ok(Some(tree::number(number)))
    }

    fn limit(
        &mut self,
        limit_clause: Option<LimitClause>,
        fetch: Option<Fetch>,
        top: Option<Expr>,
    ) -> Result<Option<LimitClause>, Refusal> {
        let (limit, offset) = match limit_clause {
            None => (None, None),
            Some(LimitClause::LimitOffset { limit, offset, limit_by }) => {
                absent(!limit_by.is_empty(), "LIMIT BY")?;
                (limit, offset.map(|Offset { value, rows: _ }| value))
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
        };
        let limit = match (limit, fetch.map(fetched).transpose()?, top) {
            (limit, None, None) => limit,
            (None, limit @ Some(_), None) | (None, None, limit) => limit,
            _ => return Err(clause("more than one LIMIT")),
        };
        let limit = limit.map(|limit| self.row_count(&limit)).transpose()?.flatten();
        let offset = offset.map(|offset| whole_number(&offset).ok_or_else(|| not_a_count("OFFSET"))).transpose()?;
        if limit.is_none() && offset.is_none() {
            return Ok(None);
        }
        let offset = offset.map(|rows| Offset { value: tree::number(rows), rows: OffsetRows::None });
        Ok(Some(LimitClause::LimitOffset { limit: limit.map(tree::number), offset, limit_by: Vec::new() }))
    }

    fn row_count(&mut self, limit: &Expr) -> Result<Option<u64>, Refusal> {
        if let Expr::Value(value) = limit
            && value.value == Value::Null
        {
            return Ok(None);
        }
        let rows = whole_number(limit).ok_or_else(|| not_a_count("LIMIT"))?;
        let most = self.limits.max_limit;
        if rows > most && self.nesting > 0 {
            let message = format!("LIMIT {rows} in a sub-select, at most {most} is allowed");
            return Err(Refusal::new(Code::TooLarge, message, "leave the LIMIT out, or ask for fewer rows"));
        }
        if rows > most {
            self.notes.push(Note::new("limit_lowered", format!("LIMIT {rows} was lowered to {most}")));
        }
        Ok(Some(rows.min(most)))
    }
}

fn sorted<G>(
    guard: &mut G,
    key: OrderByExpr,
    resolve: &impl Fn(&mut G, Expr) -> Result<Expr, Refusal>,
) -> Result<OrderByExpr, Refusal> {
    let OrderByExpr { expr, options: OrderByOptions { asc, nulls_first: _ }, with_fill } = key;
    absent(with_fill.is_some(), "WITH FILL")?;
    let options = OrderByOptions { asc, nulls_first: Some(false) };
    Ok(OrderByExpr { expr: resolve(guard, expr)?, options, with_fill: None })
}

/// A column of a set operation, by name.
fn output_named(expr: Expr, outputs: &[Output]) -> Result<Expr, Refusal> {
    let Expr::Identifier(name) = expr else { return Err(clause("ORDER BY an expression after a set operation")) };
    let word = fold(&name.value);
    let is_it = |output: &&Output| {
        fold(&output.name) == word
            || output.written.as_deref().is_some_and(|written| fold(written) == word)
            || output.fact.base.as_ref().is_some_and(|(_, field)| *field == word)
            || fold(&output.fact.label) == word
    };
    let output = outputs.iter().find(is_it).ok_or_else(|| unknown_field(&name, &[]))?;
    Ok(tree::column(&output.name))
}

fn fetched(fetch: Fetch) -> Result<Expr, Refusal> {
    let Fetch { with_ties, percent, quantity } = fetch;
    absent(with_ties || percent, "WITH TIES or PERCENT")?;
    Ok(quantity.unwrap_or_else(|| tree::number(1)))
}

pub(super) fn whole_number(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => text.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn not_a_count(what: &str) -> Refusal {
    Refusal::new(Code::ClauseNotAllowed, format!("{what} takes a whole number"), "write the number itself")
}
