//! Tables that stand side by side: a sheet is parted at blank columns, each part a grid of its own.
//!
//! Must never happen: columns parted from the labels of their rows. When unsure it is one table.

use super::grid::Grid;
use super::header;
use super::kind::{Kind, kind};

/// First and last column of a part.
type Columns = (u32, u32);

/// Parts at most; a sheet with more gaps is one table with spacers.
const MAX_PARTS: usize = 12;

/// The grids of tables that stand side by side, from left to right; none where there is one table.
pub(super) fn split(grid: &Grid) -> Vec<Grid> {
    let parts = between_gaps(grid);
    if parts.len() < 2 || parts.len() > MAX_PARTS || parts.iter().any(|(first, last)| first == last) {
        return Vec::new();
    }
    let across =
        grid.merges.all().iter().any(|merge| {
            parts.windows(2).any(|pair| merge.first_column <= pair[0].1 && merge.last_column >= pair[1].0)
        });
    if across {
        return Vec::new();
    }
    let grids: Vec<Grid> = parts.iter().map(|columns| grid.part(*columns)).collect();
    let bodies: Vec<Option<Body>> = grids.iter().map(Body::of).collect();
    let Some(bodies) = bodies.into_iter().collect::<Option<Vec<Body>>>() else { return Vec::new() };
    let equal = bodies.windows(2).all(|pair| pair[0].labels == pair[1].labels);
    let own = bodies.iter().all(|body| body.named) && bodies.windows(2).any(|pair| pair[0].rows != pair[1].rows);
    if equal || own { grids } else { Vec::new() }
}

/// Used columns between columns without any cell.
fn between_gaps(grid: &Grid) -> Vec<Columns> {
    let mut used: Vec<bool> = Vec::new();
    for (column, _) in (0..grid.len()).flat_map(|i| grid.filled(i)) {
        let column = column as usize;
        if used.len() <= column {
            used.resize(column + 1, false);
        }
        used[column] = true;
    }
    let mut parts: Vec<Columns> = Vec::new();
    for column in (0..used.len() as u32).filter(|column| used[*column as usize]) {
        match parts.last_mut() {
            Some(part) if part.1 + 1 == column => part.1 = column,
            _ => parts.push((column, column)),
        }
    }
    parts
}

/// What makes a part a table.
struct Body {
    labels: Vec<String>,
    /// First and last row of the sheet.
    rows: (u32, u32),
    /// Its rows are named by its first column, without gaps.
    named: bool,
}

impl Body {
    /// A header of texts over at least one row without blank rows between.
    fn of(grid: &Grid) -> Option<Self> {
        let last = grid.len().checked_sub(1)?;
        let header = header::find(grid, 0, last);
        let row = *header.rows.last()?;
        let labels: Vec<(u32, String)> = grid.filled(row).map(|(c, cell)| (c, cell.text().trim().to_owned())).collect();
        let texts = grid.filled(row).all(|(_, cell)| kind(&cell) == Kind::Text);
        if labels.len() < 2 || !texts || header.body > last {
            return None;
        }
        let rows = header.body..=last;
        let unbroken = grid.number(last) - grid.number(header.body) == (last - header.body) as u32;
        let names = rows.clone().map(|i| kind(&grid.at(i, labels[0].0)));
        let named = unbroken && names.clone().all(|kind| matches!(kind, Kind::Text | Kind::Date));
        let rows = (grid.number(header.body), grid.number(last));
        Some(Self { labels: labels.into_iter().map(|(_, label)| label).collect(), rows, named })
    }
}
