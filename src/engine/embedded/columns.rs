//! Hot columns in memory, within a limit on bytes; the longest unused go first.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::ArrayRef;

/// One column of one row group of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ColumnKey {
    pub segment: u32,
    pub group: usize,
    pub column: Arc<str>,
}

#[derive(Debug)]
pub(super) struct Columns {
    limit: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    arrays: HashMap<ColumnKey, Entry>,
    by_use: BTreeMap<u64, ColumnKey>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    array: ArrayRef,
    bytes: usize,
    used: u64,
}

impl Columns {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, kept: Mutex::default() }
    }

    pub(super) fn get(&self, key: &ColumnKey) -> Option<ArrayRef> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let entry = kept.arrays.get_mut(key)?;
        let (array, before) = (entry.array.clone(), std::mem::replace(&mut entry.used, now));
        if let Some(key) = kept.by_use.remove(&before) {
            kept.by_use.insert(now, key);
        }
        Some(array)
    }

    /// Keeps an array, unless it alone is over the limit.
    pub(super) fn put(&self, key: ColumnKey, array: ArrayRef) {
        let bytes = array.get_array_memory_size();
        if bytes > self.limit {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(&key);
        while kept.bytes + bytes > self.limit && kept.remove_oldest() {}
        kept.clock += 1;
        let used = kept.clock;
        kept.by_use.insert(used, key.clone());
        kept.bytes += bytes;
        kept.arrays.insert(key, Entry { array, bytes, used });
    }

    /// Drops what is not of these segments.
    pub(super) fn retain(&self, live: &dyn Fn(u32) -> bool) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let dead: Vec<ColumnKey> = kept.arrays.keys().filter(|key| !live(key.segment)).cloned().collect();
        for key in dead {
            kept.remove(&key);
        }
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }
}

impl Kept {
    fn remove(&mut self, key: &ColumnKey) {
        if let Some(entry) = self.arrays.remove(key) {
            self.by_use.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }

    fn remove_oldest(&mut self) -> bool {
        let Some((_, key)) = self.by_use.pop_first() else { return false };
        if let Some(entry) = self.arrays.remove(&key) {
            self.bytes -= entry.bytes;
        }
        true
    }
}
