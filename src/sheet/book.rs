//! A file as regions of cells: the one way in to reading.
//!
//! Comes in: a path and the name that the user gave the file. Goes out: a [`Book`].
//! Must never happen: a file read by its name instead of its content; a sheet that is not named in the regions.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;

use super::child;
use super::chosen;
use super::delimited::{Delimited, DelimitedRows};
use super::form::Form;
use super::format::{self, Found};
use super::grid::Grid;
use super::layout::{self, Span};
use super::regions::{self, Block};
use super::rows::{Scan, Spot};
use super::sheet_rows::SheetRows;
use super::tables;
use super::totals::{Rule, Verdicts};
use super::workbook::{self, Sheet};
use super::{Column, Format, Progress, ReadError, ReadOptions, Region, RowSink};
use crate::config::ReadLimits;
use crate::note::{Note, Place, column_letters};

/// One file, read into regions whose rows can be scanned any number of times.
#[derive(Debug)]
pub struct Book {
    /// The file's name, without its folder.
    pub file: String,
    pub format: Format,
    /// Of delimited text.
    pub encoding: Option<String>,
    /// Of delimited text.
    pub delimiter: Option<char>,
    pub regions: Vec<Region>,
    /// About the file and its headers.
    pub notes: Vec<Note>,
    source: Source,
    /// One for each region.
    pub(super) bodies: Vec<Body>,
    keep_totals: bool,
    max_rows: u64,
}

#[derive(Debug)]
pub(super) enum Source {
    Sheets(Vec<Sheet>),
    Text(Delimited),
}

/// What scanning a region needs besides its description.
#[derive(Debug)]
pub(super) struct Body {
    /// Number of the sheet.
    pub(super) sheet: usize,
    /// First and last row of the body, as indexes into the grid.
    pub(super) rows: (usize, usize),
    /// The row before the first and the last row of the body in a text, 1-based.
    pub(super) span: (u64, u64),
    /// Text of each header row for each column.
    pub(super) header: Vec<Vec<String>>,
    pub(super) known: OnceLock<Verdicts>,
}

impl Book {
    /// Reads a file's structure. `name` is what the user calls the file; `path` is where its bytes are.
    pub fn open(path: &Path, name: &str, options: &ReadOptions, limits: &ReadLimits) -> Result<Book, ReadError> {
        Self::watched(path, name, options, limits, &Progress::default())
    }

    /// The same for someone who waits.
    pub fn watched(
        path: &Path,
        name: &str,
        options: &ReadOptions,
        limits: &ReadLimits,
        progress: &Progress<'_>,
    ) -> Result<Book, ReadError> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
        let failed = |source| ReadError::Io { file: file.clone(), source };
        let mut bytes = File::open(path).map_err(failed)?;
        let length = bytes.metadata().map_err(failed)?.len();
        check(length, limits.max_file_bytes, &file, "the file's size", "read.max_file_bytes")?;
        match format::sniff(&mut bytes, length).map_err(failed)? {
            Found::Empty => Err(ReadError::Empty { file }),
            Found::Damaged(detail) => Err(ReadError::Damaged { file, detail }),
            Found::Other(found, hint) => {
                Err(ReadError::Unsupported { file, found: found.to_owned(), hint: hint.to_owned() })
            }
            Found::Text => Self::of_text(path, file, options, limits),
            Found::Workbook { format, unpacked } => {
                check(unpacked, limits.max_unpacked_bytes, &file, "the unpacked size", "read.max_unpacked_bytes")?;
                let apart = child::read(path, format, &file, options, limits, progress);
                let sheets = match apart {
                    Some(sheets) => sheets?,
                    None => {
                        let bytes = std::fs::read(path).map_err(failed)?;
                        workbook::read(&bytes, format, &file, options, limits, progress)?
                    }
                };
                Self::of_sheets(sheets, format, file, options, limits)
            }
        }
    }

    /// Streams the rows of `regions[i]`; the same rows each time. There are none where there is no such region.
    pub fn scan(&self, i: usize, sink: &mut dyn RowSink) -> Result<(), ReadError> {
        let (Some(region), Some(body)) = (self.regions.get(i), self.bodies.get(i)) else { return Ok(()) };
        if region.columns.is_empty() {
            return Ok(());
        }
        let spot = Spot { file: &self.file, sheet: &region.sheet, turned: region.turned };
        let rule = Rule { header: &body.header, keep_totals: self.keep_totals };
        let known = &body.known;
        match &self.source {
            Source::Text(text) => {
                let columns: Vec<usize> = region.columns.iter().map(|column| column.index).collect();
                let rows = DelimitedRows { text, columns: &columns, span: body.span, spot };
                Scan { rows: &rows, rule, known, spot }.run(sink)
            }
            Source::Sheets(sheets) => {
                let Some(sheet) = sheets.get(body.sheet) else { return Ok(()) };
                let columns: Vec<u32> = region.columns.iter().map(|column| column.index as u32).collect();
                let rows =
                    SheetRows { grid: &sheet.grid, rows: body.rows, columns: &columns, spot, max_rows: self.max_rows };
                Scan { rows: &rows, rule, known, spot }.run(sink)
            }
        }
    }

    pub(super) fn empty(
        file: String,
        format: Format,
        options: &ReadOptions,
        limits: &ReadLimits,
        source: Source,
    ) -> Self {
        Self {
            file,
            format,
            encoding: None,
            delimiter: None,
            regions: Vec::new(),
            notes: Vec::new(),
            source,
            bodies: Vec::new(),
            keep_totals: options.keep_totals,
            max_rows: limits.max_rows,
        }
    }

    pub(super) fn of_sheets(
        sheets: Vec<Sheet>,
        format: Format,
        file: String,
        options: &ReadOptions,
        limits: &ReadLimits,
    ) -> Result<Self, ReadError> {
        if sheets.is_empty() {
            return Err(ReadError::Damaged { file, detail: "there is no sheet in it".to_owned() });
        }
        let broken = sheets.iter().find_map(|sheet| sheet.failure.clone());
        if let (Some(detail), true) = (broken, sheets.iter().all(|sheet| sheet.grid.len() == 0)) {
            return Err(ReadError::Damaged { file, detail });
        }
        let last = sheets.iter().map(|sheet| chosen::last_row(&sheet.grid)).max().unwrap_or(0);
        chosen::header(options, last, &file)?;
        let chosen = options.header_rows.is_some();
        let sheets: Vec<Sheet> = sheets
            .into_iter()
            .flat_map(|sheet| if chosen { vec![sheet] } else { tables::of(sheet, options) })
            .collect();
        let names: Vec<&str> = sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        let missing = chosen::missing(options, &names, &file);
        let mut book = Self::empty(file, format, options, limits, Source::Sheets(Vec::new()));
        book.notes = missing;
        for (number, sheet) in sheets.iter().enumerate() {
            book.add_sheet(number, sheet, options, limits)?;
        }
        book.source = Source::Sheets(sheets);
        Ok(book)
    }

    fn add_sheet(
        &mut self,
        number: usize,
        sheet: &Sheet,
        options: &ReadOptions,
        limits: &ReadLimits,
    ) -> Result<(), ReadError> {
        let turned = sheet.turned;
        let place = Place { file: &self.file, sheet: &sheet.name, turned, ..Place::default() };
        if let Some(why) = &sheet.failure {
            let message = format!("sheet {:?} could not be read: {why}", sheet.name);
            self.notes.push(Note::new("sheet_not_read", message).at(&place));
        }
        self.notes.extend(hidden_notes(sheet, &place));
        if let Err(error) = chosen::header(options, chosen::last_row(&sheet.grid), &self.file) {
            self.notes.push(Note::new("no_such_header_row", error.to_string()).at(&place));
        }
        let blocks = match turned {
            true => regions::turned(&sheet.grid, &sheet.titles),
            false => regions::find(&sheet.grid, options.header_rows),
        };
        if blocks.is_empty() {
            self.regions.push(empty_region(sheet));
            self.bodies.push(Body {
                sheet: number,
                rows: (0, 0),
                span: (0, 0),
                header: Vec::new(),
                known: OnceLock::new(),
            });
        }
        let beside = self.regions.iter().filter(|region| region.sheet == sheet.name).count();
        for (i, block) in blocks.into_iter().enumerate() {
            let place = Place { file: &self.file, sheet: &sheet.name, turned, ..Place::default() };
            let (mut columns, notes) = columns(&block, &place, limits, &self.file)?;
            let hidden = if turned { &sheet.hidden_rows } else { &sheet.hidden_columns };
            for column in &mut columns {
                column.hidden = within(hidden, column.index as u32);
            }
            let header = header_texts(&sheet.grid, &block);
            self.bodies.push(Body {
                sheet: number,
                rows: (block.header.body, block.last),
                span: (0, 0),
                header,
                known: OnceLock::new(),
            });
            self.regions.push(Region {
                sheet: sheet.name.clone(),
                kind: sheet.kind,
                hidden: sheet.hidden,
                part: beside + i + 1,
                area: sheet.area.clone(),
                turned,
                header_rows: block.header.rows.iter().map(|row| sheet.grid.shown(*row)).collect(),
                titles: block.header.titles.clone(),
                columns,
            });
            let undecided = options.transposed.is_none() || block.form != Some(Form::OnItsSide);
            let form = form_note(&block, &place).filter(|_| undecided);
            self.notes.extend(notes.into_iter().chain(form));
        }
        Ok(())
    }
}

pub(super) fn form_note(block: &Block, place: &Place<'_>) -> Option<Note> {
    let (code, message) = match block.form? {
        Form::NamesAndValues => {
            ("form_read_as_pairs", "this is a form of names and values, not a table; each pair is read as a row")
        }
        Form::OnItsSide => (
            "table_on_its_side",
            "the table seems to lie on its side, one record in each column; it is read row by row as it stands, or by its columns with --transposed",
        ),
        Form::Turned => (
            "table_turned",
            "the table lies on its side; each column is read as a record, and --transposed=no reads it row by row",
        ),
    };
    Some(Note::new(code, message).at(place))
}

/// Says which rows and columns of a sheet are hidden: they are read like the others.
fn hidden_notes(sheet: &Sheet, place: &Place<'_>) -> Vec<Note> {
    let grid = &sheet.grid;
    let (down, across) = match sheet.turned {
        false => (&sheet.hidden_rows, &sheet.hidden_columns),
        true => (&sheet.hidden_columns, &sheet.hidden_rows),
    };
    let down = (0..grid.len()).map(|i| grid.number(i)).filter(|row| within(down, *row)).collect();
    let looked = if across.is_empty() { 0 } else { grid.len() };
    let used = (0..looked).flat_map(|i| grid.filled(i).map(|(column, _)| column));
    let used: BTreeSet<u32> = used.filter(|column| within(across, *column)).collect();
    let (rows, used) = if sheet.turned { (used, down) } else { (down, used) };
    let mut notes = Vec::new();
    if !rows.is_empty() {
        let spans = layout::joined(rows.iter().map(|row| (*row, *row)).collect());
        let list = listed(&spans, |row| (u64::from(row) + 1).to_string());
        let message = format!("{} hidden rows are read like the others: {list}", rows.len());
        notes.push(Note::new("hidden_rows", message).at(place));
    }
    if !used.is_empty() {
        let spans = layout::joined(used.iter().map(|column| (*column, *column)).collect());
        let list = listed(&spans, |column| column_letters(column as usize));
        let message = format!("{} hidden columns are read like the others: {list}", used.len());
        notes.push(Note::new("hidden_columns", message).at(place));
    }
    notes
}

fn within(spans: &[Span], n: u32) -> bool {
    let end = spans.partition_point(|span| span.0 <= n);
    end > 0 && spans[end - 1].1 >= n
}

/// Spans listed in one note.
const LISTED: usize = 8;

fn listed(spans: &[Span], name: impl Fn(u32) -> String) -> String {
    let one =
        |span: &Span| if span.0 == span.1 { name(span.0) } else { format!("{}–{}", name(span.0), name(span.1)) };
    let more = if spans.len() > LISTED { ", …" } else { "" };
    spans.iter().take(LISTED).map(one).collect::<Vec<_>>().join(", ") + more
}

fn empty_region(sheet: &Sheet) -> Region {
    Region {
        sheet: sheet.name.clone(),
        kind: sheet.kind,
        hidden: sheet.hidden,
        part: 1,
        area: None,
        turned: false,
        header_rows: Vec::new(),
        titles: Vec::new(),
        columns: Vec::new(),
    }
}

pub(super) fn columns(
    block: &Block,
    place: &Place<'_>,
    limits: &ReadLimits,
    file: &str,
) -> Result<(Vec<Column>, Vec<Note>), ReadError> {
    let count = block.columns.len() as u64;
    check(count, limits.max_columns as u64, file, "the number of columns", "read.max_columns")?;
    let mut labels = block.columns.clone();
    let notes = super::labels::complete(&mut labels, place);
    let column = |(index, label): (u32, String)| Column { label, index: index as usize, hidden: false };
    Ok((labels.into_iter().map(column).collect(), notes))
}

pub(super) fn header_texts(grid: &Grid, block: &Block) -> Vec<Vec<String>> {
    let text = |row: usize, column: u32| grid.at(row, column).text().trim().to_owned();
    let texts = |row: &usize| block.columns.iter().map(|(column, _)| text(*row, *column)).collect();
    block.header.rows.iter().map(texts).collect()
}

pub(super) fn check(found: u64, limit: u64, file: &str, what: &str, setting: &'static str) -> Result<(), ReadError> {
    if found <= limit {
        return Ok(());
    }
    Err(ReadError::TooLarge { file: file.to_owned(), what: what.to_owned(), limit, setting })
}
