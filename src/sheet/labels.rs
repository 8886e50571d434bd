//! Labels of columns, from one or more header rows.

use super::grid::Grid;
use crate::note::{Note, Place, column_letters, field_name};

/// The label of a column: its parts from top to bottom joined by `-`, equal neighbours once. Empty where there is none.
pub(super) fn join(grid: &Grid, rows: &[usize], column: u32) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (level, i) in rows.iter().enumerate() {
        let part = part(grid, rows, level, *i, column);
        if !part.is_empty() && parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    parts.join("-")
}

fn part(grid: &Grid, rows: &[usize], level: usize, i: usize, column: u32) -> String {
    let own = one_line(&grid.seen(i, column).text());
    let lower = &rows[level + 1..];
    if !own.is_empty() || !named(grid, lower, column) {
        return own;
    }
    group(grid, lower, i, column)
}

/// The group that a blank cell of an upper header row belongs to: the nearest cell to its left, where that is a group and no merge says otherwise.
fn group(grid: &Grid, lower: &[usize], i: usize, column: u32) -> String {
    let left = grid.filled(i).filter(|(c, _)| *c < column).last();
    let Some((start, cell)) = left else { return String::new() };
    let spelled_out = start > 0 && grid.at(i, start - 1) == cell;
    if spelled_out || grid.merges.over(grid.number(i), start).is_some() {
        return String::new();
    }
    let unbroken = (start..column).all(|c| named(grid, lower, c));
    if unbroken { one_line(&cell.text()) } else { String::new() }
}

fn named(grid: &Grid, rows: &[usize], column: u32) -> bool {
    rows.iter().any(|i| !grid.at(*i, column).is_blank())
}

/// A label on one line, without white space around it.
fn one_line(text: &str) -> String {
    let text = text.trim();
    if !text.contains(['\n', '\r', '\t']) {
        return text.to_owned();
    }
    text.split(['\n', '\r', '\t']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Names blank labels by their column letter and notes them and labels that stand twice.
pub(super) fn complete(labels: &mut [(u32, String)], place: &Place<'_>) -> Vec<Note> {
    let chinese = labels.iter().any(|(_, label)| is_chinese(label));
    let mut notes = Vec::new();
    let headless = labels.iter().all(|(_, label)| label.is_empty());
    if headless && !labels.is_empty() {
        let message = "no header was found; the columns are named by their letters";
        notes.push(Note::new("no_header", message).at(place));
    }
    for (column, label) in labels.iter_mut().filter(|(_, label)| label.is_empty()) {
        let name = field_name(*column as usize, place.turned);
        *label = match (chinese, place.turned) {
            (true, true) => format!("第 {} 行", *column + 1),
            (true, false) => format!("{} 列", column_letters(*column as usize)),
            (false, _) => name[..1].to_uppercase() + &name[1..],
        };
        if !headless {
            let message = format!("{name} has no header; it is called {label:?}");
            notes
                .push(Note::new("blank_header", message).at(Place { column: Some(*column as usize), ..place.clone() }));
        }
    }
    notes.extend(twins(labels, place));
    notes
}

fn twins(labels: &[(u32, String)], place: &Place<'_>) -> Vec<Note> {
    let mut sorted: Vec<&(u32, String)> = labels.iter().collect();
    sorted.sort_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
    let equal = sorted.windows(2).filter(|pair| pair[0].1 == pair[1].1);
    equal
        .map(|pair| {
            let [first, second] = [pair[0].0, pair[1].0].map(|column| column as usize);
            let message = match place.turned {
                true => format!("rows {} and {} are both called {:?}", first + 1, second + 1, pair[0].1),
                false => {
                    let (first, second) = (column_letters(first), column_letters(second));
                    format!("columns {first} and {second} are both called {:?}", pair[0].1)
                }
            };
            Note::new("duplicate_header", message).at(Place { column: Some(pair[1].0 as usize), ..place.clone() })
        })
        .collect()
}

pub(super) fn is_chinese(text: &str) -> bool {
    text.chars().any(is_cjk)
}

fn is_cjk(c: char) -> bool {
    ('\u{3400}'..='\u{9FFF}').contains(&c)
}
