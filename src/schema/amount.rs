//! Decimal digits become the value they write, exactly.

use std::fmt::Write;

/// A number's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Amount {
    pub(super) value: f64,
    /// The value where it is whole and fits.
    pub(super) whole: Option<i64>,
    /// Decimal places.
    pub(super) places: u8,
}

/// Significant digits that a double keeps whatever they are.
pub(super) const SAFE_DIGITS: usize = 15;

/// The powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

impl Amount {
    pub(super) fn whole(n: i64) -> Self {
        Self { value: n as f64, whole: Some(n), places: 0 }
    }

    /// `±mantissa × 10^exponent`, correctly rounded; `None` where it is out of range.
    pub(super) fn new(negative: bool, mantissa: u64, exponent: i32) -> Option<Self> {
        let sign = if negative { -1.0 } else { 1.0 };
        let power = POWERS.get(exponent.unsigned_abs() as usize);
        match (whole(negative, mantissa, exponent), power) {
            (Some(n), _) => return Some(Self::whole(n)),
            (None, Some(power)) if mantissa < 1 << 53 && exponent < 0 => {
                return Some(Self { value: sign * mantissa as f64 / power, whole: None, places: places(exponent) });
            }
            _ => {}
        }
        let size: f64 = format!("{mantissa}e{exponent}").parse().ok()?;
        size.is_finite().then_some(Self { value: sign * size, whole: None, places: places(exponent) })
    }

    pub(super) fn is_integer(&self) -> bool {
        self.whole.is_some() && self.places == 0
    }
}

fn places(exponent: i32) -> u8 {
    u8::try_from(exponent.min(0).unsigned_abs()).unwrap_or(u8::MAX)
}

fn whole(negative: bool, mantissa: u64, exponent: i32) -> Option<i64> {
    let power = 10u64.checked_pow(u32::try_from(exponent).ok()?)?;
    let size = i64::try_from(mantissa.checked_mul(power)?).ok()?;
    Some(if negative { -size } else { size })
}

/// The number of a text that has exactly the digits of the shortest rendering of a double, as programs write them:
/// `0.30000000000000004`, `1.2345678901234568e-05`.
pub(super) fn shortest(text: &str) -> Option<Amount> {
    let (digits, power) = text.split_once('e').unwrap_or((text, "0"));
    let power: i32 = power.parse().ok()?;
    let places = digits.len() - digits.find('.')? - 1;
    let value: f64 = text.parse().ok()?;
    let mut rendering = Rendering { rest: digits.as_bytes() };
    let same = if digits.len() == text.len() {
        write!(rendering, "{value}").is_ok() && rendering.rest.is_empty()
    } else {
        let rendered = format!("{value:e}");
        rendered.split_once('e').is_some_and(|(shown, shown_power)| shown == digits && shown_power.parse() == Ok(power))
    };
    let whole = None;
    same.then_some(Amount { value, whole, places: self::places(power.saturating_sub(i32::try_from(places).ok()?)) })
}

/// Compares what is written to it with a text, without keeping it.
struct Rendering<'a> {
    rest: &'a [u8],
}

impl Write for Rendering<'_> {
    fn write_str(&mut self, written: &str) -> std::fmt::Result {
        self.rest = self.rest.strip_prefix(written.as_bytes()).ok_or(std::fmt::Error)?;
        Ok(())
    }
}

/// Decimal places that a double shows.
pub(super) fn places_of(x: f64) -> u8 {
    (0..10)
        .find(|&places| (x * POWERS[places]).round() / POWERS[places] == x)
        .map_or(SAFE_DIGITS as u8, |places| places as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_correctly_rounded() {
        for (mantissa, exponent, value) in
            [(12, -2, 0.12), (123, 3, 123_000.0), (1, 300, 1e300), (15, -25, 1.5e-24), (0, 5, 0.0)]
        {
            assert_eq!(Amount::new(false, mantissa, exponent).map(|a| a.value), Some(value));
        }
        assert_eq!(Amount::new(false, 1, 400), None);
        assert_eq!(Amount::new(true, 5, 0), Some(Amount::whole(-5)));
    }

    #[test]
    fn the_shortest_rendering_is_known() {
        for (text, value, places) in
            [("0.30000000000000004", 0.30000000000000004, 17), ("1.2345678901234568e-05", 1.2345678901234568e-05, 21)]
        {
            assert_eq!(shortest(text), Some(Amount { value, whole: None, places }));
        }
        for text in ["0.300000000000000040", "0.1234567890123456789", "1.50", "1e5", "x", "1.50e3"] {
            assert_eq!(shortest(text), None, "{text}");
        }
    }

    #[test]
    fn places_of_doubles() {
        for (x, places) in [(1.0, 0), (0.1, 1), (12.25, 2), (0.1 + 0.2, 15), (-3.125, 3)] {
            assert_eq!(places_of(x), places, "{x}");
        }
    }
}
