//! Whole rows that were cited last: many answers over a table cite the same first rows.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use datafusion::arrow::array::RecordBatch;

use crate::engine::{EngineError, RowKey};

/// Rows kept.
const MAX_ROWS: usize = 2_000;

/// The key of a row, the batch that has all its columns, its place there.
pub(super) type WholeRow = (RowKey, RecordBatch, usize);

#[derive(Debug, Default)]
pub(super) struct Cited {
    rows: Mutex<HashMap<RowKey, (RecordBatch, usize)>>,
}

impl Cited {
    /// The rows of keys; those that are not kept are read by `read`. A key that it does not find is left out.
    pub(super) fn get(
        &self,
        keys: &[RowKey],
        read: impl FnOnce(&[RowKey]) -> Result<Vec<WholeRow>, EngineError>,
    ) -> Result<Vec<WholeRow>, EngineError> {
        let (mut found, mut missing) = (Vec::with_capacity(keys.len()), Vec::new());
        {
            let kept = self.lock();
            for key in keys {
                match kept.get(key) {
                    Some((batch, at)) => found.push((*key, batch.clone(), *at)),
                    None => missing.push(*key),
                }
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        let read = read(&missing)?;
        let mut kept = self.lock();
        if kept.len() + read.len() > MAX_ROWS {
            kept.clear();
        }
        if read.len() <= MAX_ROWS {
            kept.extend(read.iter().map(|(key, batch, at)| (*key, (batch.clone(), *at))));
        }
        found.extend(read);
        Ok(found)
    }

    /// Drops what is not of these segments.
    pub(super) fn retain(&self, live: &dyn Fn(u32) -> bool) {
        self.lock().retain(|key, _| live((key.0 >> 32) as u32));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RowKey, (RecordBatch, usize)>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
