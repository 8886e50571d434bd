//! What the reader of xls workbooks (BIFF 5 and 8) does not tell of their sheets: hidden rows and columns, and formulas that
//! nobody calculated.
//!
//! Comes in: the bytes of a workbook. Goes out: one [`Layout`] for each sheet, in the workbook's order.

use super::compound::{self, Compound};
use super::grid::Merge;
use super::layout::Layout;
use super::meter::Meter;

/// Kinds of records.
const FORMULA: u16 = 0x0006;
const END: u16 = 0x000A;
const CODE_PAGE: u16 = 0x0042;
const COLUMNS: u16 = 0x007D;
const SHEET: u16 = 0x0085;
const MERGES: u16 = 0x00E5;
const CALCULATED_BY: u16 = 0x01C1;
const ROW: u16 = 0x0208;
const BEGIN: u16 = 0x0809;

/// Bits of a row and of columns that are hidden.
const ROW_HIDDEN: u16 = 0x20;
const COLUMNS_HIDDEN: u16 = 0x01;
/// The last column that an xls sheet has, 0-based.
const LAST_COLUMN: u32 = 255;

/// The layouts of the sheets.
pub(super) fn layouts(bytes: &[u8], _: &Meter) -> Vec<Layout> {
    let stream = stream(bytes);
    let globals: Vec<(u16, &[u8])> = records(&stream, 0).collect();
    // Spreadsheet programs say which of them calculated last; libraries that can't calculate do not.
    let calculated = globals.iter().any(|(kind, _)| *kind == CALCULATED_BY);
    let starts = globals.iter().filter(|(kind, _)| *kind == SHEET).map(|(_, data)| long(data, 0) as usize);
    let mut layouts: Vec<Layout> = starts.map(|start| sheet(&stream, start)).collect();
    for layout in layouts.iter_mut().filter(|layout| !calculated && !layout.calculated) {
        layout.uncalculated.append(&mut layout.zeros);
    }
    layouts
}

/// The number by which the world knows a code page that old programs numbered otherwise.
pub(super) fn renamed_code_page(bytes: &[u8]) -> Option<u16> {
    let stream = stream(bytes);
    let (_, data) = records(&stream, 0).find(|(kind, _)| *kind == CODE_PAGE)?;
    match short(data, 0) {
        // Mac Roman, Windows Latin, ASCII.
        0x8000 => Some(10_000),
        0x8001 | 367 => Some(1_252),
        _ => None,
    }
}

/// The workbook's records, in a container or bare.
fn stream(bytes: &[u8]) -> Vec<u8> {
    if !bytes.starts_with(&compound::MARK) {
        return bytes.to_vec();
    }
    let file = Compound::of(bytes);
    file.stream("Workbook").or_else(|| file.stream("Book")).unwrap_or_default()
}

/// Kind and data of the records from `start` to the end of their part, without those of parts inside it.
fn records(stream: &[u8], start: usize) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = stream.get(start..).unwrap_or_default();
    let mut depth = 0;
    let next = move || loop {
        let (head, behind) = rest.split_first_chunk::<4>()?;
        let kind = u16::from_le_bytes([head[0], head[1]]);
        let data = behind.get(..usize::from(u16::from_le_bytes([head[2], head[3]])))?;
        rest = &behind[data.len()..];
        match kind {
            BEGIN => depth += 1,
            END if depth <= 1 => return None,
            END => depth -= 1,
            _ if depth <= 1 => return Some((kind, data)),
            _ => {}
        }
    };
    std::iter::from_fn(next)
}

fn sheet(stream: &[u8], start: usize) -> Layout {
    let mut layout = Layout::default();
    for (kind, data) in records(stream, start) {
        match kind {
            ROW if short(data, 12) & ROW_HIDDEN != 0 => {
                let row = u32::from(short(data, 0));
                layout.hidden_rows.push((row, row));
            }
            COLUMNS if short(data, 8) & COLUMNS_HIDDEN != 0 => {
                let (first, last) = (u32::from(short(data, 0)), u32::from(short(data, 2)));
                layout.hidden_columns.push((first, last.min(LAST_COLUMN)));
            }
            MERGES => layout.merges.extend(data.get(2..).unwrap_or_default().as_chunks::<8>().0.iter().map(merge)),
            FORMULA => formula(data, &mut layout),
            _ => {}
        }
    }
    layout
}

fn merge(data: &[u8; 8]) -> Merge {
    let [first_row, last_row, first_column, last_column] = [0, 2, 4, 6].map(|at| u32::from(short(data, at)));
    Merge { first_row, last_row, first_column, last_column }
}

/// A formula's value: an empty text is what writers put who can't calculate.
fn formula(data: &[u8], layout: &mut Layout) {
    let is_empty = data.get(6) == Some(&3) && short(data, 12) == u16::MAX;
    match is_empty {
        true => layout.zeros.push((u32::from(short(data, 0)), u32::from(short(data, 2)))),
        false => layout.calculated = true,
    }
}

fn short(data: &[u8], at: usize) -> u16 {
    data.get(at..at + 2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]))
}

fn long(data: &[u8], at: usize) -> u32 {
    u32::from(short(data, at)) | u32::from(short(data, at + 2)) << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, data: &[u16]) -> Vec<u8> {
        let bytes: Vec<u8> = data.iter().flat_map(|two| two.to_le_bytes()).collect();
        [&kind.to_le_bytes()[..], &(bytes.len() as u16).to_le_bytes(), &bytes].concat()
    }

    fn book(recalculated: bool) -> Vec<u8> {
        let begin = || record(BEGIN, &[0x0600, 5]);
        let calculated_by = if recalculated { record(CALCULATED_BY, &[0x01C1, 0]) } else { Vec::new() };
        let globals = |start: u16| {
            [
                begin(),
                record(CODE_PAGE, &[0x8001]),
                calculated_by.clone(),
                record(SHEET, &[start, 0, 0, 0]),
                record(END, &[]),
            ]
            .concat()
        };
        let chart = [begin(), record(ROW, &[9, 0, 0, 0, 0, 0, 0x20, 0]), record(END, &[])].concat();
        let sheet = [
            begin(),
            record(COLUMNS, &[1, 2, 0, 0, 1]),
            record(COLUMNS, &[4, 4, 0, 0, 0]),
            record(ROW, &[3, 0, 9, 255, 0, 0, 0x120, 0]),
            record(ROW, &[4, 0, 9, 255, 0, 0, 0x100, 0]),
            chart,
            record(FORMULA, &[4, 2, 0, 3, 0, 0, 0xFFFF, 0, 0, 0]),
            record(MERGES, &[1, 5, 6, 0, 1]),
            record(END, &[]),
            record(ROW, &[8, 0, 9, 255, 0, 0, 0x20, 0]),
        ];
        let start = globals(0).len() as u16;
        [globals(start), sheet.concat()].concat()
    }

    #[test]
    fn records_tell_what_is_hidden_and_what_nobody_calculated() {
        let layouts = |recalculated| layouts(&book(recalculated), &Meter::new(1));
        let layout = &layouts(false)[0];
        assert_eq!((layout.hidden_rows.as_slice(), layout.hidden_columns.as_slice()), (&[(3, 3)][..], &[(1, 2)][..]));
        assert_eq!(layout.merges, [Merge { first_row: 5, last_row: 6, first_column: 0, last_column: 1 }]);
        assert_eq!(layout.uncalculated, [(4, 2)]);
        assert!(layouts(true)[0].uncalculated.is_empty());
        assert_eq!(renamed_code_page(&book(false)), Some(1_252));
    }

    #[test]
    fn broken_records_end_the_walk() {
        let whole = book(false);
        (0..whole.len()).for_each(|end| drop(layouts(&whole[..end], &Meter::new(1))));
        let mut container = compound::MARK.to_vec();
        container.resize(4_096, 0);
        assert!(layouts(&container, &Meter::new(1)).is_empty());
    }
}
