//! Delimited text: found out from a bounded sample, then streamed.
//!
//! Comes in: a file. Goes out: its records with the row numbers that a spreadsheet program would show.
//! Must never happen: the whole file in memory; a surplus cell that is lost without a note.

use std::borrow::Cow;
use std::cell::Cell as Flag;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use csv::ByteRecord;

use super::aligned::{self, Aligned};
use super::dialect::{self, Dialect, ESCAPED, Unescaped};
use super::encoding::{self, Code, Coding};
use super::grid::{Grid, GridBuilder, Stored};
use super::quotes::{Most, Quotes, Strays};
use super::rows::{Extra, Rows, Spot, TakeRow, recycle};
use super::sections::Gaps;
use super::{Format, ReadError, ReadOptions};
use super::{beside, regions, side};
use crate::config::ReadLimits;
use crate::note::Note;
use crate::value::Cell;

/// Records looked at for the header, and cells of them: far more than may be columns.
const HEAD_ROWS: usize = 400;
const HEAD_CELLS: usize = 1 << 22;

/// A delimited text file, ready to be streamed.
#[derive(Debug)]
pub(super) struct Delimited {
    path: PathBuf,
    file: String,
    /// Its bytes.
    pub length: u64,
    pub coding: Coding,
    pub dialect: Dialect,
    /// Lines before the text, `sep=` and comments, and the text of the comments.
    lines_before: u64,
    pub comments: Vec<String>,
    max_rows: u64,
    most: Most,
    sniff_bytes: usize,
    /// Where its lines are cut, if its columns are aligned by blanks.
    cuts: Vec<usize>,
    /// It is long and may go on behind a blank line.
    pub gaps: bool,
    /// It was seen whole and has no byte that can't be decoded.
    short: bool,
}

impl Delimited {
    /// Finds encoding and dialect; reads at most `sniff_bytes` and checks the rest for its encoding.
    pub fn open(path: &Path, file: &str, limits: &ReadLimits) -> Result<Self, ReadError> {
        let failed = |source| ReadError::Io { file: file.to_owned(), source };
        let mut source = File::open(path).map_err(failed)?;
        let sample = sample(&mut source, limits.sniff_bytes).map_err(failed)?;
        let whole = sample.len() < limits.sniff_bytes;
        let mut coding = encoding::detect(&sample, whole);
        let mut gaps = false;
        if coding == (Coding { code: Code::Utf8, mark: 0 }) && !whole {
            (coding, gaps) = checked(&mut source, &sample).map_err(failed)?;
        } else if !whole {
            let wide = matches!(coding.code, Code::Utf32 { .. }) || coding.is_utf16();
            source.seek(SeekFrom::Start(0)).map_err(failed)?;
            gaps = Gaps::of(&mut source, wide).map_err(failed)?;
        }
        let mut text = Vec::new();
        let broken = Rc::new(Flag::new(false));
        let rest = sample.get(coding.mark..).unwrap_or_default();
        coding.reader(Box::new(rest), broken).read_to_end(&mut text).map_err(failed)?;
        let bytes = text;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
        let mut dialect = dialect::sniff(text, whole);
        let cuts = aligned::cuts(text.get(dialect.skip..).unwrap_or_default(), dialect.delimiter);
        if !cuts.is_empty() {
            (dialect.delimiter, dialect.backslash, dialect.escaped) = (aligned::JOINT, false, false);
        }
        let before = text.get(..dialect.skip).unwrap_or_default().replace("\r\n", "\n");
        let lines = || before.split_terminator(['\n', '\r']);
        dialect.skip = encoding::raw_length(&bytes, dialect.skip);
        let comment = |line: &str| line.strip_prefix('#').map(|line| line.trim_start_matches('#').trim().to_owned());
        Ok(Self {
            path: path.to_owned(),
            file: file.to_owned(),
            length: source.metadata().map_err(failed)?.len(),
            coding,
            dialect,
            lines_before: lines().count() as u64,
            comments: lines().filter_map(comment).filter(|line| !line.is_empty()).collect(),
            max_rows: limits.max_rows,
            most: Most { quoted: limits.max_record_bytes, line: limits.max_line_bytes },
            sniff_bytes: limits.sniff_bytes,
            gaps,
            cuts,
            short: whole && !text.contains(char::REPLACEMENT_CHARACTER),
        })
    }

    /// The first records as a grid, for finding the header.
    pub fn head(&self, options: &ReadOptions) -> Result<Grid, ReadError> {
        Ok(self.grid(HEAD_ROWS.saturating_add(options.header_rows.map_or(0, |(_, last)| last as usize)))?.0)
    }

    /// All cells of a short text that has tables below each other, side by side or on their side, and its rows with quotes that
    /// don't close.
    pub fn several_tables(&self, options: &ReadOptions) -> Result<Option<(Grid, Vec<u64>)>, ReadError> {
        let turned = options.transposed == Some(true);
        if !self.short && turned {
            return Err(ReadError::TooLarge {
                file: self.file.clone(),
                what: "a text with a table on its side".to_owned(),
                limit: self.sniff_bytes as u64,
                setting: "read.sniff_bytes",
            });
        }
        if !self.short || options.header_rows.is_some() {
            return Ok(None);
        }
        let (grid, unclosed) = self.grid(usize::MAX)?;
        if grid.cells.len() > HEAD_CELLS {
            return Ok(None);
        }
        let on_its_side = options.transposed.unwrap_or_else(|| side::surely(&grid).is_some());
        let several = on_its_side || regions::find(&grid, None).len() > 1 || !beside::split(&grid).is_empty();
        Ok(several.then_some((grid, unclosed)))
    }

    /// The first records; fewer where they are very wide.
    fn grid(&self, wanted: usize) -> Result<(Grid, Vec<u64>), ReadError> {
        let mut grid = GridBuilder::default();
        let mut records = self.records()?;
        let mut unclosed = Vec::new();
        for _ in 0..wanted {
            let Some(row) = records.next()? else { break };
            unclosed.extend(records.unclosed.then_some(row));
            self.keep(&mut grid, row, &records.record);
            if grid.len() > HEAD_CELLS {
                break;
            }
        }
        Ok((grid.build(), unclosed))
    }

    /// Puts a record in a grid that has room.
    pub fn keep(&self, grid: &mut GridBuilder, row: u64, record: &ByteRecord) {
        for (column, cell) in record.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            if grid.len() > HEAD_CELLS {
                return;
            }
            if let Some(text) = grid.texts().keep(&self.restored(&String::from_utf8_lossy(cell))) {
                grid.push(row as u32 - 1, column as u32, Stored::Text(text));
            }
        }
    }

    /// The character between its cells.
    pub fn delimiter(&self) -> char {
        if self.cuts.is_empty() { char::from(self.dialect.delimiter) } else { ' ' }
    }

    /// What a text of its delimiter is called.
    pub fn format(&self) -> Format {
        if self.dialect.delimiter == b'\t' { Format::Tsv } else { Format::Csv }
    }

    /// A cell's text with its escaped delimiters.
    fn restored<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = said(text);
        if !self.dialect.escaped || !text.as_bytes().contains(&ESCAPED) {
            return Cow::Borrowed(text);
        }
        let delimiter = [self.dialect.delimiter];
        Cow::Owned(text.replace(char::from(ESCAPED), &String::from_utf8_lossy(&delimiter)))
    }

    pub fn records(&self) -> Result<Records<'_>, ReadError> {
        let failed = |source| self.failed(source);
        let mut source = File::open(&self.path).map_err(failed)?;
        source.seek(SeekFrom::Start(self.coding.mark as u64)).map_err(failed)?;
        let broken = Rc::new(Flag::new(false));
        let mut text = self.coding.reader(Box::new(source), broken.clone());
        let mut skipped = vec![0; self.dialect.skip];
        text.read_exact(&mut skipped).map_err(failed)?;
        if !self.cuts.is_empty() {
            text = Box::new(Aligned::new(text, self.cuts.clone(), broken.clone()));
        }
        let strays = Strays::default();
        let text = Unescaped::new(text, self.dialect);
        let reader = self.dialect.reader(text, self.most, strays.clone());
        let (record, row) = (ByteRecord::new(), self.lines_before);
        Ok(Records { of: self, reader, record, broken, strays, unclosed: false, row })
    }

    fn failed(&self, source: std::io::Error) -> ReadError {
        ReadError::Io { file: self.file.clone(), source }
    }
}

/// The text of a formula that only says it, `="0012"`: so programs write what a spreadsheet shall not take for a number.
fn said(text: &str) -> &str {
    let inner = text.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

fn sample(source: &mut File, bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut sample = Vec::new();
    source.seek(SeekFrom::Start(0))?;
    source.take(bytes as u64).read_to_end(&mut sample)?;
    Ok(sample)
}

/// Goes through a file whose beginning is UTF-8; where it is not UTF-8 later on, the encoding is found from there. Says too
/// whether it may go on behind a blank line.
fn checked(source: &mut File, sample: &[u8]) -> std::io::Result<(Coding, bool)> {
    let utf8 = Coding { code: Code::Utf8, mark: 0 };
    let mut gaps = Gaps::default();
    source.seek(SeekFrom::Start(0))?;
    let mut chunk = vec![0; 1 << 20];
    let mut kept = 0;
    loop {
        let read = source.read(&mut chunk[kept..])?;
        let end = kept + read;
        let valid = chunk[..end].utf8_chunks().next().map_or("", |chunk| chunk.valid());
        gaps.feed(valid);
        let at = valid.len();
        if let Err(error) = std::str::from_utf8(&chunk[at..end])
            && error.error_len().is_some()
        {
            let seen = [&sample[..sample.len().min(4096)], &chunk[at..end]].concat();
            return Ok((encoding::detect(&seen, read == 0), true));
        }
        chunk.copy_within(at..end, 0);
        kept = end - at;
        if read == 0 {
            return Ok((utf8, gaps.found));
        }
    }
}

/// Records one by one, with their row numbers.
pub(super) struct Records<'d> {
    of: &'d Delimited,
    reader: csv::Reader<Quotes<Unescaped<Box<dyn Read + 'd>>>>,
    pub record: ByteRecord,
    /// Set once some bytes could not be decoded.
    broken: Rc<Flag<bool>>,
    strays: Strays,
    /// The record has a quote that doesn't close and is read as a character.
    unclosed: bool,
    /// Row of the record.
    row: u64,
}

impl Records<'_> {
    /// Reads the next record and gives its 1-based row, counting blank lines as a spreadsheet program does.
    pub fn next(&mut self) -> Result<Option<u64>, ReadError> {
        let before = self.reader.position().line();
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(self.failure(error)),
        }
        let lines = self.reader.position().line() - before;
        let inner = if lines > 1 { line_feeds(self.record.as_slice()) } else { 0 };
        self.row += 1 + lines.saturating_sub(inner + 1);
        self.unclosed = self.take_stray();
        if self.row > self.of.max_rows {
            return Err(ReadError::TooLarge {
                file: self.of.file.clone(),
                what: "the number of rows".to_owned(),
                limit: self.of.max_rows,
                setting: "read.max_rows",
            });
        }
        Ok(Some(self.row))
    }

    /// Whether a stray quote stands in the record: one on its line, at the beginning of a cell.
    fn take_stray(&mut self) -> bool {
        let end = self.reader.position().line();
        let quote = [self.of.dialect.quote];
        let mut strays = self.strays.borrow_mut();
        if strays.is_empty() || !self.record.iter().any(|cell| cell.starts_with(&quote)) {
            return false;
        }
        let mut found = false;
        while strays.front().is_some_and(|line| *line < end) {
            found |= strays.pop_front().is_some();
        }
        found
    }

    fn failure(&self, error: csv::Error) -> ReadError {
        match error.into_kind() {
            csv::ErrorKind::Io(source) if source.kind() == std::io::ErrorKind::FileTooLarge => ReadError::TooLarge {
                file: self.of.file.clone(),
                what: format!("the number of bytes of one line, behind row {},", self.row),
                limit: self.of.most.line as u64,
                setting: "read.max_line_bytes",
            },
            csv::ErrorKind::Io(source) => self.of.failed(source),
            other => ReadError::Damaged { file: self.of.file.clone(), detail: format!("{other:?}") },
        }
    }
}

fn line_feeds(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// The rows of a delimited file below its header.
pub(super) struct DelimitedRows<'d> {
    pub text: &'d Delimited,
    /// The cells of a record that are columns, ascending.
    pub columns: &'d [usize],
    /// The row before the first and the last that are given.
    pub span: (u64, u64),
    pub spot: Spot<'d>,
}

impl Rows for DelimitedRows<'_> {
    fn each(&self, take: &mut TakeRow<'_>) -> Result<(), ReadError> {
        let mut records = self.text.records()?;
        let mut buffer = Vec::new();
        while let Some(row) = records.next()? {
            if row > self.span.1 {
                break;
            }
            if row <= self.span.0 || is_blank(&records.record) {
                continue;
            }
            let mut extra = Extra { outside: self.surplus(&records.record), ..Extra::default() };
            let mut cells = recycle(buffer);
            if self.fill(&records, &mut cells) {
                let message = format!("row {row} has bytes that are no characters of the file's encoding");
                extra.notes.push(self.spot.row_note(row, "undecodable_bytes", message));
            }
            if records.unclosed {
                extra.notes.push(unclosed_quote(&self.spot, row));
            }
            take(row, &cells, extra)?;
            buffer = recycle(cells);
        }
        Ok(())
    }
}

/// Says that a quote is read as a character.
pub(super) fn unclosed_quote(spot: &Spot<'_>, row: u64) -> Note {
    let message = format!("row {row} has a quote that opens a cell and is not closed; it is read as a character");
    spot.row_note(row, "unclosed_quote", message)
}

impl DelimitedRows<'_> {
    /// Puts a record's cells in a row; says whether some bytes could not be decoded.
    fn fill<'r>(&self, records: &'r Records<'_>, cells: &mut Vec<Cell<'r>>) -> bool {
        let record = &records.record;
        let valid = std::str::from_utf8(record.as_slice()).ok();
        let mut undecoded = records.broken.get() && valid.is_some_and(|text| text.contains('\u{FFFD}'));
        let escaped = self.text.dialect.escaped;
        for column in self.columns {
            let Some(range) = record.range(*column) else { continue };
            let bytes = &record.as_slice()[range.clone()];
            cells.push(match valid.and_then(|text| text.get(range)) {
                Some("") => Cell::Empty,
                Some(text) if escaped => Cell::Text(self.text.restored(text)),
                Some(text) => Cell::Text(Cow::Borrowed(said(text))),
                None => {
                    let text = String::from_utf8_lossy(bytes);
                    undecoded |= matches!(text, Cow::Owned(_));
                    Cell::Text(text)
                }
            });
        }
        cells.resize(self.columns.len(), Cell::Empty);
        undecoded
    }

    /// The cells that are no columns, where they are not blank.
    fn surplus(&self, record: &ByteRecord) -> Option<String> {
        if record.len() <= self.columns.len() && self.columns.last().is_none_or(|last| *last < self.columns.len()) {
            return None;
        }
        let outside = record.iter().enumerate().filter(|(at, _)| self.columns.binary_search(at).is_err());
        let cells: Vec<_> = outside.map(|(_, cell)| String::from_utf8_lossy(cell)).collect();
        cells.iter().any(|cell| !cell.trim().is_empty()).then(|| cells.join(" | "))
    }
}

/// White space and delimiters alone.
pub(super) fn is_blank(record: &ByteRecord) -> bool {
    record.iter().all(|cell| std::str::from_utf8(cell).is_ok_and(|text| text.trim().is_empty()))
}
