//! The documents of a snapshot, found by the numbers that rows carry, and the names of each table's files.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{ArrayRef, AsArray, StringViewArray};
use datafusion::arrow::datatypes::UInt32Type;

use super::cells::Cells;
use super::{Document, Snapshot};
use crate::schema::Table;

/// The documents of the snapshot asked last: the next one is mostly the same.
#[derive(Default)]
pub(super) struct LastDocuments(Mutex<Option<Arc<Documents>>>);

impl LastDocuments {
    pub(super) fn of(&self, snapshot: &Snapshot) -> Arc<Documents> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(last) if last.is_of(snapshot) => last.clone(),
            _ => last.insert(Arc::new(Documents::new(snapshot))).clone(),
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
    /// Names of the files of each table of the schema.
    pub files: Vec<Arc<Cells>>,
}

impl Documents {
    fn new(snapshot: &Snapshot) -> Self {
        let all = snapshot.documents.clone();
        let by_no = all.iter().zip(0..).map(|(document, at)| (document.no, at)).collect();
        let names = all.iter().map(|document| Some(document.name.as_str())).collect();
        let ids = all.iter().map(|document| Some(document.doc_id.to_string())).collect();
        let files = snapshot
            .schema
            .tables
            .iter()
            .map(|table| Arc::new(Cells::new(files(table).into_iter().map(Box::from), false)))
            .collect();
        Self { all, by_no, names, ids, files }
    }

    fn is_of(&self, snapshot: &Snapshot) -> bool {
        let tables = &snapshot.schema.tables;
        let same = |(own, table): (&Arc<Cells>, &Table)| own.all.iter().map(AsRef::as_ref).eq(files(table));
        self.all == snapshot.documents && self.files.len() == tables.len() && self.files.iter().zip(tables).all(same)
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

/// Names of the files that a table has sheets of.
fn files(table: &Table) -> BTreeSet<&str> {
    table.sheets.iter().map(|(file, _)| file.as_str()).collect()
}
