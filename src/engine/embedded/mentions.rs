//! The indexes of segments: in memory once asked for, on the disk once a segment is wholly live.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::distinct::DistinctCells;
use super::side_by_side::side_by_side;
use super::store::{Store, io};
use super::view::{SegmentView, View};
use crate::engine::cells::Cells;
use crate::engine::mentions::{Building, Indexed, Packed, find};
use crate::engine::rowset::Bits;
use crate::engine::{EngineError, Mention};

/// Indexes kept in memory.
const MAX_KEPT: usize = 1_024;

/// A segment with the documents that are live in it.
type Key = (u32, Option<Arc<Bits>>);

/// Indexes of the segments asked about.
#[derive(Default)]
pub(super) struct MentionIndexes {
    segments: Mutex<HashMap<Key, Arc<Packed>>>,
    /// Of the names of documents, by their cells.
    files: Mutex<Vec<(Arc<Cells>, Arc<Packed>)>>,
}

impl MentionIndexes {
    /// Cells of the views that a question names.
    pub(super) fn find(
        &self,
        store: &Store,
        distinct: &DistinctCells,
        views: &[Arc<View>],
        question: &str,
    ) -> Result<Vec<Mention>, EngineError> {
        self.make(store, distinct, views)?;
        let mut indexes = Vec::new();
        for view in views {
            for segment in view.segments() {
                indexes.push(of_view(view, self.of_segment(store, distinct, segment)?));
            }
            indexes.push(of_view(view, self.of_files(&view.files)?));
        }
        Ok(find(question, &indexes))
    }

    /// Makes the indexes that are not there yet, side by side.
    pub(super) fn make(&self, store: &Store, distinct: &DistinctCells, views: &[Arc<View>]) -> Result<(), EngineError> {
        let segments: Vec<&SegmentView> = views.iter().flat_map(|view| view.segments()).collect();
        side_by_side(&segments, |segment| self.of_segment(store, distinct, segment).map(|_| ()))
    }

    fn of_segment(
        &self,
        store: &Store,
        distinct: &DistinctCells,
        segment: &SegmentView,
    ) -> Result<Arc<Packed>, EngineError> {
        let key = (segment.footer.no, segment.docs.clone());
        if let Some(packed) = lock(&self.segments).get(&key) {
            return Ok(packed.clone());
        }
        let lasting = (store.durable() && segment.docs.is_none()).then(|| store.mentions().join(key.0.to_string()));
        let stored = lasting.as_deref().and_then(|path| Packed::read(std::fs::read(path).ok()?));
        let packed = match stored {
            Some(packed) => packed,
            None => {
                let packed = packed(store, distinct, segment)?;
                if let Some(path) = &lasting {
                    keep(store, path, packed.bytes())?;
                }
                packed
            }
        };
        let packed = Arc::new(packed);
        let mut kept = lock(&self.segments);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(key, packed.clone());
        Ok(packed)
    }

    fn of_files(&self, cells: &Arc<Cells>) -> Result<Arc<Packed>, EngineError> {
        let mut kept = lock(&self.files);
        if let Some((_, packed)) = kept.iter().find(|(own, _)| Arc::ptr_eq(own, cells)) {
            return Ok(packed.clone());
        }
        let names = Building::new("docnm_kwd", &cells.all, true);
        let packed = Arc::new(Packed::of([names])?);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.push((cells.clone(), packed.clone()));
        Ok(packed)
    }

    pub(super) fn forget(&self, live: &dyn Fn(u32) -> bool) {
        lock(&self.segments).retain(|(no, _), _| live(*no));
    }
}

fn of_view(view: &View, packed: Arc<Packed>) -> Indexed<'_> {
    Indexed { table: &view.name, text_fields: &view.text_fields, packed }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The index of the live cells of a segment's text columns.
fn packed(store: &Store, distinct: &DistinctCells, segment: &SegmentView) -> Result<Packed, EngineError> {
    let columns: Vec<(&str, OnceLock<Building>)> =
        segment.footer.text_columns().map(|name| (name, OnceLock::new())).collect();
    side_by_side(&columns, |(name, building)| {
        let cells = distinct.of_segment(store, segment, name)?;
        building.get_or_init(|| Building::new(name, &cells.all, false));
        Ok(())
    })?;
    Packed::of(columns.into_iter().filter_map(|(_, building)| building.into_inner()))
}

/// Writes a file that appears under its name only when it is whole. A reader that may not write does without.
fn keep(store: &Store, path: &Path, bytes: &[u8]) -> Result<(), EngineError> {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let Ok(_building) = store.building() else { return Ok(()) };
    let written = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let temp: PathBuf = path.with_extension(format!("{}.{written}.tmp", std::process::id()));
    let done = std::fs::write(&temp, bytes).and_then(|()| std::fs::rename(&temp, path));
    match done {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(()),
        done => done.map_err(|source| io(path, source)),
    }
}
