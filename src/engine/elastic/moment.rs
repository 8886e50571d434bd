//! One point in time of the indexes in scope, which a whole statement with its sources reads.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Cluster;
use super::fault::Fault;
use super::place::Place;
use super::product::Product;
use super::server::Request;
use crate::engine::EngineError;

/// How long the server keeps it from one request to the next.
const KEEP: &str = "1m";
/// Columns of one table.
const MAX_COLUMNS: usize = 10_000;

/// Closed when it is dropped.
#[derive(Debug)]
pub(super) struct Moment {
    cluster: Arc<Cluster>,
    product: Product,
    /// `None` where no index is in scope.
    id: Option<String>,
}

impl Moment {
    /// The moment, and the places as they are at it.
    pub(super) async fn open(
        cluster: &Arc<Cluster>,
        places: Vec<Arc<Place>>,
    ) -> Result<(Arc<Self>, Vec<Arc<Place>>), EngineError> {
        let product = cluster.about().await?.product;
        let mut indexes: Vec<String> = places.iter().flat_map(|place| place.indexes()).collect();
        indexes.sort();
        indexes.dedup();
        let id = if indexes.is_empty() { None } else { Some(cluster.open_moment(product, &indexes).await?) };
        let moment = Self { cluster: cluster.clone(), product, id };
        let mut seen = Vec::with_capacity(places.len());
        for place in places {
            seen.push(if place.parts.is_empty() { place } else { moment.seen(&place).await? });
        }
        Ok((Arc::new(moment), seen))
    }

    /// The place with what only the server knows of it. All rows that the catalog names must be there.
    async fn seen(&self, place: &Place) -> Result<Arc<Place>, EngineError> {
        let body = json!({
            "size": 0, "track_total_hits": true, "query": place.within([]),
            "aggs": { "too_long": { "terms": { "field": "too_long", "size": MAX_COLUMNS } } },
        });
        let answer: Value = serde_json::from_slice(&self.search(body).await?).map_err(Fault::reply)?;
        place.check_live(total(&answer)?)?;
        let columns = answer["aggregations"]["too_long"]["buckets"].as_array();
        let columns = columns.ok_or_else(|| Fault::reply("it has no groups"))?.iter();
        let too_long = columns.filter_map(|column| column["key"].as_str().map(str::to_owned)).collect();
        Ok(Arc::new(Place { too_long, ..place.clone() }))
    }

    /// Rows of a query.
    pub(super) async fn count(&self, query: &Value) -> Result<u64, EngineError> {
        let body = json!({ "size": 0, "track_total_hits": true, "query": query });
        let answer = self.search(body).await?;
        let answer: Value = serde_json::from_slice(&answer).map_err(Fault::reply)?;
        total(&answer)
    }

    /// The answer to a search at this moment.
    pub(super) async fn search(&self, mut body: Value) -> Result<Vec<u8>, EngineError> {
        let Some(id) = &self.id else { return Err(EngineError::Failed("no index is in scope".to_owned())) };
        body["pit"] = json!({ "id": id, "keep_alive": KEEP });
        let cluster = self.cluster.clone();
        let answer = self.cluster.net.run(async move { cluster.server.send(&Request::post("/_search", &body)).await });
        Ok(answer.await??)
    }

    pub(super) fn page_rows(&self) -> usize {
        self.cluster.limits.page_rows.clamp(1, 10_000)
    }
}

/// All hits of an answer of all shards.
pub(super) fn total(answer: &Value) -> Result<u64, EngineError> {
    whole(answer)?;
    let total = answer["hits"]["total"]["value"].as_u64().filter(|_| answer["hits"]["total"]["relation"] == "eq");
    total.ok_or_else(|| Fault::reply("it has no total").into())
}

/// Says where an answer is not of all shards, to the end.
pub(super) fn whole(answer: &Value) -> Result<(), Fault> {
    match answer["timed_out"] == json!(false) && answer["_shards"]["failed"] == json!(0) {
        true => Ok(()),
        false => Err(Fault::reply("it is of some shards only")),
    }
}

impl Cluster {
    async fn open_moment(self: &Arc<Self>, product: Product, indexes: &[String]) -> Result<String, EngineError> {
        let (action, member) = match product {
            Product::Elasticsearch => ("_pit", "id"),
            Product::OpenSearch => ("_search/point_in_time", "pit_id"),
        };
        let request = Request::act(format!("/{}/{action}?keep_alive={KEEP}", indexes.join(",")));
        let opened = self.json(request).await;
        if opened.as_ref().is_err_and(|fault| fault.is("index_not_found_exception")) {
            let detail = "it is not there; restore it, or remove the files and add them again".to_owned();
            return Err(EngineError::Damaged { path: indexes.join(", "), detail });
        }
        let id = opened?[member].as_str().map(str::to_owned);
        Ok(id.ok_or_else(|| Fault::reply("it opens no point in time"))?)
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let request = match self.product {
            Product::Elasticsearch => Request::delete("/_pit", Some(&json!({ "id": id }))),
            Product::OpenSearch => Request::delete("/_search/point_in_time", Some(&json!({ "pit_id": [id] }))),
        };
        let cluster = self.cluster.clone();
        drop(self.cluster.net.begin(async move {
            if let Err(fault) = cluster.server.send(&request).await {
                tracing::debug!(?fault, "a point in time stays open until its time ends");
            }
        }));
    }
}
