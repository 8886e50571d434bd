//! What a segment's file says of itself, and how its columns are read.
//!
//! Must never happen: a whole segment in memory to read one row.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchReader};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::basic::Encoding;
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy};
use parquet::file::statistics::Statistics;

use super::store::{damaged, io};
use crate::engine::EngineError;
use crate::record::whole_column;

/// Bytes of a dictionary whose values are few enough to work with codes.
const MAX_DICTIONARY_BYTES: i64 = 32 << 10;

/// What a segment's file says of itself.
#[derive(Debug)]
pub(super) struct Footer {
    pub no: u32,
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    /// The same with all text as dictionaries.
    coded: ArrowReaderMetadata,
    /// Rows of each row group.
    pub groups: Vec<usize>,
}

impl Footer {
    pub(super) fn read(no: u32, path: PathBuf) -> Result<Self, EngineError> {
        let file = File::open(&path).map_err(|source| io(&path, source))?;
        let options = || {
            let options = ArrowReaderOptions::new().with_column_index_policy(PageIndexPolicy::Skip);
            options.with_offset_index_policy(PageIndexPolicy::Optional)
        };
        let plain = ArrowReaderMetadata::load(&file, options()).map_err(|error| damaged(&path, error))?;
        let seen_as = |text: DataType| {
            let options = options().with_schema(with_text_as(plain.schema(), &text));
            ArrowReaderMetadata::try_new(plain.metadata().clone(), options).map_err(|error| damaged(&path, error))
        };
        let metadata = seen_as(DataType::Utf8View)?;
        let coded = seen_as(DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)))?;
        let rows =
            |group: &parquet::file::metadata::RowGroupMetaData| usize::try_from(group.num_rows()).unwrap_or_default();
        let groups = metadata.metadata().row_groups().iter().map(rows).collect();
        Ok(Self { no, path, metadata, coded, groups })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.schema().index_of(name).is_ok()
    }

    /// Columns of text, without the cells' own texts of other fields.
    pub(super) fn text_columns(&self) -> impl Iterator<Item = &str> {
        let texts = self.schema().fields().iter().filter(|field| field.data_type() == &DataType::Utf8View);
        texts.map(|field| field.name().as_str()).filter(|name| !name.ends_with("__raw"))
    }

    /// The column that holds what `name` asks for.
    pub(super) fn stored(&self, name: &Arc<str>) -> Arc<str> {
        let whole = || whole_column(name).filter(|whole| self.has(whole)).map(Arc::from);
        if self.has(name) { name.clone() } else { whole().unwrap_or_else(|| name.clone()) }
    }

    /// First row of a row group.
    pub(super) fn first_row(&self, group: usize) -> usize {
        self.groups[..group].iter().sum()
    }

    /// The row group of a row and its place in there.
    pub(super) fn locate(&self, row: usize) -> Option<(usize, usize)> {
        let mut first = 0;
        for (group, rows) in self.groups.iter().enumerate() {
            if row < first + rows {
                return Some((group, row - first));
            }
            first += rows;
        }
        None
    }

    /// Whether the column has no null in the row group, as far as the file says.
    pub(super) fn has_nulls(&self, group: usize, name: &str) -> bool {
        self.statistics(group, name).and_then(Statistics::null_count_opt) != Some(0)
    }

    /// No number of the column in the row group is smaller, as far as the file says.
    pub(super) fn least(&self, group: usize, name: &str) -> i64 {
        match self.statistics(group, name) {
            Some(Statistics::Int64(bounds)) => bounds.min_opt().copied().unwrap_or(i64::MIN),
            _ => i64::MIN,
        }
    }

    /// The number that every row of the row group has, if the file says so.
    pub(super) fn only_number(&self, group: usize, name: &str) -> Option<u32> {
        match self.statistics(group, name)? {
            Statistics::Int32(bounds) if bounds.null_count_opt() == Some(0) && bounds.min_opt() == bounds.max_opt() => {
                bounds.min_opt().map(|number| number.cast_unsigned())
            }
            _ => None,
        }
    }

    /// The text that every row of the row group has, if the file says so.
    pub(super) fn only_text(&self, group: usize, name: &str) -> Option<&str> {
        match self.statistics(group, name)? {
            Statistics::ByteArray(bounds) => {
                let is_whole = bounds.min_is_exact() && bounds.max_is_exact() && bounds.null_count_opt() == Some(0);
                let same = is_whole && bounds.min_opt() == bounds.max_opt();
                std::str::from_utf8(bounds.min_bytes_opt().filter(|_| same)?).ok()
            }
            _ => None,
        }
    }

    fn statistics(&self, group: usize, name: &str) -> Option<&Statistics> {
        self.chunk(group, name)?.statistics()
    }

    fn chunk(&self, group: usize, name: &str) -> Option<&ColumnChunkMetaData> {
        let columns = self.metadata.metadata().row_group(group).columns();
        columns.iter().find(|column| column.column_path().string() == name)
    }

    /// Whether the row group's values of a text column are few and all stand in one dictionary.
    pub(super) fn is_coded(&self, group: usize, name: &str) -> bool {
        let Some(chunk) = self.chunk(group, name) else { return false };
        let is_text = self.schema().field_with_name(name).is_ok_and(|field| field.data_type() == &DataType::Utf8View);
        let bytes = chunk.dictionary_page_offset().map(|start| chunk.data_page_offset() - start);
        let only = |encoding| chunk.page_encoding_stats_mask().is_some_and(|mask| mask.is_only(encoding));
        is_text && bytes.is_some_and(|bytes| bytes <= MAX_DICTIONARY_BYTES) && only(Encoding::RLE_DICTIONARY)
    }

    /// A text column of a row group as a dictionary.
    pub(super) fn read_coded(&self, group: usize, name: &str) -> Result<Option<ArrayRef>, EngineError> {
        let builder = self.builder_of(&self.coded)?;
        let mask = ProjectionMask::columns(builder.parquet_schema(), [name]);
        let builder = builder.with_row_groups(vec![group]).with_projection(mask);
        Ok(self.one_batch(builder.with_batch_size(self.groups[group].max(1)))?.columns().first().cloned())
    }

    /// No whole number of the column is further from zero than this; without statistics, any may be.
    pub(super) fn largest(&self, name: &str) -> f64 {
        let groups = self.metadata.metadata().row_groups().iter();
        let columns = groups.flat_map(|group| group.columns()).filter(|column| column.column_path().string() == name);
        let bounds = columns.map(|column| match column.statistics() {
            Some(Statistics::Int64(bounds)) => match (bounds.min_opt(), bounds.max_opt()) {
                (Some(min), Some(max)) => (*min as f64).abs().max((*max as f64).abs()),
                _ if bounds.null_count_opt() == Some(column.num_values() as u64) => 0.0,
                _ => i64::MAX as f64,
            },
            _ => i64::MAX as f64,
        });
        bounds.fold(0.0, f64::max)
    }

    /// All columns, batch by batch.
    pub(super) fn scan(&self, batch_rows: usize) -> Result<ParquetRecordBatchReader, EngineError> {
        self.builder()?.with_batch_size(batch_rows.max(1)).build().map_err(|error| damaged(&self.path, error))
    }

    /// Some rows of a row group with all columns; `rows` ascending.
    pub(super) fn read_rows(&self, group: usize, rows: &[usize]) -> Result<RecordBatch, EngineError> {
        let selection = RowSelection::from_consecutive_ranges(rows.iter().map(|&row| row..row + 1), self.groups[group]);
        let builder = self.builder()?.with_row_groups(vec![group]).with_row_selection(selection);
        self.one_batch(builder.with_batch_size(rows.len().max(1)))
    }

    pub(super) fn read_group(&self, group: usize, names: &[&str]) -> Result<RecordBatch, EngineError> {
        let builder = self.builder()?;
        let mask = ProjectionMask::columns(builder.parquet_schema(), names.iter().copied());
        let builder = builder.with_row_groups(vec![group]).with_projection(mask);
        self.one_batch(builder.with_batch_size(self.groups[group].max(1)))
    }

    fn builder(&self) -> Result<ParquetRecordBatchReaderBuilder<File>, EngineError> {
        self.builder_of(&self.metadata)
    }

    fn builder_of(&self, metadata: &ArrowReaderMetadata) -> Result<ParquetRecordBatchReaderBuilder<File>, EngineError> {
        let file = File::open(&self.path).map_err(|source| io(&self.path, source))?;
        Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone()))
    }

    fn one_batch(&self, builder: ParquetRecordBatchReaderBuilder<File>) -> Result<RecordBatch, EngineError> {
        let reader = builder.build().map_err(|error| damaged(&self.path, error))?;
        let schema = reader.schema();
        let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().map_err(|error| damaged(&self.path, error))?;
        match <[RecordBatch; 1]>::try_from(batches) {
            Ok([batch]) => Ok(batch),
            Err(batches) => concat_batches(&schema, &batches).map_err(|error| damaged(&self.path, error)),
        }
    }
}

/// The schema with all text as another type of text.
fn with_text_as(schema: &Schema, text: &DataType) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Field::new(field.name(), text.clone(), field.is_nullable())
        }
        kind => Field::new(field.name(), kind.clone(), field.is_nullable()),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
