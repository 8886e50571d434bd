//! The documents of a snapshot, found by the numbers that rows carry.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{ArrayRef, AsArray, StringViewArray};
use datafusion::arrow::datatypes::UInt32Type;

use super::{Document, Snapshot};

/// The documents of the snapshot asked last: the next one is mostly the same.
#[derive(Default)]
pub(super) struct LastDocuments(Mutex<Option<Arc<Documents>>>);

impl LastDocuments {
    pub(super) fn of(&self, snapshot: &Snapshot) -> Arc<Documents> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(last) if last.all == snapshot.documents => last.clone(),
            _ => last.insert(Arc::new(Documents::new(snapshot.documents.clone()))).clone(),
        }
    }
}

/// The documents of a snapshot, found by number.
#[derive(Debug)]
pub(super) struct Documents {
    pub all: Vec<Document>,
    by_no: HashMap<u32, u32>,
    pub names: StringViewArray,
    pub ids: StringViewArray,
}

impl Documents {
    fn new(all: Vec<Document>) -> Self {
        let by_no = all.iter().zip(0..).map(|(document, at)| (document.no, at)).collect();
        let names = all.iter().map(|document| Some(document.name.as_str())).collect();
        let ids = all.iter().map(|document| Some(document.doc_id.to_string())).collect();
        Self { all, by_no, names, ids }
    }

    pub(super) fn get(&self, no: u32) -> Option<&Document> {
        self.all.get(*self.by_no.get(&no)? as usize)
    }

    /// Places in [`Self::all`] of a column of document numbers.
    pub(super) fn places(&self, numbers: &ArrayRef) -> Option<Vec<Option<u32>>> {
        let numbers = numbers.as_primitive_opt::<UInt32Type>()?.values();
        let mut last = (None, None);
        let place = |&no: &u32| {
            if last.0 != Some(no) {
                last = (Some(no), self.by_no.get(&no).copied());
            }
            last.1
        };
        Some(numbers.iter().map(place).collect())
    }
}
