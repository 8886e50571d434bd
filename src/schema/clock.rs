//! Times of day and durations as text: `10:30`, `1:02:03`, `36:15:00`.
//!
//! Must never happen: minutes and seconds taken for hours and minutes; `3:2` taken for a time.

use super::amount::Amount;

/// A text of hours, minutes and perhaps seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    pub(super) seconds: f64,
    /// Decimal places of the seconds.
    places: u8,
    /// It has seconds; without them it may as well be minutes and seconds.
    pub(super) whole: bool,
}

impl Clock {
    pub(super) fn amount(&self) -> Amount {
        Amount { value: self.seconds, whole: None, places: self.places }
    }
}

/// Digits of the hours at most.
const MOST_HOURS: usize = 4;

/// Reads a time or a duration. `text` is trimmed.
pub(super) fn scan(text: &str) -> Option<Clock> {
    let (hours, rest) = text.split_once(':')?;
    let (negative, hours) = hours.strip_prefix('-').map_or((false, hours), |hours| (true, hours));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_number(hours) || hours.len() > MOST_HOURS {
        return None;
    }
    let sixtieth = |digits: &str| {
        let fits = digits.len() == 2 && is_number(digits) && digits < "60";
        fits.then(|| digits.parse::<f64>().ok()).flatten()
    };
    let (minutes, seconds) = rest.split_once(':').map_or((rest, None), |(minutes, seconds)| (minutes, Some(seconds)));
    let (whole, fraction) =
        seconds.map_or(("00", None), |s| s.split_once('.').map_or((s, None), |(s, f)| (s, Some(f))));
    if fraction.is_some_and(|digits| !is_number(digits) || digits.len() > 6) {
        return None;
    }
    let part = fraction.map_or(Some(0.0), |digits| format!("0.{digits}").parse::<f64>().ok())?;
    let size = hours.parse::<f64>().ok()? * 3600.0 + sixtieth(minutes)? * 60.0 + sixtieth(whole)? + part;
    let places = fraction.map_or(0, |digits| digits.len() as u8);
    Some(Clock { seconds: if negative { -size } else { size }, places, whole: seconds.is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_durations_are_told_from_ratios() {
        for (text, seconds, whole) in [
            ("10:30", 37_800.0, false),
            ("1:02:03", 3_723.0, true),
            ("36:15:00", 130_500.0, true),
            ("-0:00:01.5", -1.5, true),
        ] {
            let clock = scan(text).expect(text);
            assert_eq!((clock.seconds, clock.whole), (seconds, whole), "{text}");
        }
        for text in ["3:2", "10:60", "1:2:3", "a:10", ":10", "10:", "1:02:03:04", "12345:00", "1:02:03.x"] {
            assert_eq!(scan(text), None, "{text}");
        }
    }
}
