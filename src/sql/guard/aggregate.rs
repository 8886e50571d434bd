//! Aggregates, plain and over a window.

use datafusion::sql::sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    OrderByExpr, OrderByOptions, Value,
};

use super::function::{Call, wrong_count};
use super::{At, Guard, Typed, absent, expression, mismatch};
use crate::sql::names::{Fact, Kind, Places};
use crate::sql::{Code, Refusal, tree};

/// What an aggregate takes and gives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aggregate {
    /// The name that the tree uses.
    name: &'static str,
    gives: Gives,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Count,
    /// Of numbers, with their places.
    Sum,
    /// Of numbers, with two places more.
    Mean,
    /// Of numbers, none of their unit.
    Pure,
    /// One of the values.
    Same,
    Text,
}

pub(super) fn named(name: &str) -> Option<Aggregate> {
    let (name, gives) = match name {
        "COUNT" => ("COUNT", Gives::Count),
        "SUM" => ("SUM", Gives::Sum),
        "AVG" | "MEAN" => ("AVG", Gives::Mean),
        "MIN" => ("MIN", Gives::Same),
        "MAX" => ("MAX", Gives::Same),
        "MEDIAN" => ("MEDIAN", Gives::Mean),
        "STDDEV" | "STDDEV_SAMP" | "STDEV" => ("STDDEV_SAMP", Gives::Mean),
        "STDDEV_POP" => ("STDDEV_POP", Gives::Mean),
        "VARIANCE" | "VAR_SAMP" => ("VAR_SAMP", Gives::Pure),
        "VAR_POP" => ("VAR_POP", Gives::Pure),
        "CORR" => ("CORR", Gives::Pure),
        "PERCENTILE" | "PERCENTILE_CONT" | "QUANTILE" | "QUANTILE_CONT" => ("PERCENTILE_CONT", Gives::Mean),
        "GROUP_CONCAT" | "STRING_AGG" | "LISTAGG" => ("STRING_AGG", Gives::Text),
        _ => return None,
    };
    Some(Aggregate { name, gives })
}

impl Guard<'_> {
    pub(super) fn aggregate(&mut self, aggregate: Aggregate, call: Call, at: At) -> Result<Typed, Refusal> {
        let Call { name, args, star, distinct, clauses, filter, over, within_group } = call;
        let allowed = if over.is_some() { at.windows } else { at.aggregates };
        if !allowed {
            let message = format!("{name} cannot stand here");
            return Err(Refusal::new(Code::ExpressionNotAllowed, message, "conditions on aggregates go into HAVING"));
        }
        absent(over.is_some() && aggregate.gives == Gives::Text, &format!("OVER after {name}"))?;
        let inside = At { aggregates: over.is_some() && at.aggregates, windows: false, aliases: false, fuzzy: false };
        let typed = args.into_iter().map(|arg| self.expr(arg, inside)).collect::<Result<Vec<_>, _>>()?;
        let (mut function, first) = match aggregate.name {
            "COUNT" => (counted(typed, star)?, None),
            "PERCENTILE_CONT" => self.percentile(typed, within_group, inside)?,
            "STRING_AGG" => self.joined(typed, clauses, within_group, inside)?,
            name => {
                absent(star || !clauses.is_empty() || !within_group.is_empty(), &format!("that clause in {name}"))?;
                plain(aggregate, typed)?
            }
        };
        if distinct && let FunctionArguments::List(list) = &mut function.args {
            list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
        }
        function.filter = filter.map(|filter| self.condition(*filter, inside)).transpose()?.map(Box::new);
        function.over = over.map(|over| self.window(over, inside)).transpose()?;
        Ok(result(aggregate, Expr::Function(function), first))
    }

    /// `PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)`, also written `PERCENTILE(x, 0.9)`.
    fn percentile(
        &mut self,
        args: Vec<Typed>,
        within_group: Vec<OrderByExpr>,
        at: At,
    ) -> Result<(Function, Option<Typed>), Refusal> {
        let mut args = args.into_iter();
        let (value, share, mut keys) = match (args.next(), args.next(), args.next(), within_group.len()) {
            (Some(share), None, None, 1) => (None, share, self.sort_keys(within_group, at)?),
            (Some(value), Some(share), None, 0) => (Some(value), share, Vec::new()),
            _ => return Err(wrong_count("PERCENTILE", "a field and a share between 0 and 1")),
        };
        let within = share
            .literal
            .as_deref()
            .and_then(|text| text.parse::<f64>().ok())
            .is_some_and(|x| (0.0..=1.0).contains(&x));
        if !within {
            return Err(mismatch("a percentile takes a share between 0 and 1", "write 0.9 for the 90th percentile"));
        }
        if let Some(value) = &value {
            numbers_only("PERCENTILE", value)?;
            let options = OrderByOptions { asc: None, nulls_first: Some(false) };
            keys.push(OrderByExpr { expr: value.expr.clone(), options, with_fill: None });
        }
        let mut function = tree::function("PERCENTILE_CONT", [share.expr]);
        function.within_group = keys;
        Ok((function, value))
    }

    fn joined(
        &mut self,
        args: Vec<Typed>,
        clauses: Vec<FunctionArgumentClause>,
        within_group: Vec<OrderByExpr>,
        at: At,
    ) -> Result<(Function, Option<Typed>), Refusal> {
        let mut args = args.into_iter();
        let (Some(value), separator, None) = (args.next(), args.next(), args.next()) else {
            return Err(wrong_count("STRING_AGG", "a field and a separator"));
        };
        let mut separator = separator
            .map(|typed| typed.literal.ok_or_else(|| expression("a separator that is no literal")))
            .transpose()?;
        let mut keys = self.sort_keys(within_group, at)?;
        for clause in clauses {
            match clause {
                FunctionArgumentClause::OrderBy(order) => keys.extend(self.sort_keys(order, at)?),
                FunctionArgumentClause::Separator(value) => match value.value {
                    Value::SingleQuotedString(text) => separator = Some(text),
                    _ => return Err(expression("this separator")),
                },
                _ => return Err(expression("this clause of STRING_AGG")),
            }
        }
        let mut function =
            tree::function("STRING_AGG", [value.expr.clone(), tree::text(separator.as_deref().unwrap_or(","))]);
        if let (FunctionArguments::List(list), false) = (&mut function.args, keys.is_empty()) {
            list.clauses.push(FunctionArgumentClause::OrderBy(keys));
        }
        Ok((function, Some(value)))
    }
}

fn counted(args: Vec<Typed>, star: bool) -> Result<Function, Refusal> {
    let mut function = tree::function("COUNT", args.into_iter().map(|arg| arg.expr));
    let FunctionArguments::List(list) = &mut function.args else { return Ok(function) };
    if star {
        list.args.push(FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
    }
    if list.args.len() == 1 { Ok(function) } else { Err(wrong_count("COUNT", "* or one field")) }
}

fn plain(aggregate: Aggregate, args: Vec<Typed>) -> Result<(Function, Option<Typed>), Refusal> {
    let wanted = if aggregate.name == "CORR" { 2 } else { 1 };
    if args.len() != wanted {
        return Err(wrong_count(aggregate.name, if wanted == 2 { "two fields" } else { "one field" }));
    }
    if aggregate.gives != Gives::Same {
        args.iter().try_for_each(|arg| numbers_only(aggregate.name, arg))?;
    }
    let function = tree::function(aggregate.name, args.iter().map(|arg| arg.expr.clone()));
    Ok((function, args.into_iter().next()))
}

fn numbers_only(name: &str, arg: &Typed) -> Result<(), Refusal> {
    match arg.kind {
        Kind::Integer | Kind::Decimal | Kind::Any | Kind::Null => Ok(()),
        _ => Err(mismatch(
            format!("{name} takes numbers, {} is none", arg.expr),
            format!("use a field of numbers, COUNT, or {name}(CAST(… AS DOUBLE))"),
        )),
    }
}

/// What is known of the aggregate: its label, and the unit and places of what it was taken over.
fn result(aggregate: Aggregate, expr: Expr, first: Option<Typed>) -> Typed {
    let field = first.as_ref().and_then(|first| first.fact.as_ref());
    let first_kind = first.as_ref().map_or(Kind::Any, |first| first.kind);
    let kind = match aggregate.gives {
        Gives::Count => Kind::Integer,
        Gives::Sum if first_kind == Kind::Integer => Kind::Integer,
        Gives::Sum | Gives::Mean | Gives::Pure => Kind::Decimal,
        Gives::Same => first_kind,
        Gives::Text => Kind::Text,
    };
    let Some(field) = field else { return Typed::new(expr, kind) };
    let (unit, decimals) = match aggregate.gives {
        Gives::Sum | Gives::Same => (field.unit.clone(), field.decimals),
        Gives::Mean => (field.unit.clone(), Some((field.decimals.unwrap_or(0) + 2).min(6))),
        Gives::Count | Gives::Pure | Gives::Text => (None, None),
    };
    let places = match (aggregate.gives, field.places) {
        (Gives::Sum, Places::Exact) => Places::Summed,
        (Gives::Sum | Gives::Same, places) => places,
        _ => Places::Shown,
    };
    let label = format!("{}({})", aggregate.name, field.label);
    Typed { fact: Some(Fact { kind, label, unit, decimals, places, base: None }), ..Typed::new(expr, kind) }
}
