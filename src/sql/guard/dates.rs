//! Dates as statements write them: a text to a half-open range of time.

use chrono::{Days, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

/// From (included) to (excluded).
pub(super) type Range = (NaiveDateTime, NaiveDateTime);

/// The range that `2024`, `2024-01`, `2024-01-05`, `2024/1/5`, `2024年1月`, `20240105` or a date with a time names.
pub(super) fn range(text: &str) -> Option<Range> {
    let text = text.trim().trim_end_matches('Z');
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time.trim())),
        None => (text, None),
    };
    let parts = numbers(date)?;
    match (parts[..].len(), time) {
        (_, Some(time)) => moment(day(&parts)?, time),
        (1, None) => span(NaiveDate::from_ymd_opt(year(parts[0])?, 1, 1)?, 12),
        (2, None) => span(NaiveDate::from_ymd_opt(year(parts[0])?, parts[1], 1)?, 1),
        (_, None) => {
            let day = day(&parts)?;
            Some((midnight(day), midnight(day.checked_add_days(Days::new(1))?)))
        }
    }
}

/// Year, month and day as far as given; eight digits are all three.
fn numbers(date: &str) -> Option<Vec<u32>> {
    if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) {
        return [&date[..4], &date[4..6], &date[6..]].iter().map(|part| part.parse().ok()).collect();
    }
    let date = date.trim_end_matches(['年', '月', '日', '号']);
    let parts: Option<Vec<u32>> =
        date.split(['-', '/', '.', '年', '月']).map(|part| part.trim().parse().ok()).collect();
    parts.filter(|parts| parts.len() <= 3)
}

fn year(number: u32) -> Option<i32> {
    (1000..=9999).contains(&number).then_some(number as i32)
}

fn day(parts: &[u32]) -> Option<NaiveDate> {
    match parts {
        [y, m, d] => NaiveDate::from_ymd_opt(year(*y)?, *m, *d),
        _ => None,
    }
}

fn midnight(day: NaiveDate) -> NaiveDateTime {
    day.and_time(NaiveTime::MIN)
}

fn span(first: NaiveDate, months: u32) -> Option<Range> {
    Some((midnight(first), midnight(first.checked_add_months(Months::new(months))?)))
}

fn moment(day: NaiveDate, time: &str) -> Option<Range> {
    let (time, seconds) = match time.matches(':').count() {
        1 => (NaiveTime::parse_from_str(time, "%H:%M").ok()?, 60),
        _ => (NaiveTime::parse_from_str(time, "%H:%M:%S%.f").ok()?, 1),
    };
    let start = day.and_time(time);
    Some((start, start.checked_add_signed(TimeDelta::seconds(seconds))?))
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn a_date_text_is_a_half_open_range() {
        let table = [
            ("2024", "2024-01-01 00:00:00", "2025-01-01 00:00:00"),
            ("2024-02", "2024-02-01 00:00:00", "2024-03-01 00:00:00"),
            ("2024年12月", "2024-12-01 00:00:00", "2025-01-01 00:00:00"),
            ("2024-02-29", "2024-02-29 00:00:00", "2024-03-01 00:00:00"),
            ("20240105", "2024-01-05 00:00:00", "2024-01-06 00:00:00"),
            ("2024/1/5", "2024-01-05 00:00:00", "2024-01-06 00:00:00"),
            ("2024-01-05 10:30", "2024-01-05 10:30:00", "2024-01-05 10:31:00"),
            ("2024-01-05T10:30:15", "2024-01-05 10:30:15", "2024-01-05 10:30:16"),
        ];
        for (text, from, to) in table {
            let (a, b) = range(text).expect(text);
            assert_eq!((a.to_string(), b.to_string()), (from.to_owned(), to.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_gives_none() {
        for text in ["", "abc", "2023-02-29", "2024-13", "99", "2024-01-05 25:00", "1-2-3-4", "２０２４"] {
            assert!(range(text).is_none(), "{text}");
        }
    }
}
