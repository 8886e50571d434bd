//! Where a table begins: title lines, header rows, labels.
//!
//! Comes in: a part of a grid that holds one table. Goes out: a [`Header`].
//! Must never happen: a data row taken for a header without evidence; a label that is lost.

use super::grid::Grid;
use super::kind::Kind;
use super::labels;
use super::look::Look;

/// Rows looked at for the header.
const SEARCH_ROWS: usize = 40;
/// Header rows at most.
const MAX_HEADER_ROWS: usize = 4;

/// Where a table's header is; rows are indexes into the grid.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Header {
    pub titles: Vec<String>,
    /// Empty where the table has no header.
    pub rows: Vec<usize>,
    /// The first row of the table's body.
    pub body: usize,
}

/// Finds the header of the table in rows `first..=last` of a grid.
pub(super) fn find(grid: &Grid, first: usize, last: usize) -> Header {
    let look = Look::new(grid, first, last);
    let start = begin(&look);
    if !look.is_header(start) {
        // Without a header a row of several cells is no title.
        let is_row = |i: &usize| grid.filled(*i).nth(1).is_some() && !is_property_line(&look, *i);
        let body = (first..start).find(is_row).unwrap_or(start);
        return Header { titles: titles(grid, first, body), rows: Vec::new(), body };
    }
    let mut rows = vec![start];
    extend_down(&look, &mut rows);
    extend_up(&look, &mut rows);
    let body = rows[rows.len() - 1] + 1;
    Header { titles: titles(grid, first, rows[0]), rows, body }
}

/// A header at rows that the user chose, 1-based; rows without a cell are left out.
pub(super) fn chosen(grid: &Grid, (from, to): (u64, u64)) -> Header {
    let rows: Vec<usize> = (0..grid.len()).filter(|i| (from..=to).contains(&grid.shown(*i))).collect();
    let start = (0..grid.len()).take_while(|i| grid.shown(*i) < from).count();
    let body = rows.last().map_or(start, |last| last + 1);
    Header { titles: titles(grid, 0, start), rows, body }
}

/// Title lines: the cells of each row above the header.
pub(super) fn titles(grid: &Grid, first: usize, start: usize) -> Vec<String> {
    (first..start)
        .map(|i| grid.filled(i).map(|(_, cell)| cell.text().trim().to_owned()).collect::<Vec<_>>().join(" "))
        .filter(|title| !title.is_empty())
        .collect()
}

/// The first row that is about as wide as the table; where it is no header, a narrower row above it that is one.
fn begin(look: &Look<'_>) -> usize {
    let typical = look.typical_width();
    let enough = typical - (typical * 2 / 5).max(1).min(typical - 1);
    let candidates = || {
        look.rows().take(SEARCH_ROWS).filter(|i| {
            let narrow = look.covered(*i) < typical;
            look.grid.filled(*i).count() >= typical.min(2) && !(narrow && is_property_line(look, *i))
        })
    };
    let Some(wide) = candidates().find(|i| look.covered(*i) >= enough) else { return look.first };
    if look.is_header(wide) {
        return wide;
    }
    candidates().take_while(|i| *i < wide).find(|i| look.labels_values(*i)).unwrap_or(wide)
}

/// `Source:, Environment Agency`: names with a colon and what they are.
fn is_property_line(look: &Look<'_>, i: usize) -> bool {
    look.grid.filled(i).any(|(_, cell)| cell.text().trim_end().ends_with([':', '：']))
}

/// Adds header rows below: those that merged header cells reach, and those that tell equal labels apart.
fn extend_down(look: &Look<'_>, rows: &mut Vec<usize>) {
    while rows.len() < MAX_HEADER_ROWS {
        let lowest = rows[rows.len() - 1];
        let next = lowest + 1;
        if next > look.last || look.grid.number(next) != look.grid.number(lowest) + 1 {
            return;
        }
        let reached = look.merged_down(rows[0], next);
        if !(reached || (is_open(look, rows, next) && tells_apart(look, next))) {
            return;
        }
        rows.push(next);
    }
}

/// The labels so far are not the whole of it: some are merged over several columns, equal side by side, or missing.
fn is_open(look: &Look<'_>, rows: &[usize], next: usize) -> bool {
    let lowest = rows[rows.len() - 1];
    if look.merged_across(lowest) {
        return true;
    }
    let labels: Vec<String> = look.columns().map(|column| labels::join(look.grid, rows, column)).collect();
    let equal = labels.windows(2).any(|pair| !pair[0].is_empty() && pair[0] == pair[1]);
    let kinds: Vec<Kind> = look.columns().map(|column| look.kind(next, column)).collect();
    let filled = labels.iter().zip(&kinds).filter(|(label, kind)| label.is_empty() && **kind != Kind::Blank).count();
    let missing = labels.iter().zip(&kinds).any(|(label, kind)| !label.is_empty() && *kind == Kind::Blank);
    equal || (filled > 0 && missing)
}

/// A row of labels: no numbers but years, and unlike the rows below it.
fn tells_apart(look: &Look<'_>, i: usize) -> bool {
    let evidence = look.evidence(i);
    let labels = look.columns().all(|column| !matches!(look.kind(i, column), Kind::Number | Kind::Date));
    let short = look.grid.filled(i).all(|(_, cell)| cell.text().chars().count() <= 60);
    let several = look.grid.filled(i).count() > 1;
    let told = evidence.differ > 0 || look.merged_across(i.saturating_sub(1));
    labels && short && several && told && evidence.alike == 0 && !evidence.recurs()
}

/// Adds group rows above: cells that stand or are merged over some of the columns.
fn extend_up(look: &Look<'_>, rows: &mut Vec<usize>) {
    while rows.len() < MAX_HEADER_ROWS && rows[0] > look.first {
        let above = rows[0] - 1;
        let adjacent = look.grid.number(above) + 1 == look.grid.number(rows[0]);
        if !adjacent || !is_group_row(look, above) {
            return;
        }
        rows.insert(0, above);
    }
}

fn is_group_row(look: &Look<'_>, i: usize) -> bool {
    let cells: Vec<(u32, String)> =
        look.grid.filled(i).map(|(column, cell)| (column, cell.text().into_owned())).collect();
    let Some((first, _)) = cells.first() else { return false };
    let plain = cells.iter().all(|(column, text)| {
        matches!(look.kind(i, *column), Kind::Text | Kind::Year)
            && !text.contains([':', '：'])
            && text.chars().count() <= 40
    });
    let inside = *first > look.first_column;
    let spans = look.merged_across(i) && (inside || cells.len() > 1);
    plain && (spans || (inside && cells.len() > 1))
}
