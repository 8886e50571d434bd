//! The ladder over a column with too many distinct cells to keep.

use std::collections::{HashMap, HashSet};

use datafusion::arrow::array::{AsArray, StringViewArray};
use datafusion::arrow::compute::kernels::cmp::eq;
use datafusion::arrow::compute::kernels::comparison::contains;

use super::distinct::for_each_cell;
use super::reader::failed;
use super::search::{self, Shards};
use super::store::Store;
use super::view::View;
use crate::engine::EngineError;
use crate::engine::cells::{Cells, column_of, words};
use crate::engine::ladder::{MAX_LISTED, SOME, cut, nearest, sorted};
use crate::engine::matching::Need;
use crate::engine::rowset::true_rows;
use crate::sql::{Found, Lookup, Wanted};
use crate::tokens;

/// The first rung alone, over the rows themselves: nothing else need be known where it finds a cell.
pub(super) fn exact(store: &Store, view: &View, lookup: &Lookup) -> Result<Found, EngineError> {
    let text = StringViewArray::new_scalar(&lookup.text);
    let column = column_of(&lookup.field);
    let mut found: HashSet<String> = HashSet::new();
    for segment in view.segments() {
        for group in 0..segment.footer.groups.len() {
            let Some(array) = store.column(&segment.footer, group, &column)? else { continue };
            let Some(texts) = array.as_string_view_opt() else { continue };
            let is_one = match lookup.wanted {
                Wanted::Equal => eq(texts, &text),
                Wanted::Contains => contains(texts, &text),
            };
            let is_one = true_rows(&is_one.map_err(failed)?);
            let live = segment.live(store, group)?;
            for row in is_one.set_indices().filter(|&row| live.as_ref().is_none_or(|live| live[row])) {
                if !found.contains(texts.value(row)) {
                    found.insert(texts.value(row).to_owned());
                }
                if lookup.wanted == Wanted::Equal || found.len() > MAX_LISTED {
                    return Ok(cut(Found { exact: sorted(found), ..Found::default() }));
                }
            }
        }
    }
    Ok(cut(Found { exact: sorted(found), ..Found::default() }))
}

/// Climbs over a column with too many distinct cells: by its cells where they are, by the index for words.
pub(super) fn climb_large(
    store: &Store,
    shards: &Shards,
    view: &View,
    lookup: &Lookup,
    cells: &Cells,
) -> Result<Found, EngineError> {
    let column = column_of(&lookup.field);
    let text = lookup.text.as_str();
    let mut found = exact(store, view, lookup)?;
    if !found.exact.is_empty() {
        return Ok(found);
    }
    let folded = tokens::fold(text);
    found.folded = scan(store, view, &column, MAX_LISTED + 1, |cell| match lookup.wanted {
        Wanted::Equal => tokens::fold(cell) == folded,
        Wanted::Contains => tokens::fold(cell).contains(&folded),
    })?;
    if found.folded.is_empty() {
        let words = words(text);
        found.all_tokens = indexed(store, shards, view, &column, &words, Need::All)?;
        if found.all_tokens.is_empty() {
            found.some_tokens = indexed(store, shards, view, &column, &words, SOME)?;
        }
        found.nearest = nearest(&folded, cells);
    }
    Ok(cut(found))
}

fn scan(
    store: &Store,
    view: &View,
    column: &str,
    limit: usize,
    is: impl Fn(&str) -> bool,
) -> Result<Vec<String>, EngineError> {
    let mut found: HashSet<String> = HashSet::new();
    for_each_cell(store, view, column, |_, cell| {
        if is(cell) && !found.contains(cell) {
            found.insert(cell.to_owned());
        }
        found.len() < limit
    })?;
    Ok(sorted(found))
}

fn indexed(
    store: &Store,
    shards: &Shards,
    view: &View,
    column: &str,
    words: &[String],
    need: Need,
) -> Result<Vec<String>, EngineError> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let segments: Vec<_> = view.segments().map(|segment| segment.footer.clone()).collect();
    search::build(store, &[view])?;
    let mut rows = HashMap::new();
    for footer in &segments {
        rows.insert(footer.no, shards.having(store, footer, column, words, need)?);
    }
    let mut found: HashSet<String> = HashSet::new();
    for_each_cell(store, view, column, |(segment, row), cell| {
        if rows.get(&segment).is_some_and(|rows| rows.contains(row)) && !found.contains(cell) {
            found.insert(cell.to_owned());
        }
        found.len() <= MAX_LISTED
    })?;
    Ok(sorted(found))
}
