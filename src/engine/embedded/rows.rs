//! Rows found by search, and rows in full.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, UInt32Type};

use super::cited::WholeRow;
use super::footer::Footer;
use super::reader::compact;
use super::search::{self, Shards};
use super::store::Store;
use super::view::{SegmentView, View};
use crate::engine::{EngineError, Hit, RowKey, Source, StoredRow};
use crate::record::Contents;
use crate::schema::Table;
use crate::tokens;

/// Makes the index of all segments that have none.
pub(super) fn index(store: &Store, views: &[Arc<View>]) -> Result<(), EngineError> {
    let views: Vec<&View> = views.iter().map(Arc::as_ref).collect();
    search::build(store, &views)
}

fn footers(views: &[Arc<View>]) -> Vec<Arc<Footer>> {
    views.iter().flat_map(|view| view.segments()).map(|segment| segment.footer.clone()).collect()
}

pub(super) fn search(
    store: &Store,
    shards: &Shards,
    views: &[Arc<View>],
    words: &str,
    top: usize,
) -> Result<Vec<Hit>, EngineError> {
    index(store, views)?;
    let mut words = tokens::tokens(words);
    words.sort();
    words.dedup();
    let segments: HashMap<u32, &SegmentView> = by_number(views).map(|(no, _, segment)| (no, segment)).collect();
    let live = |no: u32, row: usize| match segments.get(&no) {
        Some(segment) => is_live(store, segment, row),
        None => Ok(false),
    };
    let best = search::rank(store, shards, &footers(views), &words, top, &live)?;
    let keys: Vec<RowKey> = best.iter().map(|&(no, row, _)| key(no, row)).collect();
    let mut sources: HashMap<RowKey, Source> = read(&segments, &keys)?
        .into_iter()
        .filter_map(|(key, batch, at)| Some((key, source(key, &batch, at)?)))
        .collect();
    let hits = best.iter().filter_map(|&(no, row, score)| Some(Hit { source: sources.remove(&key(no, row))?, score }));
    Ok(hits.collect())
}

/// Whole rows in the order of their keys; keys that are not live in the views are left out.
pub(super) fn stored(
    store: &Store,
    tables: &[Table],
    views: &[Arc<View>],
    keys: &[RowKey],
) -> Result<Vec<StoredRow>, EngineError> {
    let segments: HashMap<u32, &SegmentView> = by_number(views).map(|(no, _, segment)| (no, segment)).collect();
    let table_of: HashMap<u32, usize> = by_number(views).map(|(no, table, _)| (no, table)).collect();
    let mut rows = HashMap::new();
    let found = store.cited().get(keys, |keys| read(&segments, keys))?;
    for same in found.chunk_by(|one, other| Arc::ptr_eq(one.1.column(0), other.1.column(0))) {
        let no = (same[0].0.0 >> 32) as u32;
        let (Some(segment), Some(&table)) = (segments.get(&no), table_of.get(&no)) else { continue };
        let contents = Contents::new(&tables[table].fields, &same[0].1);
        for (key, batch, at) in same {
            if let Some(source) = source(*key, batch, *at)
                && is_live(store, segment, key.0 as u32 as usize)?
            {
                rows.insert(*key, StoredRow { source, content: contents.of(*at) });
            }
        }
    }
    Ok(keys.iter().filter_map(|key| rows.get(key).cloned()).collect())
}

fn by_number(views: &[Arc<View>]) -> impl Iterator<Item = (u32, usize, &SegmentView)> {
    views
        .iter()
        .enumerate()
        .flat_map(|(table, view)| view.segments().map(move |segment| (segment.footer.no, table, segment)))
}

fn is_live(store: &Store, segment: &SegmentView, row: usize) -> Result<bool, EngineError> {
    let Some(docs) = &segment.docs else { return Ok(true) };
    let Some((group, at)) = segment.footer.locate(row) else { return Ok(false) };
    let numbers = store.column(&segment.footer, group, "doc_no")?;
    let numbers = numbers.as_ref().and_then(|numbers| numbers.as_primitive_opt::<UInt32Type>());
    Ok(numbers.is_some_and(|numbers| docs.contains(numbers.value(at) as usize)))
}

/// Reads the rows of keys, each row group once.
fn read(segments: &HashMap<u32, &SegmentView>, keys: &[RowKey]) -> Result<Vec<WholeRow>, EngineError> {
    let mut wanted: BTreeMap<(u32, usize), Vec<usize>> = BTreeMap::new();
    for key in keys {
        let (no, row) = ((key.0 >> 32) as u32, key.0 as u32 as usize);
        if let Some((group, at)) = segments.get(&no).and_then(|segment| segment.footer.locate(row)) {
            wanted.entry((no, group)).or_default().push(at);
        }
    }
    let mut read = Vec::new();
    for ((no, group), mut rows) in wanted {
        rows.sort_unstable();
        rows.dedup();
        let footer = &segments[&no].footer;
        let batch = compact(&footer.read_rows(group, &rows)?);
        let first = footer.first_row(group);
        read.extend(rows.iter().enumerate().map(|(at, row)| (key(no, first + row), batch.clone(), at)));
    }
    Ok(read)
}

fn key(no: u32, row: usize) -> RowKey {
    RowKey(u64::from(no) << 32 | row as u64)
}

fn source(key: RowKey, batch: &RecordBatch, at: usize) -> Option<Source> {
    let row = batch.column_by_name("row_long")?.as_primitive_opt::<Int64Type>()?.value(at);
    Some(Source {
        key,
        doc_no: batch.column_by_name("doc_no")?.as_primitive_opt::<UInt32Type>()?.value(at),
        sheet: batch.column_by_name("sheet_kwd")?.as_string_view_opt()?.value(at).to_owned(),
        row: u64::try_from(row).ok()?,
    })
}
