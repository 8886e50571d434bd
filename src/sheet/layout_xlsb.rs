//! The layout of an xlsb workbook's sheets, from its binary records.

use std::io::{BufReader, Read};

use super::grid::Merge;
use super::layout::Layout;

const ROW_HEADER: u32 = 0;
const COLUMN_INFO: u32 = 60;
const SHEET: u32 = 156;
const MERGE: u32 = 176;

/// A record that matters here is no longer.
const LONGEST: usize = 64 << 10;

/// The relation ids of the sheets, in order.
pub(super) fn sheet_ids(part: &mut dyn Read) -> Vec<String> {
    let mut ids = Vec::new();
    each_record(part, |kind, data| {
        if let (SHEET, Some(length)) = (kind, u32_at(data, 8).filter(|length| *length != u32::MAX)) {
            let text = data.get(12..12 + 2 * length as usize).unwrap_or_default();
            let units: Vec<u16> = text.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
            ids.push(String::from_utf16_lossy(&units));
        }
    });
    ids
}

/// The layout of one sheet.
pub(super) fn sheet(part: &mut dyn Read) -> Option<Layout> {
    let mut layout = Layout::default();
    each_record(part, |kind, data| match kind {
        ROW_HEADER if data.get(11).is_some_and(|flags| flags & 0x10 != 0) => {
            layout.hidden_rows.extend(u32_at(data, 0).map(|row| (row, row)));
        }
        COLUMN_INFO if data.get(16).is_some_and(|flags| flags & 1 != 0) => {
            layout.hidden_columns.extend(u32_at(data, 0).zip(u32_at(data, 4)));
        }
        MERGE => layout.merges.extend(merge(data)),
        _ => {}
    });
    Some(layout)
}

fn merge(data: &[u8]) -> Option<Merge> {
    Some(Merge {
        first_row: u32_at(data, 0)?,
        last_row: u32_at(data, 4)?,
        first_column: u32_at(data, 8)?,
        last_column: u32_at(data, 12)?,
    })
}

fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    let bytes: [u8; 4] = data.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_le_bytes(bytes))
}

/// Goes through the records of a part until its end or the first fault. Long records are cut.
fn each_record(part: &mut dyn Read, mut take: impl FnMut(u32, &[u8])) {
    let mut part = BufReader::with_capacity(64 << 10, part);
    let mut data = Vec::new();
    while let (Some(kind), Some(length)) = (number(&mut part, 2), number(&mut part, 4)) {
        data.clear();
        let kept = (length as usize).min(LONGEST);
        if part.by_ref().take(kept as u64).read_to_end(&mut data).is_err() || data.len() < kept {
            return;
        }
        let rest = u64::from(length) - kept as u64;
        if std::io::copy(&mut part.by_ref().take(rest), &mut std::io::sink()).is_err() {
            return;
        }
        take(kind, &data);
    }
}

/// A number of at most so many bytes, seven bits in each.
fn number(part: &mut impl Read, most: u32) -> Option<u32> {
    let mut number = 0;
    for n in 0..most {
        let mut byte = [0];
        part.read_exact(&mut byte).ok()?;
        number |= u32::from(byte[0] & 0x7F) << (7 * n);
        if byte[0] & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_tell_the_layout() {
        let mut bytes = vec![0x00, 17, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0];
        bytes.extend([60, 18, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
        bytes.extend([0xB0, 0x01, 16, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        let layout = sheet(&mut bytes.as_slice()).expect("memory");
        assert_eq!((layout.hidden_rows, layout.hidden_columns), (vec![(2, 2)], vec![(1, 3)]));
        assert_eq!(layout.merges, [Merge { first_row: 1, last_row: 4, first_column: 0, last_column: 1 }]);
    }
}
