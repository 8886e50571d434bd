//! What a user chose, against what a file has.

use super::grid::Grid;
use super::{ReadError, ReadOptions};
use crate::note::Note;

/// Sheet names listed in an error.
const MAX_NAMED: usize = 20;

/// Refuses a file that has not one of the chosen sheets.
pub(super) fn sheets(options: &ReadOptions, names: &[&str], file: &str) -> Result<(), ReadError> {
    let Some(wanted) = options.sheets.as_deref() else { return Ok(()) };
    if names.is_empty() || wanted.iter().any(|wanted| names.contains(&wanted.as_str())) {
        return Ok(());
    }
    let quoted: Vec<String> = names.iter().take(MAX_NAMED).map(|name| format!("{name:?}")).collect();
    let more = if names.len() > MAX_NAMED { ", …" } else { "" };
    Err(ReadError::Unsupported {
        file: file.to_owned(),
        found: format!(
            "it has no sheet {}",
            wanted.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" or ")
        ),
        hint: format!("choose of {}{more}", quoted.join(", ")),
    })
}

/// Says which of the chosen sheets a file has not, where it has others of them.
pub(super) fn missing(options: &ReadOptions, names: &[&str], file: &str) -> Vec<Note> {
    let wanted = options.sheets.iter().flatten().filter(|wanted| !names.contains(&wanted.as_str()));
    let note = |name: &String| Note::new("no_such_sheet", format!("no sheet is called {name:?}")).at(file);
    wanted.map(note).collect()
}

/// The last row that has a cell, 1-based; 0 where there is none.
pub(super) fn last_row(grid: &Grid) -> u64 {
    grid.len().checked_sub(1).map_or(0, |last| grid.shown(last))
}

/// Refuses header rows below the last row of what has rows.
pub(super) fn header(options: &ReadOptions, last: u64, file: &str) -> Result<(), ReadError> {
    let Some((first, end)) = options.header_rows.filter(|(_, end)| 0 < last && last < *end) else { return Ok(()) };
    let rows = if first == end { format!("row {end}") } else { format!("rows {first}-{end}") };
    Err(ReadError::Unsupported {
        file: file.to_owned(),
        found: format!("its header cannot be in {rows}, its last row is {last}"),
        hint: "choose the rows of its header".to_owned(),
    })
}
