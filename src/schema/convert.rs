//! A cell becomes a value of its column's type.
//!
//! Must never happen: a value that differs from its cell without the cell's own text being kept beside it.

use std::borrow::Cow;

use chrono::NaiveDateTime;

use super::amount::Amount;
use super::class::{Class, classify, flag};
use super::date::{self, DateText};
use super::decision::Decision;
use super::number::NumberText;
use super::plain::{self, Plain};
use super::unit::Mark;
use crate::value::{Cell, FieldType, decimal_text, to_second};

/// What a cell holds for its field.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed<'a> {
    Null,
    Text(Cow<'a, str>),
    Integer(i64),
    Decimal(f64),
    DateTime(NaiveDateTime),
    Flag(bool),
    /// Not a value of the type: null in the field, and to be reported.
    Misfit,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Converted<'a> {
    pub value: Typed<'a>,
    /// The value's own rendering is the cell's text to the letter, so the cell needs no copy of its text.
    pub literal: bool,
}

impl<'a> Converted<'a> {
    fn new(value: Typed<'a>, literal: bool) -> Self {
        Self { value, literal }
    }

    fn misfit() -> Self {
        Self::new(Typed::Misfit, false)
    }
}

impl Decision {
    /// Converts one cell; blank cells are null and literal.
    pub fn convert<'a>(&self, cell: &'a Cell<'_>) -> Converted<'a> {
        match self.kind {
            FieldType::Text => text(cell),
            FieldType::Integer | FieldType::Decimal => self.number(cell),
            FieldType::DateTime => self.datetime(cell),
            FieldType::Flag => self.flag(cell),
        }
    }

    fn number<'a>(&self, cell: &Cell<'_>) -> Converted<'a> {
        match cell {
            Cell::Empty => Converted::new(Typed::Null, true),
            Cell::Error(_) => Converted::new(Typed::Null, false),
            Cell::Text(text) => self.number_text(text),
            Cell::Integer(n) if self.takes(&Mark::None, *n == 0) => self.whole(*n),
            Cell::Decimal(x) if self.takes(&Mark::None, *x == 0.0) => self.decimal(*x),
            Cell::Duration(seconds) if self.takes(&Mark::Seconds, false) => {
                Converted { literal: false, ..self.decimal(*seconds) }
            }
            Cell::Flag(_) | Cell::DateTime(_) | Cell::Integer(_) | Cell::Decimal(_) | Cell::Duration(_) => {
                Converted::misfit()
            }
        }
    }

    fn whole<'a>(&self, n: i64) -> Converted<'a> {
        if self.kind == FieldType::Integer {
            return Converted::new(Typed::Integer(n), true);
        }
        let x = n as f64;
        Converted::new(Typed::Decimal(x), x.abs() < 1e16 && x as i64 == n)
    }

    fn decimal<'a>(&self, x: f64) -> Converted<'a> {
        match self.kind {
            FieldType::Decimal if x.is_finite() => Converted::new(Typed::Decimal(x), true),
            _ => Converted::misfit(),
        }
    }

    fn number_text<'a>(&self, text: &str) -> Converted<'a> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Converted::new(Typed::Null, true);
        }
        match classify(trimmed) {
            Class::Plain(plain) => self.plain(plain, text.len() == trimmed.len()),
            Class::Number(number) => self.amount_of(&number, text),
            Class::Identifier if self.forced => self.padded(trimmed),
            Class::Clock(clock) if self.mark == Mark::Seconds && (clock.whole || self.forced) => {
                Converted { literal: false, ..self.decimal(clock.seconds) }
            }
            other => self.no_value(&other),
        }
    }

    /// What is left where a text is no value of the type.
    fn no_value<'a>(&self, class: &Class) -> Converted<'a> {
        Converted::new(if *class == Class::Marker { Typed::Null } else { Typed::Misfit }, false)
    }

    fn plain<'a>(&self, plain: Plain, untrimmed: bool) -> Converted<'a> {
        let (point, comma) = plain.amounts();
        let (Plain::Whole { literal, .. } | Plain::Fraction { literal, .. }) = plain;
        let one_reading = matches!(plain, Plain::Whole { .. });
        let amount = if self.decimal_comma { comma } else { Some(point) };
        let value = amount.and_then(|amount| self.value(&Mark::None, &amount));
        let literal = literal && untrimmed && (one_reading || !self.decimal_comma);
        value.map_or_else(Converted::misfit, |value| Converted::new(value, literal))
    }

    fn amount_of<'a>(&self, number: &NumberText, text: &str) -> Converted<'a> {
        let amount = if self.decimal_comma { number.comma } else { number.point };
        let amount = amount.filter(|_| self.booked || !number.is_weakly_negative());
        let Some(value) = amount.and_then(|amount| self.value(&number.mark, &amount)) else {
            return Converted::misfit();
        };
        let literal = number.mark == Mark::None && !number.scaled && is_rendering(&value, text);
        Converted::new(value, literal)
    }

    fn value<'a>(&self, mark: &Mark, amount: &Amount) -> Option<Typed<'a>> {
        match (self.kind, amount.whole) {
            _ if !self.takes(mark, amount.value == 0.0) => None,
            (FieldType::Decimal, _) => Some(Typed::Decimal(amount.value)),
            (_, Some(whole)) if amount.places == 0 => Some(Typed::Integer(whole)),
            _ => None,
        }
    }

    /// Leading zeros in a column that the user calls a number.
    fn padded<'a>(&self, text: &str) -> Converted<'a> {
        let digits = text.trim_start_matches('0');
        let plain = plain::plain(if digits.is_empty() { "0" } else { digits });
        let value = plain.and_then(|plain| self.value(&Mark::None, &plain.amounts().0));
        value.map_or_else(Converted::misfit, |value| Converted::new(value, false))
    }

    /// Whether numbers with this mark belong to the column; see `Readings::numeric`, which counts them.
    fn takes(&self, mark: &Mark, zero: bool) -> bool {
        match (&self.mark, mark) {
            (ours, theirs) if ours == theirs => true,
            (Mark::Currency(_), Mark::None) => true,
            (Mark::Percent, Mark::None) => zero,
            _ => false,
        }
    }

    fn datetime<'a>(&self, cell: &Cell<'_>) -> Converted<'a> {
        match cell {
            Cell::Empty => Converted::new(Typed::Null, true),
            Cell::Error(_) => Converted::new(Typed::Null, false),
            Cell::DateTime(at) => {
                let second = to_second(*at);
                Converted::new(Typed::DateTime(second), second == *at)
            }
            Cell::Integer(n) if self.compact_dates => self.dated(date::compact(*n)),
            Cell::Text(text) => self.datetime_text(text),
            _ => Converted::misfit(),
        }
    }

    fn dated<'a>(&self, at: Option<NaiveDateTime>) -> Converted<'a> {
        at.map_or_else(Converted::misfit, |at| Converted::new(Typed::DateTime(at), false))
    }

    fn datetime_text<'a>(&self, text: &str) -> Converted<'a> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Converted::new(Typed::Null, true);
        }
        let at = match classify(trimmed) {
            Class::Date(DateText::At(at)) => Some(at),
            Class::Date(DateText::Month { at, .. }) => Some(at).filter(|_| self.months),
            Class::Date(DateText::Ordered(ordered)) => ordered.at(self.date_order),
            Class::Plain(Plain::Whole { n, .. }) if self.compact_dates => date::compact(n),
            other => return self.no_value(&other),
        };
        let literal = at.is_some() && date::is_rendering(text);
        Converted { literal, ..self.dated(at) }
    }

    fn flag<'a>(&self, cell: &Cell<'_>) -> Converted<'a> {
        match cell {
            Cell::Empty => Converted::new(Typed::Null, true),
            Cell::Error(_) => Converted::new(Typed::Null, false),
            Cell::Flag(yes) => Converted::new(Typed::Flag(*yes), false),
            Cell::Integer(n @ (0 | 1)) if self.forced => Converted::new(Typed::Flag(*n == 1), false),
            Cell::Text(text) => self.flag_text(text),
            _ => Converted::misfit(),
        }
    }

    fn flag_text<'a>(&self, text: &str) -> Converted<'a> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Converted::new(Typed::Null, true);
        }
        match (flag(trimmed), trimmed) {
            (Some(yes), _) => Converted::new(Typed::Flag(yes), text == if yes { "yes" } else { "no" }),
            (None, "0" | "1") if self.forced => Converted::new(Typed::Flag(trimmed == "1"), false),
            (None, _) => self.no_value(&classify(trimmed)),
        }
    }
}

fn text<'a>(cell: &'a Cell<'_>) -> Converted<'a> {
    match cell {
        Cell::Error(_) => Converted::new(Typed::Null, false),
        cell if cell.is_blank() => Converted::new(Typed::Null, true),
        cell => Converted::new(Typed::Text(cell.text()), true),
    }
}

fn is_rendering(value: &Typed<'_>, text: &str) -> bool {
    match value {
        Typed::Integer(n) => n.to_string() == text,
        Typed::Decimal(x) => decimal_text(*x) == text,
        _ => false,
    }
}
