//! The rows of a sheet as a sum, to tell sheets that repeat others.
//!
//! Must never happen: a sum that depends on the order of rows or columns.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::distinct::{hash, hash_integer, mix};
use crate::value::Cell;

/// How many rows, and the sum of their hashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RowSet {
    pub rows: u64,
    sum: u64,
}

/// Sheets with fewer rows may be equal by chance.
const LEAST_ROWS: u64 = 2;
/// A summary has at least so many sheets under it.
const LEAST_PARTS: usize = 2;

impl RowSet {
    pub fn add(&mut self, cells: &[Cell<'_>]) {
        let row = cells.iter().map(cell_hash).fold(0_u64, u64::wrapping_add);
        self.rows += 1;
        self.sum = self.sum.wrapping_add(mix(row ^ 0x5DEE_CE66));
    }

    fn plus(self, other: Self) -> Self {
        Self { rows: self.rows + other.rows, sum: self.sum.wrapping_add(other.sum) }
    }
}

fn cell_hash(cell: &Cell<'_>) -> u64 {
    match cell {
        Cell::Empty => 0,
        Cell::Text(text) if text.is_empty() => 0,
        Cell::Text(text) => hash(text.as_bytes()),
        Cell::Integer(n) => hash_integer(*n),
        Cell::Decimal(x) | Cell::Duration(x) => mix(x.to_bits()),
        Cell::Flag(flag) => hash(if *flag { b"TRUE" } else { b"FALSE" }),
        Cell::DateTime(at) => mix(at.and_utc().timestamp() as u64 ^ 1 << 63),
        Cell::Error(error) => hash(error.as_bytes()),
    }
}

/// What a sheet repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// All rows of the sheet at this index, and no other.
    Copy(usize),
    /// The rows of all other sheets of its file together.
    Summary,
}

/// For each sheet what it repeats; `(file, rows)` of sheets of one table, in order.
pub fn repeats(sheets: &[(&str, RowSet)]) -> Vec<Option<Repeat>> {
    let mut first: HashMap<RowSet, usize> = HashMap::new();
    let mut found: Vec<Option<Repeat>> = Vec::with_capacity(sheets.len());
    for (at, (_, rows)) in sheets.iter().enumerate() {
        let earlier = *first.entry(*rows).or_insert(at);
        found.push((rows.rows >= LEAST_ROWS && earlier < at).then_some(Repeat::Copy(earlier)));
    }
    let mut files: HashMap<&str, (usize, RowSet)> = HashMap::new();
    for ((file, rows), _) in sheets.iter().zip(&found).filter(|(_, repeat)| repeat.is_none()) {
        let whole = files.entry(file).or_default();
        *whole = (whole.0 + 1, whole.1.plus(*rows));
    }
    for ((file, rows), repeat) in sheets.iter().zip(&mut found).filter(|(_, repeat)| repeat.is_none()) {
        let whole = files.get(file).copied().unwrap_or_default();
        if whole.0 > LEAST_PARTS && rows.plus(*rows) == whole.1 {
            *repeat = Some(Repeat::Summary);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(rows: &[[i64; 2]]) -> RowSet {
        let mut set = RowSet::default();
        rows.iter().for_each(|row| set.add(&row.map(Cell::Integer)));
        set
    }

    #[test]
    fn copies_and_summaries_are_found_in_any_order() {
        let (a, b) = (set(&[[1, 2], [3, 4]]), set(&[[5, 6], [7, 8], [9, 10]]));
        let copy = set(&[[4, 3], [1, 2]]);
        let all = set(&[[7, 8], [1, 2], [3, 4], [5, 6], [9, 10]]);
        let other = set(&[[1, 2], [3, 5]]);
        let sheets = [("f", a), ("f", b), ("g", copy), ("f", all), ("f", other)];
        assert_eq!(repeats(&sheets[..4]), [None, None, Some(Repeat::Copy(0)), Some(Repeat::Summary)]);
        assert_eq!(repeats(&sheets), [None, None, Some(Repeat::Copy(0)), None, None]);
        assert_eq!(repeats(&[("f", set(&[[1, 1]])), ("f", set(&[[1, 1]]))]), [None, None]);
    }
}
