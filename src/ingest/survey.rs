//! First pass over a file: what its columns hold and which rows are data.

use std::path::PathBuf;

use super::notes::Notes;
use super::report::{FileReport, SheetReport};
use super::upload::Upload;
use crate::config::ReadLimits;
use crate::ids::Id;
use crate::note::{Note, Place};
use crate::schema::{Profile, RowSet, Shape};
use crate::sheet::{Book, Kept, Progress, ReadError, Region, RowSink, SheetKind};
use crate::value::Cell;

/// A file that was read once and will be written.
pub struct Reading {
    pub upload: Upload,
    /// SHA-256 of its bytes, and their number.
    pub hash: String,
    pub size: u64,
    /// Where its bytes are kept.
    pub stored: PathBuf,
    /// The document that it is or becomes.
    pub document: Id,
    pub book: Book,
    /// The regions that hold a table.
    pub surveys: Vec<Survey>,
    pub report: FileReport,
    pub progress: Progress<'static>,
}

/// One region with a table.
pub struct Survey {
    /// Its number in `Book::regions`, and of its entry in the report.
    pub region: usize,
    pub labels: Vec<String>,
    pub shape: Shape,
    /// One for each column.
    pub profiles: Vec<Profile>,
    pub rows: RowSet,
}

impl Reading {
    /// Reads the file through once.
    pub fn survey(
        upload: Upload,
        (hash, size): (String, u64),
        stored: PathBuf,
        document: Id,
        limits: &ReadLimits,
        progress: &Progress<'static>,
    ) -> Result<Self, ReadError> {
        let book = Book::watched(&stored, &upload.name, &upload.options, limits, progress)?;
        let mut report = FileReport {
            file: upload.name.clone(),
            format: Some(word(&book.format)),
            encoding: book.encoding.clone(),
            delimiter: book.delimiter.map(String::from),
            ..FileReport::default()
        };
        let mut notes = Notes::new(limits.max_places);
        book.notes.iter().cloned().for_each(|note| notes.push(note));
        let mut surveys = Vec::new();
        for (n, region) in book.regions.iter().enumerate() {
            let mut sheet = described(region);
            if !region.columns.is_empty() {
                let mut surveyor = Surveyor::new(&upload.name, region, &mut sheet, &mut notes, progress);
                book.scan(n, &mut surveyor)?;
                surveys.push(surveyor.finish(n));
            }
            report.sheets.push(sheet);
        }
        report.notes = notes.finish();
        Ok(Self { upload, hash, size, stored, document, book, surveys, report, progress: progress.clone() })
    }
}

/// The word that a value is serialised as.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|json| json.as_str().map(str::to_owned)).unwrap_or_default()
}

fn described(region: &Region) -> SheetReport {
    let kind = if region.hidden && region.kind == SheetKind::Data { SheetKind::Hidden } else { region.kind };
    SheetReport {
        name: region.name(),
        kind: word(&kind),
        header_rows: region.header_rows.clone(),
        titles: region.titles.clone(),
        part: region.part,
        hidden: region.hidden,
        turned: region.turned,
        ..SheetReport::default()
    }
}

/// Takes the rows of the first pass.
struct Surveyor<'a> {
    file: &'a str,
    region: &'a Region,
    profiles: Vec<Profile>,
    rows: RowSet,
    sheet: &'a mut SheetReport,
    notes: &'a mut Notes,
    progress: &'a Progress<'static>,
}

impl<'a> Surveyor<'a> {
    fn new(
        file: &'a str,
        region: &'a Region,
        sheet: &'a mut SheetReport,
        notes: &'a mut Notes,
        progress: &'a Progress<'static>,
    ) -> Self {
        let profiles = vec![Profile::default(); region.columns.len()];
        Self { file, region, profiles, rows: RowSet::default(), sheet, notes, progress }
    }

    fn seen(&mut self, row: u64) -> Result<(), ReadError> {
        if self.sheet.rows_read == 0 {
            self.sheet.first_row = row;
        }
        self.sheet.last_row = row;
        self.sheet.rows_read += 1;
        self.progress.step(&self.sheet.name, self.sheet.rows_read)
    }

    fn finish(self, region: usize) -> Survey {
        self.sheet.rows_stored = self.rows.rows;
        let labels: Vec<String> = self.region.columns.iter().map(|column| column.label.clone()).collect();
        let shape = Shape::of(labels.iter().map(String::as_str));
        Survey { region, labels, shape, profiles: self.profiles, rows: self.rows }
    }
}

impl RowSink for Surveyor<'_> {
    fn row(&mut self, row: u64, cells: &[Cell<'_>]) -> Result<(), ReadError> {
        self.seen(row)?;
        self.rows.add(cells);
        for (profile, cell) in self.profiles.iter_mut().zip(cells) {
            profile.observe(cell);
        }
        Ok(())
    }

    fn kept_apart(&mut self, row: u64, why: Kept, text: &str) -> Result<(), ReadError> {
        self.seen(row)?;
        self.sheet.rows_reported += 1;
        let (code, what) = match why {
            Kept::Totals => ("totals_row_kept_apart", "a totals row is kept out of the data"),
            Kept::NoteLine => ("note_line_kept_apart", "a note line is kept out of the data"),
            Kept::RepeatedHeader => {
                ("repeated_header_kept_apart", "the header is repeated here and is kept out of the data")
            }
        };
        let short: String = text.chars().take(80).collect();
        let place = Place { row: Some(row), ..self.region.place(self.file) };
        self.notes.push(Note::new(code, format!("{what}: {short}")).at(place));
        Ok(())
    }

    fn spread(&mut self, cell: usize) {
        self.profiles.iter_mut().skip(cell).take(1).for_each(Profile::observe_spread);
    }

    fn note(&mut self, note: Note) -> Result<(), ReadError> {
        self.notes.push(note);
        Ok(())
    }
}
