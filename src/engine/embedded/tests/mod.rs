//! The engine in a real folder, with segments written through its writer.

mod asking;
mod citing;
mod coding;
mod folder;
mod numbers;
mod reading;
mod searching;

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array};

use super::Embedded;
use crate::config::{EmbeddedLimits, SqlLimits};
use crate::engine::{Destination, Document, Engine, LiveSegment, LiveTable, Part, ResultSet, SegmentRef, Snapshot};
use crate::ids::Id;
use crate::schema::{Field, Schema, Table};
use crate::sql::ScopedSelect;
use crate::value::{FieldType, Value};

/// A row: name, amount, score.
pub(super) type Row<'a> = (Option<&'a str>, Option<i64>, Option<f64>);

pub(super) struct House {
    pub engine: Embedded,
    pub snapshot: Snapshot,
    pub kb: Id,
    pub folder: tempfile::TempDir,
}

impl House {
    pub(super) fn new() -> Self {
        Self::with(EmbeddedLimits { row_group_rows: 3, batch_rows: 2, ..EmbeddedLimits::default() })
    }

    pub(super) fn with(limits: EmbeddedLimits) -> Self {
        Self::opened(limits, false)
    }

    pub(super) fn opened(limits: EmbeddedLimits, durable: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = Embedded::open(folder.path(), &limits, &SqlLimits::default(), durable).expect("an engine");
        let schema = Schema { tables: vec![table("sales")] };
        let kb = Id::new();
        let part = Part { kb, table_id: "t1".to_owned(), segments: Vec::new() };
        let tables = vec![LiveTable { parts: vec![part], repeats: Vec::new() }];
        Self { engine, snapshot: Snapshot { schema, tables, documents: Vec::new() }, kb, folder }
    }

    pub(super) fn destination(&self) -> Destination {
        let (table_id, fields) = ("t1".to_owned(), table("sales").fields);
        Destination { kb: self.kb, table_id, fields, documents: Arc::from([]) }
    }

    /// Adds a document of one segment.
    pub(super) fn put(&mut self, name: &str, rows: &[Row<'_>]) -> SegmentRef {
        let no = self.snapshot.documents.len() as u32 + 1;
        self.snapshot.documents.push(Document { no, doc_id: Id::new(), name: name.to_owned(), kb: self.kb });
        self.snapshot.schema.tables[0].sheets.push((name.to_owned(), "一月".to_owned()));
        let segment = self.write(no, rows);
        self.snapshot.tables[0].parts[0].segments.push(LiveSegment { segment: segment.clone(), docs: None });
        segment
    }

    pub(super) fn write(&self, no: u32, rows: &[Row<'_>]) -> SegmentRef {
        let mut writer = self.engine.writer(&self.destination()).expect("a writer");
        writer.push(batch(no, rows)).expect("pushed");
        writer.finish().expect("written").remove(0)
    }

    pub(super) async fn rows(&self, statement: &str) -> Vec<Vec<Value>> {
        self.select(statement, None).await.rows
    }

    pub(super) async fn select(&self, statement: &str, sources: Option<&str>) -> ResultSet {
        let sources = sources.unwrap_or("SELECT row_key, doc_no, sheet_kwd, row_long FROM sales");
        let select = ScopedSelect::for_test(statement, Some(sources), Vec::new());
        self.engine.select(&select, &self.snapshot, 1_000, 50).await.expect("a result")
    }

    /// The only value of a statement.
    pub(super) async fn one(&self, statement: &str) -> Value {
        self.rows(statement).await[0][0].clone()
    }
}

pub(super) fn batch(no: u32, rows: &[Row<'_>]) -> RecordBatch {
    let n = rows.len();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("row_long", Arc::new((2..2 + n as i64).collect::<Int64Array>())),
        ("doc_no", Arc::new(UInt32Array::from(vec![no; n]))),
        ("sheet_kwd", Arc::new(StringArray::from(vec!["一月"; n]))),
        ("name_kwd", Arc::new(rows.iter().map(|row| row.0).collect::<StringArray>())),
        ("amount_long", Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>())),
        ("score_flt", Arc::new(rows.iter().map(|row| row.2).collect::<Float64Array>())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

fn table(name: &str) -> Table {
    let fields =
        [("name_tks", FieldType::Text), ("amount_long", FieldType::Integer), ("score_flt", FieldType::Decimal)];
    Table {
        name: name.to_owned(),
        label: name.to_owned(),
        rows: 0,
        fields: fields.map(|(name, kind)| field(name, kind)).to_vec(),
        captions: Vec::new(),
        sheets: Vec::new(),
    }
}

pub(super) fn field(name: &str, kind: FieldType) -> Field {
    Field::for_test(name, name, kind)
}
