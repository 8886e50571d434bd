//! The folder of segments: where their files are, their footers and columns.
//!
//! Comes in: a segment number. Goes out: columns of a row group as Arrow arrays, text as `Utf8View`.
//! Must never happen: a column decoded that no one asked for; a whole segment in memory to read one row.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::file::metadata::PageIndexPolicy;
use parquet::file::statistics::Statistics;

use super::cited::Cited;
use super::columns::{ColumnKey, Columns};
use crate::config::EmbeddedLimits;
use crate::engine::EngineError;
use crate::record::whole_column;

/// Footers kept; more segments than this are read anew.
const MAX_FOOTERS: usize = 4_096;

#[derive(Debug)]
pub(super) struct Store {
    root: PathBuf,
    limits: EmbeddedLimits,
    /// Files are forced to the disk before they count as written.
    durable: bool,
    next: AtomicU32,
    footers: Mutex<HashMap<u32, Arc<Footer>>>,
    columns: Columns,
    cited: Cited,
}

/// What a segment's file says of itself.
#[derive(Debug)]
pub(super) struct Footer {
    pub no: u32,
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    /// Rows of each row group.
    pub groups: Vec<usize>,
}

impl Store {
    pub(super) fn open(root: &Path, limits: &EmbeddedLimits, durable: bool) -> Result<Self, EngineError> {
        for folder in ["segments", "search", "mentions"] {
            let path = root.join(folder);
            std::fs::create_dir_all(&path).map_err(|source| io(&path, source))?;
        }
        Ok(Self {
            root: root.to_owned(),
            limits: limits.clone(),
            durable,
            next: AtomicU32::new(1),
            footers: Mutex::default(),
            columns: Columns::new(limits.cache_bytes),
            cited: Cited::default(),
        })
    }

    pub(super) fn limits(&self) -> &EmbeddedLimits {
        &self.limits
    }

    pub(super) fn durable(&self) -> bool {
        self.durable
    }

    pub(super) fn segments(&self) -> PathBuf {
        self.root.join("segments")
    }

    pub(super) fn search(&self) -> PathBuf {
        self.root.join("search")
    }

    pub(super) fn mentions(&self) -> PathBuf {
        self.root.join("mentions")
    }

    /// Held while an index is built: a sweep leaves half-built indexes alone as long as anyone does.
    pub(super) fn building(&self) -> Result<File, EngineError> {
        let (path, file) = self.index_lock()?;
        file.lock_shared().map_err(|source| io(&path, source))?;
        Ok(file)
    }

    /// Held while half-built indexes are swept; `None` where one is being built.
    pub(super) fn not_building(&self) -> Result<Option<File>, EngineError> {
        let (path, file) = self.index_lock()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(io(&path, source)),
        }
    }

    fn index_lock(&self) -> Result<(PathBuf, File), EngineError> {
        let path = self.root.join("index.lock");
        let file = File::create(&path).map_err(|source| io(&path, source))?;
        Ok((path, file))
    }

    pub(super) fn segment_path(&self, no: u32) -> PathBuf {
        self.segments().join(format!("{no}.parquet"))
    }

    /// A number that no segment ever had.
    pub(super) fn take_number(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn number_from(&self, no: u32) {
        self.next.fetch_max(no, Ordering::Relaxed);
    }

    pub(super) fn footer(&self, no: u32) -> Result<Arc<Footer>, EngineError> {
        if let Some(footer) = self.footers.lock().unwrap_or_else(PoisonError::into_inner).get(&no) {
            return Ok(footer.clone());
        }
        let footer = Arc::new(Footer::read(no, self.segment_path(no))?);
        let mut footers = self.footers.lock().unwrap_or_else(PoisonError::into_inner);
        if footers.len() >= MAX_FOOTERS {
            footers.clear();
        }
        footers.insert(no, footer.clone());
        Ok(footer)
    }

    /// Columns of a row group by name; `None` where the segment has no such column. One of decimals may come as whole numbers.
    pub(super) fn columns(
        &self,
        footer: &Footer,
        group: usize,
        names: &[Arc<str>],
    ) -> Result<Vec<Option<ArrayRef>>, EngineError> {
        let names: Vec<Arc<str>> = names.iter().map(|name| footer.stored(name)).collect();
        let key = |name: &Arc<str>| ColumnKey { segment: footer.no, group, column: name.clone() };
        let mut found: Vec<Option<ArrayRef>> = names.iter().map(|name| self.columns.get(&key(name))).collect();
        let missing: Vec<usize> =
            (0..names.len()).filter(|&at| found[at].is_none() && footer.has(&names[at])).collect();
        if missing.is_empty() {
            return Ok(found);
        }
        let wanted: Vec<&str> = missing.iter().map(|&at| names[at].as_ref()).collect();
        let batch = footer.read_group(group, &wanted)?;
        for at in missing {
            found[at] = batch.column_by_name(&names[at]).cloned();
            if let Some(array) = &found[at] {
                self.columns.put(key(&names[at]), array.clone());
            }
        }
        Ok(found)
    }

    pub(super) fn column(&self, footer: &Footer, group: usize, name: &str) -> Result<Option<ArrayRef>, EngineError> {
        Ok(self.columns(footer, group, &[name.into()])?.pop().flatten())
    }

    pub(super) fn cited(&self) -> &Cited {
        &self.cited
    }

    /// Forgets segments that are gone.
    pub(super) fn forget(&self, live: &dyn Fn(u32) -> bool) {
        self.footers.lock().unwrap_or_else(PoisonError::into_inner).retain(|no, _| live(*no));
        self.columns.retain(live);
        self.cited.retain(live);
    }

    #[cfg(test)]
    pub(super) fn cached_bytes(&self) -> usize {
        self.columns.bytes()
    }
}

impl Footer {
    fn read(no: u32, path: PathBuf) -> Result<Self, EngineError> {
        let file = File::open(&path).map_err(|source| io(&path, source))?;
        let options = || ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
        let plain = ArrowReaderMetadata::load(&file, options()).map_err(|error| damaged(&path, error))?;
        let schema = viewed(plain.schema());
        let metadata = ArrowReaderMetadata::try_new(plain.metadata().clone(), options().with_schema(schema))
            .map_err(|error| damaged(&path, error))?;
        let rows =
            |group: &parquet::file::metadata::RowGroupMetaData| usize::try_from(group.num_rows()).unwrap_or_default();
        let groups = metadata.metadata().row_groups().iter().map(rows).collect();
        Ok(Self { no, path, metadata, groups })
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
    fn stored(&self, name: &Arc<str>) -> Arc<str> {
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
        let columns = self.metadata.metadata().row_group(group).columns();
        columns.iter().find(|column| column.column_path().string() == name)?.statistics()
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
        let file = File::open(&self.path).map_err(|source| io(&self.path, source))?;
        Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone()))
    }

    fn one_batch(&self, builder: ParquetRecordBatchReaderBuilder<File>) -> Result<RecordBatch, EngineError> {
        let reader = builder.build().map_err(|error| damaged(&self.path, error))?;
        let schema = reader_schema(&reader);
        let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().map_err(|error| damaged(&self.path, error))?;
        match <[RecordBatch; 1]>::try_from(batches) {
            Ok([batch]) => Ok(batch),
            Err(batches) => concat_batches(&schema, &batches).map_err(|error| damaged(&self.path, error)),
        }
    }
}

fn reader_schema(reader: &ParquetRecordBatchReader) -> SchemaRef {
    use datafusion::arrow::array::RecordBatchReader;
    reader.schema()
}

/// The schema with all text as views.
fn viewed(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => Field::new(field.name(), DataType::Utf8View, field.is_nullable()),
        kind => Field::new(field.name(), kind.clone(), field.is_nullable()),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

pub(super) fn io(path: &Path, source: std::io::Error) -> EngineError {
    EngineError::Io { path: path.display().to_string(), source }
}

pub(super) fn damaged(path: &Path, error: impl std::fmt::Display) -> EngineError {
    EngineError::Damaged { path: path.display().to_string(), detail: error.to_string() }
}
