//! Periods in questions: years, quarters, months and days, written out or relative to today.

use chrono::{Datelike, Days, Months, NaiveDate};

use super::numerals::number;
use super::token::{Kind, Token, tokens};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grain {
    Year,
    Quarter,
    Month,
    Day,
    /// From one period through another.
    Span,
}

/// A half-open run of days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    pub from: NaiveDate,
    pub to: NaiveDate,
    pub grain: Grain,
}

impl Period {
    pub fn year(year: i32) -> Option<Self> {
        Self::months(year, 1, 12, Grain::Year)
    }

    fn months(year: i32, month: u32, count: u32, grain: Grain) -> Option<Self> {
        let from = NaiveDate::from_ymd_opt(year, month, 1)?;
        Some(Self { from, to: from.checked_add_months(Months::new(count))?, grain })
    }

    fn day(year: i32, month: u32, day: u32) -> Option<Self> {
        let from = NaiveDate::from_ymd_opt(year, month, day)?;
        Some(Self { from, to: from.checked_add_days(Days::new(1))?, grain: Grain::Day })
    }

    /// The year, where the period is one.
    pub fn as_year(&self) -> Option<i32> {
        (self.grain == Grain::Year).then(|| self.from.year())
    }

    pub fn holds(&self, other: &Period) -> bool {
        self.from <= other.from && other.to <= self.to
    }
}

/// The period that begins at the first token, and how many tokens it takes.
pub fn period(tokens: &[Token], today: NaiveDate) -> Option<(Period, usize)> {
    span(tokens, today)
        .or_else(|| chinese(tokens))
        .or_else(|| dashed(tokens))
        .or_else(|| english(tokens))
        .or_else(|| relative(tokens, today))
}

/// `from 1990 to 1995`, `2019年到2021年`, `between May 2020 and June 2021`.
fn span(tokens: &[Token], today: NaiveDate) -> Option<(Period, usize)> {
    let opener = text(tokens, 0);
    let opened = matches!(opener, "from" | "between" | "从" | "自");
    let skip = usize::from(opened);
    let (first, taken) = single(tokens.get(skip..)?, today)?;
    let at = skip + taken;
    let joins = match text(tokens, at) {
        "to" | "through" | "until" | "-" | "~" | "到" | "至" => true,
        "and" => opener == "between",
        _ => false,
    };
    let rest = tokens.get(at + 1..).filter(|_| joins)?;
    let (last, taken) = later(rest, &first).or_else(|| single(rest, today))?;
    let ordered = first.from < last.to && first.grain == last.grain;
    ordered.then_some((Period { from: first.from, to: last.to, grain: Grain::Span }, at + 1 + taken))
}

/// `3月15日` or `15日` behind a day, `5月` behind a month: in the year, or the month, of the first.
fn later(tokens: &[Token], first: &Period) -> Option<(Period, usize)> {
    let days = |at: usize| whole(tokens, at, 1, 31).filter(|_| matches!(text(tokens, at + 1), "日" | "号"));
    let month = whole(tokens, 0, 1, 12).filter(|_| text(tokens, 1) == "月");
    match (first.grain, month) {
        (Grain::Day, Some(month)) => Some((Period::day(first.from.year(), month, days(2)?)?, 4)),
        (Grain::Day, None) => Some((Period::day(first.from.year(), first.from.month(), days(0)?)?, 2)),
        (Grain::Month, Some(month)) if days(2).is_none() => {
            Some((Period::months(first.from.year(), month, 1, Grain::Month)?, 2 + usize::from(text(tokens, 2) == "份")))
        }
        _ => None,
    }
}

/// A month or a quarter that names no year: `3月`, `二月份`, `第一季度`, `january`, `q1`.
pub fn yearless(tokens: &[Token], year: i32) -> Option<(Period, usize)> {
    if let Some((quarter, taken)) = quarter(tokens) {
        return Some((Period::months(year, quarter * 3 - 2, 3, Grain::Quarter)?, taken));
    }
    let quarter = text(tokens, 0).strip_prefix('q').and_then(|digit| digit.parse::<u32>().ok());
    if let Some(quarter) = quarter.filter(|quarter| (1..=4).contains(quarter)) {
        return Some((Period::months(year, quarter * 3 - 2, 3, Grain::Quarter)?, 1));
    }
    let named = month_name(text(tokens, 0)).filter(|_| text(tokens, 0).len() > 3);
    if let Some(month) = named.filter(|_| day_number(tokens, 1).is_none()) {
        return Some((Period::months(year, month, 1, Grain::Month)?, 1));
    }
    let (value, taken) = number(tokens)?;
    let month = (value.unit.is_none() && value.value.fract() == 0.0 && (1.0..=12.0).contains(&value.value))
        .then_some(value.value as u32)?;
    if text(tokens, taken) != "月" || number(tokens.get(taken + 1..)?).is_some() {
        return None;
    }
    let end = taken + 1 + usize::from(text(tokens, taken + 1) == "份");
    Some((Period::months(year, month, 1, Grain::Month)?, end))
}

/// A period that is no span; four digits are a year.
fn single(tokens: &[Token], today: NaiveDate) -> Option<(Period, usize)> {
    let written = chinese(tokens).or_else(|| dashed(tokens)).or_else(|| english(tokens));
    written.or_else(|| relative(tokens, today)).or_else(|| Some((Period::year(year_number(tokens, 0)?)?, 1)))
}

fn text(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.text.as_str())
}

/// A whole number of one token within bounds.
fn whole(tokens: &[Token], at: usize, least: u32, most: u32) -> Option<u32> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Number)?;
    token.text.parse().ok().filter(|value| (least..=most).contains(value))
}

fn year_number(tokens: &[Token], at: usize) -> Option<i32> {
    whole(tokens, at, 1000, 2200).filter(|_| text(tokens, at).len() == 4).map(|year| year as i32)
}

/// `2022年`, `2022年11月`, `2022年11月3日`, `2022年第三季度`, `2022年上半年`.
fn chinese(tokens: &[Token]) -> Option<(Period, usize)> {
    let year = year_number(tokens, 0)?;
    if text(tokens, 1) != "年" {
        return None;
    }
    let at = 2 + usize::from(matches!(text(tokens, 2), "度" | "的"));
    if let Some((quarter, taken)) = quarter(&tokens[at.min(tokens.len())..]) {
        return Some((Period::months(year, quarter * 3 - 2, 3, Grain::Quarter)?, at + taken));
    }
    if let Some(first) =
        ["上", "下"].iter().position(|half| *half == text(tokens, at)).filter(|_| text(tokens, at + 1) == "半")
    {
        return Some((Period::months(year, first as u32 * 6 + 1, 6, Grain::Quarter)?, at + 3));
    }
    let month = whole(tokens, at, 1, 12).filter(|_| text(tokens, at + 1) == "月");
    let Some(month) = month else {
        let degree = usize::from(text(tokens, 2) == "度");
        return Some((Period::year(year)?, 2 + degree));
    };
    let end = at + 2 + usize::from(text(tokens, at + 2) == "份");
    let day = whole(tokens, at + 2, 1, 31).filter(|_| matches!(text(tokens, at + 3), "日" | "号"));
    match day {
        Some(day) => Some((Period::day(year, month, day)?, at + 4)),
        None => Some((Period::months(year, month, 1, Grain::Month)?, end)),
    }
}

/// `第三季度`, `三季度`.
fn quarter(tokens: &[Token]) -> Option<(u32, usize)> {
    let skip = usize::from(text(tokens, 0) == "第");
    let (value, taken) = number(tokens.get(skip..)?)?;
    let end = skip + taken;
    let named = text(tokens, end) == "季" && text(tokens, end + 1) == "度";
    (named && (1.0..=4.0).contains(&value.value)).then_some((value.value as u32, end + 2))
}

/// `2022-11`, `2022-11-03`, `2022/11/3`.
fn dashed(tokens: &[Token]) -> Option<(Period, usize)> {
    let year = year_number(tokens, 0)?;
    let mark = text(tokens, 1);
    if !matches!(mark, "-" | "/") {
        return None;
    }
    let month = whole(tokens, 2, 1, 12).filter(|_| text(tokens, 2).len() <= 2)?;
    match whole(tokens, 4, 1, 31).filter(|_| text(tokens, 3) == mark) {
        Some(day) => Some((Period::day(year, month, day)?, 5)),
        None => Some((Period::months(year, month, 1, Grain::Month)?, 3)),
    }
}

fn month_name(word: &str) -> Option<u32> {
    const NAMES: [&str; 12] = [
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
    let at = NAMES.iter().position(|name| {
        *name == word || (word.len() == 3 && name.starts_with(word)) || (word == "sept" && *name == "september")
    })?;
    Some(at as u32 + 1)
}

/// `1st`, `22nd`, `3`.
fn day_number(tokens: &[Token], at: usize) -> Option<u32> {
    let digits = text(tokens, at).trim_end_matches(|c: char| c.is_ascii_lowercase());
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

/// `november 2022`, `november 3, 2022`, `3 november 2022`, `q3 2022`.
fn english(tokens: &[Token]) -> Option<(Period, usize)> {
    if let Some(quarter) =
        text(tokens, 0).strip_prefix('q').and_then(|digit| digit.parse::<u32>().ok()).filter(|q| (1..=4).contains(q))
    {
        let at = 1 + usize::from(text(tokens, 1) == "of");
        return Some((Period::months(year_number(tokens, at)?, quarter * 3 - 2, 3, Grain::Quarter)?, at + 1));
    }
    if let Some(month) = month_name(text(tokens, 0)) {
        let at = 1 + usize::from(matches!(text(tokens, 1), "of" | ","));
        if let Some(year) = year_number(tokens, at) {
            return Some((Period::months(year, month, 1, Grain::Month)?, at + 1));
        }
        let day = day_number(tokens, 1)?;
        let at = 2 + usize::from(text(tokens, 2) == ",");
        return Some((Period::day(year_number(tokens, at)?, month, day)?, at + 1));
    }
    let day = day_number(tokens, 0)?;
    let at = 1 + usize::from(text(tokens, 1) == "of");
    let month = month_name(text(tokens, at))?;
    let at = at + 1 + usize::from(text(tokens, at + 1) == ",");
    Some((Period::day(year_number(tokens, at)?, month, day)?, at + 1))
}

/// `今年`, `last month`.
fn relative(tokens: &[Token], today: NaiveDate) -> Option<(Period, usize)> {
    const WORDS: &[(&str, usize, bool, i32)] = &[
        ("今年", 2, true, 0),
        ("去年", 2, true, -1),
        ("前年", 2, true, -2),
        ("明年", 2, true, 1),
        ("本年度", 3, true, 0),
        ("本月", 2, false, 0),
        ("这个月", 3, false, 0),
        ("上个月", 3, false, -1),
        ("上月", 2, false, -1),
        ("this year", 2, true, 0),
        ("last year", 2, true, -1),
        ("this month", 2, false, 0),
        ("last month", 2, false, -1),
    ];
    for (phrase, length, yearly, shift) in WORDS {
        let Some(span) = tokens.get(..*length) else { continue };
        let joint = if span[0].kind == Kind::Han { "" } else { " " };
        if !spells(span, joint, phrase) {
            continue;
        }
        if *yearly {
            return Some((Period::year(today.year() + shift)?, *length));
        }
        let months = today.year() * 12 + today.month0() as i32 + shift;
        return Some((
            Period::months(months.div_euclid(12), months.rem_euclid(12) as u32 + 1, 1, Grain::Month)?,
            *length,
        ));
    }
    None
}

/// The tokens, joined, are the phrase.
fn spells(span: &[Token], joint: &str, phrase: &str) -> bool {
    let mut rest = phrase;
    let fits = span.iter().enumerate().all(|(at, token)| {
        let piece = if at == 0 { Some(rest) } else { rest.strip_prefix(joint) };
        piece.and_then(|piece| piece.strip_prefix(token.text.as_str())).map(|left| rest = left).is_some()
    });
    fits && rest.is_empty()
}

/// Every period that a text names.
pub fn periods(source: &str) -> Vec<Period> {
    let all = tokens(source);
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        match period(&all[at..], NaiveDate::MIN) {
            Some((period, taken)) => {
                found.push(period);
                at += taken;
            }
            None => {
                found.extend(year_number(&all, at).and_then(Period::year));
                at += 1;
            }
        }
    }
    found
}

/// The period in the writing of `sample`, where the sample is a period of the same grain.
pub fn written_like(period: &Period, sample: &str) -> Option<String> {
    let all = tokens(sample);
    let (other, taken) = chinese(&all).or_else(|| dashed(&all))?;
    if taken != all.len() || other.grain != period.grain {
        return None;
    }
    let han = text(&all, 1) == "年";
    let padded = sample == write(&other, han, true, text(&all, 1))?;
    let candidate = write(&other, han, padded, text(&all, 1))?;
    (candidate == sample).then(|| write(period, han, padded, text(&all, 1))).flatten()
}

fn write(period: &Period, han: bool, padded: bool, mark: &str) -> Option<String> {
    let (year, month, day) = (period.from.year(), period.from.month(), period.from.day());
    let two = |value: u32| if padded { format!("{value:02}") } else { value.to_string() };
    match (period.grain, han) {
        (Grain::Year, true) => Some(format!("{year}年")),
        (Grain::Month, true) => Some(format!("{year}年{}月", two(month))),
        (Grain::Day, true) => Some(format!("{year}年{}月{}日", two(month), two(day))),
        (Grain::Month, false) => Some(format!("{year}{mark}{}", two(month))),
        (Grain::Day, false) => Some(format!("{year}{mark}{}{mark}{}", two(month), two(day))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_half_open() {
        let today = NaiveDate::from_ymd_opt(2024, 1, 15).expect("a date");
        for (source, from, to) in [
            ("2022年11月", "2022-11-01", "2022-12-01"),
            ("2022年12月3日", "2022-12-03", "2022-12-04"),
            ("2022年第三季度", "2022-07-01", "2022-10-01"),
            ("2022-11", "2022-11-01", "2022-12-01"),
            ("november 3, 2022", "2022-11-03", "2022-11-04"),
            ("3 november 2022", "2022-11-03", "2022-11-04"),
            ("from 1990 to 1995", "1990-01-01", "1996-01-01"),
            ("2019年3月到2019年5月", "2019-03-01", "2019-06-01"),
            ("q2 2021", "2021-04-01", "2021-07-01"),
            ("去年", "2023-01-01", "2024-01-01"),
            ("last month", "2023-12-01", "2024-01-01"),
        ] {
            let all = tokens(source);
            let (period, taken) = period(&all, today).expect(source);
            assert_eq!(
                (period.from.to_string().as_str(), period.to.to_string().as_str(), taken),
                (from, to, all.len()),
                "{source}"
            );
        }
    }

    #[test]
    fn a_period_is_written_like_the_sample() {
        let (period, _) = period(&tokens("2022年9月"), NaiveDate::MIN).expect("a period");
        assert_eq!(written_like(&period, "2020年11月").as_deref(), Some("2022年09月"));
        assert_eq!(written_like(&period, "2020年3月").as_deref(), Some("2022年9月"));
        assert_eq!(written_like(&period, "2020-03").as_deref(), Some("2022-09"));
        assert_eq!(written_like(&period, "spring 2020"), None);
    }
}
