//! Which part of a plan the server does itself: an aggregate over one table, where its own arithmetic is exact, and the first rows
//! of an order.

use std::any::Any;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::logical_expr::{
    Aggregate, Expr, LogicalPlan, LogicalPlanBuilder, Projection, Sort, SortExpr, TableScan, col,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

use super::condition;
use super::grouped::{Grouped, Key, Metric};
use super::place::Place;
use super::provider::{Provider, Top};
use crate::engine::overflow::Extent;

/// Doubles hold every whole number up to this.
const EXACT: f64 = (1u64 << 53) as f64;
/// Rows of an order that one answer gives.
const MAX_TOP: usize = 10_000;

#[derive(Debug)]
pub(super) struct Pushdown;

impl OptimizerRule for Pushdown {
    fn name(&self) -> &str {
        "work_of_the_server"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let pushed = match &plan {
            LogicalPlan::Aggregate(aggregate) => grouped(aggregate),
            LogicalPlan::Sort(sort) => ordered(sort),
            _ => None,
        };
        match pushed {
            Some(pushed) => pushed.map(Transformed::yes),
            None => Ok(Transformed::no(plan)),
        }
    }
}

/// The scan below names of it; `None` where something else stands between.
pub(super) fn scan_below(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(scan),
        LogicalPlan::SubqueryAlias(alias) => scan_below(&alias.input),
        _ => None,
    }
}

/// The provider of a scan and its conditions as one query; `None` where it gives only some of its rows.
pub(super) fn of_scan<T>(scan: &TableScan, use_it: impl FnOnce(&Provider, serde_json::Value) -> T) -> Option<T> {
    let provider: Arc<dyn TableProvider> = source_as_provider(&scan.source).ok()?;
    let provider = (provider.as_ref() as &dyn Any).downcast_ref::<Provider>()?;
    let conditions = scan.filters.iter().map(|filter| condition::pushed(filter, &provider.place));
    let whole = scan.fetch.is_none() && provider.top.is_none();
    let conditions = conditions.collect::<Option<Vec<_>>>().filter(|_| whole)?;
    Some(use_it(provider, provider.place.within(conditions)))
}

fn grouped(aggregate: &Aggregate) -> Option<Result<LogicalPlan>> {
    let scan = scan_below(&aggregate.input)?;
    of_scan(scan, |provider, query| {
        let keys =
            aggregate.group_expr.iter().map(|key| self::key(key, &provider.place)).collect::<Option<Vec<_>>>()?;
        let metrics = aggregate.aggr_expr.iter().map(|one| metric(one, &provider.place)).collect::<Option<Vec<_>>>()?;
        let fields = aggregate.schema.fields().iter().enumerate();
        let fields =
            fields.map(|(at, field)| Field::new(format!("c{at}"), field.data_type().clone(), field.is_nullable()));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let (moment, place) = (provider.moment.clone(), provider.place.clone());
        Some(planned(aggregate, Grouped { moment, place, query, keys, metrics, schema }))
    })?
}

/// The rows of the server under the names of the aggregate.
fn planned(aggregate: &Aggregate, grouped: Grouped) -> Result<LogicalPlan> {
    let named = aggregate.schema.iter().enumerate();
    let named: Vec<Expr> = named
        .map(|(at, (of, field))| col(format!("c{at}")).alias_qualified(of.cloned(), field.name().as_str()))
        .collect();
    LogicalPlanBuilder::scan("grouped", provider_as_source(Arc::new(grouped)), None)?.project(named)?.build()
}

/// The sort over a scan that gives only its first rows.
fn ordered(sort: &Sort) -> Option<Result<LogicalPlan>> {
    let rows = sort.fetch.filter(|rows| (1..=MAX_TOP).contains(rows))?;
    let (projection, below) = match &*sort.input {
        LogicalPlan::Projection(projection) => (Some(projection), &*projection.input),
        below => (None, below),
    };
    let LogicalPlan::TableScan(scan) = below else { return None };
    let source = of_scan(scan, |provider, _| {
        let place = &provider.place;
        let by = sort.expr.iter().map(|one| order(one, projection, place)).collect::<Option<Vec<_>>>()?;
        let (moment, place) = (provider.moment.clone(), place.clone());
        Some(Provider { moment, place, top: Some(Top { by, rows }) })
    })??;
    let scan = LogicalPlan::TableScan(TableScan { source: provider_as_source(Arc::new(source)), ..scan.clone() });
    let input = match projection {
        Some(projection) => Projection::try_new(projection.expr.clone(), Arc::new(scan)).map(LogicalPlan::Projection),
        None => Ok(scan),
    };
    Some(input.map(|input| LogicalPlan::Sort(Sort { input: Arc::new(input), ..sort.clone() })))
}

/// A column that the server sorts by as DataFusion does, and whether it ascends.
fn order(by: &SortExpr, projection: Option<&Projection>, place: &Place) -> Option<(String, bool)> {
    let Expr::Column(column) = &by.expr else { return None };
    let source = match projection {
        None => column.name.clone(),
        Some(projection) => {
            let at = projection.schema.maybe_index_of_column(column)?;
            source_of(&projection.expr[at])?.to_owned()
        }
    };
    let known = source == "row_key" || stored(&source, place).is_some();
    (known && !by.nulls_first).then_some((source, by.asc))
}

fn source_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Alias(alias) => source_of(&alias.expr),
        Expr::Column(column) => Some(&column.name),
        _ => None,
    }
}

fn key(expr: &Expr, place: &Place) -> Option<Key> {
    let Expr::Column(column) = expr else { return None };
    let (name, kind) = stored(&column.name, place)?;
    Some(Key { name, kind })
}

/// A column that the server groups by and counts as DataFusion does.
fn stored(name: &str, place: &Place) -> Option<(String, DataType)> {
    let kind = place.schema.field_with_name(name).ok()?.data_type().clone();
    let own = matches!(name, "sheet_kwd" | "row_long") || place.field(name).is_some();
    let one_type = kind != DataType::Float64 || place.parts.len() < 2;
    let whole = !place.too_long.contains(name);
    let known = matches!(kind, DataType::Utf8View | DataType::Int64 | DataType::Float64 | DataType::Timestamp(_, None));
    (own && one_type && whole && known).then(|| (name.to_owned(), kind))
}

fn metric(expr: &Expr, place: &Place) -> Option<Metric> {
    let function = match expr {
        Expr::Alias(alias) => return metric(&alias.expr, place),
        Expr::AggregateFunction(function) => function,
        _ => return None,
    };
    let params = &function.params;
    if params.distinct || params.filter.is_some() || !params.order_by.is_empty() || params.null_treatment.is_some() {
        return None;
    }
    let [argument] = &params.args[..] else { return None };
    if let Expr::Literal(value, _) = argument {
        return (function.func.name() == "count" && !value.is_null()).then_some(Metric::Rows);
    }
    let (name, kind) = number(argument, place)?;
    let whole = kind == DataType::Int64;
    let largest = if whole { place.largest(&name) } else { 0.0 };
    match function.func.name() {
        "count" => Some(Metric::Values(name)),
        "sum" if kind == DataType::Float64 || (whole && largest * (place.rows.max(1) as f64) < EXACT) => {
            Some(Metric::Sum(name))
        }
        "avg" if kind == DataType::Float64 || (whole && largest * (place.rows.max(1) as f64) < EXACT) => {
            Some(Metric::Mean(name))
        }
        "min" if kind != DataType::Utf8View && largest < EXACT => Some(Metric::Least(name)),
        "max" if kind != DataType::Utf8View && largest < EXACT => Some(Metric::Greatest(name)),
        _ => None,
    }
}

/// The column of an argument, also as a double.
fn number(argument: &Expr, place: &Place) -> Option<(String, DataType)> {
    match argument {
        Expr::Column(column) => stored(&column.name, place),
        Expr::Cast(cast) if cast.field.data_type() == &DataType::Float64 => match &*cast.expr {
            Expr::Column(column) => stored(&column.name, place).filter(|(_, kind)| kind == &DataType::Int64),
            _ => None,
        },
        _ => None,
    }
}
