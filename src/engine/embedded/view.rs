//! A table of a snapshot as one statement sees it: its live segments, opened, and its columns.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{ArrayRef, AsArray, StringViewArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit, UInt32Type};

use super::rowset::Bits;
use super::store::{Footer, Store};
use crate::engine::{Document, EngineError, Snapshot};
use crate::ids::Id;
use crate::schema::{self, Table};
use crate::value::{FieldType, Role};

/// Columns that no file holds as such.
pub(super) const COMPUTED: [&str; 5] = ["row_key", "kb_id", "table_kwd", "doc_id", "docnm_kwd"];

#[derive(Debug, Clone)]
pub(super) struct View {
    pub name: String,
    pub schema: SchemaRef,
    /// Stored names of its text fields, `docnm_kwd` and `sheet_kwd` last.
    pub text_fields: Vec<String>,
    /// Columns that search does not look in.
    pub unsearched: Arc<HashSet<String>>,
    pub parts: Vec<PartView>,
    pub documents: Arc<Documents>,
}

#[derive(Debug, Clone)]
pub(super) struct PartView {
    pub kb: Id,
    pub segments: Vec<SegmentView>,
}

#[derive(Debug, Clone)]
pub(super) struct SegmentView {
    pub footer: Arc<Footer>,
    /// Document numbers that are live; `None` is all.
    pub docs: Option<Arc<Bits>>,
    pub rows: u64,
}

impl View {
    /// Opens the table at `index` of the snapshot's schema.
    pub(super) fn open(
        store: &Store,
        snapshot: &Snapshot,
        index: usize,
        documents: &Arc<Documents>,
    ) -> Result<Self, EngineError> {
        let table = &snapshot.schema.tables[index];
        let segment = |live: &crate::engine::LiveSegment| {
            let docs = live.docs.as_ref().map(|docs| Arc::new(docs.iter().map(|&no| no as usize).collect::<Bits>()));
            Ok(SegmentView { footer: store.footer(live.segment.no)?, docs, rows: live.segment.rows })
        };
        let parts = snapshot.tables.get(index).map(|table| table.parts.as_slice()).unwrap_or_default();
        let parts = parts.iter().map(|part| {
            let segments = part.segments.iter().map(segment).collect::<Result<_, EngineError>>()?;
            Ok(PartView { kb: part.kb, segments })
        });
        Ok(Self {
            name: table.name.clone(),
            schema: schema(table),
            text_fields: text_fields(table),
            unsearched: Arc::new(unsearched(table)),
            parts: parts.collect::<Result<_, EngineError>>()?,
            documents: documents.clone(),
        })
    }

    pub(super) fn segments(&self) -> impl Iterator<Item = &SegmentView> {
        self.parts.iter().flat_map(|part| &part.segments)
    }

    /// Rows in all its segments, those that are not live included.
    pub(super) fn rows(&self) -> u64 {
        self.segments().map(|segment| segment.rows).sum()
    }
}

/// Columns of fields that are for statements alone.
fn unsearched(table: &Table) -> HashSet<String> {
    table.fields.iter().filter(|field| field.role() == Role::Sql).map(schema::Field::column).collect()
}

impl SegmentView {
    /// Whether each row of a row group is live; `None` where all are.
    pub(super) fn live(&self, store: &Store, group: usize) -> Result<Option<Vec<bool>>, EngineError> {
        let Some(docs) = &self.docs else { return Ok(None) };
        let column = store.column(&self.footer, group, "doc_no")?;
        let Some(numbers) = column.as_ref().and_then(|column| column.as_primitive_opt::<UInt32Type>()) else {
            return Ok(Some(vec![false; self.footer.groups[group]]));
        };
        Ok(Some(numbers.values().iter().map(|&no| docs.contains(no as usize)).collect()))
    }
}

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

fn text_fields(table: &Table) -> Vec<String> {
    let texts = table.fields.iter().filter(|field| field.kind == FieldType::Text).map(|field| field.name.clone());
    texts.chain(["docnm_kwd", "sheet_kwd"].map(str::to_owned)).collect()
}

fn schema(table: &Table) -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8View, true);
    let mut fields = vec![
        Field::new("row_key", DataType::UInt64, false),
        Field::new("doc_no", DataType::UInt32, false),
        text("sheet_kwd"),
        Field::new("row_long", DataType::Int64, true),
    ];
    fields.extend(table.fields.iter().map(|field| Field::new(field.column(), arrow_type(field.kind), true)));
    fields.extend(["kb_id", "table_kwd", "doc_id", "docnm_kwd"].map(text));
    Arc::new(Schema::new(fields))
}

fn arrow_type(kind: FieldType) -> DataType {
    match kind {
        FieldType::Text | FieldType::Flag => DataType::Utf8View,
        FieldType::Integer => DataType::Int64,
        FieldType::Decimal => DataType::Float64,
        FieldType::DateTime => DataType::Timestamp(TimeUnit::Second, None),
    }
}
