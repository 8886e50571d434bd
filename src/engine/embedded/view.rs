//! A table of a snapshot as one statement sees it: its live segments, opened, and its columns.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{SchemaRef, UInt32Type};

use super::footer::Footer;
use super::store::Store;
use crate::engine::cells::Cells;
use crate::engine::documents::Documents;
use crate::engine::layout::{schema, text_fields};
use crate::engine::overflow::Extent;
use crate::engine::rowset::Bits;
use crate::engine::{EngineError, Snapshot};
use crate::ids::Id;
use crate::schema::{self as fields, Table};
use crate::value::Role;

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
    /// Names of its files.
    pub files: Arc<Cells>,
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
            files: documents.files.get(index).cloned().unwrap_or_default(),
        })
    }

    pub(super) fn segments(&self) -> impl Iterator<Item = &SegmentView> {
        self.parts.iter().flat_map(|part| &part.segments)
    }
}

impl Extent for View {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Rows in all its segments, those that are not live included.
    fn rows(&self) -> u64 {
        self.segments().map(|segment| segment.rows).sum()
    }

    fn largest(&self, column: &str) -> f64 {
        self.segments().map(|segment| segment.footer.largest(column)).fold(0.0, f64::max)
    }
}

/// Columns of fields that are for statements alone.
fn unsearched(table: &Table) -> HashSet<String> {
    table.fields.iter().filter(|field| field.role() == Role::Sql).map(fields::Field::column).collect()
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
