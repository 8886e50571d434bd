//! The folder of segments: where their files are, their footers and columns.
//!
//! Comes in: a segment number. Goes out: columns of a row group as Arrow arrays, text as `Utf8View` or as codes.
//! Must never happen: a column decoded that no one asked for; a whole segment in memory to read one row.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::ArrayRef;

use super::cited::Cited;
use super::columns::{ColumnKey, Columns};
use super::footer::Footer;
use crate::config::EmbeddedLimits;
use crate::engine::EngineError;

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

    /// A text column of a row group as numbers with the texts that they stand for; `None` where its file has no such.
    pub(super) fn coded(&self, footer: &Footer, group: usize, name: &str) -> Result<Option<ArrayRef>, EngineError> {
        if !footer.is_coded(group, name) {
            return Ok(None);
        }
        let key = ColumnKey { segment: footer.no, group, column: format!("{name}#codes").into() };
        if let Some(array) = self.columns.get(&key) {
            return Ok(Some(array));
        }
        let array = footer.read_coded(group, name)?;
        if let Some(array) = &array {
            self.columns.put(key, array.clone());
        }
        Ok(array)
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

pub(super) fn io(path: &Path, source: std::io::Error) -> EngineError {
    EngineError::Io { path: path.display().to_string(), source }
}

pub(super) fn damaged(path: &Path, error: impl std::fmt::Display) -> EngineError {
    EngineError::Damaged { path: path.display().to_string(), detail: error.to_string() }
}
