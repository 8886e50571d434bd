//! The rows that an answer stands on, where they are those of one table under conditions that the server knows: it counts them
//! all and gives the first.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::logical_expr::{Expr, LogicalPlan, TableScan};
use serde_json::{Value, json};

use super::fault::Fault;
use super::moment::{Moment, total};
use super::place::Place;
use super::pushdown::{of_scan, scan_below};
use crate::engine::EngineError;
use crate::query::{SourceCount, SourceRow};
use crate::sql::SOURCES;

/// Documents that are counted in one answer; servers make 65,535 groups.
const MAX_DOCUMENTS: usize = 60_000;

pub(super) struct Cited {
    moment: Arc<Moment>,
    place: Arc<Place>,
    query: Value,
}

impl Cited {
    /// The rows of an optimized plan that gives [`SOURCES`]; `None` where the server can't tell them.
    pub(super) fn of(plan: &LogicalPlan) -> Option<Self> {
        let scan = scan_below(match plan {
            LogicalPlan::Projection(projection) if projection.expr.iter().all(is_column) => &projection.input,
            plan => plan,
        })?;
        let names = plan.schema().fields().iter().map(|field| field.name().as_str());
        if !names.eq(SOURCES) {
            return None;
        }
        Self::of_rows(scan)
    }

    /// The rows of an optimized plan that gives one row for each, whatever it shows of them.
    pub(super) fn of_plain(plan: &LogicalPlan) -> Option<Self> {
        match plan {
            LogicalPlan::Sort(sort) if sort.fetch.is_none() => Self::of_plain(&sort.input),
            LogicalPlan::Projection(projection) => Self::of_plain(&projection.input),
            plan => Self::of_rows(scan_below(plan)?),
        }
    }

    fn of_rows(scan: &TableScan) -> Option<Self> {
        of_scan(scan, |provider, query| Self { moment: provider.moment.clone(), place: provider.place.clone(), query })
            .filter(|cited| cited.place.documents.all.len() <= MAX_DOCUMENTS)
    }

    /// All of them counted, and the first by document, sheet and row.
    pub(super) async fn read(&self, max_sources: usize) -> Result<SourceCount, EngineError> {
        if self.place.parts.is_empty() {
            return Ok(SourceCount::default());
        }
        let body = json!({
            "size": max_sources.min(10_000), "track_total_hits": true, "query": self.query, "_source": SOURCES,
            "sort": [{ "doc_no": "asc" }, { "sheet_kwd": "asc" }, { "row_long": "asc" }, { "row_key": "asc" }],
            "aggs": { "documents": { "terms": { "field": "doc_no", "size": MAX_DOCUMENTS } } },
        });
        let answer = self.moment.search(body).await?;
        let answer: Value = serde_json::from_slice(&answer).map_err(Fault::reply)?;
        let total = total(&answer)?;
        let rows = answer["hits"]["hits"].as_array().into_iter().flatten();
        let rows: Vec<SourceRow> = rows.map(|hit| self.row(&hit["_source"])).collect::<Result<_, _>>()?;
        let documents = self.documents(&answer["aggregations"]["documents"])?;
        if documents.values().sum::<u64>() != total {
            return Err(Fault::reply("its counts do not add up").into());
        }
        Ok(SourceCount { rows, total, documents })
    }

    fn row(&self, row: &Value) -> Result<SourceRow, Fault> {
        let read = || {
            let doc_no = u32::try_from(row["doc_no"].as_u64()?).ok()?;
            self.place.documents.get(doc_no)?;
            let (sheet, key) = (row["sheet_kwd"].as_str()?.to_owned(), row["row_key"].as_u64()?);
            Some(SourceRow { doc_no, sheet, row: row["row_long"].as_u64()?, key })
        };
        read().ok_or_else(|| Fault::reply("a row of a document that is not in scope"))
    }

    fn documents(&self, given: &Value) -> Result<BTreeMap<u32, u64>, Fault> {
        let buckets = given["buckets"].as_array().ok_or_else(|| Fault::reply("it counts no documents"))?;
        let count =
            |bucket: &Value| Some((u32::try_from(bucket["key"].as_u64()?).ok()?, bucket["doc_count"].as_u64()?));
        buckets.iter().map(count).collect::<Option<_>>().ok_or_else(|| Fault::reply("a document without its count"))
    }
}

fn is_column(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_column(&alias.expr),
        expr => matches!(expr, Expr::Column(_)),
    }
}
