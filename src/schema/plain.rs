//! Numbers in plain digits.
//!
//! Comes in: the trimmed text of one cell. Goes out: its value, and whether the text is the rendering of it.

use super::amount::{Amount, SAFE_DIGITS};

/// Plain digits with at most one `.`: by far the most common form, so it has its own path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plain {
    Whole {
        n: i64,
        /// The text is the rendering of its value.
        literal: bool,
    },
    Fraction {
        value: f64,
        places: u8,
        literal: bool,
        /// With `,` as decimal sign the point parts thousands, and this is the value.
        grouped: Option<i64>,
    },
}

impl Plain {
    /// The value with `.` and with `,` as decimal sign.
    pub(super) fn amounts(self) -> (Amount, Option<Amount>) {
        match self {
            Plain::Whole { n, .. } => (Amount::whole(n), Some(Amount::whole(n))),
            Plain::Fraction { value, places, grouped, .. } => {
                (Amount { value, whole: None, places }, grouped.map(Amount::whole))
            }
        }
    }
}

/// Reads plain digits.
pub(super) fn plain(text: &str) -> Option<Plain> {
    let bytes = text.as_bytes();
    let negative = bytes.first() == Some(&b'-');
    let digits = &bytes[usize::from(negative)..];
    if digits.is_empty() || digits.len() > SAFE_DIGITS + 1 {
        return None;
    }
    let mut mantissa = 0i64;
    let mut point = None;
    for (at, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => mantissa = mantissa * 10 + i64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let whole_digits = point.unwrap_or(digits.len());
    if whole_digits == 0 || (whole_digits > 1 && digits[0] == b'0') || whole_digits > SAFE_DIGITS {
        return None;
    }
    let signed = if negative { -mantissa } else { mantissa };
    match point {
        None => Some(Plain::Whole { n: signed, literal: !(negative && mantissa == 0) }),
        Some(at) if at + 1 == digits.len() => None,
        Some(at) => {
            let places = digits.len() - at - 1;
            let amount = Amount::new(negative, mantissa.unsigned_abs(), -(places as i32))?;
            let literal = digits[digits.len() - 1] != b'0' && amount.value.abs() >= 1e-7;
            let grouped = (places == 3 && at <= 3 && digits[0] != b'0').then_some(signed);
            Some(Plain::Fraction { value: amount.value, places: places as u8, literal, grouped })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_text_is_the_canonical_one() {
        for text in
            ["0", "-0", "12", "1.5", "1.50", "0.0", "0.0000001", "0.00000001", "-0.5", "999999999999999", "-1.25"]
        {
            let canonical = match plain(text).expect(text) {
                Plain::Whole { n, literal } => (n.to_string(), literal),
                Plain::Fraction { value, literal, .. } => (crate::value::decimal_text(value), literal),
            };
            assert_eq!(canonical.1, canonical.0 == text, "{text}");
        }
    }
}
