//! The embedded engine: Parquet segments and Tantivy indexes in one folder, DataFusion over them.
//!
//! Comes in: rows of loads; statements; a snapshot that says what is live.
//! Goes out: exact results over the live rows in scope.
//! Must never happen: a segment that shows before the catalog names it; a number of a segment used again.

mod cited;
mod citing;
mod coded;
mod columns;
mod distinct;
mod filter;
mod footer;
mod ladder;
mod mentions;
mod merge;
mod provider;
mod reader;
mod rows;
mod scan;
mod scope;
mod search;
mod select;
mod side_by_side;
mod store;
mod view;
mod writer;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::{
    Engine, EngineError, Hit, LiveSegment, LoadWriter, Mention, Merged, ResultSet, RowKey, SegmentRef, Snapshot,
    StoredRow,
};
use crate::config::{EmbeddedLimits, SqlLimits};
use crate::engine::documents::LastDocuments;
use crate::engine::{Destination, Health, ladder as steps};
use crate::query::{QueryError, Sessions};
use crate::sql::{Found, Lookup, ScopedSelect};
use distinct::DistinctCells;
use mentions::MentionIndexes;
use search::Shards;
use store::Store;
use view::View;
use writer::SegmentWriter;

/// The engine on one data folder.
pub struct Embedded {
    store: Arc<Store>,
    shards: Arc<Shards>,
    distinct: Arc<DistinctCells>,
    mentions: Arc<MentionIndexes>,
    documents: LastDocuments,
    sessions: Sessions,
}

impl Embedded {
    /// Opens or makes the folder. `durable` forces files to the disk; a temporary folder does without.
    pub fn open(folder: &Path, embedded: &EmbeddedLimits, sql: &SqlLimits, durable: bool) -> Result<Self, EngineError> {
        Ok(Self {
            store: Arc::new(Store::open(folder, embedded, durable)?),
            shards: Arc::default(),
            distinct: Arc::new(DistinctCells::new(embedded.max_distinct)),
            mentions: Arc::default(),
            documents: LastDocuments::default(),
            sessions: Sessions::new(sql, embedded.batch_rows)?,
        })
    }

    /// The views of all tables whose index is wanted.
    fn views(&self, snapshot: &Snapshot, wanted: impl Fn(usize) -> bool) -> Result<Vec<Arc<View>>, EngineError> {
        let documents = self.documents.of(snapshot);
        let indexes = (0..snapshot.schema.tables.len()).filter(|&index| wanted(index));
        indexes.map(|index| View::open(&self.store, snapshot, index, &documents).map(Arc::new)).collect()
    }
}

impl From<QueryError> for EngineError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Refused(refusal) => Self::Refused(refusal),
            QueryError::Failed(detail) => Self::Failed(detail),
        }
    }
}

/// Runs work that computes or reads files where it keeps no other task waiting.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| EngineError::Failed(format!("a task stopped: {error}")))?
}

#[async_trait]
impl Engine for Embedded {
    async fn health(&self) -> Result<Health, EngineError> {
        Ok(Health { engine: "embedded", version: None, way: "DataFusion over files", indexes: Vec::new() })
    }

    fn number_segments_from(&self, no: u32) {
        self.store.number_from(no);
    }

    fn writer(&self, to: &Destination) -> Result<Box<dyn LoadWriter>, EngineError> {
        Ok(Box::new(SegmentWriter::new(self.store.clone(), &to.table_id)))
    }

    async fn select(
        &self,
        select: &ScopedSelect,
        snapshot: &Snapshot,
        max_rows: usize,
        max_sources: usize,
    ) -> Result<ResultSet, EngineError> {
        self.run(select, snapshot, max_rows, max_sources).await
    }

    async fn lookup(&self, lookup: &Lookup, snapshot: &Snapshot) -> Result<Found, EngineError> {
        let views = self.views(snapshot, |index| snapshot.schema.tables[index].name == lookup.table)?;
        let Some(view) = views.into_iter().next() else { return Ok(Found::default()) };
        let (store, shards, distinct) = (self.store.clone(), self.shards.clone(), self.distinct.clone());
        let lookup = lookup.clone();
        blocking(move || {
            if !distinct.knows(&view, &lookup.field) {
                let found = ladder::exact(&store, &view, &lookup)?;
                if !found.exact.is_empty() {
                    return Ok(found);
                }
            }
            let cells = distinct.of_field(&store, &view, &lookup.field)?;
            match cells.cut {
                false => Ok(steps::climb(&lookup, &cells)),
                true => ladder::climb_large(&store, &shards, &view, &lookup, &cells),
            }
        })
        .await
    }

    async fn mentions(&self, question: &str, snapshot: &Snapshot) -> Result<Vec<Mention>, EngineError> {
        let views = self.views(snapshot, |_| true)?;
        let (store, distinct, mentions) = (self.store.clone(), self.distinct.clone(), self.mentions.clone());
        let question = question.to_owned();
        blocking(move || mentions.find(&store, &distinct, &views, &question)).await
    }

    async fn search(&self, words: &str, snapshot: &Snapshot, top: usize) -> Result<Vec<Hit>, EngineError> {
        let views = self.views(snapshot, |_| true)?;
        let (store, shards, words) = (self.store.clone(), self.shards.clone(), words.to_owned());
        blocking(move || rows::search(&store, &shards, &views, &words, top)).await
    }

    async fn rows(&self, keys: &[RowKey], snapshot: &Snapshot) -> Result<Vec<StoredRow>, EngineError> {
        let views = self.views(snapshot, |_| true)?;
        let tables = snapshot.schema.tables.clone();
        let (store, keys) = (self.store.clone(), keys.to_vec());
        blocking(move || rows::stored(&store, &tables, &views, &keys)).await
    }

    async fn index(&self, snapshot: &Snapshot) -> Result<(), EngineError> {
        let views = self.views(snapshot, |_| true)?;
        let (store, distinct, mentions) = (self.store.clone(), self.distinct.clone(), self.mentions.clone());
        blocking(move || {
            rows::index(&store, &views)?;
            mentions.make(&store, &distinct, &views)
        })
        .await
    }

    async fn merge(&self, segments: &[LiveSegment]) -> Result<Vec<Merged>, EngineError> {
        let (store, segments) = (self.store.clone(), segments.to_vec());
        blocking(move || merge::merge(&store, &segments)).await
    }

    fn sweep(&self, live: &[SegmentRef]) -> Result<(), EngineError> {
        merge::sweep(&self.store, &self.shards, &self.mentions, live)
    }
}
