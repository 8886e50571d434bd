//! Dates as people write them.
//!
//! Comes in: the trimmed text of one cell. Goes out: a wall-clock time, or day and month whose order the column decides.
//! Must never happen: a date that depends on the day it is read; a time shifted by a zone.

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};
use serde::{Deserialize, Serialize};

pub(super) use super::date_forms::scan;

/// Whether `5/1/2024` is the fifth of January or the first of May. One for a whole column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    #[default]
    MonthFirst,
    DayFirst,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateText {
    At(NaiveDateTime),
    /// `2024-01`: a month, or a season (`2023-24`) where the month is the year after.
    Month {
        at: NaiveDateTime,
        season: bool,
    },
    Ordered(Ordered),
}

/// Two numbers of which one is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ordered {
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) year: i32,
    pub(super) seconds: u32,
}

impl Ordered {
    pub(super) fn at(self, order: DateOrder) -> Option<NaiveDateTime> {
        match order {
            DateOrder::MonthFirst => at(self.year, self.first, self.second, self.seconds),
            DateOrder::DayFirst => at(self.year, self.second, self.first, self.seconds),
        }
    }
}

/// The time of a date and the seconds of its day; `None` where there is no such day.
pub(super) fn at(year: i32, month: u32, day: u32, seconds: u32) -> Option<NaiveDateTime> {
    let date = NaiveDate::from_ymd_opt(year, month, day)?.and_hms_opt(0, 0, 0)?;
    date.checked_add_signed(TimeDelta::seconds(i64::from(seconds)))
}

/// What stands behind the seconds of a time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail<'a> {
    pub(super) zone: Option<&'a str>,
    /// A fraction of a second that is not zero.
    pub(super) fraction: bool,
}

/// The tail of a text that is a date.
pub(super) fn tail(text: &str) -> Tail<'_> {
    let Some((_, rest)) = text.split_once(':') else { return Tail::default() };
    let zone = rest.find(['+', '-', 'Z']).or_else(|| rest.find("UTC")).map(|at| rest[at..].trim());
    let seconds = rest.split(['+', '-', 'Z', ' ']).next().unwrap_or(rest);
    let fraction =
        seconds.split_once('.').is_some_and(|(_, digits)| digits.bytes().any(|b| (b'1'..=b'9').contains(&b)));
    Tail { zone, fraction }
}

/// `20240105` as a date; years 1900 to 2100.
pub(super) fn compact(n: i64) -> Option<NaiveDateTime> {
    if !(19_000_101..=21_001_231).contains(&n) {
        return None;
    }
    at((n / 10_000) as i32, (n / 100 % 100) as u32, (n % 100) as u32, 0)
}

/// `2024-01-05`, alone or with `T10:30:00` or ` 10:30:00` behind it: the forms that programs write, read without a detour.
pub(super) fn iso(text: &str) -> Option<NaiveDateTime> {
    let bytes = text.as_bytes();
    let seconds = match bytes.len() {
        10 => 0,
        19 if matches!(bytes[10], b'T' | b' ') && bytes[13] == b':' && bytes[16] == b':' => {
            let [hour, minute, second] = [11, 14, 17].map(|at| two_digits(bytes, at));
            let (hour, minute, second) = (hour?, minute?, second?);
            (hour < 24 && minute < 60 && second < 60).then_some(hour * 3600 + minute * 60 + second)?
        }
        _ => return None,
    };
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = two_digits(bytes, 0)? * 100 + two_digits(bytes, 2)?;
    if year < 1000 {
        return None;
    }
    at(year as i32, two_digits(bytes, 5)?, two_digits(bytes, 8)?, seconds)
}

fn two_digits(bytes: &[u8], at: usize) -> Option<u32> {
    let (tens, ones) = (bytes[at].wrapping_sub(b'0'), bytes[at + 1].wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then_some(u32::from(tens) * 10 + u32::from(ones))
}

/// Whether a text that is a date is the rendering of its time, see [`datetime_text`](crate::value::datetime_text).
pub(super) fn is_rendering(text: &str) -> bool {
    iso(text).is_some() && (text.len() == 10 || (text.as_bytes()[10] == b'T' && !text.ends_with("T00:00:00")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::datetime_text;

    fn read(text: &str, order: DateOrder) -> Option<String> {
        match scan(text)? {
            DateText::At(at) | DateText::Month { at, .. } => Some(datetime_text(&at)),
            DateText::Ordered(ordered) => ordered.at(order).map(|at| datetime_text(&at)),
        }
    }

    #[test]
    fn forms_of_dates() {
        for (text, date) in [
            ("2024-01-05", "2024-01-05"),
            ("2024/1/5", "2024-01-05"),
            ("2024.1.5", "2024-01-05"),
            ("2024年1月5日", "2024-01-05"),
            ("2024年01月", "2024-01-01"),
            ("2024-01", "2024-01-01"),
            ("Jan 5, 2024", "2024-01-05"),
            ("January 5 2024", "2024-01-05"),
            ("Sept. 5, 2024", "2024-09-05"),
            ("5 January 2024", "2024-01-05"),
            ("5th January 2024", "2024-01-05"),
            ("5-Jan-24", "2024-01-05"),
            ("Fri, 5 Jan 2024", "2024-01-05"),
            ("Friday, January 5, 2024", "2024-01-05"),
            ("Jan 2024", "2024-01-01"),
            ("5/1/24", "2024-05-01"),
            ("5/1/2024 10:30", "2024-05-01T10:30:00"),
            ("5.1.2024", "2024-05-01"),
            ("5/1/99", "1999-05-01"),
            ("2024-01-05T10:30:00Z", "2024-01-05T10:30:00"),
            ("2024-01-05 10:30:00.123+08:00", "2024-01-05T10:30:00"),
            ("2024-01-05 1:05 PM", "2024-01-05T13:05:00"),
            ("2024/1/5 下午 3:20:00", "2024-01-05T15:20:00"),
            ("2024-01-05 12:00 AM", "2024-01-05"),
        ] {
            assert_eq!(read(text, DateOrder::MonthFirst).as_deref(), Some(date), "{text}");
        }
        assert_eq!(read("5/1/24", DateOrder::DayFirst).as_deref(), Some("2024-01-05"));
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "2024-13-01",
            "2024-02-30",
            "13/13/2024",
            "1-5",
            "3:2",
            "10:30",
            "2024.1",
            "2024-1",
            "1.2.34",
            "1-2-03",
            "2023-24",
            "May",
            "March 99",
            "192.168.1.1",
            "2024-01-05 25:00",
            "2024-01-05x",
            "20240105",
            "Marching 5, 2024",
            "2024年",
            "2024-01/05",
        ] {
            assert_eq!(scan(text), None, "{text}");
        }
    }

    #[test]
    fn zones_and_fractions_are_seen() {
        for (text, zone, fraction) in [
            ("2024-01-05", None, false),
            ("2024-01-05T10:30:00", None, false),
            ("2024-01-05T10:30:00Z", Some("Z"), false),
            ("2024-01-05 10:30:00.123+08:00", Some("+08:00"), true),
            ("2024-01-05 10:30:00.000 -0500", Some("-0500"), false),
            ("2024-01-05 10:30 UTC", Some("UTC"), false),
            ("2024/1/5 下午 3:20:00.5", None, true),
        ] {
            assert_eq!(tail(text), Tail { zone, fraction }, "{text}");
        }
    }

    #[test]
    fn eight_digits_may_be_a_date() {
        assert_eq!(compact(20_240_229).map(|at| datetime_text(&at)).as_deref(), Some("2024-02-29"));
        assert_eq!(compact(20_230_229), None);
        assert_eq!(compact(12_345_678), None);
    }
}
