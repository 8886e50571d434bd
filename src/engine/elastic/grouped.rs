//! Groups that the server makes, as a table of a query: composite pages, so that no group is left out.
//!
//! Beside every sum stands the number of its values: a sum of none is null, which the server calls zero.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StructArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, SchemaRef, TimeUnit};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::TryStreamExt;
use serde_json::{Map, Value, json};

use super::buckets;
use super::fault::Fault;
use super::moment::Moment;
use super::place::Place;
use crate::engine::EngineError;

/// Groups of one page; servers make 65,535.
const PAGE: usize = 20_000;

/// A column that is grouped by.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub name: String,
    pub kind: DataType,
}

/// What is worked out of each group; the texts are columns.
#[derive(Debug, Clone)]
pub(super) enum Metric {
    Rows,
    Values(String),
    Sum(String),
    Mean(String),
    Least(String),
    Greatest(String),
}

#[derive(Debug, Clone)]
pub(super) struct Grouped {
    pub moment: Arc<Moment>,
    pub place: Arc<Place>,
    pub query: Value,
    pub keys: Vec<Key>,
    pub metrics: Vec<Metric>,
    /// The keys, then the metrics.
    pub schema: SchemaRef,
}

/// The groups of a scan that wants some of the columns.
#[derive(Debug)]
struct Groups {
    grouped: Grouped,
    schema: SchemaRef,
    projection: Option<Vec<usize>>,
}

#[async_trait]
impl TableProvider for Grouped {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => self.schema.clone(),
        };
        let groups = Groups { grouped: self.clone(), schema: schema.clone(), projection: projection.cloned() };
        Ok(Arc::new(StreamingTableExec::try_new(schema, vec![Arc::new(groups)], None, None, false, limit)?))
    }
}

impl PartitionStream for Groups {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (grouped, projection) = (Arc::new(self.grouped.clone()), self.projection.clone());
        let pages = futures::stream::try_unfold(Some(None), move |after: Option<Option<Value>>| {
            let grouped = grouped.clone();
            async move {
                let Some(after) = after else { return Ok(None) };
                grouped.page(after).await.map(Some)
            }
        });
        let failed = |error: EngineError| DataFusionError::External(Box::new(error));
        let batches = pages.map_err(failed).and_then(move |batch: RecordBatch| {
            let batch = match &projection {
                Some(columns) => batch.project(columns).map_err(DataFusionError::from),
                None => Ok(batch),
            };
            std::future::ready(batch)
        });
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
    }
}

impl Grouped {
    /// One page of groups, and what to go on after; `None` behind the last.
    async fn page(&self, after: Option<Value>) -> Result<(RecordBatch, Option<Option<Value>>), EngineError> {
        if self.place.parts.is_empty() {
            let groups = if self.keys.is_empty() { 1 } else { 0 };
            return Ok((self.of_nothing(groups)?, None));
        }
        let answer = self.moment.search(self.body(after)).await?;
        let buckets = buckets::read(&answer, &self.keys, self.metrics.len())?;
        let rows = buckets.len();
        let next = (rows == PAGE && !self.keys.is_empty()).then(|| self.after(&buckets)).transpose()?;
        Ok((self.batch(&buckets)?, next.map(Some)))
    }

    fn body(&self, after: Option<Value>) -> Value {
        let mut groups = match self.keys.is_empty() {
            true => json!({ "filters": { "filters": [{ "match_all": {} }] } }),
            false => {
                let source = |(at, key): (usize, &Key)| json!({ format!("k{at}"): { "terms": { "field": key.name, "missing_bucket": true } } });
                let sources: Vec<Value> = self.keys.iter().enumerate().map(source).collect();
                json!({ "composite": { "size": PAGE, "sources": sources } })
            }
        };
        if let Some(after) = after {
            groups["composite"]["after"] = after;
        }
        let mut metrics = Map::new();
        for (at, metric) in self.metrics.iter().enumerate() {
            if let Some((function, column)) = metric.function() {
                metrics.insert(format!("a{at}"), json!({ function: { "field": column } }));
            }
            if let Some(column) = metric.counted() {
                metrics.insert(format!("n{at}"), json!({ "value_count": { "field": column } }));
            }
        }
        if !metrics.is_empty() {
            groups["aggs"] = metrics.into();
        }
        json!({ "size": 0, "track_total_hits": false, "query": self.query, "aggs": { "g": groups } })
    }

    /// The key of the last group.
    fn after(&self, buckets: &StructArray) -> Result<Value, EngineError> {
        let last = buckets.len() - 1;
        let mut after = Map::new();
        for at in 0..self.keys.len() {
            let key = buckets::key(buckets, at)?;
            after.insert(format!("k{at}"), crate::query::value(key.as_ref(), last).to_json());
        }
        Ok(after.into())
    }

    fn batch(&self, buckets: &StructArray) -> Result<RecordBatch, EngineError> {
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        for (at, key) in self.keys.iter().enumerate() {
            columns.push(as_key(buckets::key(buckets, at)?, key)?);
        }
        for (at, metric) in self.metrics.iter().enumerate() {
            let kind = self.schema.field(self.keys.len() + at).data_type();
            columns.push(metric.column(buckets, at, kind)?);
        }
        self.batch_of(columns, buckets.len())
    }

    /// Groups of no row: their counts are zero, the rest is null.
    fn of_nothing(&self, groups: usize) -> Result<RecordBatch, EngineError> {
        let column = |(at, field): (usize, &Arc<datafusion::arrow::datatypes::Field>)| {
            let metric = at.checked_sub(self.keys.len()).and_then(|at| self.metrics.get(at));
            match metric {
                Some(Metric::Rows | Metric::Values(_)) => Arc::new(Int64Array::from(vec![0; groups])) as ArrayRef,
                _ => datafusion::arrow::array::new_null_array(field.data_type(), groups),
            }
        };
        self.batch_of(self.schema.fields().iter().enumerate().map(column).collect(), groups)
    }

    fn batch_of(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, EngineError> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options).map_err(failed)
    }
}

impl Metric {
    /// The server's name for it, and its column.
    fn function(&self) -> Option<(&'static str, &str)> {
        match self {
            Metric::Rows | Metric::Values(_) => None,
            Metric::Sum(column) | Metric::Mean(column) => Some(("sum", column)),
            Metric::Least(column) => Some(("min", column)),
            Metric::Greatest(column) => Some(("max", column)),
        }
    }

    /// The column whose values are counted.
    fn counted(&self) -> Option<&str> {
        match self {
            Metric::Rows => None,
            Metric::Values(column)
            | Metric::Sum(column)
            | Metric::Mean(column)
            | Metric::Least(column)
            | Metric::Greatest(column) => Some(column),
        }
    }

    fn column(&self, buckets: &StructArray, at: usize, kind: &DataType) -> Result<ArrayRef, EngineError> {
        if matches!(self, Metric::Rows) {
            return cast(&buckets::member(buckets, "doc_count")?, kind).map_err(failed);
        }
        let counts = buckets::value(buckets, &format!("n{at}"))?;
        let counts = counts.as_primitive_opt::<Int64Type>().ok_or_else(|| Fault::reply("a count that is no number"))?;
        if matches!(self, Metric::Values(_)) {
            return cast(counts, kind).map_err(failed);
        }
        let values = buckets::value(buckets, &format!("a{at}"))?;
        let values = values.as_primitive_opt::<Float64Type>().ok_or_else(|| Fault::reply("a sum that is no number"))?;
        let worked_out = |row: usize| {
            let count = counts.value(row);
            let value = values.value(row);
            (count > 0 && !values.is_null(row)).then(|| match self {
                Metric::Mean(_) => value / count as f64,
                _ => value,
            })
        };
        let column: Float64Array = (0..buckets.len()).map(worked_out).collect();
        match kind {
            // Moments come in milliseconds.
            DataType::Timestamp(TimeUnit::Second, None) => {
                let seconds: Int64Array = column.iter().map(|x| x.map(|x| (x as i64).div_euclid(1_000))).collect();
                cast(&seconds, kind).map_err(failed)
            }
            kind => cast(&column, kind).map_err(failed),
        }
    }
}

fn as_key(values: ArrayRef, key: &Key) -> Result<ArrayRef, EngineError> {
    match (&key.kind, values.as_primitive_opt::<Int64Type>()) {
        (DataType::Timestamp(TimeUnit::Second, None), Some(millis)) => {
            let seconds: Int64Array = millis.iter().map(|n| n.map(|n| n.div_euclid(1_000))).collect();
            cast(&seconds, &key.kind).map_err(failed)
        }
        _ => cast(&values, &key.kind).map_err(failed),
    }
}

fn failed(error: datafusion::arrow::error::ArrowError) -> EngineError {
    EngineError::Failed(error.to_string())
}
