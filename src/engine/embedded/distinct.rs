//! The distinct cells of a column in scope, kept while the column's segments are live.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{Array, AsArray, RecordBatch};

use super::store::Store;
use super::view::{SegmentView, View};
use crate::engine::EngineError;
use crate::engine::cells::{Cells, column_of};
use crate::engine::rowset::Bits;

/// Columns whose cells are kept.
const MAX_COLUMNS: usize = 4_096;

/// The segments, with what is live in them, and the column.
type Key = (Vec<(u32, Option<Arc<Bits>>)>, String);

pub(super) struct DistinctCells {
    max: usize,
    kept: Mutex<HashMap<Key, Arc<Cells>>>,
}

impl DistinctCells {
    pub(super) fn new(max: usize) -> Self {
        Self { max, kept: Mutex::default() }
    }

    /// Whether the cells of a field are in memory, all of them.
    pub(super) fn knows(&self, view: &View, field: &str) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        field == "docnm_kwd" || kept.get(&key(view, column_of(field))).is_some_and(|cells| !cells.cut)
    }

    /// The live cells of a segment's text column, which are not kept here.
    pub(super) fn of_segment(&self, store: &Store, segment: &SegmentView, column: &str) -> Result<Cells, EngineError> {
        let mut seen = Seen::new(self.max);
        let whole = seen.take_all(store, segment, column)?;
        Ok(Cells::new(seen.cells, !whole))
    }

    /// The cells of a field by its stored name, `docnm_kwd` and `sheet_kwd` included.
    pub(super) fn of_field(&self, store: &Store, view: &View, field: &str) -> Result<Arc<Cells>, EngineError> {
        if field == "docnm_kwd" {
            return Ok(view.files.clone());
        }
        let column = column_of(field);
        let key = key(view, column.clone());
        if let Some(cells) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(cells.clone());
        }
        let cells = Arc::new(read(store, view, &column, self.max)?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_COLUMNS {
            kept.clear();
        }
        kept.insert(key, cells.clone());
        Ok(cells)
    }
}

fn key(view: &View, column: String) -> Key {
    (view.segments().map(|segment| (segment.footer.no, segment.docs.clone())).collect(), column)
}

/// Distinct cells as they are met, up to a number.
struct Seen {
    cells: datafusion::common::HashSet<Box<str>>,
    max: usize,
}

impl Seen {
    fn new(max: usize) -> Self {
        Self { cells: datafusion::common::HashSet::default(), max }
    }

    /// Takes a cell; false where it is one too many.
    fn take(&mut self, cell: &str) -> bool {
        if self.cells.contains(cell) {
            return true;
        }
        let room = self.cells.len() < self.max;
        if room {
            self.cells.insert(cell.into());
        }
        room
    }

    /// Takes the live cells of a segment's column, which is gone through once and not kept. False where there are too many.
    fn take_all(&mut self, store: &Store, segment: &SegmentView, column: &str) -> Result<bool, EngineError> {
        let footer = &segment.footer;
        for group in (0..footer.groups.len()).filter(|_| footer.has(column)) {
            let live = segment.live(store, group)?;
            let coded =
                if live.is_none() && footer.is_coded(group, column) { footer.read_coded(group, column)? } else { None };
            let room = match coded.as_ref().and_then(|coded| coded.as_any_dictionary_opt()) {
                Some(coded) => coded.values().as_string::<i32>().iter().flatten().all(|cell| self.take(cell)),
                None => self.take_each(&footer.read_group(group, &[column])?, live.as_deref()),
            };
            if !room {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take_each(&mut self, batch: &RecordBatch, live: Option<&[bool]>) -> bool {
        let Some(texts) = batch.columns().first().and_then(|texts| texts.as_string_view_opt()) else { return true };
        let cells = texts.iter().enumerate().filter(|(row, _)| live.is_none_or(|live| live[*row]));
        cells.filter_map(|(_, cell)| cell).all(|cell| self.take(cell))
    }
}

fn read(store: &Store, view: &View, column: &str, max: usize) -> Result<Cells, EngineError> {
    let mut seen = Seen::new(max);
    for segment in view.segments() {
        if !seen.take_all(store, segment, column)? {
            return Ok(Cells::new(seen.cells, true));
        }
    }
    Ok(Cells::new(seen.cells, false))
}

/// Goes through the live, non-null cells of a text column until told to stop.
pub(super) fn for_each_cell(
    store: &Store,
    view: &View,
    column: &str,
    mut visit: impl FnMut((u32, usize), &str) -> bool,
) -> Result<(), EngineError> {
    for segment in view.segments() {
        let footer = &segment.footer;
        for group in 0..footer.groups.len() {
            let Some(array) = store.column(footer, group, column)? else { continue };
            let Some(texts) = array.as_string_view_opt() else { continue };
            let live = segment.live(store, group)?;
            let first = footer.first_row(group);
            for row in 0..texts.len() {
                let skipped = texts.is_null(row) || live.as_ref().is_some_and(|live| !live[row]);
                if !skipped && !visit((footer.no, first + row), texts.value(row)) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}
