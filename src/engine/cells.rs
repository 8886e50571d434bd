//! The distinct cells of a column, found by their folded form and by their words.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::tokens;

/// Distinct cells in order; of a column with too many only the first ones met.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub all: Vec<Box<str>>,
    /// There are more.
    pub cut: bool,
    folded: OnceLock<HashMap<String, Vec<u32>>>,
    words: OnceLock<HashMap<String, Vec<u32>>>,
}

/// The column that holds the cells of a field.
pub(super) fn column_of(field: &str) -> String {
    field.strip_suffix("_tks").map_or_else(|| field.to_owned(), |stem| format!("{stem}_kwd"))
}

impl Cells {
    pub(super) fn new(all: impl IntoIterator<Item = Box<str>>, cut: bool) -> Self {
        let mut all: Vec<Box<str>> = all.into_iter().collect();
        all.sort_unstable();
        Self { all, cut, ..Self::default() }
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.all.binary_search_by(|cell| cell.as_ref().cmp(text)).is_ok()
    }

    /// Cells that are the same once folded.
    pub(super) fn folded(&self, folded: &str) -> &[u32] {
        let index = self.folded.get_or_init(|| grouped(&self.all, |cell| vec![tokens::fold(cell)]));
        index.get(folded).map(Vec::as_slice).unwrap_or_default()
    }

    /// Cells that have a word.
    pub(super) fn with_word(&self, word: &str) -> &[u32] {
        let index = self.words.get_or_init(|| grouped(&self.all, words));
        index.get(word).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Distinct words of a text.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = tokens::tokens(text);
    words.sort_unstable();
    words.dedup();
    words
}

fn grouped(cells: &[Box<str>], keys: impl Fn(&str) -> Vec<String>) -> HashMap<String, Vec<u32>> {
    let mut groups: HashMap<String, Vec<u32>> = HashMap::new();
    for (cell, at) in cells.iter().zip(0..) {
        for key in keys(cell) {
            groups.entry(key).or_default().push(at);
        }
    }
    groups
}
