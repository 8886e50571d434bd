//! The columns of one row group, as a view has them.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions, StringViewArray, UInt32Array, UInt64Array,
    new_null_array,
};
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;

use super::coded::CodedColumns;
use super::store::Store;
use super::view::SegmentView;
use crate::engine::EngineError;
use crate::engine::documents::Documents;
use crate::engine::layout::COMPUTED;
use crate::ids::Id;

/// One row group to read.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub kb: Id,
    pub segment: SegmentView,
    pub group: usize,
}

impl Chunk {
    pub(super) fn rows(&self) -> usize {
        self.segment.footer.groups[self.group]
    }

    /// Which rows are live; `None` where all are.
    pub(super) fn live(&self, store: &Store) -> Result<Option<BooleanArray>, EngineError> {
        Ok(self.segment.live(store, self.group)?.map(BooleanArray::from))
    }
}

/// Reads row groups of one table.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    pub store: Arc<Store>,
    pub documents: Arc<Documents>,
    pub table: Arc<str>,
    /// Columns that are given as numbers.
    pub coded: Arc<CodedColumns>,
}

impl Reader {
    /// All rows of a row group with the columns of `schema`, dead ones included.
    pub(super) fn batch(&self, chunk: &Chunk, schema: &SchemaRef) -> Result<RecordBatch, EngineError> {
        let is_stored = |name: &str| !COMPUTED.contains(&name) && !self.coded.contains_key(name);
        let names = schema.fields().iter().map(|field| field.name().as_str()).filter(|name| is_stored(name));
        let names: Vec<Arc<str>> = names.map(Arc::from).collect();
        let mut stored = self.store.columns(&chunk.segment.footer, chunk.group, &names)?.into_iter();
        let mut columns = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            let column = if let Some(codes) = self.coded.get(field.name()) {
                codes.column(&self.store, chunk, field.name())?
            } else if COMPUTED.contains(&field.name().as_str()) {
                self.computed(field.name(), chunk)?
            } else {
                match stored.next().flatten() {
                    Some(array) if array.data_type() == field.data_type() => array,
                    Some(array) => cast(&array, field.data_type()).map_err(failed)?,
                    None => new_null_array(field.data_type(), chunk.rows()),
                }
            };
            columns.push(column);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(chunk.rows()));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(failed)
    }

    fn computed(&self, name: &str, chunk: &Chunk) -> Result<ArrayRef, EngineError> {
        let footer = &chunk.segment.footer;
        match name {
            "row_key" => {
                let first = u64::from(footer.no) << 32 | footer.first_row(chunk.group) as u64;
                Ok(Arc::new(UInt64Array::from_iter_values(first..first + chunk.rows() as u64)))
            }
            "kb_id" => Ok(constant(&chunk.kb.to_string(), chunk.rows())),
            "table_kwd" => Ok(constant(&self.table, chunk.rows())),
            "doc_id" => self.of_document(chunk, &self.documents.ids),
            _ => self.of_document(chunk, &self.documents.names),
        }
    }

    fn of_document(&self, chunk: &Chunk, values: &dyn Array) -> Result<ArrayRef, EngineError> {
        let numbers = self.store.column(&chunk.segment.footer, chunk.group, "doc_no")?;
        let places = numbers.and_then(|numbers| self.documents.places(&numbers));
        let places = places.unwrap_or_else(|| vec![None; chunk.rows()]);
        take(values, &UInt32Array::from(places), None).map_err(failed)
    }
}

/// The batch with texts of its own: what was read holds whole pages of the file.
pub(super) fn compact(batch: &RecordBatch) -> RecordBatch {
    let own = |array: &ArrayRef| match array.as_string_view_opt() {
        Some(texts) => Arc::new(texts.gc()) as ArrayRef,
        None => array.clone(),
    };
    let columns = batch.columns().iter().map(own).collect();
    RecordBatch::try_new(batch.schema(), columns).unwrap_or_else(|_| batch.clone())
}

fn constant(text: &str, rows: usize) -> ArrayRef {
    let value = StringViewArray::from(vec![text]);
    take(&value, &UInt32Array::from(vec![0; rows]), None).unwrap_or_else(|_| new_null_array(value.data_type(), rows))
}

pub(super) fn failed(error: ArrowError) -> EngineError {
    EngineError::Failed(error.to_string())
}
