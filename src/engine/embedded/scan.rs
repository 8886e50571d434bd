//! Reads row groups of live segments as batches, in row order, a few decoded ahead.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::StreamExt;

use super::filter::Filter;
use super::reader::{Chunk, Reader, compact};

/// Row groups that are decoded at the same time for one partition.
const AHEAD: usize = 2;

/// The row groups of one partition.
#[derive(Debug)]
pub(super) struct Scan {
    pub reader: Reader,
    pub schema: SchemaRef,
    pub filter: Arc<Filter>,
    pub chunks: Vec<Chunk>,
}

impl PartitionStream for Scan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batch_rows = context.session_config().batch_size();
        let (reader, filter, schema) = (self.reader.clone(), self.filter.clone(), self.schema.clone());
        let chunks = futures::stream::iter(self.chunks.clone());
        let batches = chunks
            .map(move |chunk| {
                let (reader, filter, schema) = (reader.clone(), filter.clone(), schema.clone());
                async move {
                    let read = tokio::task::spawn_blocking(move || read(&reader, &filter, &chunk, &schema)).await;
                    read.map_err(|error| DataFusionError::External(Box::new(error)))?
                }
            })
            .buffered(AHEAD)
            .flat_map(move |batch| futures::stream::iter(sliced(batch, batch_rows)));
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
    }
}

/// The rows of a row group that are live and pass. Columns are not touched where none does.
fn read(reader: &Reader, filter: &Filter, chunk: &Chunk, schema: &SchemaRef) -> Result<RecordBatch> {
    let selected = filter.selected(reader, chunk)?;
    if selected.as_ref().is_some_and(|selected| selected.true_count() == 0) {
        return Ok(RecordBatch::new_empty(schema.clone()));
    }
    let batch = reader.batch(chunk, schema).map_err(|error| DataFusionError::External(Box::new(error)))?;
    Ok(match selected {
        // A few rows must not hold the texts of all.
        Some(selected) if selected.true_count() * 2 < chunk.rows() => compact(&filter_record_batch(&batch, &selected)?),
        Some(selected) => filter_record_batch(&batch, &selected)?,
        None => batch,
    })
}

fn sliced(batch: Result<RecordBatch>, rows: usize) -> impl Iterator<Item = Result<RecordBatch>> {
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
