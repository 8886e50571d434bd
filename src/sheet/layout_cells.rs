//! What the tags of an xlsx sheet's cells tell and its reader does not: formulas without a value, and the digits of long numbers.
//!
//! Must never happen: a cell parsed that tells nothing.

use super::layout::{Layout, place, value};

/// Digits of a number that a double keeps whatever they are.
const SAFE_DIGITS: usize = 15;

/// The cell that is walked through.
#[derive(Debug, Default)]
pub(super) struct CellWalk {
    /// 1-based row, and columns begun in it.
    row: u32,
    columns: u32,
    /// The tag of the cell, `c r="B2" s="1"`.
    tag: Vec<u8>,
    open: bool,
    formula: bool,
    value: bool,
    zero: bool,
}

impl CellWalk {
    /// A row begins.
    pub fn row(&mut self, tag: &str) {
        self.row = value(tag, "r").and_then(|row| row.parse().ok()).unwrap_or(self.row.saturating_add(1));
        self.columns = 0;
    }

    /// Takes a tag of a cell with the text behind it: `c r="B2">`, `f>A1*2`, `v>3`, `is>`.
    pub fn see(&mut self, name: &[u8], tag: &[u8], layout: &mut Layout) {
        match name {
            b"c" => self.begin(tag),
            b"f" => self.formula = true,
            b"v" => self.content(tag, layout),
            _ => self.value = true,
        }
    }

    fn begin(&mut self, tag: &[u8]) {
        let end = tag.iter().position(|byte| *byte == b'>').unwrap_or(tag.len());
        self.open = !tag[..end].ends_with(b"/");
        self.columns = self.columns.saturating_add(1);
        self.tag.clear();
        self.tag.extend_from_slice(&tag[..end]);
        (self.formula, self.value, self.zero) = (false, false, false);
    }

    fn content(&mut self, tag: &[u8], layout: &mut Layout) {
        let Some(start) = tag.iter().position(|byte| *byte == b'>') else { return };
        let content = &tag[start + 1..];
        self.value |= !content.is_empty();
        self.zero = content == b"0";
        if content.len() > SAFE_DIGITS && is_long(content) && self.kind().is_none_or(|kind| kind == "n") {
            let digits = String::from_utf8_lossy(content).into_owned();
            layout.digits.extend(self.place().map(|(row, column)| (row, column, digits)));
        }
    }

    /// The cell ends.
    pub fn end(&mut self, layout: &mut Layout) {
        if !std::mem::take(&mut self.open) || !self.formula {
            return;
        }
        if self.value && !self.zero {
            layout.calculated = true;
        } else if self.zero {
            layout.zeros.extend(self.place());
        } else if self.kind() != Some("str") {
            layout.uncalculated.extend(self.place());
        }
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.tag).unwrap_or("")
    }

    fn kind(&self) -> Option<&str> {
        value(self.text(), "t")
    }

    fn place(&self) -> Option<(u32, u32)> {
        let counted = || Some((self.row.checked_sub(1)?, self.columns.checked_sub(1)?));
        value(self.text(), "r").map_or_else(counted, place)
    }
}

/// A whole number with a digit other than zero behind those that a double keeps.
pub(super) fn is_long(content: &[u8]) -> bool {
    let digits = content.strip_prefix(b"-").unwrap_or(content);
    let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
    let digits = &digits[zeros..];
    digits.len() > SAFE_DIGITS
        && digits.iter().all(u8::is_ascii_digit)
        && digits[SAFE_DIGITS..].iter().any(|byte| *byte != b'0')
}
