//! Values of the workbook reader as stored cells.

use std::hash::{BuildHasher, Hasher};

use calamine::{CellErrorType, Data, ExcelDateTime};
use chrono::{Duration, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use super::grid::Stored;
use crate::value::UNCALCULATED;

/// Whole numbers below this are exact in a double.
const EXACT: f64 = 9_007_199_254_740_992.0;
const DAY: f64 = 86_400.0;
/// The serial number of the day after the last that a spreadsheet knows, 10000-01-01.
const LAST_DAY: f64 = 2_958_466.0;

/// A value that is no text; else its text.
pub(super) fn plain(value: &Data) -> Result<Stored, String> {
    Ok(match value {
        Data::Int(n) => Stored::Integer(*n),
        Data::Float(x) => float(*x),
        Data::Bool(flag) => Stored::Flag(*flag),
        Data::DateTime(at) => date_time(at),
        Data::DateTimeIso(text) => iso_date(text).map(Stored::DateTime).ok_or_else(|| text.clone())?,
        Data::DurationIso(text) => iso_duration(text).map(Stored::Duration).ok_or_else(|| text.clone())?,
        Data::Error(error) => Stored::Error(error_text(error)),
        Data::String(text) => return Err(text.clone()),
        Data::Empty => return Err(String::new()),
    })
}

/// A number, whole where it is.
pub(super) fn float(x: f64) -> Stored {
    if x.fract() == 0.0 && x.abs() < EXACT { Stored::Integer(x as i64) } else { Stored::Decimal(x) }
}

/// A date keeps to the millisecond; a time of day without a date is the seconds since midnight.
fn date_time(at: &ExcelDateTime) -> Stored {
    let serial = at.as_f64();
    if at.is_duration() || (0.0..1.0).contains(&serial) {
        return Stored::Duration(to_millisecond(serial * DAY));
    }
    if !(0.0..LAST_DAY).contains(&serial) {
        return float(serial);
    }
    at.as_datetime().and_then(in_milliseconds).map_or_else(|| float(serial), Stored::DateTime)
}

/// Seconds without what their serial number is off by.
fn to_millisecond(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

fn in_milliseconds(at: NaiveDateTime) -> Option<NaiveDateTime> {
    let at = at.checked_add_signed(Duration::microseconds(500))?;
    at.with_nanosecond(at.nanosecond() / 1_000_000 * 1_000_000)
}

fn iso_date(text: &str) -> Option<NaiveDateTime> {
    let text = text.trim().trim_end_matches('Z');
    let date_time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok().and_then(in_milliseconds);
    let minutes = || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").ok();
    let date = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|date| date.and_time(NaiveTime::MIN));
    date_time.or_else(minutes).or_else(date)
}

/// A date, or a time of day on the day before the first: `1899-12-31T10:30:00.000`.
pub(super) fn iso_moment(text: &str) -> Option<Stored> {
    let at = iso_date(text)?;
    let time = at.date() == NaiveDate::from_ymd_opt(1899, 12, 31)?;
    let seconds = || f64::from(at.num_seconds_from_midnight()) + f64::from(at.nanosecond()) / 1e9;
    Some(if time { Stored::Duration(to_millisecond(seconds())) } else { Stored::DateTime(at) })
}

/// Seconds of `PT10H30M15.5S` (days, hours, minutes, seconds).
fn iso_duration(text: &str) -> Option<f64> {
    let (sign, rest) = text.trim().strip_prefix('-').map_or((1.0, text.trim()), |rest| (-1.0, rest));
    let mut seconds = 0.0;
    let mut digits = String::new();
    for c in rest.strip_prefix('P')?.chars() {
        let unit = match c {
            'T' => continue,
            'D' => DAY,
            'H' => 3_600.0,
            'M' => 60.0,
            'S' => 1.0,
            _ => {
                digits.push(c);
                continue;
            }
        };
        seconds += digits.parse::<f64>().ok()? * unit;
        digits.clear();
    }
    digits.is_empty().then_some(to_millisecond(sign * seconds))
}

fn error_text(error: &CellErrorType) -> &'static str {
    match error {
        CellErrorType::Div0 => "#DIV/0!",
        CellErrorType::NA => "#N/A",
        CellErrorType::Name => "#NAME?",
        CellErrorType::Null => "#NULL!",
        CellErrorType::Num => "#NUM!",
        CellErrorType::Ref => "#REF!",
        CellErrorType::Value => "#VALUE!",
        CellErrorType::GettingData => "#GETTING_DATA",
    }
}

/// All errors that a cell may be.
pub(super) const ERRORS: [&str; 9] =
    [UNCALCULATED, "#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA"];

/// The error that a text is.
pub(super) fn error_of(text: &str) -> Option<&'static str> {
    ERRORS.into_iter().find(|error| *error == text)
}

/// Hashes addresses of shared texts.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ByAddress;

impl BuildHasher for ByAddress {
    type Hasher = AddressHasher;
    fn build_hasher(&self) -> AddressHasher {
        AddressHasher(0)
    }
}

/// Spreads the bits of one address.
#[derive(Debug)]
pub(super) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte) ^ self.0 as usize);
        }
    }

    fn write_usize(&mut self, address: usize) {
        let mixed = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use calamine::ExcelDateTimeType;

    use super::*;
    use crate::value::{datetime_text, duration_text};

    fn shown(serial: f64, kind: ExcelDateTimeType, since_1904: bool) -> String {
        match date_time(&ExcelDateTime::new(serial, kind, since_1904)) {
            Stored::DateTime(at) => datetime_text(&at),
            Stored::Duration(seconds) => duration_text(seconds),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn dates_times_and_durations() {
        use ExcelDateTimeType::{DateTime, TimeDelta};
        for (serial, kind, since_1904, want) in [
            (45_943.541, DateTime, false, "2025-10-13T12:59:02.400"),
            (45_292.604_166_666_7, DateTime, false, "2024-01-01T14:30:00"),
            (45_292.0, DateTime, false, "2024-01-01"),
            (43_830.0, DateTime, true, "2024-01-01"),
            (0.4375, DateTime, false, "10:30:00"),
            (1.25, TimeDelta, false, "30:00:00"),
            (83.456 / 86_400.0, TimeDelta, false, "0:01:23.456"),
            (-83.456 / 86_400.0, TimeDelta, false, "-0:01:23.456"),
            (0.1 / 86_400.0 + 0.5, DateTime, false, "12:00:00.100"),
            (45_292.999_999_999_9, DateTime, false, "2024-01-02"),
            (-1.0, DateTime, false, "Integer(-1)"),
            (1e12, DateTime, false, "Integer(1000000000000)"),
        ] {
            assert_eq!(shown(serial, kind, since_1904), want, "{serial}");
        }
    }

    #[test]
    fn iso_texts() {
        assert_eq!(iso_duration("PT10H30M15S"), Some(37_815.0));
        assert_eq!(iso_duration("PT1M23.4560S"), Some(83.456));
        assert!(matches!(iso_moment("1899-12-31T00:01:23.456"), Some(Stored::Duration(83.456))));
        assert_eq!(iso_duration("tomorrow"), None);
        assert_eq!(
            iso_date("2024-01-05T10:30:00").map(|at| datetime_text(&at)),
            Some("2024-01-05T10:30:00".to_owned())
        );
        assert_eq!(iso_date("2024-01-05").map(|at| datetime_text(&at)), Some("2024-01-05".to_owned()));
    }

    #[test]
    fn whole_floats_are_integers_while_exact() {
        assert!(matches!(float(3.0), Stored::Integer(3)));
        assert!(matches!(float(3.5), Stored::Decimal(_)));
        assert!(matches!(float(1e16), Stored::Decimal(_)));
        assert!(matches!(float(f64::NAN), Stored::Decimal(_)));
    }
}
