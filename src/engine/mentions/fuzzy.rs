//! Latin cells with a letter or two wrong: of three parts of a cell at least one is still right, and that part finds it.

use super::question::Rolling;

/// Letters of cells that are found this way.
const LENGTHS: std::ops::RangeInclusive<usize> = 5..=40;
/// Cells with the same part that are compared.
pub(super) const MAX_COMPARED: usize = 200;
/// From this length on two letters may be wrong, else one.
const LONG: usize = 8;

/// Edits that a cell of so many letters may need.
pub(super) fn allowed(letters: usize) -> usize {
    if letters < LONG { 1 } else { 2 }
}

/// Hashes of the parts of a folded cell; none where it is not found this way.
pub(super) fn parts(cell: &str) -> impl Iterator<Item = u64> {
    let letters: Vec<char> = cell.chars().collect();
    let n = letters.len();
    let bounds = is_latin(&letters).then(|| bounds(n));
    let bounds = bounds.into_iter().flatten().enumerate();
    bounds.map(move |(part, (from, to))| hash(n, part, &letters[from..to]))
}

/// Hashes of the parts that cells a few letters away from a piece of a question may have.
pub(super) fn parts_near(piece: &[char]) -> Vec<u64> {
    let mut hashes = Vec::new();
    if !is_latin(piece) {
        return hashes;
    }
    let m = piece.len();
    for n in m.saturating_sub(2).max(*LENGTHS.start())..=m + 2 {
        for (part, (from, to)) in bounds(n).into_iter().enumerate() {
            for shift in -2..=2isize {
                let Some(from) = from.checked_add_signed(shift) else { continue };
                let Some(to) = to.checked_add_signed(shift).filter(|to| *to <= m) else { continue };
                hashes.push(hash(n, part, &piece[from..to]));
            }
        }
    }
    hashes
}

/// Three parts of about one length.
fn bounds(n: usize) -> [(usize, usize); 3] {
    [(0, n / 3), (n / 3, n - n / 3), (n - n / 3, n)]
}

fn hash(n: usize, part: usize, letters: &[char]) -> u64 {
    Rolling::of(letters.iter().copied()).0 ^ ((n * 3 + part) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn is_latin(letters: &[char]) -> bool {
    let own = |letter: &char| letter.is_ascii_alphabetic() || matches!(letter, ' ' | '-' | '\'' | '.');
    LENGTHS.contains(&letters.len()) && letters.iter().all(own)
}
