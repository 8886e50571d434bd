//! Elasticsearch and OpenSearch: one index for each knowledge base, DataFusion over searches of it.
//!
//! Comes in: rows of loads; statements; a snapshot that says what is live. Goes out: the same answers as the embedded engine's.
//! Must never happen: a search without the scope as its outermost filter; an answer over fewer rows than the catalog names; a
//! server's own words, which may quote cells, or a secret in an error or a log.

mod address;
mod buckets;
mod bulk;
mod cited;
mod condition;
mod distinct;
mod fault;
mod found;
mod grouped;
mod index;
mod keys;
mod ladder;
mod matching;
mod mentions;
mod moment;
mod net;
mod page;
mod place;
mod product;
mod provider;
mod pushdown;
mod query;
mod row;
mod scan;
mod select;
mod server;
mod sweep;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::{
    Destination, Engine, EngineError, Health, Hit, IndexHealth, LiveSegment, LoadWriter, Mention, Merged, ResultSet,
    RowKey, SegmentRef, Snapshot, StoredRow,
};
use crate::config::{EngineConfig, SqlLimits};
use crate::engine::documents::LastDocuments;
use crate::engine::ladder as steps;
use crate::engine::mentions::{Indexed, find};
use crate::ids::Id;
use crate::query::Sessions;
use crate::sql::{Found, Lookup, ScopedSelect};
use distinct::DistinctCells;
use fault::Fault;
use mentions::MentionIndexes;
use net::Net;
use place::Place;
use product::About;
use server::{Request, Server};
use writer::IndexWriter;

/// The file in the data folder that says whose the indexes are.
const OWNER: &str = "engine.id";

/// The engine on one server.
pub struct Elastic {
    cluster: Arc<Cluster>,
    distinct: DistinctCells,
    mentions: MentionIndexes,
    documents: LastDocuments,
    sessions: Sessions,
}

/// A server as one data folder uses it.
#[derive(Debug)]
struct Cluster {
    net: Net,
    server: Arc<Server>,
    limits: EngineConfig,
    prefix: String,
    owner: String,
    about: OnceCell<About>,
    next_segment: AtomicU32,
}

impl Elastic {
    /// The engine of a data folder. No request is made.
    pub fn open(folder: &Path, config: &EngineConfig, sql: &SqlLimits) -> Result<Self, EngineError> {
        let cluster = Cluster {
            net: Net::start()?,
            server: Arc::new(Server::new(config)?),
            limits: config.clone(),
            prefix: config.index_prefix.clone(),
            owner: owner(folder)?,
            about: OnceCell::new(),
            next_segment: AtomicU32::new(1),
        };
        Ok(Self {
            cluster: Arc::new(cluster),
            distinct: DistinctCells::default(),
            mentions: MentionIndexes::default(),
            documents: LastDocuments::default(),
            sessions: Sessions::new(sql, config.page_rows)?,
        })
    }

    /// The places of all tables that are wanted.
    fn places(&self, snapshot: &Snapshot, wanted: impl Fn(usize) -> bool) -> Vec<Arc<Place>> {
        let documents = self.documents.of(snapshot);
        let tables = (0..snapshot.schema.tables.len()).filter(|&at| wanted(at));
        tables.map(|at| Arc::new(Place::of(&self.cluster, snapshot, at, &documents))).collect()
    }
}

/// The id of a data folder, made when it is first asked for.
fn owner(folder: &Path) -> Result<String, EngineError> {
    let path = folder.join(OWNER);
    let io = |source| EngineError::Io { path: path.display().to_string(), source };
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let damaged = |error: crate::ids::NotAnId| EngineError::Damaged {
                path: path.display().to_string(),
                detail: error.to_string(),
            };
            text.trim().parse::<Id>().map(|id| id.to_string()).map_err(damaged)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let id = Id::new().to_string();
            std::fs::write(&path, &id).map_err(io)?;
            Ok(id)
        }
        Err(error) => Err(io(error)),
    }
}

impl Cluster {
    fn take_number(&self) -> u32 {
        self.next_segment.fetch_add(1, Ordering::Relaxed)
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(self.limits.patience_seconds)
    }

    /// Product and version, asked once.
    async fn about(self: &Arc<Self>) -> Result<&About, EngineError> {
        let ask = || async { About::read(&self.json(Request::get("/")).await?) };
        Ok(self.about.get_or_try_init(ask).await?)
    }

    /// The answer to a request, waited for from any runtime.
    async fn json(self: &Arc<Self>, request: Request) -> Result<Value, Fault> {
        let server = self.server.clone();
        let answer = self.net.run(async move { server.json(&request).await }).await;
        answer.map_err(|error| Fault::reply(error.to_string()))?
    }

    async fn index_health(&self) -> Result<Vec<IndexHealth>, EngineError> {
        let mut indexes = Vec::new();
        for own in self.own_indexes().await? {
            let rows = self.count(&own.name, &json!({ "query": { "match_all": {} } })).await?;
            indexes.push(IndexHealth { name: own.name, version: own.version, rows });
        }
        Ok(indexes)
    }

    /// Rows of a query in one index.
    async fn count(&self, index: &str, body: &Value) -> Result<u64, EngineError> {
        let answer = self.server.json(&Request::post(format!("/{index}/_count"), body)).await?;
        let count = answer["count"].as_u64().filter(|_| answer["_shards"]["failed"] == 0);
        Ok(count.ok_or_else(|| Fault::reply("it counts some shards only"))?)
    }
}

#[async_trait]
impl Engine for Elastic {
    async fn health(&self) -> Result<Health, EngineError> {
        let about = self.cluster.about().await?.clone();
        let cluster = self.cluster.clone();
        let indexes = self.cluster.net.run(async move { cluster.index_health().await }).await??;
        let way = "DataFusion over searches of the server";
        Ok(Health { engine: about.product.name(), version: Some(about.version), way, indexes })
    }

    fn number_segments_from(&self, no: u32) {
        self.cluster.next_segment.fetch_max(no, Ordering::Relaxed);
    }

    fn writer(&self, to: &Destination) -> Result<Box<dyn LoadWriter>, EngineError> {
        Ok(Box::new(IndexWriter::new(self.cluster.clone(), to.clone())))
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
        let places = self.places(snapshot, |at| snapshot.schema.tables[at].name == lookup.table);
        let Some(place) = places.first() else { return Ok(Found::default()) };
        let cells = self.distinct.of_fields(&self.cluster, place, std::slice::from_ref(&lookup.field)).await?;
        match cells.first() {
            Some(cells) if cells.cut => ladder::climb_large(&self.cluster, place, lookup, cells).await,
            Some(cells) => Ok(steps::climb(lookup, cells)),
            None => Ok(Found::default()),
        }
    }

    async fn mentions(&self, question: &str, snapshot: &Snapshot) -> Result<Vec<Mention>, EngineError> {
        let places = self.places(snapshot, |_| true);
        let mut indexes = Vec::with_capacity(places.len());
        for place in &places {
            let cells = self.distinct.of_fields(&self.cluster, place, &place.text_fields).await?;
            let packed = self.mentions.of(&place.text_fields, cells)?;
            indexes.push(Indexed { table: &place.name, text_fields: &place.text_fields, packed });
        }
        Ok(find(question, &indexes))
    }

    async fn search(&self, words: &str, snapshot: &Snapshot, top: usize) -> Result<Vec<Hit>, EngineError> {
        found::search(&self.cluster, &self.places(snapshot, |_| true), words, top).await
    }

    async fn rows(&self, keys: &[RowKey], snapshot: &Snapshot) -> Result<Vec<StoredRow>, EngineError> {
        found::stored(&self.cluster, &self.places(snapshot, |_| true), keys).await
    }

    /// Rows are searchable when their load is written.
    async fn index(&self, _: &Snapshot) -> Result<(), EngineError> {
        Ok(())
    }

    /// The server merges by itself; rows of dead loads go, or stay unseen until the next time.
    async fn merge(&self, segments: &[LiveSegment]) -> Result<Vec<Merged>, EngineError> {
        let (cluster, segments) = (self.cluster.clone(), segments.to_vec());
        if let Err(error) = self.cluster.net.run(async move { cluster.forget_dead(&segments).await }).await? {
            tracing::warn!(%error, "rows that are not live stay on the server");
        }
        Ok(Vec::new())
    }

    fn sweep(&self, live: &[SegmentRef]) -> Result<(), EngineError> {
        let (cluster, live) = (self.cluster.clone(), live.to_vec());
        self.cluster.net.begin(async move { cluster.sweep(&live).await }).wait()?
    }
}
