//! An aggregate that a statement and the select of its sources both stand on is computed once, and rows that are joined to
//! the few groups shown become rows that have one of their keys.
//!
//! Must never happen: a stand-in for an aggregate over other rows, or with other keys.

use std::sync::Arc;

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::MemTable;
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, JoinType, Result, ScalarValue};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::logical_expr::{
    Aggregate, Expr, Join, LogicalPlan, LogicalPlanBuilder, Operator, Projection, TableSource, in_list, lit,
};
use datafusion::physical_plan::collect_partitioned;

use super::{QueryError, Session};

/// The name of the computed groups in a plan.
const GROUPS: &str = "computed_groups";
/// Groups that become a list of keys; more stay a join.
const MAX_KEYS: usize = 1_000;

/// A statement and the select of its sources, over what both need.
pub struct Shared {
    pub statement: LogicalPlan,
    pub sources: LogicalPlan,
    /// The memory of the groups, held while the plans run.
    _held: Option<MemoryReservation>,
}

impl Session {
    /// Computes the aggregate that both plans have, if there is one. The plans are not optimized yet.
    pub async fn shared(&self, statement: LogicalPlan, sources: LogicalPlan) -> Result<Shared, QueryError> {
        let Some(aggregate) = common(&statement, &sources)? else {
            return Ok(Shared { statement, sources, _held: None });
        };
        let session = self.clone();
        Self::apart(async move {
            let (computed, held) = session.computed(aggregate).await?;
            let statement = computed.in_place(statement)?;
            let sources = session.keyed(computed.in_place(sources)?).await?;
            Ok(Shared { statement, sources, _held: Some(held) })
        })
        .await
    }

    async fn computed(&self, aggregate: Aggregate) -> Result<(Computed, MemoryReservation), QueryError> {
        let (batches, held) = self.batches(&LogicalPlan::Aggregate(aggregate.clone())).await?;
        let field = |(at, field): (usize, &Arc<Field>)| field.as_ref().clone().with_name(column(at));
        let fields: Vec<Field> = aggregate.schema.fields().iter().enumerate().map(field).collect();
        let source = provider_as_source(Arc::new(table(Arc::new(Schema::new(fields)), batches)?));
        Ok((Computed { aggregate, source }, held))
    }

    /// The partitions that a plan gives, and the memory that they hold.
    async fn batches(&self, plan: &LogicalPlan) -> Result<(Vec<Vec<RecordBatch>>, MemoryReservation), QueryError> {
        let physical = self.physical(&self.optimized(plan)?).await?;
        let context = self.context().task_ctx();
        let held = MemoryConsumer::new(GROUPS).register(context.memory_pool());
        let batches = collect_partitioned(physical, context).await?;
        held.try_grow(batches.iter().flatten().map(RecordBatch::get_array_memory_size).sum())?;
        Ok((batches, held))
    }

    /// The plan with rows that have one of the keys, in place of rows joined to groups that are computed.
    async fn keyed(&self, plan: LogicalPlan) -> Result<LogicalPlan, QueryError> {
        let mut found = None;
        plan.apply(|node| {
            found = Keyed::of(node)?.map(|keyed| (node.clone(), keyed));
            Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })?;
        let Some((joined, keyed)) = found else { return Ok(plan) };
        let (batches, _held) = self.batches(&keyed.groups).await?;
        let Some(keys) = keys(&batches)? else { return Ok(plan) };
        let rows =
            LogicalPlanBuilder::from(keyed.rows.clone()).filter(keyed.condition(keys))?.project(keyed.items.clone())?;
        let rows = rows.build()?;
        let replaced = plan.transform_down(|node| {
            Ok(if node == joined {
                Transformed::new(rows.clone(), true, TreeNodeRecursion::Jump)
            } else {
                Transformed::no(node)
            })
        })?;
        Ok(replaced.data)
    }
}

fn column(at: usize) -> String {
    format!("c{at}")
}

fn table(schema: SchemaRef, batches: Vec<Vec<RecordBatch>>) -> Result<MemTable> {
    let renamed = |batch: RecordBatch| Ok(RecordBatch::try_new(schema.clone(), batch.columns().to_vec())?);
    let partitions = batches.into_iter().map(|batches| batches.into_iter().map(renamed).collect::<Result<_>>());
    MemTable::try_new(schema.clone(), partitions.collect::<Result<_>>()?)
}

/// The aggregate of the statement that has all that one of the sources' has.
fn common(statement: &LogicalPlan, sources: &LogicalPlan) -> Result<Option<Aggregate>> {
    let mut wanted = Vec::new();
    sources.apply_with_subqueries(|node| {
        if let LogicalPlan::Aggregate(aggregate) = node {
            wanted.push(aggregate.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let mut found = None;
    statement.apply(|node| {
        if let LogicalPlan::Aggregate(aggregate) = node
            && wanted.iter().any(|wanted| covers(aggregate, wanted))
        {
            found = Some(aggregate.clone());
            return Ok(TreeNodeRecursion::Stop);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}

fn covers(own: &Aggregate, other: &Aggregate) -> bool {
    own.group_expr == other.group_expr
        && other.aggr_expr.iter().all(|expr| own.aggr_expr.contains(expr))
        && own.input == other.input
}

/// An aggregate and its rows.
struct Computed {
    aggregate: Aggregate,
    source: Arc<dyn TableSource>,
}

impl Computed {
    /// The plan with the rows in place of every aggregate that they cover.
    fn in_place(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let replaced = plan.transform_down_with_subqueries(|node| match &node {
            LogicalPlan::Aggregate(aggregate) if covers(&self.aggregate, aggregate) => {
                Ok(Transformed::new(self.stand_in(aggregate)?, true, TreeNodeRecursion::Jump))
            }
            _ => Ok(Transformed::no(node)),
        })?;
        Ok(replaced.data)
    }

    fn stand_in(&self, wanted: &Aggregate) -> Result<LogicalPlan> {
        let keys = self.aggregate.schema.fields().len() - self.aggregate.aggr_expr.len();
        let aggregate = |expr: &Expr| self.aggregate.aggr_expr.iter().position(|own| own == expr).map(|at| keys + at);
        let places = (0..keys).map(Some).chain(wanted.aggr_expr.iter().map(aggregate));
        let items = wanted.schema.iter().zip(places).filter_map(|((qualifier, field), place)| {
            let own = Expr::Column(Column::new(Some(GROUPS), column(place?)));
            Some(own.alias_qualified(qualifier.cloned(), field.name()))
        });
        LogicalPlanBuilder::scan(GROUPS, self.source.clone(), None)?.project(items.collect::<Vec<_>>())?.build()
    }
}

/// `SELECT items FROM rows JOIN groups ON key IS NOT DISTINCT FROM the groups' only column`.
struct Keyed {
    items: Vec<Expr>,
    rows: LogicalPlan,
    groups: LogicalPlan,
    key: Expr,
}

impl Keyed {
    fn of(node: &LogicalPlan) -> Result<Option<Self>> {
        let LogicalPlan::Projection(Projection { expr, input, .. }) = node else { return Ok(None) };
        let LogicalPlan::Join(join) = input.as_ref() else { return Ok(None) };
        let Some(key) = key(join) else { return Ok(None) };
        let of_rows = |column: &&Column| join.left.schema().has_column(column);
        let is_of_rows = expr.iter().chain([&key]).all(|item| item.column_refs().iter().all(of_rows));
        if !is_of_rows || !is_computed(&join.right)? {
            return Ok(None);
        }
        let (rows, groups) = (join.left.as_ref().clone(), join.right.as_ref().clone());
        Ok(Some(Self { items: expr.clone(), rows, groups, key }))
    }

    fn condition(&self, (keys, has_null): (Vec<ScalarValue>, bool)) -> Expr {
        let one_of = match keys.is_empty() {
            true => lit(false),
            false => in_list(self.key.clone(), keys.into_iter().map(lit).collect(), false),
        };
        if has_null { one_of.or(self.key.clone().is_null()) } else { one_of }
    }
}

/// What an inner join compares with the only column of its right side, null being equal to null.
fn key(join: &Join) -> Option<Expr> {
    let [only] = &join.right.schema().fields()[..] else { return None };
    if join.join_type != JoinType::Inner || !join.on.is_empty() || !is_listed(only.data_type()) {
        return None;
    }
    match join.filter.as_ref()? {
        Expr::BinaryExpr(same) if same.op == Operator::IsNotDistinctFrom => match same.right.as_ref() {
            Expr::Column(column) if join.right.schema().has_column(column) => Some(same.left.as_ref().clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Types whose values are equal in a list exactly where they are one group.
fn is_listed(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8View | DataType::Utf8 | DataType::Int64 | DataType::Boolean | DataType::Timestamp(..))
}

/// Whether a plan reads computed groups and nothing else.
fn is_computed(plan: &LogicalPlan) -> Result<bool> {
    let mut others = false;
    plan.apply_with_subqueries(|node| {
        others |= match node {
            LogicalPlan::TableScan(scan) => scan.table_name.table() != GROUPS,
            _ => false,
        };
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(!others)
}

/// The values of the only column and whether null is one; `None` where there are too many.
fn keys(batches: &[Vec<RecordBatch>]) -> Result<Option<(Vec<ScalarValue>, bool)>> {
    let batches = || batches.iter().flatten().filter(|batch| batch.num_rows() > 0);
    if batches().map(RecordBatch::num_rows).sum::<usize>() > MAX_KEYS {
        return Ok(None);
    }
    let mut keys = Vec::new();
    let mut has_null = false;
    for array in batches().map(|batch| batch.column(0)) {
        has_null |= array.null_count() > 0;
        for row in (0..array.len()).filter(|&row| array.is_valid(row)) {
            keys.push(ScalarValue::try_from_array(array, row)?);
        }
    }
    Ok(Some((keys, has_null)))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, Int64Array, StringViewArray};

    use super::*;
    use crate::config::SqlLimits;
    use crate::query::{Running, Sessions};

    fn session() -> Session {
        let sessions = Sessions::new(&SqlLimits::default(), 100).expect("sessions");
        let session = sessions.open(Running { partitions: 1, growth: 1.0, exact: false }, Ok).expect("a session");
        let keys: ArrayRef = Arc::new(StringViewArray::from(vec![Some("a"), Some("b"), None, Some("a"), None]));
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]));
        let batch =
            RecordBatch::try_from_iter_with_nullable([("k", keys, true), ("v", numbers, true)]).expect("a batch");
        let table = MemTable::try_new(batch.schema(), vec![vec![batch]]).expect("a table");
        session.table("t", Arc::new(table)).expect("registered");
        session
    }

    /// The shared plans of a statement and of `SELECT v` over the rows of its groups, one arm for each text of groups.
    async fn shared(session: &Session, statement: &str, groups: &[&str]) -> Shared {
        let arm = |groups: &&str| {
            format!(
                "SELECT t.v AS v FROM (SELECT * FROM t WHERE v > 0) AS t
                 JOIN ({groups}) AS g ON (k IS NOT DISTINCT FROM g.group_key)"
            )
        };
        let sources = groups.iter().map(arm).collect::<Vec<_>>().join(" UNION ALL ");
        let (statement, sources) = (session.plan(statement).await, session.plan(&sources).await);
        session.shared(statement.expect("a plan"), sources.expect("a plan")).await.expect("shared")
    }

    async fn rows(session: &Session, plan: &LogicalPlan) -> usize {
        let plan = session.optimized(plan).expect("optimized");
        session.rows(plan, 10).await.expect("rows").rows.len()
    }

    const GROUPED: &str = "SELECT k AS group_key FROM t WHERE v > 0 GROUP BY k";

    #[tokio::test]
    async fn an_aggregate_is_computed_once_and_its_groups_become_keys() {
        let session = session();
        let statement = "SELECT k, SUM(v) AS s, COUNT(*) FROM t WHERE v > 0 GROUP BY k ORDER BY s DESC LIMIT 2";
        let groups = format!("{GROUPED} ORDER BY SUM(v) DESC LIMIT 2");
        let shared = shared(&session, statement, &[&groups]).await;
        assert!(!shared.statement.display_indent().to_string().contains("Aggregate"));
        let sources = shared.sources.display_indent().to_string();
        assert!(!sources.contains("Join") && !sources.contains("Aggregate"), "{sources}");
        assert_eq!((rows(&session, &shared.statement).await, rows(&session, &shared.sources).await), (2, 4));
    }

    #[tokio::test]
    async fn arms_with_other_groups_keep_their_own() {
        let session = session();
        let having = |sum: i64| format!("{GROUPED} HAVING SUM(v) = {sum}");
        let shared = shared(&session, &having(5), &[&having(2), &having(8)]).await;
        assert_eq!((rows(&session, &shared.statement).await, rows(&session, &shared.sources).await), (1, 3));
    }

    #[tokio::test]
    async fn another_condition_is_another_aggregate() {
        let session = session();
        let statement = "SELECT k, SUM(v) FROM t WHERE v > 1 GROUP BY k ORDER BY SUM(v) DESC LIMIT 1";
        let shared = shared(&session, statement, &[&format!("{GROUPED} ORDER BY SUM(v) DESC LIMIT 1")]).await;
        assert!(shared.statement.display_indent().to_string().contains("Aggregate"));
        assert_eq!(rows(&session, &shared.sources).await, 2);
    }
}
