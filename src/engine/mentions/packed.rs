//! Cells and the hashes of how they may be said, as one run of bytes: built in memory, and read from a file as it stands.
//!
//! Layout, all numbers little-endian: [`MAGIC`]; the length of the header (u32) and the header (JSON); for each cell where it ends
//! in the texts (u32); the texts; hashes of the forms (u64, ascending) and their entries (u32); hashes of the parts of Latin
//! cells (u64, ascending) and their entries (u32).

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::fuzzy;
use super::question::Rolling;
use super::variants::variants;
use crate::engine::EngineError;
use crate::tokens;

const MAGIC: &[u8; 8] = b"cells 01";
/// Letters of the longest cell that is found in a question.
pub(super) const LONGEST: usize = 64;
/// Marks an entry whose form is not the whole cell.
const PARTIAL: u32 = 1 << 31;

/// A cell in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry(u32);

impl Entry {
    /// The form is not the whole cell.
    pub(super) fn is_partial(self) -> bool {
        self.0 & PARTIAL != 0
    }

    fn cell(self) -> usize {
        (self.0 & !PARTIAL) as usize
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// Columns and their numbers of cells.
    columns: Vec<(String, u32)>,
    texts: usize,
    forms: usize,
    parts: usize,
}

/// Hashes with an entry for each.
#[derive(Debug)]
struct Hashes {
    at: usize,
    len: usize,
}

#[derive(Debug)]
pub(in crate::engine) struct Packed {
    bytes: Vec<u8>,
    columns: Vec<(String, u32)>,
    /// Where the ends of the cells are, and the texts.
    ends: usize,
    texts: Range<usize>,
    forms: Hashes,
    parts: Hashes,
}

impl Packed {
    /// Of some columns. An error where they are more than can be numbered.
    pub(in crate::engine) fn of(columns: impl IntoIterator<Item = Building>) -> Result<Self, EngineError> {
        let mut all = Building::default();
        columns.into_iter().for_each(|column| all.append(column));
        let too_many = || EngineError::Failed("there are more cells than can be numbered".to_owned());
        Self::read(all.bytes()).ok_or_else(too_many)
    }

    pub(in crate::engine) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes the bytes of a file; `None` where they are not what was written.
    pub(in crate::engine) fn read(bytes: Vec<u8>) -> Option<Self> {
        let length = u32::from_le_bytes(bytes.strip_prefix(MAGIC)?.get(..4)?.try_into().ok()?) as usize;
        let start = MAGIC.len() + 4;
        let header: Header = serde_json::from_slice(bytes.get(start..start.checked_add(length)?)?).ok()?;
        let cells: usize = header.columns.iter().map(|(_, cells)| *cells as usize).sum();
        let ends = start + length;
        let texts = ends.checked_add(cells.checked_mul(4)?)?;
        let forms = texts.checked_add(header.texts)?;
        let parts = forms.checked_add(header.forms.checked_mul(12)?)?;
        let is_whole = bytes.len() == parts.checked_add(header.parts.checked_mul(12)?)?;
        (is_whole && std::str::from_utf8(&bytes[texts..forms]).is_ok()).then_some(Self {
            bytes,
            columns: header.columns,
            ends,
            texts: texts..forms,
            forms: Hashes { at: forms, len: header.forms },
            parts: Hashes { at: parts, len: header.parts },
        })
    }

    /// The column of a cell and its text.
    pub(super) fn cell(&self, entry: Entry) -> (&str, &str) {
        let mut before = 0;
        let column = self.columns.iter().find(|(_, cells)| {
            before += *cells as usize;
            entry.cell() < before
        });
        let start = entry.cell().checked_sub(1).map_or(0, |before| self.end(before));
        let text = self.bytes[self.texts.clone()].get(start..self.end(entry.cell())).unwrap_or_default();
        (column.map_or("", |(name, _)| name), std::str::from_utf8(text).unwrap_or_default())
    }

    fn end(&self, cell: usize) -> usize {
        let at = self.ends + cell * 4;
        self.bytes.get(at..at + 4).and_then(|end| end.try_into().ok()).map_or(0, u32::from_le_bytes) as usize
    }

    /// Cells with a form of this hash.
    pub(super) fn forms(&self, hash: u64) -> impl Iterator<Item = Entry> {
        self.forms.with(&self.bytes, hash)
    }

    /// Latin cells with a part of this hash.
    pub(super) fn parts(&self, hash: u64) -> impl Iterator<Item = Entry> {
        self.parts.with(&self.bytes, hash)
    }
}

impl Hashes {
    fn hash(&self, bytes: &[u8], at: usize) -> u64 {
        let at = self.at + at * 8;
        bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes)
    }

    fn entry(&self, bytes: &[u8], at: usize) -> Entry {
        let at = self.at + self.len * 8 + at * 4;
        Entry(bytes[at..at + 4].try_into().map_or(0, u32::from_le_bytes))
    }

    fn with(&self, bytes: &[u8], hash: u64) -> impl Iterator<Item = Entry> {
        let (mut from, mut to) = (0, self.len);
        while from < to {
            let middle = from.midpoint(to);
            if self.hash(bytes, middle) < hash { from = middle + 1 } else { to = middle }
        }
        (from..self.len).take_while(move |&at| self.hash(bytes, at) == hash).map(|at| self.entry(bytes, at))
    }
}

/// The cells of columns with their hashes.
#[derive(Debug, Default)]
pub(in crate::engine) struct Building {
    columns: Vec<(String, u32)>,
    ends: Vec<u32>,
    texts: String,
    forms: Vec<(u64, u32)>,
    parts: Vec<(u64, u32)>,
}

impl Building {
    /// Of the distinct cells of one column; `are_files` says that they are names of files.
    pub(in crate::engine) fn new(column: &str, cells: &[Box<str>], are_files: bool) -> Self {
        let mut building = Self { columns: vec![(column.to_owned(), cells.len() as u32)], ..Self::default() };
        cells.iter().for_each(|cell| building.add(cell, are_files));
        building
    }

    fn append(&mut self, other: Self) {
        let (cells, texts) = (self.ends.len() as u32, self.texts.len() as u32);
        self.columns.extend(other.columns);
        self.ends.extend(other.ends.iter().map(|end| end + texts));
        self.texts.push_str(&other.texts);
        self.forms.extend(other.forms.iter().map(|(hash, place)| (*hash, place + cells)));
        self.parts.extend(other.parts.iter().map(|(hash, place)| (*hash, place + cells)));
    }

    fn add(&mut self, cell: &str, is_file: bool) {
        let place = self.ends.len() as u32;
        self.texts.push_str(if cell.len() > LONGEST * 8 { "" } else { cell });
        self.ends.push(self.texts.len() as u32);
        let whole = if cell.len() > LONGEST * 8 { String::new() } else { tokens::fold(cell) };
        if whole.is_empty() {
            return;
        }
        self.forms.push((Rolling::of(whole.chars()).0, place));
        self.parts.extend(fuzzy::parts(&whole).map(|part| (part, place)));
        let others = variants(&whole, is_file);
        self.forms.extend(others.iter().map(|form| (Rolling::of(form.chars()).0, place | PARTIAL)));
    }

    fn bytes(mut self) -> Vec<u8> {
        self.forms.sort_unstable();
        self.parts.sort_unstable();
        let header =
            Header { columns: self.columns, texts: self.texts.len(), forms: self.forms.len(), parts: self.parts.len() };
        let header = serde_json::to_vec(&header).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        bytes.extend(self.ends.iter().flat_map(|end| end.to_le_bytes()));
        bytes.extend(self.texts.as_bytes());
        for hashes in [&self.forms, &self.parts] {
            bytes.extend(hashes.iter().flat_map(|(hash, _)| hash.to_le_bytes()));
            bytes.extend(hashes.iter().flat_map(|(_, place)| place.to_le_bytes()));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(texts: &[&str]) -> Vec<Box<str>> {
        texts.iter().map(|text| (*text).into()).collect()
    }

    #[test]
    fn bytes_read_back_and_broken_ones_do_not() {
        let (names, places) = (cells(&["Anna Smith", "昆山（江苏）"]), cells(&["x", "北京"]));
        let columns = [Building::new("name", &names, false), Building::new("place", &places, false)];
        let packed = Packed::of(columns).expect("few cells");
        let bytes = packed.bytes().to_vec();
        let read = Packed::read(bytes.clone()).expect("whole");
        let found = |form: &str| -> Vec<(String, String)> {
            let entries = read.forms(Rolling::of(form.chars()).0);
            entries.map(|entry| read.cell(entry)).map(|(column, cell)| (column.to_owned(), cell.to_owned())).collect()
        };
        assert_eq!(found("北京"), [("place".to_owned(), "北京".to_owned())]);
        assert_eq!(found("昆山"), [("name".to_owned(), "昆山（江苏）".to_owned())]);
        assert_eq!(found("anna smith"), [("name".to_owned(), "Anna Smith".to_owned())]);
        assert!(found("none").is_empty());
        for broken in [&bytes[..bytes.len() - 1], &bytes[..20], &[0; 40], &[]] {
            assert!(Packed::read(broken.to_vec()).is_none());
        }
    }
}
