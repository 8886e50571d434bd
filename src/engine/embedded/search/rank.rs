//! Rows by relevance: BM25 with one set of statistics over all indexes in scope.

use std::sync::Arc;

use tantivy::collector::TopDocs;
use tantivy::query::{Bm25StatisticsProvider, BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Term};

use super::super::footer::Footer;
use super::super::store::{Store, damaged};
use super::build::schema;
use super::shard::{Shard, Shards};
use crate::engine::EngineError;

/// A name says less than a cell.
const TITLE_WEIGHT: f32 = 0.5;

/// The statistics of several indexes as those of one.
struct Together(Vec<Arc<Vec<Shard>>>);

impl Together {
    fn sum(&self, one: impl Fn(&Shard) -> tantivy::Result<u64>) -> tantivy::Result<u64> {
        self.0.iter().flat_map(|shards| shards.iter()).map(one).sum()
    }
}

impl Bm25StatisticsProvider for Together {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.sum(|shard| shard.searcher.total_num_tokens(field))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.sum(|shard| Ok(shard.searcher.num_docs()))
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        self.sum(|shard| shard.searcher.doc_freq(term))
    }
}

/// The best `top` live rows for the words: segment, row and score, best first.
pub(in super::super) fn rank(
    store: &Store,
    shards: &Shards,
    segments: &[Arc<Footer>],
    words: &[String],
    top: usize,
    live: &dyn Fn(u32, usize) -> Result<bool, EngineError>,
) -> Result<Vec<(u32, usize, f32)>, EngineError> {
    let open = segments.iter().map(|footer| shards.of(store, footer)).collect::<Result<_, _>>()?;
    let together = Together(open);
    let query = query(words);
    let mut best = Vec::new();
    for shard in together.0.iter().flat_map(|shards| shards.iter()) {
        best.extend(best_of(store, shard, &query, &together, top, live)?);
        best.sort_by(|(_, _, one): &(u32, usize, f32), (_, _, other)| other.total_cmp(one));
        best.truncate(top);
    }
    Ok(best)
}

/// Asks for more until enough of the rows found are live.
fn best_of(
    store: &Store,
    shard: &Shard,
    query: &dyn Query,
    together: &Together,
    top: usize,
    live: &dyn Fn(u32, usize) -> Result<bool, EngineError>,
) -> Result<Vec<(u32, usize, f32)>, EngineError> {
    let mut limit = top.max(1);
    loop {
        let collector = TopDocs::with_limit(limit).order_by_score();
        let found = shard.searcher.search_with_statistics_provider(query, &collector, together);
        let found = found.map_err(|error| damaged(&store.search(), error))?;
        let mut kept = Vec::new();
        for (score, address) in &found {
            let row = shard.first_row + address.doc_id as usize;
            if live(shard.segment, row)? {
                kept.push((shard.segment, row, *score));
            }
        }
        if kept.len() >= top || found.len() < limit {
            return Ok(kept);
        }
        limit *= 4;
    }
}

fn query(words: &[String]) -> BooleanQuery {
    let (_, fields) = schema();
    let term = |field, word: &str| -> Box<dyn Query> {
        Box::new(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs))
    };
    let clauses = words.iter().flat_map(|word| {
        let title = Box::new(BoostQuery::new(term(fields.title, word), TITLE_WEIGHT)) as Box<dyn Query>;
        [(Occur::Should, term(fields.content, word)), (Occur::Should, title)]
    });
    BooleanQuery::new(clauses.collect())
}
