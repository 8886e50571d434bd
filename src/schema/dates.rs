//! What the dates of a column have in common, counted under each order of day and month.

use chrono::{DateTime, NaiveDateTime};
use serde::{Deserialize, Serialize};

use super::date::{DateOrder, DateText, Tail};

/// Dates counted, with the first and the last in seconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Span {
    pub(super) count: u64,
    range: Option<(i64, i64)>,
}

impl Span {
    pub(super) fn add(&mut self, at: NaiveDateTime) {
        let seconds = at.and_utc().timestamp();
        self.merge(&Span { count: 1, range: Some((seconds, seconds)) });
    }

    pub(super) fn merge(&mut self, other: &Span) {
        self.count += other.count;
        self.range = match (self.range, other.range) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, two) => one.or(two),
        };
    }

    /// First and last.
    pub(super) fn range(&self) -> Option<(NaiveDateTime, NaiveDateTime)> {
        let (first, last) = self.range?;
        Some((DateTime::from_timestamp(first, 0)?.naive_utc(), DateTime::from_timestamp(last, 0)?.naive_utc()))
    }
}

/// All dates of a column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Dates {
    /// One reading only.
    pub(super) fixed: Span,
    pub(super) months: Span,
    /// Months that may as well be a season such as `2023-24`.
    pub(super) seasons: u64,
    pub(super) month_first: Span,
    pub(super) day_first: Span,
    /// Whole numbers that are dates in eight digits.
    pub(super) compact: Span,
    /// Times with a zone, which is left out, and the first of those zones in their order as text.
    #[serde(default)]
    pub(super) zoned: u64,
    #[serde(default)]
    pub(super) zones: Vec<String>,
    /// Times with a fraction of a second, which is left out.
    #[serde(default)]
    pub(super) fractions: u64,
}

/// Zones named in a report.
const MOST_ZONES: usize = 4;

impl Dates {
    pub(super) fn add(&mut self, date: DateText) {
        match date {
            DateText::At(at) => self.fixed.add(at),
            DateText::Month { at, season } => {
                self.months.add(at);
                self.seasons += u64::from(season);
            }
            DateText::Ordered(ordered) => {
                ordered.at(DateOrder::MonthFirst).into_iter().for_each(|at| self.month_first.add(at));
                ordered.at(DateOrder::DayFirst).into_iter().for_each(|at| self.day_first.add(at));
            }
        }
    }

    /// Counts what stands behind the seconds of a time and is left out.
    pub(super) fn add_tail(&mut self, tail: &Tail<'_>) {
        self.fractions += u64::from(tail.fraction);
        if let Some(zone) = tail.zone {
            self.zoned += 1;
            self.zone(zone);
        }
    }

    fn zone(&mut self, zone: &str) {
        if let Err(at) = self.zones.binary_search_by(|known| known.as_str().cmp(zone)) {
            self.zones.insert(at, zone.to_owned());
            self.zones.truncate(MOST_ZONES);
        }
    }

    pub(super) fn merge(&mut self, other: &Dates) {
        self.zoned += other.zoned;
        other.zones.iter().for_each(|zone| self.zone(zone));
        self.fractions += other.fractions;
        self.fixed.merge(&other.fixed);
        self.months.merge(&other.months);
        self.seasons += other.seasons;
        self.month_first.merge(&other.month_first);
        self.day_first.merge(&other.day_first);
        self.compact.merge(&other.compact);
    }

    /// The order that reads more of the dates, and whether nothing spoke for it.
    pub(super) fn order(&self) -> (DateOrder, bool) {
        let (month_first, day_first) = (self.month_first.count, self.day_first.count);
        let order = if day_first > month_first { DateOrder::DayFirst } else { DateOrder::MonthFirst };
        (order, month_first == day_first && month_first > 0)
    }

    /// All dates that can be read in this order.
    pub(super) fn read(&self, order: DateOrder, compact: bool, months: bool) -> Span {
        let mut all = self.fixed;
        all.merge(match order {
            DateOrder::MonthFirst => &self.month_first,
            DateOrder::DayFirst => &self.day_first,
        });
        if months {
            all.merge(&self.months);
        }
        if compact {
            all.merge(&self.compact);
        }
        all
    }
}
