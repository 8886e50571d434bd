//! The tables of a sheet: one, or several that are stacked or stand side by side. When unsure it is one.

use std::collections::VecDeque;

use super::form::{self, Form};
use super::grid::Grid;
use super::header::{self, Header};
use super::labels;
use super::look::Look;
use super::side;

/// One table of a grid; rows are indexes into the grid.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    pub header: Header,
    /// The last row of the table.
    pub last: usize,
    /// 0-based columns of the sheet with their labels, which may be blank.
    pub columns: Vec<(u32, String)>,
    pub form: Option<Form>,
}

/// Finds the tables of a sheet.
pub(super) fn find(grid: &Grid, chosen: Option<(u64, u64)>) -> Vec<Block> {
    if grid.len() == 0 {
        return Vec::new();
    }
    if let Some(rows) = chosen {
        return vec![block(grid, header::chosen(grid, rows), grid.len() - 1)];
    }
    let tables = stacked(grid);
    tables.into_iter().map(|(first, last)| form_or_table(grid, first, last)).collect()
}

fn form_or_table(grid: &Grid, first: usize, last: usize) -> Block {
    if let Some(block) = names_and_values(grid, first, last) {
        return block;
    }
    let mut block = block(grid, header::find(grid, first, last), last);
    let columns: Vec<u32> = block.columns.iter().map(|(column, _)| *column).collect();
    if side::seems(grid, block.header.body, last, &columns) {
        block.form = Some(Form::OnItsSide);
    }
    block
}

/// The one table of a grid that was turned: its labels are in the first row.
pub(super) fn turned(grid: &Grid, titles: &[String]) -> Vec<Block> {
    let Some(last) = grid.len().checked_sub(1) else { return Vec::new() };
    let block = block(grid, Header { titles: titles.to_vec(), rows: vec![0], body: 1 }, last);
    vec![Block { form: Some(Form::Turned), ..block }]
}

/// A form, below its title lines.
fn names_and_values(grid: &Grid, first: usize, last: usize) -> Option<Block> {
    let titles = (first..=last).take_while(|i| grid.filled(*i).nth(1).is_none()).take(MAX_TITLES).count();
    let body = first + titles;
    let (names, values) = form::names_and_values(grid, body, last)?;
    let chinese = (body..=last).any(|i| labels::is_chinese(&grid.at(i, names).text()));
    let [name, value] = form::labels(chinese);
    let columns = vec![(names, name.to_owned()), (values, value.to_owned())];
    let header = Header { titles: header::titles(grid, first, body), rows: Vec::new(), body };
    Some(Block { header, last, columns, form: Some(Form::NamesAndValues) })
}

/// Title lines of a form.
const MAX_TITLES: usize = 3;

fn block(grid: &Grid, header: Header, last: usize) -> Block {
    let columns = columns(grid, &header, last);
    let columns = columns.into_iter().map(|column| (column, labels::join(grid, &header.rows, column))).collect();
    Block { header, last, columns, form: None }
}

/// Columns with a label or with cells in the body; cells of lone rows after a gap at the bottom do not make a column.
fn columns(grid: &Grid, header: &Header, last: usize) -> Vec<u32> {
    let mut cells: Vec<u32> = Vec::new();
    let mut count = |column: u32, by: u32| {
        let column = column as usize;
        if cells.len() <= column {
            cells.resize(column + 1, 0);
        }
        cells[column] += by;
    };
    for i in &header.rows {
        grid.filled(*i).for_each(|(column, _)| count(column, STRAY_CELLS + 1));
    }
    let end = before_stray(grid, header.body, last);
    for i in header.body..end {
        grid.filled(i).for_each(|(column, _)| count(column, 1));
    }
    let mut columns: Vec<u32> = (0..cells.len() as u32).filter(|column| cells[*column as usize] > 0).collect();
    let labelled = |column: u32| header.rows.iter().any(|i| !grid.seen(*i, column).is_blank());
    let is_stray = |column: u32| cells[column as usize] <= STRAY_CELLS && !labelled(column);
    let solid = columns.iter().rposition(|column| !is_stray(*column)).unwrap_or(0);
    let is_far = |pair: &[u32]| pair[1] > pair[0] + FAR_COLUMNS;
    if let Some(near) = columns[solid..].windows(2).position(is_far) {
        columns.truncate(solid + near + 1);
    }
    columns
}

/// Cells at most of a column without a label that is not of the table.
const STRAY_CELLS: u32 = 2;

/// Columns between a table and a cell that is not of it.
const FAR_COLUMNS: u32 = 2;

/// The end of the body without lone cells after a gap.
fn before_stray(grid: &Grid, body: usize, last: usize) -> usize {
    let mut end = last + 1;
    for i in (body + 1..=last).rev() {
        if grid.filled(i).nth(1).is_some() {
            break;
        }
        if grid.number(i) > grid.number(i - 1) + 1 {
            end = i;
        }
    }
    end
}

/// Parts of a sheet that are tried as tables of their own; what comes after them belongs to the last table.
const MAX_PARTS: usize = 2_000;

/// Parts of a sheet between blank rows, joined again where the next part goes on with the table before.
fn stacked(grid: &Grid) -> Vec<(usize, usize)> {
    let mut tables: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<Header> = None;
    let mut parts: VecDeque<(usize, usize)> = parts(grid).into();
    let mut tried = 0;
    while let Some(mut part) = parts.pop_front() {
        tried += 1;
        let header = if tried < MAX_PARTS { table(grid, part) } else { None };
        let begins = match (&before, &header) {
            (Some(before), Some(header)) => begins_table(grid, before, header, part),
            _ => false,
        };
        if before.is_none() || begins {
            before = header;
        }
        if let Some(title) = before.as_ref().and_then(|before| next_section(grid, before, part)) {
            parts.push_front((title, part.1));
            part.1 = title - 1;
        }
        match tables.last_mut() {
            Some(table) if !begins => table.1 = part.1,
            _ => tables.push(part),
        }
    }
    tables
}

/// Rows without a blank row between them.
fn parts(grid: &Grid) -> Vec<(usize, usize)> {
    let mut start = 0;
    let mut parts = Vec::new();
    for i in 1..=grid.len() {
        if i == grid.len() || grid.number(i) != grid.number(i - 1) + 1 {
            parts.push((start, i - 1));
            start = i;
        }
    }
    parts
}

/// Where in a part the table's header stands once more under a title line, or under other group labels: there the next table begins.
fn next_section(grid: &Grid, before: &Header, (first, last): (usize, usize)) -> Option<usize> {
    let (header, upper) = before.rows.split_last()?;
    grid.filled(*header).nth(1)?;
    let again = (first.max(before.body) + 1..=last).filter(|i| same_cells(grid, *i, *header));
    again.filter_map(|i| section_start(grid, upper, i)).find(|start| *start > first)
}

fn section_start(grid: &Grid, upper: &[usize], i: usize) -> Option<usize> {
    let top = i.checked_sub(upper.len())?;
    let title = top.checked_sub(1)?;
    if grid.filled(title).nth(1).is_none() {
        return Some(title);
    }
    let regrouped = upper.iter().enumerate().any(|(level, row)| !same_cells(grid, top + level, *row));
    regrouped.then_some(top)
}

fn same_cells(grid: &Grid, a: usize, b: usize) -> bool {
    grid.filled(a).eq(grid.filled(b))
}

/// The header of rows that hold a whole table: at least one row of data under at least two labels. Names and values above a
/// table are its title lines.
fn table(grid: &Grid, (first, last): (usize, usize)) -> Option<Header> {
    if last == first {
        return None;
    }
    if names_and_values(grid, first, last).is_some() {
        return None;
    }
    let header = header::find(grid, first, last);
    let row = *header.rows.first()?;
    (header.body <= last && grid.filled(row).nth(1).is_some()).then_some(header)
}

/// A part begins another table than the one before: a header with evidence, that is not that table's header once more.
fn begins_table(grid: &Grid, before: &Header, header: &Header, part: (usize, usize)) -> bool {
    let Some(row) = header.rows.last() else { return false };
    let differs = Look::new(grid, part.0, part.1).evidence(*row).differ > 0;
    let same = before.rows.len() == header.rows.len()
        && before.rows.iter().zip(&header.rows).all(|(a, b)| same_cells(grid, *a, *b));
    differs && (!same || !header.titles.is_empty())
}

/// The one table of a text file, from its first records. A column without a label must be used in most of them: other cells are surplus.
pub(super) fn find_in_text(head: &Grid, chosen: Option<(u64, u64)>) -> Option<Block> {
    let last = head.len().checked_sub(1)?;
    let header = match chosen {
        Some(rows) => header::chosen(head, rows),
        None => header::find(head, 0, last),
    };
    if let Some(form) = chosen.is_none().then(|| names_and_values(head, 0, last)).flatten() {
        return Some(form);
    }
    let mut block = block(head, header, last);
    let rows = head.len() - block.header.body.min(head.len());
    let labelled = block.columns.iter().filter(|(_, label)| !label.is_empty()).map(|(column, _)| *column).max();
    let common = block.columns.iter().map(|(column, _)| *column).filter(|column| {
        let used = (block.header.body..=last).filter(|i| !head.at(*i, *column).is_blank()).count();
        labelled.is_none() || used * 2 > rows
    });
    let width = labelled.max(common.max()).map_or(0, |column| column + 1);
    block.columns = (0..width).map(|column| (column, labels::join(head, &block.header.rows, column))).collect();
    Some(block)
}
