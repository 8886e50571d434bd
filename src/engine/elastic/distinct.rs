//! The distinct cells of text columns in scope, counted out by the server and kept while their documents are live.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::Cluster;
use super::fault::Fault;
use super::moment::whole;
use super::place::{PartPlace, Place};
use super::query::too_long;
use super::server::Request;
use crate::engine::EngineError;
use crate::engine::cells::{Cells, column_of};

/// Columns whose cells are kept.
const MAX_COLUMNS: usize = 4_096;
/// Cells of one answer over all its columns; servers make 65,535.
const MAX_BUCKETS: usize = 50_000;
/// Columns of one request.
const MAX_AT_ONCE: usize = 50;
/// Cells too long to be terms that are read of one column.
const MAX_LONG: usize = 1_000;

type Key = (Vec<PartPlace>, String);

#[derive(Default)]
pub(super) struct DistinctCells {
    kept: Mutex<HashMap<Key, Arc<Cells>>>,
}

/// A column while its cells are collected.
struct Column {
    name: String,
    cells: Vec<Box<str>>,
    after: Option<Value>,
    done: bool,
}

impl DistinctCells {
    /// The cells of each field by its stored name, `docnm_kwd` and `sheet_kwd` included.
    pub(super) async fn of_fields(
        &self,
        cluster: &Arc<Cluster>,
        place: &Place,
        fields: &[String],
    ) -> Result<Vec<Arc<Cells>>, EngineError> {
        let columns: Vec<String> = fields.iter().map(|field| column_of(field)).collect();
        let key = |column: &String| (place.parts.clone(), column.clone());
        let missing: Vec<String> = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            columns.iter().filter(|column| !kept.contains_key(&key(column))).cloned().collect()
        };
        let mut found: HashMap<String, Arc<Cells>> = HashMap::new();
        for some in missing.chunks(MAX_AT_ONCE) {
            found.extend(read(cluster, place, some).await?);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() + found.len() > MAX_COLUMNS {
            kept.clear();
        }
        let cells = |column: &String| {
            let known = found.get(column).cloned().or_else(|| kept.get(&key(column)).cloned()).unwrap_or_default();
            kept.insert(key(column), known.clone());
            known
        };
        Ok(columns.iter().map(cells).collect())
    }
}

async fn read(
    cluster: &Arc<Cluster>,
    place: &Place,
    columns: &[String],
) -> Result<HashMap<String, Arc<Cells>>, EngineError> {
    let mut found = HashMap::new();
    let mut open = Vec::new();
    for name in columns {
        match name.as_str() {
            "docnm_kwd" => drop(found.insert(name.clone(), Arc::new(documents(place)))),
            _ if place.parts.is_empty() => drop(found.insert(name.clone(), Arc::default())),
            _ => open.push(Column { name: name.clone(), cells: Vec::new(), after: None, done: false }),
        }
    }
    let max = cluster.limits.max_distinct;
    while open.iter().any(|column| !column.done) {
        page(cluster, place, &mut open, max).await?;
    }
    for mut column in open {
        let long = long_cells(cluster, place, &column.name).await?;
        column.cells.extend(long);
        let cut = column.cells.len() > max;
        column.cells.truncate(max);
        found.insert(column.name, Arc::new(Cells::new(column.cells, cut)));
    }
    Ok(found)
}

/// Names of the documents in scope.
fn documents(place: &Place) -> Cells {
    let live = |no: u32| place.parts.iter().any(|part| part.docs.contains(&no));
    let named = place.documents.all.iter().filter(|document| live(document.no));
    let mut names: Vec<Box<str>> = named.map(|document| document.name.as_str().into()).collect();
    names.sort_unstable();
    names.dedup();
    Cells::new(names, false)
}

/// The next cells of every column that has more.
async fn page(cluster: &Arc<Cluster>, place: &Place, columns: &mut [Column], max: usize) -> Result<(), EngineError> {
    let open = columns.iter().filter(|column| !column.done).count();
    let size = (MAX_BUCKETS / open.max(1)).min(max + 1).max(1);
    let mut aggregations = Map::new();
    for (at, column) in columns.iter().enumerate().filter(|(_, column)| !column.done) {
        let mut composite = json!({ "size": size, "sources": [{ "cell": { "terms": { "field": column.name } } }] });
        if let Some(after) = &column.after {
            composite["after"] = after.clone();
        }
        aggregations.insert(format!("c{at}"), json!({ "composite": composite }));
    }
    let body = json!({ "size": 0, "track_total_hits": false, "query": place.within([]), "aggs": aggregations });
    let path = format!("/{}/_search", place.indexes().join(","));
    let answer = cluster.json(Request::post(path, &body)).await?;
    whole(&answer)?;
    for (at, column) in columns.iter_mut().enumerate().filter(|(_, column)| !column.done) {
        let given = &answer["aggregations"][format!("c{at}")];
        let buckets = given["buckets"].as_array().ok_or_else(|| Fault::reply("it has no cells"))?;
        column.cells.extend(buckets.iter().filter_map(|bucket| bucket["key"]["cell"].as_str().map(Into::into)));
        column.after = given.get("after_key").cloned();
        column.done = column.after.is_none() || buckets.len() < size || column.cells.len() > max;
    }
    Ok(())
}

/// Cells that are too long to be terms.
async fn long_cells(cluster: &Arc<Cluster>, place: &Place, column: &str) -> Result<Vec<Box<str>>, EngineError> {
    let body = json!({
        "size": MAX_LONG, "track_total_hits": false, "query": place.within([too_long(column)]), "_source": [column],
    });
    let path = format!("/{}/_search", place.indexes().join(","));
    let answer = cluster.json(Request::post(path, &body)).await?;
    whole(&answer)?;
    let hits = answer["hits"]["hits"].as_array().into_iter().flatten();
    let mut cells: Vec<Box<str>> = hits.filter_map(|hit| hit["_source"][column].as_str().map(Into::into)).collect();
    cells.sort_unstable();
    cells.dedup();
    Ok(cells)
}
