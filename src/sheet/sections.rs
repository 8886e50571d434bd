//! Tables that follow each other in a long text: the first rows behind each blank row are looked at, never the whole.
//!
//! Must never happen: a long text in memory.

use std::io::Read;

use super::ReadError;
use super::delimited::{Delimited, is_blank};
use super::grid::{Grid, GridBuilder};

/// Rows kept of each part; more than a form has, so that the beginning of a table is none.
const PART_ROWS: usize = 100;
/// Parts looked at; what comes after them belongs to the last table.
const MOST_PARTS: u64 = 2_000;
const LEAST_PARTS: u64 = 20;
/// Bytes that are read at most when each part is read from the beginning of the file: of a long file fewer parts are looked at.
const MOST_READ: u64 = 4 << 30;

/// Parts that are looked at in a file of some bytes.
fn most_parts(length: u64) -> u64 {
    (MOST_READ / length.max(1)).clamp(LEAST_PARTS, MOST_PARTS)
}

/// Whether a text goes on behind a blank line, told while it streams by.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    /// The line has something in it.
    filled: bool,
    /// There was a line with something in it, and a blank one after that.
    begun: bool,
    gap: bool,
    pub found: bool,
}

impl Gaps {
    /// Takes the next piece of the text.
    pub fn feed(&mut self, piece: &str) {
        if self.found {
            return;
        }
        let mut lines = piece.split('\n');
        lines.next().into_iter().for_each(|line| self.part(line));
        for line in lines {
            self.gap |= self.begun && !self.filled;
            self.filled = false;
            self.part(line);
        }
    }

    /// Takes a part of a line.
    fn part(&mut self, line: &str) {
        let is_bare = |byte: u8| matches!(byte, b' ' | b'\r' | b',' | b';' | b'\t' | b'|' | b'"' | b'\'');
        if !self.filled && line.bytes().any(|byte| !is_bare(byte)) {
            self.filled = true;
            self.begun = true;
            self.found |= self.gap;
        }
    }

    /// The same for a file in another encoding; one of several bytes a character is taken to have gaps.
    pub fn of(source: &mut impl Read, wide: bool) -> std::io::Result<bool> {
        let mut gaps = Self { found: wide, ..Self::default() };
        let mut chunk = vec![0; 1 << 20];
        while !gaps.found {
            let read = source.read(&mut chunk)?;
            if read == 0 {
                break;
            }
            // Bytes above ASCII are something, whatever they are.
            chunk[..read].iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'x');
            gaps.feed(std::str::from_utf8(&chunk[..read]).unwrap_or("x"));
        }
        Ok(gaps.found)
    }
}

impl Delimited {
    /// The first rows of each part between blank rows; `None` where there is one part.
    pub fn sections(&self) -> Result<Option<Grid>, ReadError> {
        if !self.gaps {
            return Ok(None);
        }
        let mut grid = GridBuilder::default();
        let (mut parts, mut kept, mut last) = (0, 0, 0);
        let most = most_parts(self.length);
        let mut records = self.records()?;
        while let Some(row) = records.next()? {
            if is_blank(&records.record) {
                continue;
            }
            if row > last + 1 || parts == 0 {
                (parts, kept) = (parts + 1, 0);
            }
            last = row;
            if kept < PART_ROWS && parts <= most {
                self.keep(&mut grid, row, &records.record);
                kept += 1;
            }
        }
        Ok((parts > 1).then(|| grid.build()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_has_fewer_parts() {
        assert_eq!([0, 1 << 20, 16 << 20, 1 << 30].map(most_parts), [2_000, 2_000, 256, 20]);
    }

    #[test]
    fn a_gap_is_a_blank_line_between_others() {
        for (text, found) in [
            ("a,b\n1,2\n", false),
            ("a,b\n1,2\n\n\n", false),
            ("\n\na,b\n1,2", false),
            ("a,b\r\n1,2\r\n\r\nc", true),
            ("a,b\n,\n1,2", true),
            ("a\n\"\"\nb", true),
        ] {
            for size in [1, 2, 100] {
                let mut gaps = Gaps::default();
                text.as_bytes().chunks(size).for_each(|chunk| gaps.feed(std::str::from_utf8(chunk).expect("ASCII")));
                assert_eq!(gaps.found, found, "{text:?} in pieces of {size}");
                assert_eq!(Gaps::of(&mut text.as_bytes(), false).expect("memory"), found, "{text:?}");
            }
        }
    }
}
