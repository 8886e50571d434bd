//! Writes one segment: a Parquet file that appears under its name only when it is whole.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::store::{Store, damaged, io};
use crate::engine::{EngineError, LoadWriter, SegmentRef};

/// Rows of one page: reading a cited row decodes no more than this of each column.
const PAGE_ROWS: usize = 4_096;

pub(super) struct SegmentWriter {
    store: Arc<Store>,
    table_id: String,
    open: Option<Open>,
}

struct Open {
    no: u32,
    temp: PathBuf,
    writer: ArrowWriter<BufWriter<File>>,
    rows: u64,
}

impl SegmentWriter {
    pub(super) fn new(store: Arc<Store>, table_id: &str) -> Self {
        Self { store, table_id: table_id.to_owned(), open: None }
    }

    fn open(&self, batch: &RecordBatch) -> Result<Open, EngineError> {
        let no = self.store.take_number();
        let temp = self.store.segments().join(format!("{no}.tmp"));
        let file = File::create(&temp).map_err(|source| io(&temp, source))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_max_row_group_row_count(Some(self.store.limits().row_group_rows.max(1)))
            .build();
        let writer = ArrowWriter::try_new(BufWriter::new(file), batch.schema(), Some(properties));
        Ok(Open { no, writer: writer.map_err(|error| damaged(&temp, error))?, temp, rows: 0 })
    }
}

impl LoadWriter for SegmentWriter {
    fn push(&mut self, batch: RecordBatch) -> Result<(), EngineError> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        if self.open.is_none() {
            self.open = Some(self.open(&batch)?);
        }
        if let Some(open) = &mut self.open {
            open.writer.write(&batch).map_err(|error| damaged(&open.temp, error))?;
            open.rows += batch.num_rows() as u64;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<SegmentRef>, EngineError> {
        let Some(open) = self.open.take() else { return Ok(Vec::new()) };
        let path = self.store.segment_path(open.no);
        let file = open.writer.into_inner().map_err(|error| damaged(&open.temp, error))?;
        let file = file.into_inner().map_err(|error| io(&open.temp, error.into_error()))?;
        if self.store.durable() {
            file.sync_all().map_err(|source| io(&open.temp, source))?;
        }
        std::fs::rename(&open.temp, &path).map_err(|source| io(&path, source))?;
        if self.store.durable() {
            sync_folder(&self.store.segments())?;
        }
        Ok(vec![SegmentRef { no: open.no, table_id: self.table_id.clone(), rows: open.rows }])
    }
}

impl Drop for SegmentWriter {
    fn drop(&mut self) {
        if let Some(open) = &self.open
            && let Err(error) = std::fs::remove_file(&open.temp)
        {
            tracing::warn!(path = %open.temp.display(), %error, "an unfinished segment stays until the next sweep");
        }
    }
}

/// Makes a rename last.
fn sync_folder(folder: &Path) -> Result<(), EngineError> {
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| io(folder, source))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
