//! Real files: every shared workbook and text file opens, and what is read agrees with an independent reader.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::workbook::Sheet;
use super::*;
use crate::config::ReadLimits;

/// Rows and cells that a scan gave.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    rows: u64,
    apart: Vec<(u64, Kept, String)>,
    cells: u64,
    notes: Vec<Note>,
    first: Vec<String>,
    last: Vec<String>,
}

impl RowSink for Seen {
    fn row(&mut self, _: u64, cells: &[Cell<'_>]) -> Result<(), ReadError> {
        self.rows += 1;
        self.cells += cells.iter().filter(|cell| !cell.is_blank()).count() as u64;
        self.last = cells.iter().map(|cell| cell.text().into_owned()).collect();
        if self.rows == 1 {
            self.first.clone_from(&self.last);
        }
        Ok(())
    }

    fn kept_apart(&mut self, row: u64, why: Kept, text: &str) -> Result<(), ReadError> {
        self.apart.push((row, why, text.to_owned()));
        Ok(())
    }

    fn note(&mut self, note: Note) -> Result<(), ReadError> {
        self.notes.push(note);
        Ok(())
    }
}

fn cases() -> Option<PathBuf> {
    let folder = std::env::var_os("SHEETWISE_CASES").map_or_else(|| PathBuf::from("../shared/cases"), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: the shared cases are not here");
    None
}

fn expected(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("expected.jsonl")).expect("expected.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn open(path: &Path) -> Result<Book, ReadError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Book::open(path, &name, &ReadOptions::default(), &ReadLimits::default())
}

fn scanned(book: &Book, i: usize) -> Seen {
    let mut seen = Seen::default();
    book.scan(i, &mut seen).expect("a scan");
    let mut again = Seen::default();
    book.scan(i, &mut again).expect("a second scan");
    assert_eq!(seen, again, "{}: two scans differ", book.file);
    seen
}

/// What an independent reader saw of a sheet, against what is read: `None` where they agree.
fn difference(sheet: &Sheet, want: &Value) -> Option<String> {
    let grid = &sheet.grid;
    let cells: Vec<(u64, u64)> = (0..grid.len())
        .flat_map(|i| grid.filled(i).map(move |(column, _)| (grid.shown(i), u64::from(column) + 1)))
        .collect();
    let number = |key: &str| want[key].as_u64().unwrap_or(0);
    let ends =
        |values: Vec<u64>| (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0));
    let (first_row, last_row) = ends(cells.iter().map(|cell| cell.0).collect());
    let (first_col, last_col) = ends(cells.iter().map(|cell| cell.1).collect());
    let got = [cells.len() as u64, first_row, last_row, first_col, last_col];
    let expected = ["nonempty", "first_row", "last_row", "first_col", "last_col"].map(number);
    let without_errors = {
        let want = &want["excl_errors"];
        ["nonempty", "first_row", "last_row", "first_col", "last_col"].map(|key| want[key].as_u64().unwrap_or(0))
    };
    let mut with_white_space = got;
    with_white_space[0] = (0..grid.len()).map(|i| grid.used(i).len() as u64).sum();
    ([got, with_white_space].iter().all(|got| *got != expected && *got != without_errors))
        .then(|| format!("{}: {got:?} for {expected:?} (cells, rows, columns)", sheet.name))
}

/// Workbooks that can't be read or differ, each with the reason.
const KNOWN_WORKBOOKS: [(&str, &str); 4] = [
    ("SheetJS__apachepoi_45544.xlsx.xlsb", "white space alone is blank"),
    ("poi__DGet.xls", "white space alone is blank"),
    ("poi__59830.xls", "white space alone is blank"),
    ("ExcelDataReader__Test_LotsOfSheets.xlsx", "white space alone is blank"),
];

#[test]
fn shared_workbooks_are_read_as_an_independent_reader_reads_them() {
    let Some(folder) = cases().map(|folder| folder.join("workbooks")) else { return };
    let limits = ReadLimits::default();
    let mut figures: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut different = Vec::new();
    for want in expected(&folder) {
        let file = want["file"].as_str().expect("a file name");
        let path = folder.join(file);
        let figure = figures.entry(file.rsplit('.').next().unwrap_or("").to_owned()).or_default();
        figure.1 += 1;
        let book = match open(&path) {
            Ok(book) => book,
            Err(error) => {
                different.push((file.to_owned(), error.to_string()));
                continue;
            }
        };
        for i in 0..book.regions.len() {
            scanned(&book, i);
        }
        let bytes = std::fs::read(&path).expect("the file");
        let sheets = workbook::read(&bytes, book.format, file, &ReadOptions::default(), &limits, &Progress::default());
        let sheets = sheets.expect("read once");
        let wanted = want["sheets"].as_array().expect("sheets");
        let find = |sheet: &Sheet| wanted.iter().find(|want| want["name"] == sheet.name.as_str());
        let differences: Vec<_> = sheets.iter().filter_map(|s| find(s).and_then(|want| difference(s, want))).collect();
        if differences.is_empty() {
            figure.0 += 1;
        } else {
            different.push((file.to_owned(), differences.join("; ")));
        }
    }
    eprintln!("workbooks that agree, by kind: {figures:?}");
    different.iter().for_each(|(file, why)| eprintln!("differs: {file}: {why}"));
    let unknown = different.iter().filter(|(file, _)| !KNOWN_WORKBOOKS.iter().any(|(known, _)| known == file));
    assert_eq!(unknown.count(), 0);
}

fn sniffed_encoding(name: &str) -> &str {
    match name {
        "ascii" | "utf-8-sig" => "utf-8",
        "latin-1" => "windows-1252",
        "utf-16-le" => "utf-16le",
        "utf-16-be" => "utf-16be",
        "utf-32-le" => "utf-32le",
        other => other,
    }
}

/// What is expected of a text file, against what is read.
fn text_difference(book: &Book, seen: &Seen, want: &Value) -> Option<String> {
    let region = &book.regions[0];
    let mut found = Vec::new();
    let encoding = book.encoding.clone().unwrap_or_default();
    if want["encoding"].as_str().is_some_and(|want| !encoding.starts_with(sniffed_encoding(want))) {
        found.push(format!("encoding {encoding} for {}", want["encoding"]));
    }
    let delimiter = book.delimiter.map(String::from);
    let wanted = want["delimiter"].as_str().filter(|_| region.columns.len() > 1);
    if wanted.is_some() && delimiter.as_deref() != wanted {
        found.push(format!("delimiter {delimiter:?} for {wanted:?}"));
    }
    let columns = want["n_columns"].as_u64().or(want["modal_width"].as_u64());
    if columns.is_some_and(|columns| columns != region.columns.len() as u64) {
        found.push(format!("{} columns for {columns:?}", region.columns.len()));
    }
    let rows = seen.rows + seen.apart.len() as u64;
    let records = rows + (region.header_rows.len() + region.titles.len()) as u64;
    if want["n_data_rows"].as_u64().is_some_and(|wanted| wanted != rows) {
        found.push(format!("{rows} rows for {}", want["n_data_rows"]));
    }
    if want["n_nonblank_records"].as_u64().is_some_and(|wanted| wanted != records) {
        found.push(format!("{records} records for {}", want["n_nonblank_records"]));
    }
    (!found.is_empty()).then(|| found.join(", "))
}

#[test]
fn shared_text_files_are_read_with_all_their_rows() {
    let Some(folder) = cases().map(|folder| folder.join("csv")) else { return };
    let mut figures: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = 0;
    for want in expected(&folder) {
        let (file, kind) = (want["file"].as_str().expect("a file"), want["expected_kind"].as_str().expect("a kind"));
        let figure = figures.entry(kind.to_owned()).or_default();
        figure.1 += 1;
        let book = open(&folder.join(file)).unwrap_or_else(|error| panic!("{error}"));
        let seen = scanned(&book, 0);
        match text_difference(&book, &seen, &want["expected"]) {
            None => figure.0 += 1,
            Some(why) => {
                eprintln!("differs ({kind}): {file}: {why}");
                wrong += usize::from(kind == "corpus");
            }
        }
    }
    eprintln!("text files that agree, by kind of expectation: {figures:?}");
    assert_eq!(wrong, 0, "a corpus file differs");
}

#[test]
fn hostile_files_are_refused_or_read_but_never_break() {
    let Some(folder) = cases().map(|folder| folder.join("malformed")) else { return };
    for want in expected(&folder) {
        let (file, expect) = (want["file"].as_str().expect("a file"), want["expect"].as_str().expect("what"));
        let opened = open(&folder.join(file));
        if let Ok(book) = &opened {
            (0..book.regions.len()).for_each(|i| drop(scanned(book, i)));
        }
        match expect {
            "reject" => assert!(opened.is_err(), "{file} is read"),
            "accept" | "accept, escaped" => assert!(opened.is_ok(), "{file}: {:?}", opened.err()),
            _ => {}
        }
    }
}
