//! Latin cells with a letter or two wrong: of three parts of a cell at least one is still right, and that part finds it.

use std::collections::HashMap;

use super::question::Rolling;

/// Letters of cells that are found this way.
const LENGTHS: std::ops::RangeInclusive<usize> = 5..=40;
/// Cells with the same part that are compared.
const MAX_COMPARED: usize = 200;
/// From this length on two letters may be wrong, else one.
const LONG: usize = 8;

/// Places of cells by the hash of one of their parts.
#[derive(Default)]
pub(super) struct Parts {
    by_part: HashMap<u64, Vec<u32>>,
}

/// Edits that a cell of so many letters may need.
pub(super) fn allowed(letters: usize) -> usize {
    if letters < LONG { 1 } else { 2 }
}

impl Parts {
    pub(super) fn add(&mut self, cell: &str, place: u32) {
        let letters: Vec<char> = cell.chars().collect();
        if !is_latin(&letters) {
            return;
        }
        let n = letters.len();
        for (part, (from, to)) in bounds(n).into_iter().enumerate() {
            self.by_part.entry(hash(n, part, &letters[from..to])).or_default().push(place);
        }
    }

    /// Places of cells that may be a few letters away from a piece of a question.
    pub(super) fn candidates(&self, piece: &[char]) -> Vec<u32> {
        let mut found = Vec::new();
        if !is_latin(piece) {
            return found;
        }
        let m = piece.len();
        for n in m.saturating_sub(2).max(*LENGTHS.start())..=m + 2 {
            for (part, (from, to)) in bounds(n).into_iter().enumerate() {
                for shift in -2..=2isize {
                    let Some(from) = from.checked_add_signed(shift) else { continue };
                    let Some(to) = to.checked_add_signed(shift).filter(|to| *to <= m) else { continue };
                    let places = self.by_part.get(&hash(n, part, &piece[from..to]));
                    found.extend(places.into_iter().flatten().take(MAX_COMPARED));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Three parts of about one length.
fn bounds(n: usize) -> [(usize, usize); 3] {
    [(0, n / 3), (n / 3, n - n / 3), (n - n / 3, n)]
}

fn hash(n: usize, part: usize, letters: &[char]) -> u64 {
    Rolling::of(letters.iter().copied()).0 ^ ((n * 3 + part) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

pub(super) fn is_latin(letters: &[char]) -> bool {
    let own = |letter: &char| letter.is_ascii_alphabetic() || matches!(letter, ' ' | '-' | '\'' | '.');
    LENGTHS.contains(&letters.len()) && letters.iter().all(own)
}
