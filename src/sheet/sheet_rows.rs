//! The rows of a region of a workbook sheet, with merged cells given to each row that they cover.
//!
//! Must never happen: a merge that fills rows without cells; a cell outside the columns that goes unsaid.

use super::ReadError;
use super::grid::{Grid, Merge};
use super::kind::{Kind, kind};
use super::rows::{Extra, Rows, Spot, TakeRow, recycle};
use crate::note::{Note, Place, column_letters};
use crate::value::Cell;

/// The body of a region.
pub(super) struct SheetRows<'s> {
    pub grid: &'s Grid,
    /// Indexes into the grid, both ends in.
    pub rows: (usize, usize),
    /// 0-based columns of the sheet, ascending.
    pub columns: &'s [u32],
    pub spot: Spot<'s>,
    pub max_rows: u64,
}

impl Rows for SheetRows<'_> {
    fn each(&self, take: &mut TakeRow<'_>) -> Result<(), ReadError> {
        let end = (self.rows.1 + 1).min(self.grid.len());
        if (end.saturating_sub(self.rows.0)) as u64 > self.max_rows {
            return Err(ReadError::TooLarge {
                file: self.spot.file.to_owned(),
                what: "the number of rows".to_owned(),
                limit: self.max_rows,
                setting: "read.max_rows",
            });
        }
        let mut cells = Vec::with_capacity(self.columns.len());
        let mut merges = self.grid.merges.walk(self.columns);
        for i in self.rows.0..end {
            cells = recycle(cells);
            let mut extra = Extra { outside: self.fill(i, &mut cells), ..Extra::default() };
            let row = self.grid.number(i);
            self.spread(row, merges.at(row), &mut cells, &mut extra);
            take(self.grid.shown(i), &cells, extra)?;
        }
        Ok(())
    }
}

impl<'s> SheetRows<'s> {
    /// Puts a row's own cells in their columns; gives the text of those outside.
    fn fill(&self, i: usize, cells: &mut Vec<Cell<'s>>) -> Option<String> {
        let mut outside: Option<String> = None;
        for used in self.grid.used(i) {
            let mut place = cells.len();
            while self.columns.get(place).is_some_and(|column| *column < used.column) {
                cells.push(Cell::Empty);
                place += 1;
            }
            let cell = self.grid.cell(used.stored);
            if self.columns.get(place) == Some(&used.column) {
                cells.push(cell);
            } else if !cell.is_blank() {
                let column = used.column as usize;
                let name = if self.spot.turned { (column + 1).to_string() } else { column_letters(column) };
                let text = format!("{name}: {}", cell.text());
                outside = Some(outside.map_or_else(|| text.clone(), |before| format!("{before} | {text}")));
            }
        }
        cells.resize(self.columns.len(), Cell::Empty);
        outside
    }

    /// Gives merged cells to a row that they cover. A merge over several columns keeps its value in the first one, and that is noted.
    fn spread(&self, row: u32, merges: &[Merge], cells: &mut [Cell<'s>], extra: &mut Extra) {
        for merge in merges {
            let Ok(place) = self.columns.binary_search(&merge.first_column) else { continue };
            let first = self.grid.index_of(merge.first_row).filter(|first| *first >= self.rows.0);
            if let Some(first) = first.filter(|_| merge.first_row < row && cells[place].is_blank()) {
                cells[place] = self.grid.at(first, merge.first_column);
                extra.spread.extend(matches!(kind(&cells[place]), Kind::Number | Kind::Year).then_some(place));
            }
            if merge.first_row == row && !cells[place].is_blank() {
                extra.notes.extend(self.merge_note(merge));
            }
        }
    }

    fn merge_note(&self, merge: &Merge) -> Option<Note> {
        let wide = self.columns.iter().filter(|c| (merge.first_column..=merge.last_column).contains(*c)).count() > 1;
        let tall = merge.last_row > merge.first_row;
        let range = format!(
            "{}{}:{}{}",
            column_letters(merge.first_column as usize),
            u64::from(merge.first_row) + 1,
            column_letters(merge.last_column as usize),
            u64::from(merge.last_row) + 1
        );
        let (code, message) = match (tall, wide) {
            (_, true) => (
                "merged_across_columns",
                format!("{range} is merged over several columns; its value is read in the first one only"),
            ),
            (true, false) => {
                ("merged_cell_spread", format!("{range} is merged; its value is read in each of its rows"))
            }
            (false, false) => return None,
        };
        let place = Place {
            file: self.spot.file,
            sheet: self.spot.sheet,
            row: Some(u64::from(merge.first_row) + 1),
            column: Some(merge.first_column as usize),
            turned: self.spot.turned,
        };
        Some(Note::new(code, message).at(place))
    }
}
