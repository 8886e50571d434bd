//! Reads row groups of live segments as batches, in row order, a few decoded ahead.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array, new_null_array,
};
use datafusion::arrow::compute::{cast, filter_record_batch, take};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::StreamExt;

use super::store::Store;
use super::view::SegmentView;
use crate::engine::EngineError;
use crate::engine::documents::Documents;
use crate::engine::layout::COMPUTED;
use crate::ids::Id;

/// Row groups that are decoded at the same time for one partition.
const AHEAD: usize = 2;

/// One row group to read.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub kb: Id,
    pub segment: SegmentView,
    pub group: usize,
}

/// The row groups of one partition.
#[derive(Debug)]
pub(super) struct Scan {
    pub store: Arc<Store>,
    pub documents: Arc<Documents>,
    pub table: Arc<str>,
    pub schema: SchemaRef,
    pub chunks: Vec<Chunk>,
}

impl PartitionStream for Scan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batch_rows = context.session_config().batch_size();
        let reader = Reader {
            store: self.store.clone(),
            documents: self.documents.clone(),
            table: self.table.clone(),
            schema: self.schema.clone(),
        };
        let chunks = futures::stream::iter(self.chunks.clone());
        let batches = chunks
            .map(move |chunk| {
                let reader = reader.clone();
                async move {
                    let read = tokio::task::spawn_blocking(move || reader.read(&chunk)).await;
                    read.map_err(|error| DataFusionError::External(Box::new(error)))?
                        .map_err(|error| DataFusionError::External(Box::new(error)))
                }
            })
            .buffered(AHEAD)
            .flat_map(move |batch| futures::stream::iter(sliced(batch, batch_rows)));
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
    }
}

fn sliced(
    batch: Result<RecordBatch, DataFusionError>,
    rows: usize,
) -> impl Iterator<Item = Result<RecordBatch, DataFusionError>> {
    let (batch, error) = match batch {
        Ok(batch) => (Some(batch), None),
        Err(error) => (None, Some(Err(error))),
    };
    let slices = batch.into_iter().flat_map(move |batch| {
        let starts = (0..batch.num_rows()).step_by(rows.max(1));
        starts.map(move |start| Ok(batch.slice(start, rows.min(batch.num_rows() - start))))
    });
    slices.chain(error)
}

/// Makes one batch of a row group.
#[derive(Clone)]
struct Reader {
    store: Arc<Store>,
    documents: Arc<Documents>,
    table: Arc<str>,
    schema: SchemaRef,
}

impl Reader {
    fn read(&self, chunk: &Chunk) -> Result<RecordBatch, EngineError> {
        let footer = &chunk.segment.footer;
        let rows = footer.groups[chunk.group];
        let live = chunk.segment.live(&self.store, chunk.group)?;
        if live.as_ref().is_some_and(|live| !live.contains(&true)) {
            return Ok(RecordBatch::new_empty(self.schema.clone()));
        }
        let names: Vec<Arc<str>> = self.stored_names().map(Arc::from).collect();
        let mut stored = self.store.columns(footer, chunk.group, &names)?.into_iter();
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        for field in self.schema.fields() {
            let column = if COMPUTED.contains(&field.name().as_str()) {
                self.computed(field.name(), chunk)?
            } else {
                match stored.next().flatten() {
                    Some(array) if array.data_type() == field.data_type() => array,
                    Some(array) => cast(&array, field.data_type()).map_err(failed)?,
                    None => new_null_array(field.data_type(), rows),
                }
            };
            columns.push(column);
        }
        let batch = batch(&self.schema, columns, rows)?;
        match live {
            Some(live) => filter_record_batch(&batch, &BooleanArray::from(live)).map_err(failed),
            None => Ok(batch),
        }
    }

    fn stored_names(&self) -> impl Iterator<Item = &str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).filter(|name| !COMPUTED.contains(name))
    }

    fn computed(&self, name: &str, chunk: &Chunk) -> Result<ArrayRef, EngineError> {
        let footer = &chunk.segment.footer;
        let rows = footer.groups[chunk.group];
        match name {
            "row_key" => {
                let first = u64::from(footer.no) << 32 | footer.first_row(chunk.group) as u64;
                Ok(Arc::new(UInt64Array::from_iter_values(first..first + rows as u64)))
            }
            "kb_id" => Ok(constant(&chunk.kb.to_string(), rows)),
            "table_kwd" => Ok(constant(&self.table, rows)),
            "doc_id" => self.of_document(chunk, &self.documents.ids),
            _ => self.of_document(chunk, &self.documents.names),
        }
    }

    fn of_document(&self, chunk: &Chunk, values: &dyn Array) -> Result<ArrayRef, EngineError> {
        let rows = chunk.segment.footer.groups[chunk.group];
        let numbers = self.store.column(&chunk.segment.footer, chunk.group, "doc_no")?;
        let places = numbers.and_then(|numbers| self.documents.places(&numbers)).unwrap_or_else(|| vec![None; rows]);
        take(values, &UInt32Array::from(places), None).map_err(failed)
    }
}

fn constant(text: &str, rows: usize) -> ArrayRef {
    let value = datafusion::arrow::array::StringViewArray::from(vec![text]);
    take(&value, &UInt32Array::from(vec![0; rows]), None).unwrap_or_else(|_| new_null_array(value.data_type(), rows))
}

fn batch(schema: &Arc<Schema>, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, EngineError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(failed)
}

fn failed(error: datafusion::arrow::error::ArrowError) -> EngineError {
    EngineError::Failed(error.to_string())
}
