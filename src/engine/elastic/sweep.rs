//! Removes the rows that no catalog names, in indexes of this data folder alone.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Cluster;
use super::fault::Fault;
use super::query::{not, term, terms};
use super::server::Request;
use crate::engine::{EngineError, LiveSegment, SegmentRef};

/// Segment numbers in one query; servers take 65,536 in a list.
const MAX_SEGMENTS: usize = 60_000;

impl Cluster {
    /// Rows of other segments go; an index without a live row goes whole.
    pub(super) async fn sweep(self: &Arc<Self>, live: &[SegmentRef]) -> Result<(), EngineError> {
        if live.len() > MAX_SEGMENTS {
            return Err(EngineError::Failed(format!("{} segments are live; {MAX_SEGMENTS} can be", live.len())));
        }
        let numbers: Vec<Value> = live.iter().map(|segment| segment.no.into()).collect();
        let named = terms("segment_no", numbers);
        for own in self.own_indexes().await? {
            let alive = self.count(&own.name, &json!({ "query": named })).await?;
            if alive == 0 {
                tracing::info!(index = own.name, "removed: no row of it is live");
                self.remove_index(&own.name).await?;
            } else if self.count(&own.name, &json!({ "query": not(named.clone()) })).await? > 0 {
                self.remove_rows(&own.name, &not(named.clone())).await?;
            }
        }
        Ok(())
    }

    /// Rows of these segments whose documents are no longer live go.
    pub(super) async fn forget_dead(self: &Arc<Self>, segments: &[LiveSegment]) -> Result<(), EngineError> {
        let partly = segments.iter().filter_map(|live| Some((&live.segment, live.docs.as_ref()?)));
        let dead: Vec<Value> = partly.map(|(segment, docs)| dead_rows(segment, docs)).collect();
        let indexes = if dead.is_empty() { Vec::new() } else { self.own_indexes().await? };
        for own in indexes {
            for dead in &dead {
                if self.count(&own.name, &json!({ "query": dead })).await? > 0 {
                    self.remove_rows(&own.name, dead).await?;
                }
            }
        }
        Ok(())
    }

    async fn remove_index(&self, index: &str) -> Result<(), EngineError> {
        match self.server.json(&Request::delete(format!("/{index}"), None)).await {
            Err(fault) if fault.is("index_not_found_exception") => Ok(()),
            done => Ok(done.map(drop)?),
        }
    }

    /// Rows that another request changed meanwhile are left for the next sweep.
    async fn remove_rows(&self, index: &str, query: &Value) -> Result<(), EngineError> {
        let path = format!("/{index}/_delete_by_query?conflicts=proceed&refresh=true");
        let answer = self.server.json(&Request::post(path, &json!({ "query": query }))).await?;
        match answer["failures"].as_array() {
            Some(failures) if failures.is_empty() => Ok(()),
            _ => Err(Fault::reply("some rows could not be removed").into()),
        }
    }
}

/// Rows of a segment whose documents are none of these.
fn dead_rows(segment: &SegmentRef, docs: &[u32]) -> Value {
    let docs = docs.iter().map(|&no| no.into()).collect();
    json!({ "bool": {
        "filter": [term("table_id", segment.table_id.as_str()), term("segment_no", segment.no)],
        "must_not": [terms("doc_no", docs)],
    } })
}
