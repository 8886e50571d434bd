//! The ladder over a column with too many distinct cells to keep: its cells are gone through page by page.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Cluster;
use super::condition::{has_words, tokens_of};
use super::fault::Fault;
use super::moment::whole;
use super::place::Place;
use super::query::term;
use super::server::Request;
use crate::engine::EngineError;
use crate::engine::cells::{Cells, column_of};
use crate::engine::ladder::{MAX_LISTED, cut, nearest, sorted};
use crate::engine::matching::Call;
use crate::sql::{Found, Lookup, Wanted};
use crate::tokens;

/// Cells of one page.
const PAGE: usize = 10_000;

pub(super) async fn climb_large(
    cluster: &Arc<Cluster>,
    place: &Place,
    lookup: &Lookup,
    cells: &Cells,
) -> Result<Found, EngineError> {
    let column = column_of(&lookup.field);
    let text = lookup.text.as_str();
    let among = Among { cluster, place, column: &column };
    let exact = match lookup.wanted {
        Wanted::Equal => among.cells(vec![term(&column, text)], 1, |cell| cell == text).await?,
        Wanted::Contains => among.cells(Vec::new(), MAX_LISTED + 1, |cell| cell.contains(text)).await?,
    };
    let mut found = Found { exact, ..Found::default() };
    if !found.exact.is_empty() {
        return Ok(cut(found));
    }
    let folded = tokens::fold(text);
    let is_folded = |cell: &str| match lookup.wanted {
        Wanted::Equal => tokens::fold(cell) == folded,
        Wanted::Contains => tokens::fold(cell).contains(&folded),
    };
    found.folded = among.cells(Vec::new(), MAX_LISTED + 1, is_folded).await?;
    if found.folded.is_empty() {
        found.all_tokens = among.with_words(lookup, "operator=AND").await?;
        if found.all_tokens.is_empty() {
            found.some_tokens = among.with_words(lookup, "operator=OR;minimum_should_match=30%").await?;
        }
        found.nearest = nearest(&folded, cells);
    }
    Ok(cut(found))
}

/// The cells of one column.
struct Among<'a> {
    cluster: &'a Arc<Cluster>,
    place: &'a Place,
    column: &'a str,
}

impl Among<'_> {
    async fn with_words(&self, lookup: &Lookup, options: &str) -> Result<Vec<String>, EngineError> {
        let (table, field) = (lookup.table.clone(), lookup.field.clone());
        let call = Call { table, field, words: lookup.text.clone(), options: options.to_owned() };
        match has_words(&call, &tokens_of(&call.field)) {
            Some(query) => self.cells(vec![query], MAX_LISTED + 1, |_| true).await,
            None => Ok(Vec::new()),
        }
    }

    /// Distinct cells of the rows of these queries that pass, at most so many.
    async fn cells(
        &self,
        queries: Vec<Value>,
        limit: usize,
        passes: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, EngineError> {
        let mut found: HashSet<String> = HashSet::new();
        let mut after: Option<Value> = None;
        loop {
            let mut composite = json!({ "size": PAGE, "sources": [{ "cell": { "terms": { "field": self.column } } }] });
            if let Some(after) = after {
                composite["after"] = after;
            }
            let query = self.place.within(queries.clone());
            let body = json!({
                "size": 0, "track_total_hits": false, "query": query, "aggs": { "cells": { "composite": composite } },
            });
            let path = format!("/{}/_search", self.place.indexes().join(","));
            let answer = self.cluster.json(Request::post(path, &body)).await?;
            whole(&answer)?;
            let given = &answer["aggregations"]["cells"];
            let buckets = given["buckets"].as_array().ok_or_else(|| Fault::reply("it has no cells"))?;
            let cells = buckets.iter().filter_map(|bucket| bucket["key"]["cell"].as_str());
            found.extend(cells.filter(|cell| passes(cell)).map(str::to_owned));
            after = given.get("after_key").cloned();
            if after.is_none() || buckets.len() < PAGE || found.len() >= limit {
                return Ok(sorted(found));
            }
        }
    }
}
