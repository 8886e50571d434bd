//! Workbooks: each sheet is read once into a grid of its used cells.
//!
//! Comes in: bytes of an xlsx, xlsm, xlsb, xls or ods file. Goes out: [`Sheet`]s.
//! Must never happen: a panic of the reading library that reaches the caller; memory beyond the limits.

use std::collections::HashMap;
use std::io::Cursor;

use calamine::{
    Data, DataRef, Ods, OdsError, Range, Reader, SheetType, SheetVisible, Xls, XlsError, XlsOptions, Xlsb, Xlsx,
};

use super::book_text::sheet_name;
use super::caught::caught;
use super::convert;
use super::format;
use super::grid::{Grid, GridBuilder, Stored};
use super::layout::{self, Layout, Span};
use super::meter::Meter;
use super::{Format, Progress, ReadError, ReadOptions, SheetKind, encoding, html, layout_xls, xml2003};
use crate::config::ReadLimits;

/// One sheet of a workbook.
#[derive(Debug)]
pub(super) struct Sheet {
    /// Its place in the workbook.
    pub number: usize,
    pub name: String,
    pub kind: SheetKind,
    pub hidden: bool,
    /// Its columns, where it is one of several tables side by side; those of its records, where it was turned.
    pub area: Option<String>,
    /// Rows and columns of the grid changed places.
    pub turned: bool,
    /// Title lines that are not in the grid.
    pub titles: Vec<String>,
    pub grid: Grid,
    /// 0-based, in order.
    pub hidden_rows: Vec<Span>,
    pub hidden_columns: Vec<Span>,
    /// Why it could not be read.
    pub failure: Option<String>,
}

impl Sheet {
    /// A sheet of cells that stand in no workbook.
    pub fn of(name: String, grid: Grid) -> Self {
        Self { name, kind: SheetKind::Data, grid, ..Self::default() }
    }

    /// A sheet of a workbook by its place and name.
    pub fn numbered(number: usize, name: String) -> Self {
        Self { number, name, kind: SheetKind::Empty, ..Self::default() }
    }

    /// Takes over what its layout tells.
    fn lay_out(&mut self, layout: Layout) {
        let grid = std::mem::take(&mut self.grid);
        let digits = layout.digits.iter().map(|(row, column, digits)| (*row, *column, Some(digits.as_str())));
        let uncalculated = layout.uncalculated.iter().map(|(row, column)| (*row, *column, None));
        self.grid = grid.with(digits.chain(uncalculated));
        if self.grid.len() > 0 && self.kind == SheetKind::Empty {
            self.kind = if self.hidden { SheetKind::Hidden } else { SheetKind::Data };
        }
        self.grid.set_merges(layout.merges);
        self.hidden_rows = layout::joined(layout.hidden_rows);
        self.hidden_columns = layout::joined(layout.hidden_columns);
    }
}

impl Default for Sheet {
    fn default() -> Self {
        Self {
            number: 0,
            name: String::new(),
            kind: SheetKind::Chart,
            hidden: false,
            area: None,
            turned: false,
            titles: Vec::new(),
            grid: Grid::default(),
            hidden_rows: Vec::new(),
            hidden_columns: Vec::new(),
            failure: None,
        }
    }
}

/// Columns of a sheet.
pub(super) const COLUMNS: u32 = 16_384;

/// Cells of a rectangle for each used cell, and those of a small rectangle, that an ods sheet may have.
const MOST_SPARSE: u64 = 64;
const SMALL_AREA: u64 = 16_000_000;

type Bytes<'b> = Cursor<&'b [u8]>;

/// What reading needs to know.
#[derive(Clone, Copy)]
struct Reading<'a> {
    file: &'a str,
    meter: &'a Meter,
    limits: &'a ReadLimits,
    options: &'a ReadOptions,
    progress: &'a Progress<'a>,
}

/// Reads the sheets of a workbook.
pub(super) fn read(
    bytes: &[u8],
    format: Format,
    file: &str,
    options: &ReadOptions,
    limits: &ReadLimits,
    progress: &Progress<'_>,
) -> Result<Vec<Sheet>, ReadError> {
    let meter = Meter::new(limits.max_unpacked_bytes);
    let reading = Reading { file, meter: &meter, limits, options, progress };
    let read = || match format {
        Format::Xls => reading.xls(bytes),
        Format::Ods => reading.ods(bytes),
        Format::Xlsb => reading.xlsb(bytes),
        Format::Html => reading.page(bytes),
        Format::Xml => reading.xml(bytes),
        _ => reading.xlsx(bytes),
    };
    caught(read).unwrap_or_else(|| Err(reading.damaged("its cells make no sense")))
}

impl Reading<'_> {
    fn damaged(&self, detail: impl std::fmt::Display) -> ReadError {
        ReadError::Damaged { file: self.file.to_owned(), detail: detail.to_string() }
    }

    fn xlsx(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        self.laid_out(bytes, layout::of_xlsx, || {
            let mut book: Xlsx<Bytes<'_>> = Xlsx::new(Cursor::new(bytes)).map_err(|e| self.damaged(e))?;
            self.sheets(&mut book, |book, name| {
                let mut cells = book.worksheet_cells_reader(name).map_err(|e| e.to_string())?;
                Ok(self.stream(name, || cells.next_cell().map_err(|e| e.to_string())))
            })
        })
    }

    fn xlsb(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        self.laid_out(bytes, layout::of_xlsb, || {
            let mut book: Xlsb<Bytes<'_>> = Xlsb::new(Cursor::new(bytes)).map_err(|e| self.damaged(e))?;
            self.sheets(&mut book, |book, name| {
                let mut cells = book.worksheet_cells_reader(name).map_err(|e| e.to_string())?;
                Ok(self.stream(name, || cells.next_cell().map_err(|e| e.to_string())))
            })
        })
    }

    /// Reads the cells, and beside them the layout, which may be lost but never stops the reading.
    fn laid_out(
        &self,
        bytes: &[u8],
        layouts: fn(&[u8], &Meter) -> Vec<Layout>,
        cells: impl FnOnce() -> Result<Vec<Sheet>, ReadError>,
    ) -> Result<Vec<Sheet>, ReadError> {
        std::thread::scope(|scope| {
            let read = || caught(|| layouts(bytes, self.meter)).unwrap_or_default();
            let beside = std::thread::Builder::new().spawn_scoped(scope, read);
            let mut sheets = cells()?;
            // Without a thread they are read now.
            let mut layouts = beside.map_or_else(|_| read(), |beside| beside.join().unwrap_or_default());
            self.check_unpacked()?;
            for sheet in &mut sheets {
                layouts.get_mut(sheet.number).map(std::mem::take).into_iter().for_each(|layout| sheet.lay_out(layout));
            }
            Ok(sheets)
        })
    }

    fn check_unpacked(&self) -> Result<(), ReadError> {
        let limit = self.limits.max_unpacked_bytes;
        let over = || self.too_large("the unpacked size", limit, "read.max_unpacked_bytes");
        if self.meter.is_over() { Err(over()) } else { Ok(()) }
    }

    fn xls(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        self.laid_out(bytes, layout_xls::layouts, || {
            let mut options = XlsOptions::default();
            options.force_codepage = layout_xls::renamed_code_page(bytes);
            let opened = Xls::new_with_options(Cursor::new(bytes), options);
            let mut book: Xls<Bytes<'_>> = opened.map_err(|error| match error {
                XlsError::Password => self.locked(),
                other => self.damaged(other),
            })?;
            self.sheets(&mut book, |book, name| {
                let range = book.worksheet_range(name).map_err(|e| e.to_string())?;
                Ok(self.range(&range))
            })
        })
    }

    fn locked(&self) -> ReadError {
        let (found, hint) = format::LOCKED;
        ReadError::Unsupported { file: self.file.to_owned(), found: found.to_owned(), hint: hint.to_owned() }
    }

    fn ods(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        // The library fills the whole rectangle: it is measured first.
        for layout in layout::of_ods(bytes, &Meter::new(self.limits.max_unpacked_bytes)) {
            let most = layout.extent.cells.saturating_mul(MOST_SPARSE).saturating_add(SMALL_AREA);
            let most = most.min(self.limits.max_cells);
            if layout.extent.area() > most {
                return Err(self.too_large("the used rectangle of one sheet", most, "read.max_cells"));
            }
        }
        self.laid_out(bytes, layout::of_ods, || {
            let mut book: Ods<Bytes<'_>> = Ods::new(Cursor::new(bytes)).map_err(|error| match error {
                OdsError::Password => self.locked(),
                other => self.damaged(other),
            })?;
            self.sheets(&mut book, |book, name| {
                let range = book.worksheet_range(name).map_err(|e| e.to_string())?;
                Ok(self.range(&range))
            })
        })
    }

    /// The tables of a web page as one sheet.
    fn page(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        let grid = html::grid(&encoding::declared(bytes), self.limits.max_cells).map_err(|most| self.too_many(most))?;
        let grid = grid.ok_or_else(|| ReadError::Unsupported {
            file: self.file.to_owned(),
            found: "it is a web page (HTML) without a table".to_owned(),
            hint: "export the table again, as xlsx or csv".to_owned(),
        })?;
        Ok(vec![Sheet::of(sheet_name(self.file), grid)])
    }

    /// A workbook in one XML file.
    fn xml(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        let read = xml2003::sheets(&encoding::declared(bytes), self.limits.max_cells);
        let (mut sheets, fault) = read.map_err(|most| self.too_many(most))?;
        if let (Some(fault), Some(last)) = (fault, sheets.last_mut()) {
            last.failure = Some(fault);
        }
        let names: Vec<&str> = sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        super::chosen::sheets(self.options, &names, self.file)?;
        sheets.retain(|sheet| self.options.sheets.as_ref().is_none_or(|wanted| wanted.contains(&sheet.name)));
        Ok(sheets)
    }

    fn too_many(&self, limit: u64) -> ReadError {
        self.too_large("the number of cells of one sheet", limit, "read.max_cells")
    }

    /// Reads the sheets that are wanted. A sheet that can't be read is kept with its reason; a limit ends it all.
    fn sheets<'b, R: Reader<Bytes<'b>>>(
        &self,
        book: &mut R,
        mut read: impl FnMut(&mut R, &str) -> Result<Result<Grid, Stop>, String>,
    ) -> Result<Vec<Sheet>, ReadError> {
        let mut sheets = Vec::new();
        let metadata = book.sheets_metadata().to_vec();
        let names: Vec<&str> = metadata.iter().map(|meta| meta.name.as_str()).collect();
        super::chosen::sheets(self.options, &names, self.file)?;
        for (number, meta) in metadata.into_iter().enumerate() {
            if self.options.sheets.as_ref().is_some_and(|wanted| !wanted.contains(&meta.name)) {
                continue;
            }
            let hidden = meta.visible != SheetVisible::Visible;
            let mut sheet = Sheet { number, name: meta.name, hidden, ..Sheet::default() };
            if matches!(meta.typ, SheetType::WorkSheet | SheetType::DialogSheet | SheetType::MacroSheet) {
                sheet.kind = SheetKind::Empty;
                match read(book, &sheet.name) {
                    Ok(Ok(grid)) => sheet.grid = grid,
                    Ok(Err(Stop::Limit(error))) => return Err(error),
                    Ok(Err(Stop::Broken(why))) | Err(why) => sheet.failure = Some(why),
                }
            }
            if sheet.grid.len() > 0 {
                sheet.kind = if hidden { SheetKind::Hidden } else { SheetKind::Data };
            }
            sheets.push(sheet);
        }
        Ok(sheets)
    }

    /// Gathers streamed cells; equal shared texts are kept once.
    fn stream<'v>(
        &self,
        name: &str,
        mut next: impl FnMut() -> Result<Option<Streamed<'v>>, String>,
    ) -> Result<Grid, Stop> {
        let mut grid = GridBuilder::default();
        let mut shared: HashMap<usize, u32, convert::ByAddress> = HashMap::default();
        while let Some(cell) = next().map_err(Stop::Broken)? {
            let (row, column) = cell.get_position();
            if column >= COLUMNS {
                return Err(Stop::Broken("a cell stands beyond the last column".to_owned()));
            }
            let stored = match cell.get_value() {
                DataRef::Empty => continue,
                DataRef::SharedString(text) => {
                    let key = text.as_ptr() as usize;
                    match shared.get(&key) {
                        Some(number) if !text.is_empty() => Stored::Text(*number),
                        _ => {
                            let number = self.keep(&mut grid, text)?;
                            shared.insert(key, number);
                            Stored::Text(number)
                        }
                    }
                }
                DataRef::String(text) => Stored::Text(self.keep(&mut grid, text)?),
                other => match convert::plain(&Data::from(other.clone())) {
                    Ok(stored) => stored,
                    Err(text) => Stored::Text(self.keep(&mut grid, &text)?),
                },
            };
            if grid.push(row, column, stored) {
                self.progress.step(name, u64::from(row)).map_err(Stop::Limit)?;
            }
            self.check_cells(grid.len())?;
        }
        Ok(grid.build())
    }

    fn range(&self, range: &Range<Data>) -> Result<Grid, Stop> {
        let mut grid = GridBuilder::default();
        let (first_row, first_column) = range.start().unwrap_or_default();
        for (row, column, value) in range.used_cells() {
            let stored = match value {
                Data::String(text) => Stored::Text(self.keep(&mut grid, text)?),
                other => match convert::plain(other) {
                    Ok(stored) => stored,
                    Err(text) => Stored::Text(self.keep(&mut grid, &text)?),
                },
            };
            grid.push(first_row + row as u32, first_column + column as u32, stored);
            self.check_cells(grid.len())?;
        }
        Ok(grid.build())
    }

    fn keep(&self, grid: &mut GridBuilder, text: &str) -> Result<u32, Stop> {
        let limit = self.limits.max_unpacked_bytes;
        let fits = (grid.texts().bytes() + text.len()) as u64 <= limit;
        let number = if fits { grid.texts().keep(text) } else { None };
        number.ok_or_else(|| self.limit("the text of one sheet", limit, "read.max_unpacked_bytes"))
    }

    fn check_cells(&self, cells: usize) -> Result<(), Stop> {
        self.check_unpacked().map_err(Stop::Limit)?;
        let limit = self.limits.max_cells;
        if cells as u64 <= limit { Ok(()) } else { Err(Stop::Limit(self.too_many(limit))) }
    }

    fn limit(&self, what: &str, limit: u64, setting: &'static str) -> Stop {
        Stop::Limit(self.too_large(what, limit, setting))
    }

    fn too_large(&self, what: &str, limit: u64, setting: &'static str) -> ReadError {
        ReadError::TooLarge { file: self.file.to_owned(), what: what.to_owned(), limit, setting }
    }
}

/// Why a sheet's reading ended early.
enum Stop {
    Limit(ReadError),
    Broken(String),
}

type Streamed<'v> = calamine::Cell<DataRef<'v>>;
