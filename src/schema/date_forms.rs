//! The ways in which people write dates.

use super::date::{DateOrder, DateText, Ordered, at};

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
        b'A'..=b'Z' | b'a'..=b'z' if begins_like_name(text.as_bytes()) => reader.letters_first(),
        _ => None,
    }
}

/// A quick look at the first three letters.
fn begins_like_name(bytes: &[u8]) -> bool {
    let is_start = |name: &str| name.as_bytes()[..3].eq_ignore_ascii_case(&bytes[..3]);
    MONTHS.iter().chain(&WEEKDAYS).any(|name| is_start(name)) && bytes.iter().any(u8::is_ascii_digit)
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
