//! Workbooks: each sheet is read once into a grid of its used cells.
//!
//! Comes in: bytes of an xlsx, xlsm, xlsb, xls or ods file. Goes out: [`Sheet`]s.
//! Must never happen: a panic of the reading library that reaches the caller; memory beyond the limits.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::Cursor;

use calamine::{Data, DataRef, Dimensions, Ods, Range, Reader, SheetType, SheetVisible, Xls, Xlsb, Xlsx};

use super::caught::caught;
use super::convert;
use super::grid::{Grid, GridBuilder, Merge, Stored};
use super::{Format, ReadError, ReadOptions, SheetKind};
use crate::config::ReadLimits;

/// One sheet of a workbook.
#[derive(Debug)]
pub(super) struct Sheet {
    pub name: String,
    pub kind: SheetKind,
    pub hidden: bool,
    pub grid: Grid,
    /// Why it could not be read.
    pub failure: Option<String>,
}

type Bytes<'b> = Cursor<&'b [u8]>;

/// What reading needs to know.
#[derive(Clone, Copy)]
struct Reading<'a> {
    file: &'a str,
    limits: &'a ReadLimits,
    options: &'a ReadOptions,
}

/// Reads the sheets of a workbook.
pub(super) fn read(
    bytes: &[u8],
    format: Format,
    file: &str,
    options: &ReadOptions,
    limits: &ReadLimits,
) -> Result<Vec<Sheet>, ReadError> {
    let reading = Reading { file, limits, options };
    let read = || match format {
        Format::Xls => reading.xls(bytes),
        Format::Ods => reading.ods(bytes),
        Format::Xlsb => reading.xlsb(bytes),
        _ => reading.xlsx(bytes),
    };
    caught(read).unwrap_or_else(|| Err(reading.damaged("its cells make no sense")))
}

impl Reading<'_> {
    fn damaged(&self, detail: impl std::fmt::Display) -> ReadError {
        ReadError::Damaged { file: self.file.to_owned(), detail: detail.to_string() }
    }

    /// Merged ranges stand after the cells, so they cost a second pass: only where a row has a gap, and beside the first pass.
    fn xlsx(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        std::thread::scope(|scope| {
            let merges = OnceCell::new();
            let on_gap = || {
                merges.get_or_init(|| scope.spawn(|| caught(|| xlsx_merges(bytes)).unwrap_or_default()));
            };
            let mut book: Xlsx<Bytes<'_>> = Xlsx::new(Cursor::new(bytes)).map_err(|e| self.damaged(e))?;
            let mut sheets = self.sheets(&mut book, |book, name| {
                let mut cells = book.worksheet_cells_reader(name).map_err(|e| e.to_string())?;
                Ok(self.stream(|| cells.next_cell().map_err(|e| e.to_string()), on_gap))
            })?;
            let mut merges = merges.into_inner().and_then(|thread| thread.join().ok()).unwrap_or_default();
            for sheet in &mut sheets {
                sheet.grid.set_merges(merges.remove(&sheet.name).unwrap_or_default());
            }
            Ok(sheets)
        })
    }

    fn xlsb(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        let mut book: Xlsb<Bytes<'_>> = Xlsb::new(Cursor::new(bytes)).map_err(|e| self.damaged(e))?;
        self.sheets(&mut book, |book, name| {
            let mut cells = book.worksheet_cells_reader(name).map_err(|e| e.to_string())?;
            Ok(self.stream(|| cells.next_cell().map_err(|e| e.to_string()), || {}))
        })
    }

    fn xls(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        let mut book: Xls<Bytes<'_>> = Xls::new(Cursor::new(bytes)).map_err(|e| self.damaged(e))?;
        let mut sheets = self.sheets(&mut book, |book, name| {
            let range = book.worksheet_range(name).map_err(|e| e.to_string())?;
            Ok(self.range(&range))
        })?;
        for sheet in &mut sheets {
            let merges = book.merge_cells_by_sheet_name(&sheet.name).unwrap_or_default();
            sheet.grid.set_merges(merges.iter().map(merge).collect());
        }
        Ok(sheets)
    }

    fn ods(&self, bytes: &[u8]) -> Result<Vec<Sheet>, ReadError> {
        let mut book: Ods<Bytes<'_>> = Ods::new(Cursor::new(bytes)).map_err(|e| self.damaged(e))?;
        self.sheets(&mut book, |book, name| {
            let range = book.worksheet_range(name).map_err(|e| e.to_string())?;
            Ok(self.range(&range))
        })
    }

    /// Reads the sheets that are wanted. A sheet that can't be read is kept with its reason; a limit ends it all.
    fn sheets<'b, R: Reader<Bytes<'b>>>(
        &self,
        book: &mut R,
        mut read: impl FnMut(&mut R, &str) -> Result<Result<Grid, Stop>, String>,
    ) -> Result<Vec<Sheet>, ReadError> {
        let mut sheets = Vec::new();
        for meta in book.sheets_metadata().to_vec() {
            if self.options.sheets.as_ref().is_some_and(|wanted| !wanted.contains(&meta.name)) {
                continue;
            }
            let hidden = meta.visible != SheetVisible::Visible;
            let mut sheet =
                Sheet { name: meta.name, kind: SheetKind::Chart, hidden, grid: Grid::default(), failure: None };
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

    /// Gathers streamed cells; equal shared texts are kept once. `on_gap` is called when a row has a gap, maybe more than once.
    fn stream<'v>(
        &self,
        mut next: impl FnMut() -> Result<Option<Streamed<'v>>, String>,
        on_gap: impl Fn(),
    ) -> Result<Grid, Stop> {
        let mut gaps = Gaps::default();
        let mut grid = GridBuilder::default();
        let mut shared: HashMap<usize, u32, convert::ByAddress> = HashMap::default();
        while let Some(cell) = next().map_err(Stop::Broken)? {
            let (row, column) = cell.get_position();
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
            if gaps.see(row, column) {
                on_gap();
            }
            grid.push(row, column, stored);
            self.check_cells(grid.len())?;
        }
        if gaps.ended_short() {
            on_gap();
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
        let limit = self.limits.max_cells;
        if cells as u64 <= limit {
            Ok(())
        } else {
            Err(self.limit("the number of cells of one sheet", limit, "read.max_cells"))
        }
    }

    fn limit(&self, what: &str, limit: u64, setting: &'static str) -> Stop {
        Stop::Limit(ReadError::TooLarge { file: self.file.to_owned(), what: what.to_owned(), limit, setting })
    }
}

/// Finds the first row that does not have a cell in each column from the first to the last, as rows under a merge never have.
#[derive(Default)]
struct Gaps {
    first: Option<u32>,
    width: Option<u32>,
    row: u32,
    next: u32,
}

impl Gaps {
    /// Says whether the cell, or the row before it, shows a gap.
    fn see(&mut self, row: u32, column: u32) -> bool {
        let first = *self.first.get_or_insert(column);
        if self.row == row && self.next > 0 {
            let gap = column != self.next;
            self.next = column + 1;
            return gap;
        }
        let ended_short = self.ended_short();
        self.row = row;
        self.next = column + 1;
        column != first || ended_short
    }

    fn ended_short(&mut self) -> bool {
        self.next > 0 && *self.width.get_or_insert(self.next) != self.next
    }
}

/// Why a sheet's reading ended early.
enum Stop {
    Limit(ReadError),
    Broken(String),
}

type Streamed<'v> = calamine::Cell<DataRef<'v>>;

/// Merged ranges by sheet. Sheets that can't be read have none.
fn xlsx_merges(bytes: &[u8]) -> HashMap<String, Vec<Merge>> {
    let Ok(mut book) = Xlsx::new(Cursor::new(bytes)) else { return HashMap::new() };
    let names = book.sheet_names();
    let of = |name: String| {
        let merges = book.merge_cells_by_sheet_name(&name).unwrap_or_default();
        (name, merges.iter().map(merge).collect())
    };
    names.into_iter().map(of).collect()
}

fn merge(dimensions: &Dimensions) -> Merge {
    Merge {
        first_row: dimensions.start.0,
        last_row: dimensions.end.0,
        first_column: dimensions.start.1,
        last_column: dimensions.end.1,
    }
}
