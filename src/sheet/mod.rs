//! Reading files: bytes in, regions of typed cells out.
//!
//! Comes in: a file of any supported format; content decides, not the name.
//! Goes out: a [`Book`] with one [`Region`] for each table found on a sheet, whose rows are scanned any number of times.
//! Must never happen: a row that is neither given as data nor reported; a cell whose value changed; a whole text file in memory.

mod aligned;
mod beside;
mod book;
mod book_text;
mod caught;
mod child;
mod chosen;
mod compound;
mod convert;
mod delimited;
mod dialect;
mod encoding;
mod form;
mod format;
mod grid;
mod header;
mod html;
mod kind;
mod labels;
mod layout;
mod layout_cells;
mod layout_ods;
mod layout_xls;
mod layout_xlsb;
mod look;
mod meter;
mod passed;
mod progress;
mod quotes;
mod regions;
mod rows;
mod sections;
mod sheet_rows;
mod side;
mod sums;
#[cfg(test)]
mod table_tests;
mod tables;
#[cfg(test)]
mod tests;
mod totals;
mod totals_word;
mod wire;
mod workbook;
mod xml2003;

use serde::{Deserialize, Serialize};

use crate::note::{self, Note, Place};
use crate::value::{Cell, FieldType, Role};

pub use book::Book;
pub use child::{SERVE, read_with, serve};
pub use progress::Progress;

/// What a user may decide about reading a file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptions {
    /// First and last header row, 1-based as the user sees them.
    pub header_rows: Option<(u64, u64)>,
    /// Only these sheets.
    pub sheets: Option<Vec<String>>,
    /// Keep totals rows as data.
    pub keep_totals: bool,
    /// Whether the tables lie on their side, one record in each column; found out where nothing is said.
    pub transposed: Option<bool>,
    /// Types that the user chose, by label.
    pub types: Vec<(String, FieldType)>,
    /// What the user wants columns for, by label.
    pub roles: Vec<(String, Role)>,
}

/// What a file is, by its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Xlsx,
    Xlsm,
    Xlsb,
    Xls,
    Ods,
    Csv,
    Tsv,
    /// A web page with tables, whatever it is called.
    Html,
    /// A workbook in one XML file.
    Xml,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SheetKind {
    Data,
    Empty,
    Chart,
    Hidden,
}

/// One column of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The header as the user wrote it, several header rows joined by `-`; a blank header is named by its letter.
    pub label: String,
    /// 0-based column of the sheet.
    pub index: usize,
    pub hidden: bool,
}

/// One table region of a sheet: everything but its rows.
#[derive(Debug, Clone)]
pub struct Region {
    pub sheet: String,
    pub kind: SheetKind,
    pub hidden: bool,
    /// Counts the regions of a sheet from 1.
    pub part: usize,
    /// The columns of one of several tables that stand side by side, `D:F`.
    pub area: Option<String>,
    /// It lies on its side: rows are columns of the sheet here and in all that is said of its rows, and columns are rows.
    pub turned: bool,
    /// 1-based rows of the sheet.
    pub header_rows: Vec<u64>,
    /// Title and note lines above the header, in order.
    pub titles: Vec<String>,
    pub columns: Vec<Column>,
}

impl Region {
    /// The sheet's name, with its columns where rows of several tables have the same row numbers: `成绩 (D:F)`; where each
    /// row is a column of the sheet: `成绩 (columns B:F)`.
    pub fn name(&self) -> String {
        match &self.area {
            Some(area) if self.turned => note::turned_sheet(&self.sheet, area),
            Some(area) => format!("{} ({area})", self.sheet),
            None => self.sheet.clone(),
        }
    }

    /// The region as a place of a file.
    pub fn place<'a>(&'a self, file: &'a str) -> Place<'a> {
        Place { file, sheet: &self.sheet, turned: self.turned, ..Place::default() }
    }
}

/// Why a row is not data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kept {
    /// A subtotal or total row.
    Totals,
    /// A note or title line below the header.
    NoteLine,
    /// The header once more.
    RepeatedHeader,
}

/// Takes the rows of a region as they stream by.
pub trait RowSink {
    /// A data row: its 1-based number in the sheet and one cell for each of the region's columns.
    fn row(&mut self, row: u64, cells: &[Cell<'_>]) -> Result<(), ReadError>;
    /// A non-empty row below the header that is not data, with its cells' text joined.
    fn kept_apart(&mut self, row: u64, why: Kept, text: &str) -> Result<(), ReadError>;
    /// Something about a row that is data and was not literal: a long row, a value from a merged cell, an undecodable byte.
    fn note(&mut self, note: Note) -> Result<(), ReadError>;
    /// The cell at this place of the row that comes next repeats a number merged over several rows.
    fn spread(&mut self, cell: usize) {
        let _ = cell;
    }
}

/// Why a file can't be read. The message names what was found and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{file}: {found}; {hint}")]
    Unsupported { file: String, found: String, hint: String },
    #[error("{file}: it is damaged ({detail}); open it in a spreadsheet program and save it again")]
    Damaged { file: String, detail: String },
    #[error("{file}: there is nothing in it; check that it was saved with its content")]
    Empty { file: String },
    #[error("{file}: {what} is over the limit of {limit} (`{setting}`); raise it or split the file")]
    TooLarge { file: String, what: String, limit: u64, setting: &'static str },
    #[error("{file}: {source}")]
    Io { file: String, source: std::io::Error },
    /// The sink stopped the scan.
    #[error("{0}")]
    Stopped(String),
}
