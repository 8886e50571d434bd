//! A table of a snapshot as one statement sees it on the server: the indexes its rows are in, and what limits it to them.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use serde_json::{Value, json};

use super::Cluster;
use crate::engine::cells::Cells;
use crate::engine::documents::Documents;
use crate::engine::layout::{schema, text_fields};
use crate::engine::overflow::Extent;
use crate::engine::{EngineError, LiveSegment, Snapshot};
use crate::ids::Id;
use crate::schema::{Field, Table};
use crate::value::FieldType;

/// Document numbers in one list of a query; servers take 65,536.
const MAX_TERMS: usize = 50_000;

#[derive(Debug, Clone)]
pub(super) struct Place {
    pub name: String,
    pub schema: SchemaRef,
    pub fields: Vec<Field>,
    /// Stored names of its text fields, `docnm_kwd` and `sheet_kwd` last.
    pub text_fields: Vec<String>,
    pub parts: Vec<PartPlace>,
    pub documents: Arc<Documents>,
    /// Names of its files.
    pub files: Arc<Cells>,
    /// Live rows, by the catalog.
    pub rows: u64,
    /// Columns with cells too long to be terms, known once a moment is opened.
    pub too_long: HashSet<String>,
}

/// The rows of one knowledge base.
#[derive(Debug, Clone)]
pub(super) struct PartPlace {
    pub kb: Id,
    pub index: String,
    pub table_id: String,
    /// Numbers of the live documents in scope.
    pub docs: Vec<u32>,
    /// The segments that they have rows in.
    pub segments: Vec<LiveSegment>,
}

impl Place {
    /// The table at `at` of the snapshot's schema.
    pub(super) fn of(cluster: &Cluster, snapshot: &Snapshot, at: usize, documents: &Arc<Documents>) -> Self {
        let table: &Table = &snapshot.schema.tables[at];
        let parts = snapshot.tables.get(at).map(|table| table.parts.as_slice()).unwrap_or_default();
        let part = |part: &crate::engine::Part| {
            let of_kb = snapshot.documents.iter().filter(|document| document.kb == part.kb);
            let docs: Vec<u32> = of_kb.map(|document| document.no).collect();
            let has_rows = !part.segments.is_empty() && !docs.is_empty();
            let (kb, index, table_id) = (part.kb, cluster.index_of(part.kb), part.table_id.clone());
            has_rows.then(|| PartPlace { kb, index, table_id, docs, segments: part.segments.clone() })
        };
        Self {
            name: table.name.clone(),
            schema: schema(table),
            fields: table.fields.clone(),
            text_fields: text_fields(table),
            parts: parts.iter().filter_map(part).collect(),
            documents: documents.clone(),
            files: documents.files.get(at).cloned().unwrap_or_default(),
            rows: table.rows,
            too_long: HashSet::new(),
        }
    }

    /// The query that every search of the table stands in: its rows and no others.
    pub(super) fn scope(&self) -> Value {
        let parts: Vec<Value> = self.parts.iter().map(PartPlace::scope).collect();
        match <[Value; 1]>::try_from(parts) {
            Ok([part]) => part,
            Err(parts) => json!({ "bool": { "should": parts, "minimum_should_match": 1 } }),
        }
    }

    /// Rows of the table that satisfy the conditions; the scope is the outermost filter.
    pub(super) fn within(&self, conditions: impl IntoIterator<Item = Value>) -> Value {
        let filters: Vec<Value> = std::iter::once(self.scope()).chain(conditions).collect();
        json!({ "bool": { "filter": filters } })
    }

    /// The field whose values stand in a column.
    pub(super) fn field(&self, column: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.column() == column)
    }

    pub(super) fn indexes(&self) -> Vec<String> {
        let mut indexes: Vec<String> = self.parts.iter().map(|part| part.index.clone()).collect();
        indexes.sort();
        indexes.dedup();
        indexes
    }

    pub(super) fn check_live(&self, found: u64) -> Result<(), EngineError> {
        if found == self.rows {
            return Ok(());
        }
        Err(EngineError::Damaged {
            path: self.indexes().join(", "),
            detail: format!(
                "{found} of the {} rows of {} are there; restore the index, or remove the files and add them again",
                self.rows, self.name
            ),
        })
    }
}

impl PartPlace {
    fn scope(&self) -> Value {
        self.rows_of(&[&self.table_id])
    }

    /// Rows of tables of its knowledge base.
    pub(super) fn rows_of(&self, tables: &[&str]) -> Value {
        let numbers: Vec<Value> =
            self.docs.chunks(MAX_TERMS).map(|docs| json!({ "terms": { "doc_no": docs } })).collect();
        json!({ "bool": {
            "filter": [
                { "term": { "kb_id": self.kb.to_string() } },
                { "terms": { "table_id": tables } },
                { "bool": { "should": numbers, "minimum_should_match": 1 } },
            ],
        } })
    }
}

impl Extent for Place {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    /// By the column's profile.
    fn largest(&self, column: &str) -> f64 {
        let Some(field) = self.field(column) else { return i64::MAX as f64 };
        let bound = |text: &String| text.parse::<f64>().ok().map(f64::abs);
        match &field.range {
            Some((least, greatest)) => match (bound(least), bound(greatest)) {
                (Some(least), Some(greatest)) => least.max(greatest),
                _ => i64::MAX as f64,
            },
            None if field.kind == FieldType::Integer && field.nulls >= self.rows => 0.0,
            None => i64::MAX as f64,
        }
    }
}
