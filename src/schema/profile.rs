//! What all cells of one column of one document say about its type.
//!
//! Comes in: cells, one by one; profiles of other documents. Goes out: counts under every reading, bounded in size.
//! Must never happen: a profile that depends on the order of cells or of documents.

use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};

use super::amount::{Amount, places_of};
use super::class::{Class, classify};
use super::date;
use super::dates::Dates;
use super::distinct::{self, Distinct};
use super::plain::Plain;
use super::tally::{Numbers, Tally};
use crate::value::{Cell, datetime_text, decimal_text, duration_text, to_second};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub(super) cells: u64,
    /// Empty or white space.
    pub(super) blank: u64,
    pub(super) markers: u64,
    pub(super) errors: u64,
    pub(super) yes: u64,
    pub(super) no: u64,
    pub(super) numbers: Numbers,
    /// Whole numbers that look like mobile phone numbers.
    pub(super) phones: u64,
    pub(super) identifiers: u64,
    pub(super) dates: Dates,
    /// Texts that are nothing else.
    pub(super) texts: u64,
    /// Cells that the workbook itself types as numbers or dates and that may be text here.
    pub(super) typed: u64,
    /// Those of the texts that are times or durations with seconds, and without.
    #[serde(default)]
    pub(super) clocks: Tally,
    #[serde(default)]
    pub(super) short_clocks: Tally,
    pub(super) distinct: Distinct,
    /// Cells that repeat a number merged over several rows.
    #[serde(default)]
    pub(super) spread: u64,
}

impl Profile {
    /// Counts one cell.
    pub fn observe(&mut self, cell: &Cell<'_>) {
        self.cells += 1;
        match cell {
            Cell::Empty => self.blank += 1,
            Cell::Text(text) => self.observe_text(text),
            Cell::Integer(n) => self.observe_integer(*n),
            Cell::Decimal(x) => self.observe_decimal(*x),
            Cell::Flag(flag) => self.observe_flag(*flag),
            Cell::DateTime(at) => self.observe_datetime(*at),
            Cell::Duration(seconds) => self.observe_duration(*seconds),
            Cell::Error(_) => self.errors += 1,
        }
    }

    /// Counts a cell that repeats a number merged over several rows.
    pub fn observe_spread(&mut self) {
        self.spread += 1;
    }

    fn observe_text(&mut self, text: &str) {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            self.blank += 1;
            return;
        }
        self.distinct.add(distinct::hash(text.as_bytes()), || text);
        match classify(trimmed) {
            Class::Marker => self.markers += 1,
            Class::Flag(true) => self.yes += 1,
            Class::Flag(false) => self.no += 1,
            Class::Plain(plain) => self.observe_plain(plain),
            Class::Number(number) => self.numbers.add(&number),
            Class::Identifier => self.identifiers += 1,
            Class::Date(date) => {
                self.dates.add(date);
                self.dates.add_tail(&date::tail(trimmed));
            }
            Class::Clock(clock) => {
                self.texts += 1;
                (if clock.whole { &mut self.clocks } else { &mut self.short_clocks }).add(&clock.amount());
            }
            Class::Text => self.texts += 1,
        }
    }

    fn observe_plain(&mut self, plain: Plain) {
        self.numbers.add_plain(plain);
        if let Plain::Whole { n, .. } = plain {
            self.observe_whole(n);
        }
    }

    /// A whole number may be a date in eight digits, or a phone number.
    fn observe_whole(&mut self, n: i64) {
        if n >= 19_000_101 {
            self.phones += u64::from(is_phone(n));
            date::compact(n).into_iter().for_each(|at| self.dates.compact.add(at));
        }
    }

    fn observe_integer(&mut self, n: i64) {
        self.typed += 1;
        self.distinct.add(distinct::hash_integer(n), || n.to_string());
        self.numbers.bare.plain.add(&Amount::whole(n));
        self.observe_whole(n);
    }

    fn observe_decimal(&mut self, x: f64) {
        self.typed += 1;
        self.distinct.add(distinct::mix(x.to_bits()), || decimal_text(x));
        if x.is_finite() {
            self.numbers.bare.plain.add(&Amount { value: x, whole: None, places: places_of(x) });
        } else {
            self.texts += 1;
        }
    }

    fn observe_flag(&mut self, flag: bool) {
        let text = if flag { "TRUE" } else { "FALSE" };
        self.distinct.add(distinct::hash(text.as_bytes()), || text);
        *(if flag { &mut self.yes } else { &mut self.no }) += 1;
    }

    fn observe_datetime(&mut self, at: NaiveDateTime) {
        self.typed += 1;
        let second = to_second(at);
        self.distinct.add(distinct::mix(second.and_utc().timestamp() as u64 ^ 1 << 63), || datetime_text(&at));
        self.dates.fixed.add(second);
        self.dates.fractions += u64::from(second != at);
    }

    fn observe_duration(&mut self, seconds: f64) {
        self.typed += 1;
        self.distinct.add(distinct::mix(!seconds.to_bits()), || duration_text(seconds));
        if !seconds.is_finite() {
            self.texts += 1;
            return;
        }
        self.numbers.add_seconds(&Amount { value: seconds, whole: None, places: places_of(seconds) });
    }

    /// Takes in the cells of another document's column.
    pub fn merge(&mut self, other: &Profile) {
        self.cells += other.cells;
        self.blank += other.blank;
        self.markers += other.markers;
        self.errors += other.errors;
        self.yes += other.yes;
        self.no += other.no;
        self.numbers.merge(&other.numbers);
        self.phones += other.phones;
        self.identifiers += other.identifiers;
        self.dates.merge(&other.dates);
        self.texts += other.texts;
        self.typed += other.typed;
        self.clocks.merge(&other.clocks);
        self.short_clocks.merge(&other.short_clocks);
        self.spread += other.spread;
        self.distinct.merge(&other.distinct);
    }

    /// Cells seen, blank ones included.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Times whose zone is left out, with the first of the zones, and times whose fraction of a second is left out.
    pub fn left_out_of_times(&self) -> (u64, &[String], u64) {
        (self.dates.zoned, &self.dates.zones, self.dates.fractions)
    }

    /// Some cell says something about the type.
    pub fn is_telling(&self) -> bool {
        self.telling() > 0
    }

    /// Cells that say something about the type.
    pub(super) fn telling(&self) -> u64 {
        self.cells - self.blank - self.markers - self.errors
    }
}

/// Mobile phone numbers of China, as whole numbers.
fn is_phone(n: i64) -> bool {
    (13_000_000_000..20_000_000_000).contains(&n)
}
