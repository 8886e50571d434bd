//! The distinct cells of text columns in scope, counted out by the server and kept while their documents are live.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::Cluster;
use super::fault::Fault;
use super::moment::whole;
use super::place::Place;
use super::query::too_long;
use super::server::Request;
use crate::engine::cells::{Cells, column_of};
use crate::engine::{EngineError, LiveSegment};

/// Columns whose cells are kept.
const MAX_COLUMNS: usize = 4_096;
/// Cells of one answer over all its columns; servers make 65,535.
const MAX_BUCKETS: usize = 50_000;
/// Columns of one request.
const MAX_AT_ONCE: usize = 50;
/// Cells too long to be terms that are read of one column.
const MAX_LONG: usize = 1_000;

/// The segments, with what is live in them, and the column.
type Key = (Vec<LiveSegment>, String);

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
    /// Some are too long to be terms.
    long: bool,
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
        let segments: Vec<LiveSegment> = place.parts.iter().flat_map(|part| &part.segments).cloned().collect();
        let mut known = self.known(&segments, &columns);
        known.insert("docnm_kwd".to_owned(), place.files.clone());
        let missing: Vec<String> = columns.iter().filter(|column| !known.contains_key(*column)).cloned().collect();
        for some in missing.chunks(MAX_AT_ONCE) {
            let found = read(cluster, place, some).await?;
            self.keep(&segments, &found);
            known.extend(found);
        }
        Ok(columns.iter().map(|column| known.get(column).cloned().unwrap_or_default()).collect())
    }

    fn known(&self, segments: &[LiveSegment], columns: &[String]) -> HashMap<String, Arc<Cells>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |column: &String| Some((column.clone(), kept.get(&(segments.to_vec(), column.clone()))?.clone()));
        columns.iter().filter_map(known).collect()
    }

    fn keep(&self, segments: &[LiveSegment], found: &HashMap<String, Arc<Cells>>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() + found.len() > MAX_COLUMNS {
            kept.clear();
        }
        kept.extend(found.iter().map(|(column, cells)| ((segments.to_vec(), column.clone()), cells.clone())));
    }
}

async fn read(
    cluster: &Arc<Cluster>,
    place: &Place,
    columns: &[String],
) -> Result<HashMap<String, Arc<Cells>>, EngineError> {
    let mut found = HashMap::new();
    if place.parts.is_empty() {
        return Ok(columns.iter().map(|name| (name.clone(), Arc::default())).collect());
    }
    let open = |name: &String| Column { name: name.clone(), cells: Vec::new(), after: None, done: false, long: false };
    let mut open: Vec<Column> = columns.iter().map(open).collect();
    let max = cluster.limits.max_distinct;
    while open.iter().any(|column| !column.done) {
        page(cluster, place, &mut open, max).await?;
    }
    for mut column in open {
        let mut cut = false;
        if column.long {
            let long = long_cells(cluster, place, &column.name).await?;
            cut = long.len() == MAX_LONG;
            column.cells.extend(long);
        }
        column.cells.sort_unstable();
        column.cells.dedup();
        cut |= column.cells.len() > max;
        column.cells.truncate(max);
        found.insert(column.name, Arc::new(Cells::new(column.cells, cut)));
    }
    Ok(found)
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
        aggregations.insert(format!("l{at}"), json!({ "filter": too_long(&column.name) }));
    }
    let body = json!({ "size": 0, "track_total_hits": false, "query": place.within([]), "aggs": aggregations });
    let path = format!("/{}/_search", place.indexes().join(","));
    let answer = cluster.json(Request::post(path, &body)).await?;
    whole(&answer)?;
    for (at, column) in columns.iter_mut().enumerate().filter(|(_, column)| !column.done) {
        let given = &answer["aggregations"][format!("c{at}")];
        let buckets = given["buckets"].as_array().ok_or_else(|| Fault::reply("it has no cells"))?;
        column.cells.extend(buckets.iter().filter_map(|bucket| bucket["key"]["cell"].as_str().map(Into::into)));
        column.long = answer["aggregations"][format!("l{at}")]["doc_count"].as_u64() != Some(0);
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
    Ok(hits.filter_map(|hit| hit["_source"][column].as_str().map(Into::into)).collect())
}
