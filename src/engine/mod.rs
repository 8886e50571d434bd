//! Where rows live and statements run.
//!
//! Comes in: rows of one load; a [`ScopedSelect`]; a [`Snapshot`] that says which loads are live.
//! Goes out: exact results, the cells that a look-up found, rows found by search.
//! Must never happen: a row outside the snapshot; a result that was cut without saying so; one engine that knows of another.

mod cells;
mod documents;
pub mod elastic;
pub mod embedded;
mod ladder;
mod layout;
mod matching;
mod mentions;
mod outcome;
mod overflow;
mod rowset;
mod snapshot;

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::record_batch::RecordBatch;

use serde::Serialize;

use crate::ids::Id;
use crate::schema::Field;
use crate::sql::{Found, Lookup, Refusal, ScopedSelect};
use crate::value::Value;

pub use snapshot::{Document, LiveSegment, LiveTable, Merged, Part, Repeated, SegmentRef, Snapshot};

/// What went wrong in an engine. Only `Refused` may be mended by writing another statement.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("the store in {path} is damaged: {detail}")]
    Damaged { path: String, detail: String },
    /// It does not answer, or not now.
    #[error("the server is not available: {0}; check that it runs and engine.url")]
    Unavailable(String),
    #[error("{path}: {source}")]
    Io { path: String, source: std::io::Error },
    #[error("the engine failed: {0}")]
    Failed(String),
}

/// A place in the engine that holds one row: opaque, stable while its load lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey(pub u64);

/// Where one row came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub key: RowKey,
    /// Number of the document in its snapshot, see [`Snapshot::document`].
    pub doc_no: u32,
    pub sheet: String,
    /// 1-based, as the user sees it.
    pub row: u64,
}

/// The result of one statement, without its source columns.
#[derive(Debug, Clone, Default)]
pub struct ResultSet {
    /// In the order of [`ScopedSelect::columns`].
    pub rows: Vec<Vec<Value>>,
    /// Rows before our cap.
    pub total: u64,
    /// Cited rows, at most the cap asked for: of a plain select those of `rows`, else those that the answer stands on.
    pub sources: Vec<Source>,
    /// All rows that the answer stands on.
    pub sources_total: u64,
    /// Documents that those rows are of, with their counts: `(doc_no, rows)`.
    pub documents: Vec<(u32, u64)>,
}

/// A cell of the knowledge base that a question names.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    pub table: String,
    /// Stored name of the field (`x_tks`), or `docnm_kwd` / `sheet_kwd`.
    pub field: String,
    /// The cell to the letter.
    pub cell: String,
    /// Bytes of the question that name it.
    pub start: usize,
    pub end: usize,
    pub how: Likeness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// To the letter.
    Exact,
    /// Up to case, width and white space.
    Folded,
    /// The question has a part of the cell (all words of it that matter, or a bracket is left out).
    Partial,
    /// A few letters differ.
    Fuzzy,
}

/// One row found by search.
#[derive(Debug, Clone)]
pub struct Hit {
    pub source: Source,
    pub score: f32,
}

/// One stored row in full.
#[derive(Debug, Clone)]
pub struct StoredRow {
    pub source: Source,
    /// "label: value" lines with the original cell text.
    pub content: String,
}

/// What an engine says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// `embedded`, `elasticsearch`, `opensearch`.
    pub engine: &'static str,
    /// The server's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How statements run.
    pub way: &'static str,
    /// What the data folder has on the server.
    pub indexes: Vec<IndexHealth>,
}

/// One index of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexHealth {
    pub name: String,
    /// Version of its mapping.
    pub version: u64,
    /// Those of dead loads included.
    pub rows: u64,
}

/// Where rows go: a physical table of a knowledge base.
#[derive(Debug, Clone)]
pub struct Destination {
    pub kb: Id,
    pub table_id: String,
    /// The fields that the rows have.
    pub fields: Vec<Field>,
    /// The documents that the rows are of.
    pub documents: Arc<[Document]>,
}

/// Takes the rows of one load, table by table. Nothing is visible before the catalog says so.
pub trait LoadWriter: Send {
    /// Rows in the layout of [`crate::record`].
    fn push(&mut self, batch: RecordBatch) -> Result<(), EngineError>;
    /// Everything is on disk (or on the server): the segments to name in the catalog.
    fn finish(self: Box<Self>) -> Result<Vec<SegmentRef>, EngineError>;
}

#[async_trait]
pub trait Engine: Send + Sync {
    /// Whether it can work, and with what.
    async fn health(&self) -> Result<Health, EngineError>;

    /// Segments written from now on are numbered from `no` at least: the catalog's word, under the writer's lock. Engines
    /// that number nothing have nothing to do.
    fn number_segments_from(&self, _no: u32) {}

    /// A writer for the rows of one table.
    fn writer(&self, to: &Destination) -> Result<Box<dyn LoadWriter>, EngineError>;

    /// Runs a statement over the snapshot; at most `max_rows` rows and `max_sources` cited rows are given.
    async fn select(
        &self,
        select: &ScopedSelect,
        snapshot: &Snapshot,
        max_rows: usize,
        max_sources: usize,
    ) -> Result<ResultSet, EngineError>;

    /// Cells that a text predicate may mean.
    async fn lookup(&self, lookup: &Lookup, snapshot: &Snapshot) -> Result<Found, EngineError>;

    /// Cells that the question names, longest and closest first.
    async fn mentions(&self, question: &str, snapshot: &Snapshot) -> Result<Vec<Mention>, EngineError>;

    /// Rows by relevance (BM25).
    async fn search(&self, words: &str, snapshot: &Snapshot, top: usize) -> Result<Vec<Hit>, EngineError>;

    /// Whole rows, in the order asked.
    async fn rows(&self, keys: &[RowKey], snapshot: &Snapshot) -> Result<Vec<StoredRow>, EngineError>;

    /// Makes the snapshot's rows searchable now; a no-op where they are.
    async fn index(&self, snapshot: &Snapshot) -> Result<(), EngineError>;

    /// Merges segments of one physical table where enough small ones are there; rows that are not live are left behind.
    async fn merge(&self, segments: &[LiveSegment]) -> Result<Vec<Merged>, EngineError>;

    /// Removes what no snapshot names any more.
    fn sweep(&self, live: &[SegmentRef]) -> Result<(), EngineError>;
}
