//! Sets of rows of one segment, as bits.

use datafusion::arrow::array::{Array, BooleanArray};
use datafusion::arrow::buffer::BooleanBuffer;

/// The rows where a condition is true, null being no truth.
pub(super) fn true_rows(answer: &BooleanArray) -> BooleanBuffer {
    match answer.nulls() {
        Some(nulls) => answer.values() & nulls.inner(),
        None => answer.values().clone(),
    }
}

/// A set of small numbers: rows of a segment, document numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub(super) fn insert(&mut self, n: usize) {
        let word = n / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (n % 64);
    }

    pub(super) fn contains(&self, n: usize) -> bool {
        self.words.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    pub(super) fn intersect(&mut self, other: &Bits) {
        self.words.truncate(other.words.len());
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl FromIterator<usize> for Bits {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut bits = Self::default();
        for n in numbers {
            bits.insert(n);
        }
        bits
    }
}
