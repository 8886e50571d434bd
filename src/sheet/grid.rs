//! The used cells of one sheet, row by row: a far stray cell costs one cell, never a rectangle.
//!
//! Comes in: cells in any order. Goes out: rows in order, each a slice of used cells in column order.
//! Must never happen: memory beyond the used cells; a cell that is dropped.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::NaiveDateTime;

use crate::note::column_letters;
use crate::value::{Cell, UNCALCULATED};

/// A cell as the grid keeps it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stored {
    /// Number of a text in the grid's [`Texts`].
    Text(u32),
    Integer(i64),
    Decimal(f64),
    Flag(bool),
    DateTime(NaiveDateTime),
    Duration(f64),
    Error(&'static str),
}

/// A used cell: its 0-based column and what is in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Used {
    pub column: u32,
    pub stored: Stored,
}

/// The texts of a grid, one after the other in one buffer.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub all: String,
    pub ends: Vec<usize>,
}

impl Texts {
    /// Keeps a text and gives its number; `None` when there are too many.
    pub fn keep(&mut self, text: &str) -> Option<u32> {
        let number = u32::try_from(self.ends.len()).ok()?;
        self.all.push_str(text);
        self.ends.push(self.all.len());
        Some(number)
    }

    /// Bytes of all texts.
    pub fn bytes(&self) -> usize {
        self.all.len()
    }

    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends.get(number - 1).copied().unwrap_or(0) };
        self.ends.get(number).and_then(|end| self.all.get(start..*end)).unwrap_or("")
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct RowStart {
    /// 0-based row of the sheet.
    pub number: u32,
    /// Its first cell.
    pub start: usize,
}

/// The used cells of one sheet.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub rows: Vec<RowStart>,
    pub cells: Vec<Used>,
    pub texts: Texts,
    pub merges: Merges,
}

impl Grid {
    /// Rows that have a used cell.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// 0-based row of the sheet of the `i`-th used row.
    pub fn number(&self, i: usize) -> u32 {
        self.rows[i].number
    }

    /// The row as the user sees it.
    pub fn shown(&self, i: usize) -> u64 {
        u64::from(self.rows[i].number) + 1
    }

    /// The used cells of the `i`-th used row.
    pub fn used(&self, i: usize) -> &[Used] {
        let end = self.rows.get(i + 1).map_or(self.cells.len(), |next| next.start);
        &self.cells[self.rows[i].start..end]
    }

    pub fn cell(&self, stored: Stored) -> Cell<'_> {
        match stored {
            Stored::Text(number) => Cell::Text(Cow::Borrowed(self.texts.get(number))),
            Stored::Integer(n) => Cell::Integer(n),
            Stored::Decimal(x) => Cell::Decimal(x),
            Stored::Flag(flag) => Cell::Flag(flag),
            Stored::DateTime(at) => Cell::DateTime(at),
            Stored::Duration(seconds) => Cell::Duration(seconds),
            Stored::Error(error) => Cell::Error(error),
        }
    }

    /// The cell that stands at a column itself, without merges.
    pub fn at(&self, i: usize, column: u32) -> Cell<'_> {
        let used = self.used(i);
        match used.binary_search_by_key(&column, |cell| cell.column) {
            Ok(found) => self.cell(used[found].stored),
            Err(_) => Cell::Empty,
        }
    }

    /// The cell at a place, or the one that is merged over it.
    pub fn seen(&self, i: usize, column: u32) -> Cell<'_> {
        let own = self.at(i, column);
        if !own.is_blank() {
            return own;
        }
        let Some(merge) = self.merges.over(self.number(i), column) else { return own };
        match self.index_of(merge.first_row) {
            Some(first) => self.at(first, merge.first_column),
            None => own,
        }
    }

    /// The index of a 0-based row of the sheet.
    pub fn index_of(&self, number: u32) -> Option<usize> {
        self.rows.binary_search_by_key(&number, |row| row.number).ok()
    }

    /// The columns that have a cell, `D:F`.
    pub fn area(&self) -> Option<String> {
        let columns = || (0..self.len()).flat_map(|i| self.filled(i).map(|(column, _)| column as usize));
        Some(format!("{}:{}", column_letters(columns().min()?), column_letters(columns().max()?)))
    }

    /// Cells that are not blank in the `i`-th used row.
    pub fn filled(&self, i: usize) -> impl Iterator<Item = (u32, Cell<'_>)> {
        self.used(i).iter().map(|used| (used.column, self.cell(used.stored))).filter(|(_, cell)| !cell.is_blank())
    }

    pub fn set_merges(&mut self, merges: Vec<Merge>) {
        self.merges = Merges::new(merges);
    }

    /// With further cells in their places: a text, or a formula without a value. Merges are set afterwards.
    pub fn with<'t>(self, cells: impl Iterator<Item = (u32, u32, Option<&'t str>)>) -> Grid {
        let mut cells = cells.peekable();
        if cells.peek().is_none() {
            return self;
        }
        let mut builder = GridBuilder { grid: self, late: Vec::new() };
        for (row, column, text) in cells {
            let stored = match text {
                Some(text) => builder.texts().keep(text).map(Stored::Text),
                None => Some(Stored::Error(UNCALCULATED)),
            };
            builder.late.extend(stored.map(|stored| (row, Used { column, stored })));
        }
        builder.build()
    }

    /// The cells and merges of some columns, at their places.
    pub fn part(&self, (first, last): (u32, u32)) -> Grid {
        let mut part = GridBuilder::default();
        // Shared texts stay shared.
        let mut kept: HashMap<u32, u32> = HashMap::new();
        for i in 0..self.len() {
            for used in self.used(i).iter().filter(|used| (first..=last).contains(&used.column)) {
                let stored = match used.stored {
                    Stored::Text(number) => match kept.entry(number) {
                        Entry::Occupied(known) => Some(*known.get()),
                        Entry::Vacant(new) => part.texts().keep(self.texts.get(number)).map(|kept| *new.insert(kept)),
                    }
                    .map(Stored::Text),
                    stored => Some(stored),
                };
                if let Some(stored) = stored {
                    part.push(self.number(i), used.column, stored);
                }
            }
        }
        let mut part = part.build();
        let inside = |merge: &&Merge| merge.first_column >= first && merge.last_column <= last;
        part.set_merges(self.merges.all().iter().filter(inside).copied().collect());
        part
    }

    /// Takes rows without a filled cell out.
    fn drop_blank_rows(&mut self) {
        let keep: Vec<RowStart> =
            (0..self.rows.len()).filter(|i| self.filled(*i).next().is_some()).map(|i| self.rows[i]).collect();
        if keep.len() == self.rows.len() {
            return;
        }
        let mut cells = Vec::with_capacity(self.cells.len());
        let mut rows = Vec::with_capacity(keep.len());
        for row in keep {
            let Some(i) = self.index_of(row.number) else { continue };
            rows.push(RowStart { number: row.number, start: cells.len() });
            cells.extend_from_slice(self.used(i));
        }
        self.rows = rows;
        self.cells = cells;
    }
}

/// Gathers cells into a [`Grid`].
#[derive(Debug, Default)]
pub(super) struct GridBuilder {
    grid: Grid,
    /// Cells whose row comes before one already there.
    late: Vec<(u32, Used)>,
}

impl GridBuilder {
    /// Cells so far.
    pub fn len(&self) -> usize {
        self.grid.cells.len() + self.late.len()
    }

    pub fn texts(&mut self) -> &mut Texts {
        &mut self.grid.texts
    }

    /// Takes a cell; says whether it begins a row.
    pub fn push(&mut self, row: u32, column: u32, stored: Stored) -> bool {
        let used = Used { column, stored };
        match self.grid.rows.last() {
            Some(last) if last.number == row => {
                let in_order =
                    self.grid.cells.len() == last.start || self.grid.cells.last().is_some_and(|c| c.column < column);
                if in_order { self.grid.cells.push(used) } else { self.late.push((row, used)) }
            }
            Some(last) if last.number > row => self.late.push((row, used)),
            _ => {
                self.grid.rows.push(RowStart { number: row, start: self.grid.cells.len() });
                self.grid.cells.push(used);
                return true;
            }
        }
        false
    }

    pub fn build(mut self) -> Grid {
        if !self.late.is_empty() {
            self.sort();
        }
        self.grid.drop_blank_rows();
        self.grid
    }

    /// Puts late cells in their place; of two cells in one place the later one stays.
    fn sort(&mut self) {
        let mut all: Vec<(u32, Used)> = Vec::with_capacity(self.len());
        for i in 0..self.grid.len() {
            let number = self.grid.number(i);
            all.extend(self.grid.used(i).iter().map(|used| (number, *used)));
        }
        all.append(&mut self.late);
        all.sort_by_key(|(row, used)| (*row, used.column));
        all.reverse();
        all.dedup_by_key(|(row, used)| (*row, used.column));
        all.reverse();
        self.grid.rows.clear();
        self.grid.cells.clear();
        for (row, used) in all {
            self.push(row, used.column, used.stored);
        }
    }
}

/// A merged range, 0-based, both ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merge {
    pub first_row: u32,
    pub last_row: u32,
    pub first_column: u32,
    pub last_column: u32,
}

/// The merged ranges of a sheet by their first row. Ranges are searched only in rows that have cells, so a merge over the whole sheet costs nothing.
#[derive(Debug, Default)]
pub(super) struct Merges {
    /// Sorted by first row.
    ranges: Vec<Merge>,
    /// The last row of any range up to here.
    reach: Vec<u32>,
}

/// Merged ranges looked at for one place; a sheet written by a program has no two over one place.
const MAX_LOOKS: usize = 4_096;

impl Merges {
    fn new(mut ranges: Vec<Merge>) -> Self {
        ranges.sort_by_key(|merge| (merge.first_row, merge.first_column));
        let reach = ranges
            .iter()
            .scan(0, |reach, merge| {
                *reach = merge.last_row.max(*reach);
                Some(*reach)
            })
            .collect();
        Self { ranges, reach }
    }

    pub fn all(&self) -> &[Merge] {
        &self.ranges
    }

    /// A walk down the rows with the ranges over each that begin in some columns, given in order.
    pub fn walk<'m>(&'m self, columns: &'m [u32]) -> MergeWalk<'m> {
        MergeWalk { coming: &self.ranges, columns, over: Vec::new() }
    }

    /// The range over a place.
    pub fn over(&self, row: u32, column: u32) -> Option<&Merge> {
        self.in_row(row).find(|merge| merge.first_column <= column && column <= merge.last_column)
    }

    /// The ranges over a row.
    pub fn in_row(&self, row: u32) -> impl Iterator<Item = &Merge> {
        let end = self.ranges.partition_point(|merge| merge.first_row <= row);
        (0..end)
            .rev()
            .take(MAX_LOOKS)
            .take_while(move |i| self.reach[*i] >= row)
            .map(|i| &self.ranges[i])
            .filter(move |merge| merge.last_row >= row)
    }
}

/// The ranges over one row after the other, one for each column where they begin.
pub(super) struct MergeWalk<'m> {
    coming: &'m [Merge],
    columns: &'m [u32],
    over: Vec<Merge>,
}

impl MergeWalk<'_> {
    /// The ranges over a row; rows must come in order.
    pub fn at(&mut self, row: u32) -> &[Merge] {
        if !self.over.is_empty() {
            self.over.retain(|merge| merge.last_row >= row);
        }
        while let Some((merge, rest)) = self.coming.split_first().filter(|(merge, _)| merge.first_row <= row) {
            self.coming = rest;
            if merge.last_row >= row && self.has_room(merge) {
                self.over.push(*merge);
            }
        }
        &self.over
    }

    /// It begins in one of the columns, and no other over the row does.
    fn has_room(&self, merge: &Merge) -> bool {
        self.columns.binary_search(&merge.first_column).is_ok()
            && self.over.iter().all(|other| other.first_column != merge.first_column)
    }
}
