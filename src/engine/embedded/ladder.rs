//! Which cells a text may mean, step by step; a step is taken only where the ones before found nothing.

use std::collections::{HashMap, HashSet};

use super::distinct::{Cells, column_of, for_each_cell, words};
use super::search::{self, Need, Shards};
use super::store::Store;
use super::view::View;
use crate::engine::EngineError;
use crate::sql::{Found, Lookup, Wanted};
use crate::tokens;

/// Cells listed in one step.
const MAX_LISTED: usize = 1_000;
/// Share of the words that the last step asks for.
const SOME: Need = Need::Percent(30);
/// Nearest cells given as a hint, and how near they are at least.
const NEAREST: usize = 5;
const NEAR: f64 = 0.4;

/// Climbs over a column whose distinct cells are all known.
pub(super) fn climb(lookup: &Lookup, cells: &Cells) -> Found {
    let folded = tokens::fold(&lookup.text);
    let mut found = Found::default();
    match lookup.wanted {
        Wanted::Equal if cells.has(&lookup.text) => found.exact = vec![lookup.text.clone()],
        Wanted::Equal => found.folded = named(cells, cells.folded(&folded)),
        Wanted::Contains => {
            found.exact = matching(cells, |cell| cell.contains(&lookup.text));
            if found.exact.is_empty() {
                found.folded = matching(cells, |cell| tokens::fold(cell).contains(&folded));
            }
        }
    }
    if found.exact.is_empty() && found.folded.is_empty() {
        by_words(&mut found, &words(&lookup.text), cells);
        found.nearest = nearest(&folded, cells);
    }
    cut(found)
}

fn matching(cells: &Cells, is: impl Fn(&str) -> bool) -> Vec<String> {
    cells.all.iter().filter(|cell| is(cell)).take(MAX_LISTED + 1).map(|cell| cell.to_string()).collect()
}

fn named(cells: &Cells, places: &[u32]) -> Vec<String> {
    places.iter().map(|&at| cells.all[at as usize].to_string()).collect()
}

fn by_words(found: &mut Found, words: &[String], cells: &Cells) {
    if words.is_empty() {
        return;
    }
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for word in words {
        for &cell in cells.with_word(word) {
            *counts.entry(cell).or_default() += 1;
        }
    }
    let having = |need: usize| {
        let mut places: Vec<u32> = counts.iter().filter(|(_, count)| **count >= need).map(|(cell, _)| *cell).collect();
        places.sort_unstable();
        named(cells, &places)
    };
    found.all_tokens = having(Need::All.of(words.len()));
    if found.all_tokens.is_empty() {
        found.some_tokens = having(SOME.of(words.len()));
    }
}

fn nearest(folded: &str, cells: &Cells) -> Vec<String> {
    let length = folded.chars().count();
    let mut near: Vec<(f64, &str)> = Vec::new();
    for cell in &cells.all {
        if cell.len() > 4 * 3 * length.max(1) {
            continue;
        }
        let likeness = strsim::normalized_damerau_levenshtein(folded, &tokens::fold(cell));
        if likeness >= NEAR {
            near.push((likeness, cell));
        }
    }
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.iter().take(NEAREST).map(|(_, cell)| (*cell).to_owned()).collect()
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
    let exact = match lookup.wanted {
        Wanted::Equal => scan(store, view, &column, 1, |cell| cell == text)?,
        Wanted::Contains => scan(store, view, &column, MAX_LISTED + 1, |cell| cell.contains(text))?,
    };
    let mut found = Found { exact, ..Found::default() };
    if !found.exact.is_empty() {
        return Ok(cut(found));
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

fn sorted(found: HashSet<String>) -> Vec<String> {
    let mut found: Vec<String> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// Lists no more than the limit, and says so.
fn cut(mut found: Found) -> Found {
    for step in [&mut found.exact, &mut found.folded, &mut found.all_tokens, &mut found.some_tokens] {
        if step.len() > MAX_LISTED {
            step.truncate(MAX_LISTED);
            found.cut = true;
        }
    }
    found
}
