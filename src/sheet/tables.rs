//! A sheet as the sheets of its tables: those that stand side by side are parted, and those that lie on their side turned.
//!
//! Must never happen: a cell or a title line that is in none of them.

use super::grid::Grid;
use super::workbook::Sheet;
use super::{ReadOptions, beside, header, side};
use crate::note::column_letters;

/// The sheet's tables, each as a sheet.
pub(super) fn of(sheet: Sheet, options: &ReadOptions) -> Vec<Sheet> {
    match options.transposed {
        Some(true) => vec![upright(sheet, Some(true))],
        transposed => parted(sheet).into_iter().map(|part| upright(part, transposed)).collect(),
    }
}

/// The tables that stand side by side; the sheet itself where there is one.
fn parted(sheet: Sheet) -> Vec<Sheet> {
    let grids = beside::split(&sheet.grid);
    if grids.is_empty() {
        return vec![sheet];
    }
    let part = |grid: Grid| Sheet {
        name: sheet.name.clone(),
        area: grid.area(),
        titles: Vec::new(),
        grid,
        hidden_rows: sheet.hidden_rows.clone(),
        hidden_columns: sheet.hidden_columns.clone(),
        failure: sheet.failure.clone(),
        ..sheet
    };
    grids.into_iter().map(part).collect()
}

/// The sheet with its records as rows, where it is or is said to be a table on its side.
fn upright(sheet: Sheet, transposed: Option<bool>) -> Sheet {
    let first = match transposed {
        Some(true) => side::below_titles(&sheet.grid),
        Some(false) => None,
        None => side::surely(&sheet.grid),
    };
    let Some(first) = first else { return sheet };
    let grid = side::turned(&sheet.grid, first);
    let column = |i: usize| column_letters(grid.number(i) as usize);
    let last = grid.len().saturating_sub(1);
    Sheet {
        area: Some(format!("{}:{}", column(last.min(1)), column(last))),
        turned: true,
        titles: header::titles(&sheet.grid, 0, first),
        grid,
        ..sheet
    }
}
