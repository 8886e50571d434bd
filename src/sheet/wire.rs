//! Sheets on their way from the process that reads them.
//!
//! Comes in: [`Sheet`]s. Goes out: a line of JSON and blocks of little-endian numbers for each, and the same sheets at the other end.
//! Must never happen: an answer that ends early and is taken for whole.

use std::io::{self, BufRead, Read, Write};

use chrono::DateTime;
use serde::{Deserialize, Serialize};

use super::convert::ERRORS;
use super::grid::{Grid, Merge, RowStart, Stored, Texts, Used};
use super::layout::Span;
use super::workbook::Sheet;
use super::{ReadError, SheetKind};

/// What one line of an answer says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// Rows of a sheet that were read so far.
    Progress {
        sheet: String,
        rows: u64,
    },
    Sheet(Head),
    Failed(Failure),
    /// All was said.
    End,
}

/// What stands before the blocks of a sheet.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    number: usize,
    name: String,
    kind: SheetKind,
    hidden: bool,
    failure: Option<String>,
    hidden_rows: Vec<Span>,
    hidden_columns: Vec<Span>,
    merges: Vec<[u32; 4]>,
    rows: usize,
    cells: usize,
    texts: usize,
    text_bytes: usize,
}

/// Why there are no sheets; see [`ReadError`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Failure {
    TooLarge { what: String, limit: u64, setting: String },
    Damaged { detail: String },
    Unsupported { found: String, hint: String },
    Stopped { why: String },
}

/// Settings that a failure may name.
const SETTINGS: [&str; 3] = ["read.max_cells", "read.max_unpacked_bytes", "read.max_file_bytes"];

impl Failure {
    pub fn of(error: &ReadError) -> Self {
        match error {
            ReadError::TooLarge { what, limit, setting, .. } => {
                Self::TooLarge { what: what.clone(), limit: *limit, setting: (*setting).to_owned() }
            }
            ReadError::Damaged { detail, .. } => Self::Damaged { detail: detail.clone() },
            ReadError::Unsupported { found, hint, .. } => {
                Self::Unsupported { found: found.clone(), hint: hint.clone() }
            }
            ReadError::Stopped(why) => Self::Stopped { why: why.clone() },
            other => Self::Damaged { detail: other.to_string() },
        }
    }

    pub fn error(self, file: &str) -> ReadError {
        let file = file.to_owned();
        match self {
            Self::TooLarge { what, limit, setting } => {
                let setting = SETTINGS.into_iter().find(|known| **known == setting).unwrap_or(SETTINGS[0]);
                ReadError::TooLarge { file, what, limit, setting }
            }
            Self::Damaged { detail } => ReadError::Damaged { file, detail },
            Self::Unsupported { found, hint } => ReadError::Unsupported { file, found, hint },
            Self::Stopped { why } => ReadError::Stopped(why),
        }
    }
}

/// Writes one line.
pub(super) fn say(line: &Line, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Reads one line; what is no line is the end of an answer that broke off.
pub(super) fn hear(input: &mut impl BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&line)?)
}

/// Writes a sheet: its line, then rows, cells and texts.
pub(super) fn write(sheet: &Sheet, out: &mut impl Write) -> io::Result<()> {
    let grid = &sheet.grid;
    let merge = |m: &Merge| [m.first_row, m.last_row, m.first_column, m.last_column];
    let head = Head {
        number: sheet.number,
        name: sheet.name.clone(),
        kind: sheet.kind,
        hidden: sheet.hidden,
        failure: sheet.failure.clone(),
        hidden_rows: sheet.hidden_rows.clone(),
        hidden_columns: sheet.hidden_columns.clone(),
        merges: grid.merges.all().iter().map(merge).collect(),
        rows: grid.rows.len(),
        cells: grid.cells.len(),
        texts: grid.texts.ends.len(),
        text_bytes: grid.texts.all.len(),
    };
    say(&Line::Sheet(head), out)?;
    for row in &grid.rows {
        out.write_all(&row.number.to_le_bytes())?;
        out.write_all(&(row.start as u64).to_le_bytes())?;
    }
    for cell in &grid.cells {
        out.write_all(&packed(cell))?;
    }
    grid.texts.ends.iter().try_for_each(|end| out.write_all(&(*end as u64).to_le_bytes()))?;
    out.write_all(grid.texts.all.as_bytes())
}

/// Bytes of a row and of a cell.
const ROW: usize = 12;
const CELL: usize = 13;

/// Column, kind, value.
fn packed(cell: &Used) -> [u8; CELL] {
    let (kind, value) = match cell.stored {
        Stored::Text(number) => (0, u64::from(number)),
        Stored::Integer(n) => (1, n as u64),
        Stored::Decimal(x) => (2, x.to_bits()),
        Stored::Flag(flag) => (3, u64::from(flag)),
        Stored::DateTime(at) => (4, at.and_utc().timestamp_millis() as u64),
        Stored::Duration(seconds) => (5, seconds.to_bits()),
        Stored::Error(error) => (6, ERRORS.iter().position(|known| *known == error).unwrap_or(0) as u64),
    };
    let mut bytes = [0; CELL];
    bytes[..4].copy_from_slice(&cell.column.to_le_bytes());
    bytes[4] = kind;
    bytes[5..].copy_from_slice(&value.to_le_bytes());
    bytes
}

fn unpacked(bytes: &[u8; CELL]) -> io::Result<Used> {
    let (column, rest) = bytes.split_first_chunk::<4>().ok_or(io::ErrorKind::InvalidData)?;
    let (kind, value) = rest.split_first().ok_or(io::ErrorKind::InvalidData)?;
    let value = u64::from_le_bytes(value.try_into().map_err(|_| io::ErrorKind::InvalidData)?);
    let stored = match kind {
        0 => Stored::Text(value as u32),
        1 => Stored::Integer(value as i64),
        2 => Stored::Decimal(f64::from_bits(value)),
        3 => Stored::Flag(value == 1),
        4 => {
            let at = DateTime::from_timestamp_millis(value as i64).ok_or(io::ErrorKind::InvalidData)?;
            Stored::DateTime(at.naive_utc())
        }
        5 => Stored::Duration(f64::from_bits(value)),
        _ => Stored::Error(ERRORS.get(value as usize).ok_or(io::ErrorKind::InvalidData)?),
    };
    Ok(Used { column: u32::from_le_bytes(*column), stored })
}

/// Reads the blocks behind a sheet's line.
pub(super) fn read(head: Head, input: &mut impl Read) -> io::Result<Sheet> {
    let mut rows = Vec::new();
    each::<ROW>(input, head.rows, |bytes| {
        let (number, start) = bytes.split_first_chunk::<4>().ok_or(io::ErrorKind::InvalidData)?;
        let start = u64::from_le_bytes(start.try_into().map_err(|_| io::ErrorKind::InvalidData)?) as usize;
        rows.push(RowStart { number: u32::from_le_bytes(*number), start });
        Ok(())
    })?;
    let mut cells = Vec::new();
    each::<CELL>(input, head.cells, |bytes| {
        cells.push(unpacked(bytes)?);
        Ok(())
    })?;
    let mut ends = Vec::new();
    each::<8>(input, head.texts, |bytes| {
        ends.push(u64::from_le_bytes(*bytes) as usize);
        Ok(())
    })?;
    let mut all = Vec::new();
    input.take(head.text_bytes as u64).read_to_end(&mut all)?;
    if all.len() < head.text_bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let all = String::from_utf8(all).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut grid = Grid { rows, cells, texts: Texts { all, ends }, ..Grid::default() };
    let merge = |&[first_row, last_row, first_column, last_column]: &[u32; 4]| Merge {
        first_row,
        last_row,
        first_column,
        last_column,
    };
    grid.set_merges(head.merges.iter().map(merge).collect());
    Ok(Sheet {
        kind: head.kind,
        hidden: head.hidden,
        failure: head.failure,
        hidden_rows: head.hidden_rows,
        hidden_columns: head.hidden_columns,
        grid,
        ..Sheet::numbered(head.number, head.name)
    })
}

/// Records read at once.
const AT_ONCE: usize = 4_096;

/// Gives `count` records of `N` bytes.
fn each<const N: usize>(
    input: &mut impl Read,
    count: usize,
    mut take: impl FnMut(&[u8; N]) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = vec![0; AT_ONCE.min(count) * N];
    let mut left = count;
    while left > 0 {
        let now = left.min(AT_ONCE);
        input.read_exact(&mut buffer[..now * N])?;
        buffer[..now * N].as_chunks::<N>().0.iter().try_for_each(&mut take)?;
        left -= now;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::grid::GridBuilder;

    #[test]
    fn a_sheet_arrives_as_it_was_sent() {
        let mut builder = GridBuilder::default();
        let text = builder.texts().keep("行政").expect("room");
        let at = DateTime::from_timestamp_millis(1_700_000_000_250).expect("a time").naive_utc();
        let cells = [
            Stored::Text(text),
            Stored::Integer(-7),
            Stored::Decimal(0.1),
            Stored::Flag(true),
            Stored::DateTime(at),
            Stored::Duration(-1.5),
            Stored::Error("#N/A"),
        ];
        for (column, stored) in cells.into_iter().enumerate() {
            builder.push(3, column as u32 * 2, stored);
        }
        let mut sheet = Sheet::numbered(2, "一月\n".to_owned());
        sheet.grid = builder.build();
        sheet.grid.set_merges(vec![Merge { first_row: 1, last_row: 2, first_column: 3, last_column: 4 }]);
        (sheet.hidden, sheet.hidden_rows, sheet.failure) = (true, vec![(1, 2)], Some("why".to_owned()));
        let mut sent = Vec::new();
        write(&sheet, &mut sent).expect("memory");
        say(&Line::End, &mut sent).expect("memory");
        let mut input = &sent[..];
        let Ok(Line::Sheet(head)) = hear(&mut input) else { panic!("no sheet") };
        let got = read(head, &mut input).expect("a sheet");
        assert_eq!(format!("{got:?}"), format!("{sheet:?}"));
        assert!(matches!(hear(&mut input), Ok(Line::End)));
        assert!(hear(&mut input).is_err());
        let Ok(Line::Sheet(head)) = hear(&mut &sent[..]) else { panic!("no sheet") };
        assert!(read(head, &mut &sent[..20]).is_err(), "it is cut");
    }
}
