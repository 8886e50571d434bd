//! Sheets that are no table of records but a form of names and values.

use std::collections::HashSet;

use super::grid::Grid;
use super::kind::{Kind, kind};

/// What a part of a sheet is, where it is no common table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Names down the first column, their values in the second.
    NamesAndValues,
    /// Perhaps labels down the first column, and one record in each further column.
    OnItsSide,
    /// The same for sure; rows and columns of the grid changed places.
    Turned,
}

/// Rows of a form.
const FORM_ROWS: std::ops::RangeInclusive<usize> = 3..=80;
/// Characters of a name in a form.
const LONGEST_NAME: usize = 24;

/// Labels of a column of values: above one, names and values have a header.
const HEADS: [&str; 12] =
    ["value", "values", "content", "data", "description", "text", "值", "数值", "内容", "信息", "说明", "描述"];

/// The labels of a form's two columns.
pub(super) fn labels(chinese: bool) -> [&'static str; 2] {
    if chinese { ["项目", "值"] } else { ["Item", "Value"] }
}

/// The first and second column of a form of names and values in rows `first..=last`.
pub(super) fn names_and_values(grid: &Grid, first: usize, last: usize) -> Option<(u32, u32)> {
    let rows = first..=last;
    if !FORM_ROWS.contains(&(last + 1 - first)) {
        return None;
    }
    let columns: HashSet<u32> = rows.clone().flat_map(|i| grid.filled(i).map(|(column, _)| column)).collect();
    let (names, values) = (*columns.iter().min()?, *columns.iter().max()?);
    if columns.len() != 2 {
        return None;
    }
    let texts: Vec<String> = rows.clone().map(|i| grid.at(i, names).text().trim().to_owned()).collect();
    let short = |text: &String| (1..=LONGEST_NAME).contains(&text.chars().count());
    let all_names = rows.clone().all(|i| kind(&grid.at(i, names)) == Kind::Text) && texts.iter().all(short);
    if !all_names || texts.iter().collect::<HashSet<_>>().len() < texts.len() {
        return None;
    }
    let marked = texts.iter().filter(|text| text.ends_with([':', '：'])).count() * 3 >= texts.len() * 2;
    let headed = HEADS.iter().any(|head| grid.at(first, values).text().trim().eq_ignore_ascii_case(head));
    (marked || (!headed && mixed(grid, rows, values))).then_some((names, values))
}

/// The first value is no label, and texts, numbers and dates stand in one column.
fn mixed(grid: &Grid, rows: std::ops::RangeInclusive<usize>, column: u32) -> bool {
    let kinds: Vec<Kind> = rows.map(|i| kind(&grid.at(i, column))).filter(|kind| *kind != Kind::Blank).collect();
    let count = |wanted: fn(&Kind) -> bool| kinds.iter().filter(|kind| wanted(kind)).count();
    let texts = count(|kind| *kind == Kind::Text);
    let dates = count(|kind| *kind == Kind::Date);
    let numbers = count(|kind| matches!(kind, Kind::Number | Kind::Year));
    texts >= 2 && (1..=2).contains(&dates) && numbers >= 1 && numbers * 2 <= kinds.len()
}
