//! Numbers as people write them.
//!
//! Comes in: the trimmed text of one cell. Goes out: its value with `.` and with `,` as decimal sign, and what it is a number of.
//! Must never happen: a value that differs from the text; an identifier read as a number.

use std::borrow::Cow;

use super::amount::{self, Amount, SAFE_DIGITS};
use super::unit::{self, Mark};

/// A text that is a number in at least one reading.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberText {
    /// With `.` as decimal sign.
    pub(super) point: Option<Amount>,
    /// With `,` as decimal sign.
    pub(super) comma: Option<Amount>,
    /// The readings may differ: there is a `.` or `,` in it.
    pub(super) separated: bool,
    pub(super) mark: Mark,
    /// A scale such as `万` multiplied it.
    pub(super) scaled: bool,
    /// It stands in brackets, as bookkeepers write what is below zero.
    pub(super) bracketed: bool,
}

impl NumberText {
    /// Bare digits in brackets: below zero only where the column is a bookkeeper's, see `Numbers::is_booked`.
    pub(super) fn is_weakly_negative(&self) -> bool {
        self.bracketed && !self.separated && self.mark == Mark::None
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scan {
    Not,
    /// Digits with leading zeros.
    LeadingZero,
    /// More significant digits than a number keeps.
    Long,
    Number(NumberText),
}

/// Reads a number in any other form. `text` is trimmed.
pub(super) fn scan(text: &str) -> Scan {
    if may_be_number(text) { dressed(text) } else { Scan::Not }
}

/// A quick look that turns nearly all other text away.
fn may_be_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let first = match bytes.first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'(' | b'.' | b'$' | 0xC2 | 0xE2 | 0xEF) => true,
        Some(b'A'..=b'Z') => {
            bytes.get(1).is_some_and(|b| b.is_ascii_uppercase() || *b == b'$') && unit::currency_before(text).is_some()
        }
        Some(_) => text.starts_with("人民币"),
        None => false,
    };
    first && (bytes[0] == 0xEF || bytes.iter().any(u8::is_ascii_digit))
}

/// Full-width forms, minus signs and thin spaces in their plain form. A space that parts thousands becomes `'`.
fn folded(text: &str) -> Cow<'_, str> {
    // The first bytes of all characters that `plain_char` changes.
    if text.trim_start_matches('￥').bytes().any(|byte| matches!(byte, 0xC2 | 0xE2 | 0xE3 | 0xEF)) {
        Cow::Owned(text.chars().map(plain_char).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn plain_char(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        '￥' => '¥',
        '−' | '–' => '-',
        '\u{3000}' => ' ',
        '\u{A0}' | '\u{202F}' | '\u{2009}' | '’' => '\'',
        _ => c,
    }
}

/// The parts around the digits.
struct Dress<'a> {
    negative: bool,
    bracketed: bool,
    body: &'a str,
    mark: Mark,
    scale: i32,
}

fn dressed(text: &str) -> Scan {
    if let Some(number) = shortest(text) {
        return Scan::Number(number);
    }
    let text = folded(text);
    let Some(dress) = undress(text.trim()) else { return Scan::Not };
    if is_padded(dress.body) {
        return if text.bytes().all(|b| b.is_ascii_digit()) { Scan::LeadingZero } else { Scan::Not };
    }
    let separated = dress.body.trim_end_matches('.').contains(['.', ',']);
    let point = read(&dress, b'.', b',');
    let comma = if separated { read(&dress, b',', b'.') } else { point };
    match (point, comma) {
        (Read::Long, _) | (_, Read::Long) => Scan::Long,
        (Read::No, Read::No) => Scan::Not,
        (point, comma) => Scan::Number(NumberText {
            point: point.amount(),
            comma: comma.amount(),
            separated,
            mark: dress.mark,
            scaled: dress.scale > 0,
            bracketed: dress.bracketed,
        }),
    }
}

/// More digits than are safe, as programs write doubles.
fn shortest(text: &str) -> Option<NumberText> {
    let point = if text.len() > SAFE_DIGITS { amount::shortest(text) } else { None };
    point.map(|_| NumberText { point, comma: None, separated: true, mark: Mark::None, scaled: false, bracketed: false })
}

fn is_padded(body: &str) -> bool {
    let digits = body.len() - body.trim_start_matches('0').len();
    digits > 0 && body[digits..].starts_with(|c: char| c.is_ascii_digit()) || digits > 1
}

/// `(1,200)`, `-$3.5`, `$(803)`, `(0.5)%`, `3.5 kg`.
fn undress(text: &str) -> Option<Dress<'_>> {
    let (whole, text) =
        bracketed(text).filter(|(_, rest)| rest.is_empty()).map_or((false, text), |(inner, _)| (true, inner));
    let (sign, text) = signed(text);
    let (currency, text) = currency(text);
    let (late_sign, text) = if currency.is_some() { signed(text) } else { (None, text) };
    let (number, rest) = bracketed(text).unwrap_or_else(|| text.split_at(body_length(text)));
    let inner = text.starts_with('(');
    let signs = [whole, inner, sign.is_some(), late_sign.is_some()];
    if signs.iter().filter(|signed| **signed).count() > 1 || body_length(number) < number.len() {
        return None;
    }
    let spaced = rest.starts_with([' ', '\'']);
    let (suffix, scale) = unit::suffix(rest.trim_start_matches([' ', '\'']), spaced, currency.is_some())?;
    let bracketed = whole || inner;
    let negative = bracketed || sign.or(late_sign) == Some('-');
    Some(Dress { negative, bracketed, body: number.trim_end_matches('\''), mark: mark(currency, suffix)?, scale })
}

/// The inside of brackets at the start, and what follows them.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (inner, rest) = text.strip_prefix('(')?.split_once(')')?;
    Some((inner.trim(), rest))
}

fn mark(currency: Option<&'static str>, suffix: Mark) -> Option<Mark> {
    match (currency, suffix) {
        (None, mark) => Some(mark),
        (Some(currency), Mark::None) => Some(Mark::Currency(Cow::Borrowed(currency))),
        (Some("¥"), Mark::Currency(unit)) if unit == "元" => Some(Mark::Currency(Cow::Borrowed("¥"))),
        (Some(_), _) => None,
    }
}

fn signed(text: &str) -> (Option<char>, &str) {
    match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.chars().next(), rest.trim_start()),
        None => (None, text),
    }
}

fn currency(text: &str) -> (Option<&'static str>, &str) {
    match unit::currency_before(text) {
        Some((currency, rest)) => (Some(currency), rest.trim_start()),
        None => (None, text),
    }
}

/// Bytes of digits and separators at the start, with an exponent that can't be part of a code (`1.5e3`, `1e-5`, not `12E3`).
fn body_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let parts_thousands = |at: usize| bytes[at] == b' ' && (at + 1..at + 4).all(is_digit) && !is_digit(at + 4);
    let is_body =
        |&at: &usize| is_digit(at) || matches!(bytes[at], b'.' | b',' | b'\'') || (at > 0 && parts_thousands(at));
    let digits = (0..bytes.len()).take_while(is_body).count();
    match bytes[digits..] {
        [b'e' | b'E', sign, ..] => {
            let signed = matches!(sign, b'+' | b'-');
            let start = digits + 1 + usize::from(signed);
            let power = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
            let real = power > 0 && power <= 3 && (signed || text[..digits].contains('.'));
            if real { start + power } else { digits }
        }
        _ => digits,
    }
}

#[derive(Clone, Copy)]
enum Read {
    No,
    Long,
    Amount(Amount),
}

impl Read {
    fn amount(self) -> Option<Amount> {
        match self {
            Read::Amount(amount) => Some(amount),
            Read::No | Read::Long => None,
        }
    }
}

/// The body as a number with the given decimal and thousands signs.
fn read(dress: &Dress<'_>, decimal: u8, group: u8) -> Read {
    let (number, power) = split_exponent(dress.body);
    let (whole, fraction) = match number.bytes().position(|b| b == decimal) {
        Some(at) => (&number[..at], Some(&number[at + 1..])),
        None => (number, None),
    };
    // `5.` is a whole number, as lists and some programs write it.
    let open = decimal == b'.' && fraction == Some("") && !whole.is_empty();
    let fits = fraction.is_none_or(|digits| (open || !digits.is_empty()) && digits.bytes().all(|b| b.is_ascii_digit()));
    if !fits || !is_grouped(whole, group, fraction.is_some()) {
        return Read::No;
    }
    let fraction = fraction.unwrap_or_default();
    value(dress.negative, whole, fraction, power - fraction.len() as i32 + dress.scale)
}

fn split_exponent(body: &str) -> (&str, i32) {
    match body.split_once(['e', 'E']) {
        Some((number, power)) => (number, power.parse().unwrap_or(0)),
        None => (body, 0),
    }
}

/// Digits in groups of three, parted by one and the same sign, or not parted at all.
fn is_grouped(whole: &str, group: u8, has_fraction: bool) -> bool {
    let sign = whole.chars().find(|c| matches!(c, '\'' | ' ')).unwrap_or(char::from(group));
    let mut groups = whole.split(sign);
    let first = groups.next().unwrap_or_default();
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let mut rest = groups.peekable();
    if rest.peek().is_none() {
        return digits(first) && (has_fraction || !first.is_empty());
    }
    digits(first)
        && (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && rest.all(|part| part.len() == 3 && digits(part))
}

/// The digits of both parts times a power of ten. Trailing zeros of the fraction do not count as significant.
fn value(negative: bool, whole: &str, fraction: &str, mut exponent: i32) -> Read {
    let mut mantissa = 0u64;
    let mut significant = 0;
    let kept = fraction.trim_end_matches('0');
    for digit in whole.bytes().chain(kept.bytes()).filter(u8::is_ascii_digit) {
        significant += usize::from(significant > 0 || digit > b'0');
        if significant > SAFE_DIGITS {
            return Read::Long;
        }
        mantissa = mantissa * 10 + u64::from(digit - b'0');
    }
    let zeros = (fraction.len() - kept.len()).min(SAFE_DIGITS - significant.max(1));
    exponent += (fraction.len() - kept.len() - zeros) as i32;
    Amount::new(negative, mantissa * 10u64.pow(zeros as u32), exponent).map_or(Read::No, Read::Amount)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::plain::plain;

    fn number(text: &str) -> NumberText {
        match (plain(text), scan(text)) {
            (Some(plain), Scan::Number(number)) => {
                let (point, comma) = plain.amounts();
                assert_eq!((Some(point), comma), (number.point, number.comma), "{text}");
                number
            }
            (None, Scan::Number(number)) => number,
            (_, other) => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn forms_with_a_decimal_point() {
        for (text, value, unit) in [
            ("12", 12.0, None),
            ("-3.50", -3.5, None),
            ("+5", 5.0, None),
            ("−5", -5.0, None),
            (".5", 0.5, None),
            ("1,200", 1200.0, None),
            ("1,234,567.89", 1_234_567.89, None),
            ("(1,200)", -1200.0, None),
            ("（1,200）", -1200.0, None),
            ("￥1,200.00", 1200.0, Some("¥")),
            ("$3", 3.0, Some("$")),
            ("-$3.5", -3.5, Some("$")),
            ("US$ 12", 12.0, Some("US$")),
            ("$1.5M", 1_500_000.0, Some("$")),
            ("100 USD", 100.0, Some("USD")),
            ("12%", 0.12, Some("%")),
            ("12.5％", 0.125, Some("%")),
            ("12万", 120_000.0, None),
            ("12.3万元", 123_000.0, Some("元")),
            ("1.5亿", 150_000_000.0, None),
            ("3.5 kg", 3.5, Some("kg")),
            ("15人", 15.0, Some("人")),
            ("１２３", 123.0, None),
            ("1\u{a0}234", 1234.0, None),
            ("1 028 295", 1_028_295.0, None),
            ("12 345 kg", 12_345.0, Some("kg")),
            ("1,205 Spaces", 1205.0, Some("space")),
            ("$(803)", -803.0, Some("$")),
            ("(0.5)%", -0.005, Some("%")),
            ("5.", 5.0, None),
            ("1.5e3", 1500.0, None),
            ("1e-05", 0.00001, None),
            ("0.30000000000000004", 0.30000000000000004, None),
            ("1.20000000000000000000", 1.2, None),
        ] {
            let found = number(text);
            assert_eq!(found.point.map(|a| a.value), Some(value), "{text}");
            assert_eq!(found.mark.text(), unit, "{text}");
        }
    }

    #[test]
    fn forms_with_a_decimal_comma() {
        for (text, point, comma) in [
            ("1,5", None, Some(1.5)),
            ("1.200,50", None, Some(1200.5)),
            ("1,200.50", Some(1200.5), None),
            ("1,200", Some(1200.0), Some(1.2)),
            ("1.200", Some(1.2), Some(1200.0)),
            ("0,123", None, Some(0.123)),
            ("0.123", Some(0.123), None),
            ("1.200.300", None, Some(1_200_300.0)),
        ] {
            let found = number(text);
            assert_eq!(found.point.map(|a| a.value), point, "{text}");
            assert_eq!(found.comma.map(|a| a.value), comma, "{text}");
        }
    }

    #[test]
    fn what_is_no_number() {
        for text in [
            "",
            "abc",
            "1-5",
            "3:2",
            "1.2.3",
            "12E3",
            "85[1]",
            "85*",
            "10:30",
            "1st",
            "A12",
            "--",
            "$",
            "1,2,3",
            "12,34,567",
            "%",
            "kg",
            "(5",
            "-(5)",
            "1 2",
            "e5",
            "人",
            "2024年1月",
            "1e",
            "+",
            ".",
            ",",
        ] {
            assert_eq!(scan(text), Scan::Not, "{text}");
        }
        for text in ["007", "00", "0123456789012345678"] {
            assert_eq!(scan(text), Scan::LeadingZero, "{text}");
        }
        for text in ["110101199003071234", "1234567890123456", "0.12345678901234567890123"] {
            assert_eq!(scan(text), Scan::Long, "{text}");
        }
    }
}
