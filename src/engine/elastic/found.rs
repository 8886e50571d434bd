//! Rows found by search, and rows in full.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Cluster;
use super::fault::Fault;
use super::moment::whole;
use super::place::{PartPlace, Place};
use super::query::any;
use super::row::stored_word;
use super::server::Request;
use crate::engine::cells::words;
use crate::engine::{EngineError, Hit, RowKey, Source, StoredRow};
use crate::ids::Id;

/// A name says less than a cell.
const TITLE_WEIGHT: f64 = 0.5;
/// Words of a question that are looked for; servers take 1,024 clauses.
const MAX_WORDS: usize = 400;
/// Rows of one request.
const MAX_ROWS: usize = 1_000;
const PLACE_OF_ROW: [&str; 4] = ["row_key", "doc_no", "sheet_kwd", "row_long"];

/// The best rows for the words of a question.
pub(super) async fn search(
    cluster: &Arc<Cluster>,
    places: &[Arc<Place>],
    text: &str,
    top: usize,
) -> Result<Vec<Hit>, EngineError> {
    let words = words(text);
    let clauses: Vec<Value> = words.iter().take(MAX_WORDS).flat_map(|word| of_word(word)).collect();
    if clauses.is_empty() || top == 0 {
        return Ok(Vec::new());
    }
    let query = json!({ "bool": { "filter": [scope(places)], "must": [any(clauses)] } });
    let body = json!({
        "size": top.min(10_000), "track_total_hits": false, "query": query, "_source": PLACE_OF_ROW,
        "sort": [{ "_score": "desc" }, { "row_key": "asc" }],
    });
    let hits = hits(cluster, places, "?search_type=dfs_query_then_fetch", &body).await?;
    hits.iter()
        .map(|hit| {
            let score = hit["sort"][0].as_f64().unwrap_or_default() as f32;
            Ok(Hit { source: source(places, &hit["_source"])?, score })
        })
        .collect()
}

fn of_word(word: &str) -> [Value; 2] {
    let term = |field: &str, weight: f64| json!({ "term": { field: { "value": stored_word(word), "boost": weight } } });
    [term("content_ltks", 1.0), term("title_tks", TITLE_WEIGHT)]
}

/// Whole rows in the order of their keys; keys that are not live are left out.
pub(super) async fn stored(
    cluster: &Arc<Cluster>,
    places: &[Arc<Place>],
    keys: &[RowKey],
) -> Result<Vec<StoredRow>, EngineError> {
    let mut rows: HashMap<RowKey, StoredRow> = HashMap::new();
    for some in keys.chunks(MAX_ROWS) {
        let numbers: Vec<u64> = some.iter().map(|key| key.0).collect();
        let query = json!({ "bool": { "filter": [scope(places), { "terms": { "row_key": numbers } }] } });
        let names: Vec<&str> = PLACE_OF_ROW.into_iter().chain(["content_with_weight"]).collect();
        let body = json!({ "size": MAX_ROWS, "track_total_hits": false, "query": query, "_source": names });
        for hit in hits(cluster, places, "", &body).await? {
            let source = source(places, &hit["_source"])?;
            let content = hit["_source"]["content_with_weight"].as_str().unwrap_or_default().to_owned();
            rows.insert(source.key, StoredRow { source, content });
        }
    }
    Ok(keys.iter().filter_map(|key| rows.get(key).cloned()).collect())
}

/// Rows of all places: one clause for each knowledge base.
fn scope(places: &[Arc<Place>]) -> Value {
    let mut of_kb: HashMap<Id, (&PartPlace, Vec<&str>)> = HashMap::new();
    for part in places.iter().flat_map(|place| &place.parts) {
        of_kb.entry(part.kb).or_insert((part, Vec::new())).1.push(&part.table_id);
    }
    any(of_kb.into_values().map(|(part, tables)| part.rows_of(&tables)).collect())
}

async fn hits(
    cluster: &Arc<Cluster>,
    places: &[Arc<Place>],
    parameters: &str,
    body: &Value,
) -> Result<Vec<Value>, EngineError> {
    let mut indexes: Vec<String> = places.iter().flat_map(|place| place.indexes()).collect();
    indexes.sort();
    indexes.dedup();
    if indexes.is_empty() {
        return Ok(Vec::new());
    }
    let path = format!("/{}/_search{parameters}", indexes.join(","));
    let mut answer = cluster.json(Request::post(path, body)).await?;
    whole(&answer)?;
    match answer["hits"]["hits"].take() {
        Value::Array(hits) => Ok(hits),
        _ => Err(Fault::reply("it has no hits").into()),
    }
}

fn source(places: &[Arc<Place>], row: &Value) -> Result<Source, Fault> {
    let read = || {
        let doc_no = u32::try_from(row["doc_no"].as_u64()?).ok()?;
        places.first()?.documents.get(doc_no)?;
        Some(Source {
            key: RowKey(row["row_key"].as_u64()?),
            doc_no,
            sheet: row["sheet_kwd"].as_str()?.to_owned(),
            row: row["row_long"].as_u64()?,
        })
    };
    read().ok_or_else(|| Fault::reply("a row of a document that is not in scope"))
}
