//! Numbers as people write them.
//!
//! Comes in: the trimmed text of one cell. Goes out: its value with `.` and with `,` as decimal sign, and what it is a number of.
//! Must never happen: a value that differs from the text; an identifier read as a number.

use std::borrow::Cow;

use super::unit::{self, Mark};
use crate::value::decimal_text;

/// A number's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Amount {
    pub(super) value: f64,
    /// The value where it is whole and fits.
    pub(super) whole: Option<i64>,
    /// Decimal places.
    pub(super) places: u8,
}

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
    /// The text is the canonical one of its value with `.` as decimal sign; unknown where it is not in plain digits.
    pub(super) literal: Option<bool>,
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

/// Significant digits that a double keeps whatever they are.
const SAFE_DIGITS: usize = 15;

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Plain digits with at most one `.`: by far the most common form, so it has its own path.
pub(super) fn plain(text: &str) -> Option<NumberText> {
    let bytes = text.as_bytes();
    let negative = bytes.first() == Some(&b'-');
    let digits = &bytes[usize::from(negative)..];
    if digits.is_empty() || digits.len() > SAFE_DIGITS + 1 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut point = None;
    for (at, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => mantissa = mantissa * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let whole_digits = point.unwrap_or(digits.len());
    let padded = whole_digits > 1 && digits[0] == b'0';
    match point {
        _ if whole_digits == 0 || padded => None,
        None if whole_digits <= SAFE_DIGITS => Some(plain_whole(negative, mantissa)),
        None => None,
        Some(at) if at + 1 == digits.len() => None,
        Some(at) => Some(plain_fraction(negative, mantissa, digits, at)),
    }
}

fn plain_whole(negative: bool, mantissa: u64) -> NumberText {
    let whole = if negative { -(mantissa as i64) } else { mantissa as i64 };
    let amount = Amount { value: whole as f64, whole: Some(whole), places: 0 };
    NumberText {
        point: Some(amount),
        comma: Some(amount),
        separated: false,
        mark: Mark::None,
        scaled: false,
        literal: Some(!(negative && mantissa == 0)),
    }
}

fn plain_fraction(negative: bool, mantissa: u64, digits: &[u8], at: usize) -> NumberText {
    let places = digits.len() - at - 1;
    let size = mantissa as f64 / POWERS[places];
    let point = Amount { value: if negative { -size } else { size }, whole: None, places: places as u8 };
    let grouped = places == 3 && at <= 3 && digits[0] != b'0';
    NumberText {
        point: Some(point),
        comma: grouped.then(|| amount(negative, mantissa, 0)).flatten(),
        separated: true,
        mark: Mark::None,
        scaled: false,
        literal: Some(digits[digits.len() - 1] != b'0' && size >= 1e-7),
    }
}

/// `mantissa × 10^exponent`, correctly rounded.
fn amount(negative: bool, mantissa: u64, exponent: i32) -> Option<Amount> {
    let places = u8::try_from(-exponent).unwrap_or(0);
    let whole = whole(negative, mantissa, exponent);
    let power = POWERS.get(exponent.unsigned_abs() as usize);
    let size = match (whole, power) {
        (Some(whole), _) => return Some(Amount { value: whole as f64, whole: Some(whole), places }),
        (None, Some(power)) if mantissa < 1 << 53 && exponent < 0 => mantissa as f64 / power,
        _ => format!("{mantissa}e{exponent}").parse().ok()?,
    };
    size.is_finite().then_some(Amount { value: if negative { -size } else { size }, whole: None, places })
}

fn whole(negative: bool, mantissa: u64, exponent: i32) -> Option<i64> {
    let power = 10u64.checked_pow(u32::try_from(exponent).ok()?)?;
    let size = i64::try_from(mantissa.checked_mul(power)?).ok()?;
    Some(if negative { -size } else { size })
}

/// Reads a number in any form. `text` is trimmed.
pub(super) fn scan(text: &str) -> Scan {
    match plain(text) {
        Some(number) => Scan::Number(number),
        None if may_be_number(text) => dressed(text),
        None => Scan::Not,
    }
}

/// A quick look that turns nearly all other text away.
fn may_be_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let first = match bytes.first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'(' | b'.' | b'$' | 0xC2 | 0xE2 | 0xEF) => true,
        Some(b'A'..=b'Z') => unit::currency_before(text).is_some(),
        Some(_) => text.starts_with("人民币"),
        None => false,
    };
    first && (bytes[0] == 0xEF || bytes.iter().any(u8::is_ascii_digit))
}

/// Full-width forms, minus signs and thin spaces in their plain form. A space that parts thousands becomes `'`.
fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(plain_char).collect())
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
    body: &'a str,
    mark: Mark,
    scale: i32,
}

fn dressed(text: &str) -> Scan {
    let text = folded(text);
    let Some(dress) = undress(text.trim()) else { return Scan::Not };
    if is_padded(dress.body) {
        return if text.bytes().all(|b| b.is_ascii_digit()) { Scan::LeadingZero } else { Scan::Not };
    }
    let point = read(&dress, b'.', b',');
    let comma = read(&dress, b',', b'.');
    match (point, comma) {
        (Read::Long, _) | (_, Read::Long) => Scan::Long,
        (Read::No, Read::No) => Scan::Not,
        (point, comma) => Scan::Number(NumberText {
            point: point.amount(),
            comma: comma.amount(),
            separated: dress.body.contains(['.', ',']),
            scaled: dress.scale > 0,
            mark: dress.mark,
            literal: None,
        }),
    }
}

fn is_padded(body: &str) -> bool {
    let digits = body.len() - body.trim_start_matches('0').len();
    digits > 0 && body[digits..].starts_with(|c: char| c.is_ascii_digit()) || digits > 1
}

fn undress(text: &str) -> Option<Dress<'_>> {
    let inner = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let (bracketed, text) = inner.map_or((false, text), |inner| (true, inner.trim()));
    let (sign, text) = signed(text);
    let (currency, text) = currency(text);
    let (late_sign, text) = if sign.is_none() && currency.is_some() { signed(text) } else { (None, text) };
    let sign = sign.or(late_sign);
    if bracketed && sign.is_some() {
        return None;
    }
    let (body, rest) = text.split_at(body_length(text));
    let spaced = rest.starts_with([' ', '\'']);
    let (suffix, scale) = unit::suffix(rest.trim_start_matches([' ', '\'']), spaced, currency.is_some())?;
    let mark = match (currency, suffix) {
        (None, mark) => mark,
        (Some(currency), Mark::None) => Mark::Currency(Cow::Borrowed(currency)),
        (Some("¥"), Mark::Currency(unit)) if unit == "元" => Mark::Currency(Cow::Borrowed("¥")),
        (Some(_), _) => return None,
    };
    Some(Dress { negative: bracketed || sign == Some('-'), body: body.trim_end_matches('\''), mark, scale })
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
    let is_body = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'\'');
    let digits = bytes.iter().take_while(|b| is_body(b)).count();
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
    let fits = fraction.is_none_or(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    if !fits || !is_grouped(whole, group, fraction.is_some()) {
        return Read::No;
    }
    let digits = whole.bytes().chain(fraction.unwrap_or_default().bytes()).filter(u8::is_ascii_digit);
    let places = fraction.map_or(0, str::len) as i32;
    value(dress, digits, power - places + dress.scale)
}

fn split_exponent(body: &str) -> (&str, i32) {
    match body.split_once(['e', 'E']) {
        Some((number, power)) => (number, power.parse().unwrap_or(0)),
        None => (body, 0),
    }
}

/// Digits in groups of three, parted by one and the same sign, or not parted at all.
fn is_grouped(whole: &str, group: u8, has_fraction: bool) -> bool {
    let sign = if whole.contains('\'') { '\'' } else { char::from(group) };
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

fn value(dress: &Dress<'_>, digits: impl Iterator<Item = u8>, mut exponent: i32) -> Read {
    let text: String = digits.map(char::from).collect();
    let significant = text.trim_start_matches('0');
    let short = significant.trim_end_matches('0');
    if short.len() > SAFE_DIGITS || (exponent >= 0 && significant.len() > SAFE_DIGITS) {
        return kept_whole(dress, significant, exponent);
    }
    let cut = significant.len().saturating_sub(18);
    exponent += cut as i32;
    let mantissa = significant[..significant.len() - cut].parse().unwrap_or(0);
    amount(dress.negative, mantissa, exponent).map_or(Read::No, Read::Amount)
}

/// A long fraction is a number where its double reads back as the same digits, as programs write them.
fn kept_whole(dress: &Dress<'_>, significant: &str, exponent: i32) -> Read {
    let sign = if dress.negative { "-" } else { "" };
    let Ok(value) = format!("{sign}{significant}e{exponent}").parse::<f64>() else { return Read::Long };
    let shown = decimal_text(value.abs());
    let (number, _) = split_exponent(&shown);
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let same = digits.trim_start_matches('0').trim_end_matches('0') == significant.trim_end_matches('0');
    if exponent < 0 && same && value.is_finite() {
        Read::Amount(Amount { value, whole: None, places: u8::try_from(-exponent).unwrap_or(u8::MAX) })
    } else {
        Read::Long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> NumberText {
        match scan(text) {
            Scan::Number(number) => number,
            other => panic!("{text}: {other:?}"),
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
            "5.",
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

    #[test]
    fn a_literal_text_is_the_canonical_one() {
        for text in
            ["0", "-0", "12", "1.5", "1.50", "0.0", "0.0000001", "0.00000001", "-0.5", "999999999999999", "-1.25"]
        {
            let found = number(text);
            let value = found.point.expect(text);
            let canonical = value.whole.map_or_else(|| decimal_text(value.value), |n| n.to_string());
            assert_eq!(found.literal, Some(canonical == text), "{text}");
        }
    }
}
