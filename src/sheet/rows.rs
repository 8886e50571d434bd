//! The rows of a region on their way to the sink: what is data, what is kept apart, which notes are given.
//!
//! Must never happen: two scans that disagree; a row that reaches the sink neither as data nor as kept apart.

use std::sync::OnceLock;

use super::totals::{Rule, Verdicts, decide, row_text};
use super::{Kept, ReadError, RowSink};
use crate::note::{Note, Place, record_name};
use crate::value::Cell;

/// Characters of the cells outside a table in a note.
const SHOWN: usize = 200;

/// What comes with a row besides its cells.
#[derive(Debug, Default)]
pub(super) struct Extra {
    pub notes: Vec<Note>,
    /// Text of cells that stand outside the region's columns.
    pub outside: Option<String>,
    /// Cells that repeat a number merged over several rows.
    pub spread: Vec<usize>,
}

/// Takes a row: its 1-based number, its cells, and what comes with it.
pub(super) type TakeRow<'t> = dyn FnMut(u64, &[Cell<'_>], Extra) -> Result<(), ReadError> + 't;

/// The non-empty rows of a region below its header, in order, the same each time.
pub(super) trait Rows {
    fn each(&self, take: &mut TakeRow<'_>) -> Result<(), ReadError>;
}

/// Empties a row buffer for cells of another lifetime; its memory stays.
pub(super) fn recycle<'b>(mut cells: Vec<Cell<'_>>) -> Vec<Cell<'b>> {
    cells.clear();
    cells.into_iter().map(|_| Cell::Empty).collect()
}

/// Where a scan happens, for notes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    pub file: &'a str,
    pub sheet: &'a str,
    /// The table lies on its side.
    pub turned: bool,
}

impl Spot<'_> {
    pub fn row_note(&self, row: u64, code: &str, message: String) -> Note {
        Note::new(code, message).at(Place { row: Some(row), ..self.place() })
    }

    fn place(&self) -> Place<'_> {
        Place { file: self.file, sheet: self.sheet, turned: self.turned, ..Place::default() }
    }
}

/// The rows of a region with what they are judged by. `known` keeps what was decided for later scans.
#[derive(Clone, Copy)]
pub(super) struct Scan<'s> {
    pub rows: &'s dyn Rows,
    pub rule: Rule<'s>,
    pub known: &'s OnceLock<Verdicts>,
    pub spot: Spot<'s>,
}

impl Scan<'_> {
    /// Gives the rows to a sink.
    pub fn run(&self, sink: &mut dyn RowSink) -> Result<(), ReadError> {
        self.rows.each(&mut |row, cells, extra| {
            if let Some(why) = self.apart(row, cells)? {
                return sink.kept_apart(row, why, &row_text(cells, extra.outside.as_deref()));
            }
            if let Some(note) = self.doubt(row, cells) {
                sink.note(note)?;
            }
            self.give_extra(row, extra, sink)?;
            sink.row(row, cells)
        })
    }

    fn apart(&self, row: u64, cells: &[Cell<'_>]) -> Result<Option<Kept>, ReadError> {
        if self.rule.suspect(cells).is_none() {
            return Ok(cells.iter().all(Cell::is_blank).then_some(Kept::NoteLine));
        }
        if self.known.get().is_none() {
            // Another scan that was quicker decided the same.
            let _ = self.known.set(decide(self.rows, &self.rule)?);
        }
        Ok(self.known.get().and_then(|verdicts| verdicts.kept(row)))
    }

    fn doubt(&self, row: u64, cells: &[Cell<'_>]) -> Option<Note> {
        let doubted = self.known.get().is_some_and(|verdicts| verdicts.is_doubted(row));
        doubted.then(|| {
            let word =
                cells.iter().find(|cell| !cell.is_blank()).map(|cell| cell.text().into_owned()).unwrap_or_default();
            let message = format!(
                "{} begins with {word:?}, but its numbers are no sums; it is read as data",
                record_name(row, self.spot.turned)
            );
            self.spot.row_note(row, "totals_row_read_as_data", message)
        })
    }

    fn give_extra(&self, row: u64, extra: Extra, sink: &mut dyn RowSink) -> Result<(), ReadError> {
        for note in extra.notes {
            sink.note(note)?;
        }
        extra.spread.into_iter().for_each(|cell| sink.spread(cell));
        let Some(text) = extra.outside else { return Ok(()) };
        let text: String = text.chars().take(SHOWN).collect();
        let message = format!(
            "{} has cells outside the table's columns, which are not in it: {text}",
            record_name(row, self.spot.turned)
        );
        sink.note(self.spot.row_note(row, "cells_outside_table", message))
    }
}
