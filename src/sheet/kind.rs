//! What a cell looks like, for finding tables: never for typing, which is the schema's work.

use crate::value::Cell;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing, or a sign for nothing such as `-` or `N/A`.
    Blank,
    Number,
    /// A whole number from 1900 to 2100: a year in a header, else a number.
    Year,
    Date,
    Text,
}

impl Kind {
    pub fn is_value(self) -> bool {
        matches!(self, Kind::Number | Kind::Year | Kind::Date)
    }
}

/// What a cell looks like.
pub(super) fn kind(cell: &Cell<'_>) -> Kind {
    match cell {
        Cell::Empty | Cell::Error(_) => Kind::Blank,
        Cell::Text(text) => text_kind(text),
        Cell::Integer(n) if (1900..=2100).contains(n) => Kind::Year,
        Cell::Integer(_) | Cell::Decimal(_) => Kind::Number,
        Cell::Flag(_) => Kind::Text,
        Cell::DateTime(_) | Cell::Duration(_) => Kind::Date,
    }
}

const NOTHING: [&str; 12] = ["-", "--", "—", "–", "―", "N/A", "n/a", "NA", "null", "NULL", "无", "/"];

fn text_kind(text: &str) -> Kind {
    let text = text.trim();
    if text.is_empty() || NOTHING.contains(&text) {
        return Kind::Blank;
    }
    if text.len() == 4 && matches!(text.parse(), Ok(1900..=2100)) {
        return Kind::Year;
    }
    if looks_like_date(text) {
        return Kind::Date;
    }
    if number_in(text).is_some() { Kind::Number } else { Kind::Text }
}

/// Digits in two or three groups between `-`, `/`, `.`, `:` or 年月日, with nothing else.
fn looks_like_date(text: &str) -> bool {
    if text.len() < 6 || text.len() > 30 || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let mut digits = 0;
    let mut signs = 0;
    for c in text.chars() {
        match c {
            '0'..='9' => digits += 1,
            '-' | '/' | ':' | '年' | '月' | '日' => signs += 1,
            ' ' | 'T' | 'Z' | '.' => {}
            _ => return false,
        }
    }
    signs >= 2 && digits >= 3
}

/// The number that a cell shows, with separators, currency signs, brackets and percent signs folded.
pub(super) fn number(cell: &Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Integer(n) => Some(*n as f64),
        Cell::Decimal(x) => Some(*x),
        Cell::Text(text) => number_in(text.trim()),
        _ => None,
    }
}

/// Longer texts are not numbers.
const MAX_NUMBER: usize = 40;

fn number_in(text: &str) -> Option<f64> {
    if text.len() > MAX_NUMBER || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut plain = [0_u8; MAX_NUMBER];
    let mut length = 0;
    let mut negative = false;
    for c in text.chars() {
        match c {
            '(' | ')' | '（' | '）' => negative = true,
            ',' | '，' | '%' | '％' | '$' | '€' | '£' | '¥' | '￥' | '¢' | '\'' | ' ' | '\u{a0}' => {}
            '−' => push(&mut plain, &mut length, b'-'),
            '0'..='9' | '.' | '-' | '+' | 'e' | 'E' => push(&mut plain, &mut length, c as u8),
            _ => return None,
        }
    }
    let number: f64 = std::str::from_utf8(&plain[..length]).ok()?.parse().ok()?;
    Some(if negative { -number } else { number })
}

fn push(plain: &mut [u8; MAX_NUMBER], length: &mut usize, byte: u8) {
    if let Some(place) = plain.get_mut(*length) {
        *place = byte;
        *length += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        for (text, want) in [
            ("", Kind::Blank),
            (" — ", Kind::Blank),
            ("1,234.5", Kind::Number),
            ("$(831)", Kind::Number),
            ("(0.2)%", Kind::Number),
            ("￥12", Kind::Number),
            ("2019", Kind::Year),
            ("2019-01-05", Kind::Date),
            ("2019年1月5日", Kind::Date),
            ("2020-03-01 08:00:00", Kind::Date),
            ("一月", Kind::Text),
            ("e", Kind::Text),
            ("W 20–13", Kind::Text),
        ] {
            assert_eq!(kind(&Cell::Text(text.into())), want, "{text}");
        }
    }
}
