//! Dates as people write them.
//!
//! Comes in: the trimmed text of one cell. Goes out: a wall-clock time, or day and month whose order the column decides.
//! Must never happen: a date that depends on the day it is read; a time shifted by a zone.

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};
use serde::{Deserialize, Serialize};

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
    first: u32,
    second: u32,
    year: i32,
    seconds: u32,
}

impl Ordered {
    pub(super) fn at(self, order: DateOrder) -> Option<NaiveDateTime> {
        match order {
            DateOrder::MonthFirst => at(self.year, self.first, self.second, self.seconds),
            DateOrder::DayFirst => at(self.year, self.second, self.first, self.seconds),
        }
    }
}

fn at(year: i32, month: u32, day: u32, seconds: u32) -> Option<NaiveDateTime> {
    let date = NaiveDate::from_ymd_opt(year, month, day)?.and_hms_opt(0, 0, 0)?;
    date.checked_add_signed(TimeDelta::seconds(i64::from(seconds)))
}

/// `20240105` as a date; years 1900 to 2100.
pub(super) fn compact(n: i64) -> Option<NaiveDateTime> {
    if !(19_000_101..=21_001_231).contains(&n) {
        return None;
    }
    at((n / 10_000) as i32, (n / 100 % 100) as u32, (n % 100) as u32, 0)
}

const LONGEST: usize = 48;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Reads a date in any form. `text` is trimmed.
pub(super) fn scan(text: &str) -> Option<DateText> {
    if text.len() < 6 || text.len() > LONGEST {
        return None;
    }
    let mut reader = Reader { rest: text };
    match text.as_bytes()[0] {
        b'0'..=b'9' => reader.digits_first(),
        b'A'..=b'Z' | b'a'..=b'z' => reader.letters_first(),
        _ => None,
    }
}

/// What is left to read.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Digits, at most `most`, none more behind them.
    fn digits(&mut self, most: usize) -> Option<(u32, usize)> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(length);
        if length == 0 || length > most {
            return None;
        }
        self.rest = rest;
        Some((digits.parse().ok()?, length))
    }

    fn year(&mut self) -> Option<i32> {
        let (year, length) = self.digits(4)?;
        (length == 4 && year >= 1000).then_some(year as i32)
    }

    fn take(&mut self, text: &str) -> bool {
        self.rest.strip_prefix(text).map(|rest| self.rest = rest).is_some()
    }

    fn skip(&mut self, chars: &[char]) {
        self.rest = self.rest.trim_start_matches(chars);
    }

    fn word(&mut self) -> &'a str {
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }

    /// Takes one of the separators of all-digit dates.
    fn separator(&mut self) -> Option<&'static str> {
        ["-", "/", "."].into_iter().find(|separator| self.take(separator))
    }

    fn digits_first(&mut self) -> Option<DateText> {
        let (number, length) = self.digits(4)?;
        match length {
            4 if number >= 1000 => self.after_year(number as i32),
            1 | 2 => self.after_day(number),
            _ => None,
        }
    }

    fn after_year(&mut self, year: i32) -> Option<DateText> {
        if self.take("年") {
            return self.chinese(year);
        }
        let separator = self.separator()?;
        let (month, length) = self.digits(2)?;
        if self.rest.is_empty() {
            return (separator != "." && length == 2).then(|| month_of(year, month)).flatten();
        }
        if !self.take(separator) {
            return None;
        }
        let (day, _) = self.digits(2)?;
        at(year, month, day, self.time()?).map(DateText::At)
    }

    fn chinese(&mut self, year: i32) -> Option<DateText> {
        let (month, _) = self.digits(2)?;
        if !self.take("月") {
            return None;
        }
        if self.rest.is_empty() || self.rest == "份" {
            return at(year, month, 1, 0).map(DateText::At);
        }
        let (day, _) = self.digits(2)?;
        if !self.take("日") && !self.take("号") {
            return None;
        }
        at(year, month, day, self.time()?).map(DateText::At)
    }

    fn after_day(&mut self, number: u32) -> Option<DateText> {
        if let Some(separator) = self.separator() {
            return match self.digits(2) {
                Some((second, _)) => self.ordered(number, second, separator),
                None => self.day_month(number, separator),
            };
        }
        let _ = ["st", "nd", "rd", "th"].into_iter().any(|ordinal| self.take(ordinal));
        self.day_month(number, " ")
    }

    fn ordered(&mut self, first: u32, second: u32, separator: &str) -> Option<DateText> {
        if !self.take(separator) {
            return None;
        }
        let (year, length) = self.digits(4)?;
        let year = match length {
            4 if year >= 1000 => year as i32,
            2 if separator == "/" => century(year),
            _ => return None,
        };
        let ordered = Ordered { first, second, year, seconds: self.time()? };
        let real = ordered.at(DateOrder::MonthFirst).or(ordered.at(DateOrder::DayFirst));
        real.map(|_| DateText::Ordered(ordered))
    }

    /// `5 January 2024`, `5-Jan-24`, behind the day.
    fn day_month(&mut self, day: u32, separator: &str) -> Option<DateText> {
        self.skip(&[' ']);
        let month = month(self.word())?;
        let spaced = separator == " ";
        if spaced {
            self.skip(&[' ', ',', '.'])
        } else if !self.take(separator) {
            return None;
        }
        let (year, length) = self.digits(4)?;
        let year = match length {
            4 if year >= 1000 => year as i32,
            2 if !spaced => century(year),
            _ => return None,
        };
        at(year, month, day, self.time()?).map(DateText::At)
    }

    fn letters_first(&mut self) -> Option<DateText> {
        let mut word = self.word();
        if named(word, &WEEKDAYS).is_some() {
            self.skip(&[' ', ',', '.']);
            if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
                return self.digits_first();
            }
            word = self.word();
        }
        let month = month(word)?;
        self.skip(&[' ', '.', '-', ',']);
        let before = self.rest;
        if let Some(year) = self.year() {
            return self.rest.is_empty().then(|| at(year, month, 1, 0)).flatten().map(DateText::At);
        }
        self.rest = before;
        let (day, _) = self.digits(2)?;
        let _ = ["st", "nd", "rd", "th"].into_iter().any(|ordinal| self.take(ordinal));
        if !self.rest.starts_with([' ', ',']) {
            return None;
        }
        self.skip(&[' ', ',']);
        let year = self.year()?;
        at(year, month, day, self.time()?).map(DateText::At)
    }

    /// Seconds of the time of day at the end; zero where there is none. `None` for anything else.
    fn time(&mut self) -> Option<u32> {
        if self.rest.is_empty() {
            return Some(0);
        }
        if !self.take("T") && !self.rest.starts_with([' ', ',']) && !self.rest.starts_with(['上', '下']) {
            return None;
        }
        self.skip(&[' ', ',']);
        let half = if self.take("上午") { Some(false) } else { self.take("下午").then_some(true) };
        self.skip(&[' ']);
        let (hour, _) = self.digits(2)?;
        let minute = self.sexagesimal()?;
        let second = if self.rest.starts_with(':') { self.sexagesimal()? } else { 0 };
        self.fraction();
        let half = half.or_else(|| self.half());
        self.zone();
        let hour = match half {
            None => hour,
            Some(afternoon) if (1..=12).contains(&hour) => hour % 12 + if afternoon { 12 } else { 0 },
            Some(afternoon) => afternoon.then_some(hour)?,
        };
        (self.rest.is_empty() && hour < 24).then_some(hour * 3600 + minute * 60 + second)
    }

    fn sexagesimal(&mut self) -> Option<u32> {
        if !self.take(":") {
            return None;
        }
        let (number, length) = self.digits(2)?;
        (length == 2 && number < 60).then_some(number)
    }

    fn fraction(&mut self) {
        if self.take(".") {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }

    /// `AM` is `false`, `PM` is `true`.
    fn half(&mut self) -> Option<bool> {
        let before = self.rest;
        self.skip(&[' ']);
        match self.word().to_ascii_lowercase().as_str() {
            "am" => Some(false),
            "pm" => Some(true),
            _ => {
                self.rest = before;
                None
            }
        }
    }

    /// A zone is read over: times are wall-clock times.
    fn zone(&mut self) {
        if self.rest == "Z" || self.rest == " UTC" {
            self.rest = "";
        } else if let Some(digits) = self.rest.trim_start().strip_prefix(['+', '-']) {
            let digits = digits.replace(':', "");
            if matches!(digits.len(), 2 | 4) && digits.bytes().all(|b| b.is_ascii_digit()) {
                self.rest = "";
            }
        }
    }
}

fn month_of(year: i32, month: u32) -> Option<DateText> {
    let season = month == (year as u32 + 1) % 100;
    at(year, month, 1, 0).map(|at| DateText::Month { at, season })
}

/// Two-digit years: 69 to 99 are of the last century.
fn century(year: u32) -> i32 {
    year as i32 + if year < 69 { 2000 } else { 1900 }
}

fn month(word: &str) -> Option<u32> {
    named(word, &MONTHS).map(|index| index as u32 + 1)
}

/// A whole name, or its first three letters (`Sept` too).
fn named(word: &str, names: &[&str]) -> Option<usize> {
    if word.len() < 3 || word.len() > 9 {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    names.iter().position(|name| *name == lower || name[..3] == lower || (lower == "sept" && name.starts_with("sept")))
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
    fn eight_digits_may_be_a_date() {
        assert_eq!(compact(20_240_229).map(|at| datetime_text(&at)).as_deref(), Some("2024-02-29"));
        assert_eq!(compact(20_230_229), None);
        assert_eq!(compact(12_345_678), None);
    }
}
