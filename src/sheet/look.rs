//! What the rows of a table look like, for finding its header.

use std::collections::HashSet;

use super::grid::{Grid, Merge};
use super::kind::{Kind, kind};

/// Rows below a row that it is compared with.
const BELOW_ROWS: usize = 60;
/// Rows whose width is counted.
const WIDTH_ROWS: usize = 300;
/// Columns compared.
const MAX_COLUMNS: u32 = 512;

/// A part of a grid that holds one table; rows are indexes into the grid, both ends in.
pub(super) struct Look<'g> {
    pub grid: &'g Grid,
    pub first: usize,
    pub last: usize,
    pub first_column: u32,
    last_column: u32,
}

/// How a row compares with those below it, column by column.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Evidence {
    /// Text over values, or years over other numbers.
    pub differ: usize,
    /// Values over values of the same kind.
    pub alike: usize,
    /// Columns with values below.
    values: usize,
    /// Texts over texts, and those of them that stand below once more.
    texts: usize,
    again: usize,
    /// Rows compared with.
    rows: usize,
}

impl Evidence {
    /// Most of the row's texts stand once more below: they are values.
    pub fn recurs(&self) -> bool {
        self.rows > 2 && self.again * 2 > self.texts
    }
}

impl<'g> Look<'g> {
    pub fn new(grid: &'g Grid, first: usize, last: usize) -> Self {
        let mut look = Self { grid, first, last, first_column: u32::MAX, last_column: 0 };
        for i in look.rows().take(WIDTH_ROWS).filter(|i| grid.filled(*i).nth(1).is_some() || first == last) {
            for (column, _) in grid.filled(i) {
                look.first_column = look.first_column.min(column);
                look.last_column = look.last_column.max(column);
            }
        }
        if look.first_column > look.last_column {
            for (column, _) in look.rows().take(WIDTH_ROWS).flat_map(|i| grid.filled(i)) {
                look.first_column = look.first_column.min(column);
                look.last_column = look.last_column.max(column);
            }
        }
        look.last_column = look.last_column.min(look.first_column.saturating_add(MAX_COLUMNS));
        look
    }

    pub fn rows(&self) -> std::ops::RangeInclusive<usize> {
        self.first..=self.last
    }

    pub fn columns(&self) -> std::ops::RangeInclusive<u32> {
        self.first_column..=self.last_column
    }

    /// Kind of the cell that is seen at a place, merges included.
    pub fn kind(&self, i: usize, column: u32) -> Kind {
        kind(&self.grid.seen(i, column))
    }

    /// Columns with something to see in a row, merges included.
    pub fn covered(&self, i: usize) -> usize {
        if self.grid.merges.in_row(self.grid.number(i)).next().is_none() {
            return self.grid.filled(i).count();
        }
        self.columns().filter(|column| !self.grid.seen(i, *column).is_blank()).count()
    }

    /// The width that explains most cells.
    pub fn typical_width(&self) -> usize {
        let mut widths: Vec<usize> = self.rows().take(WIDTH_ROWS).map(|i| self.grid.filled(i).count()).collect();
        widths.sort_unstable();
        let runs = widths.chunk_by(|a, b| a == b);
        runs.map(|run| (run.len() * run[0], run[0])).max().map_or(1, |(_, width)| width.max(1))
    }

    /// Merges of more than one column that begin in a row, but not those over the whole table.
    pub fn merged_across(&self, i: usize) -> bool {
        let row = self.grid.number(i);
        self.grid
            .merges
            .in_row(row)
            .any(|merge| merge.first_row == row && merge.last_column > merge.first_column && !self.is_whole(merge))
    }

    fn is_whole(&self, merge: &Merge) -> bool {
        merge.first_column <= self.first_column && merge.last_column >= self.last_column
    }

    /// A text in header rows from `first` on is merged down to row `i`, but not far beyond.
    pub fn merged_down(&self, first: usize, i: usize) -> bool {
        let (top, row) = (self.grid.number(first), self.grid.number(i));
        self.grid.merges.in_row(row).any(|merge| {
            let within = merge.first_row >= top && merge.first_row < row && merge.last_row < top + 4;
            within && !self.is_whole(merge) && self.kind(i, merge.first_column) == Kind::Text
        })
    }

    /// Whether a row is a header of the rows below it.
    pub fn is_header(&self, i: usize) -> bool {
        let evidence = self.evidence(i);
        if evidence.differ != evidence.alike {
            return evidence.differ > evidence.alike;
        }
        let values = || self.columns().any(|column| matches!(self.kind(i, column), Kind::Number | Kind::Date));
        !evidence.recurs() && (evidence.differ > 0 || !values())
    }

    /// A row that is narrower than the table, but has labels over most columns of values and nothing else.
    pub fn labels_values(&self, i: usize) -> bool {
        let evidence = self.evidence(i);
        evidence.alike == 0 && evidence.differ > 1 && evidence.differ * 2 > evidence.values
    }

    /// Compares a row with those below it.
    pub fn evidence(&self, i: usize) -> Evidence {
        let below = || i + 1..=self.last.min(i + BELOW_ROWS);
        let years = self.columns().filter(|column| self.kind(i, *column) == Kind::Year).count();
        let mut found = Evidence { rows: below().count(), ..Evidence::default() };
        for column in self.columns() {
            let mut counts = Counts::default();
            for row in below() {
                counts.add(kind(&self.grid.at(row, column)));
            }
            found.values += usize::from(counts.mostly_values());
            match self.kind(i, column) {
                Kind::Text if counts.mostly_values() => found.differ += 1,
                Kind::Year if counts.numbers > counts.years && counts.mostly_values() && years > 1 => found.differ += 1,
                Kind::Date if counts.numbers > counts.dates && counts.mostly_values() => found.differ += 1,
                kind if kind.is_value() && counts.mostly_values() => found.alike += 1,
                Kind::Text => {
                    found.texts += 1;
                    found.again += usize::from(self.recurs(i, column, below()));
                }
                _ => {}
            }
        }
        found
    }

    fn recurs(&self, i: usize, column: u32, below: impl Iterator<Item = usize>) -> bool {
        let cell = self.grid.at(i, column);
        if cell.is_blank() {
            return false;
        }
        let same: HashSet<usize> = below.filter(|row| self.grid.at(*row, column) == cell).collect();
        same.iter().any(|row| !self.same_row(i, *row))
    }

    /// A header that stands once more below is no recurring value.
    fn same_row(&self, a: usize, b: usize) -> bool {
        self.grid.filled(a).nth(1).is_some() && self.grid.filled(a).eq(self.grid.filled(b))
    }
}

/// Kinds of the cells below.
#[derive(Default)]
struct Counts {
    numbers: usize,
    years: usize,
    dates: usize,
    texts: usize,
}

impl Counts {
    fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Number => self.numbers += 1,
            Kind::Year => self.years += 1,
            Kind::Date => self.dates += 1,
            Kind::Text => self.texts += 1,
            Kind::Blank => {}
        }
    }

    fn mostly_values(&self) -> bool {
        let values = self.numbers + self.years + self.dates;
        values > 0 && values * 10 >= (values + self.texts) * 7
    }
}
