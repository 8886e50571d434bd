//! A cell as a sheet holds it, and a value as a field stores it.

use std::borrow::Cow;

use chrono::{NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use serde::{Deserialize, Serialize};

/// One cell of a sheet, before any typing. Numbers that are whole are `Integer`.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    Empty,
    Text(Cow<'a, str>),
    Integer(i64),
    Decimal(f64),
    Flag(bool),
    /// Wall-clock time, never shifted by a zone.
    DateTime(NaiveDateTime),
    /// Seconds.
    Duration(f64),
    /// An error cell such as `#DIV/0!`.
    Error(&'static str),
}

/// The error of a formula cell that the file has no value of.
pub const UNCALCULATED: &str = "#NOT_CALCULATED";

impl Cell<'_> {
    /// Nothing there, or only white space.
    pub fn is_blank(&self) -> bool {
        match self {
            Cell::Empty => true,
            Cell::Text(text) => text.trim().is_empty(),
            _ => false,
        }
    }

    /// The cell as a person reads it. Empty cells give an empty text.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Cell::Empty => Cow::Borrowed(""),
            Cell::Text(text) => Cow::Borrowed(text),
            Cell::Integer(n) => Cow::Owned(n.to_string()),
            Cell::Decimal(x) => Cow::Owned(decimal_text(*x)),
            Cell::Flag(true) => Cow::Borrowed("TRUE"),
            Cell::Flag(false) => Cow::Borrowed("FALSE"),
            Cell::DateTime(at) => Cow::Owned(datetime_text(at)),
            Cell::Duration(seconds) => Cow::Owned(duration_text(*seconds)),
            Cell::Error(error) => Cow::Borrowed(error),
        }
    }
}

/// The five types a field can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    Text,
    Integer,
    Decimal,
    DateTime,
    /// Yes or no, stored as the texts `yes` and `no`.
    Flag,
}

impl FieldType {
    /// The suffix of a stored name.
    pub fn suffix(self) -> &'static str {
        match self {
            FieldType::Text => "tks",
            FieldType::Integer => "long",
            FieldType::Decimal => "flt",
            FieldType::DateTime => "dt",
            FieldType::Flag => "kwd",
        }
    }

    /// The word for it in JSON and reports.
    pub fn word(self) -> &'static str {
        match self {
            FieldType::Text => "text",
            FieldType::Integer => "integer",
            FieldType::Decimal => "decimal",
            FieldType::DateTime => "datetime",
            FieldType::Flag => "flag",
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, FieldType::Integer | FieldType::Decimal)
    }
}

/// What a field is for: statements, search, or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    #[default]
    Both,
    /// Statements read it; search does not look in it.
    Sql,
    /// Search looks in it; statements do not know it.
    Search,
}

impl Role {
    /// The word for it in JSON and options.
    pub fn word(self) -> &'static str {
        match self {
            Role::Both => "both",
            Role::Sql => "sql",
            Role::Search => "search",
        }
    }
}

/// One typed value, as stored in a row or given in an answer. A flag is the text `yes` or `no`.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Text(String),
    Integer(i64),
    Decimal(f64),
    Flag(bool),
    DateTime(NaiveDateTime),
}

/// From here on a double no longer holds every whole number.
pub const MAX_EXACT: f64 = (1u64 << 53) as f64;

impl Value {
    /// JSON: numbers exact, dates ISO, null null. Infinite and NaN numbers are null.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Null => serde_json::Value::Null,
            Value::Text(text) => text.as_str().into(),
            Value::Integer(n) => (*n).into(),
            Value::Decimal(x) => serde_json::Number::from_f64(*x).map_or(serde_json::Value::Null, Into::into),
            Value::Flag(flag) => (*flag).into(),
            Value::DateTime(at) => datetime_text(at).into(),
        }
    }

    /// The value as a person reads it; null is empty.
    pub fn text(&self) -> String {
        match self {
            Value::Null => String::new(),
            Value::Text(text) => text.clone(),
            Value::Integer(n) => n.to_string(),
            Value::Decimal(x) => decimal_text(*x),
            Value::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
            Value::DateTime(at) => datetime_text(at),
        }
    }
}

/// The shortest text that reads back as the same double.
pub fn decimal_text(x: f64) -> String {
    if x.abs() >= 1e16 || (x != 0.0 && x.abs() < 1e-7) { format!("{x:e}") } else { format!("{x}") }
}

/// ISO 8601: `2024-01-05` at midnight, else `2024-01-05T10:30:00`, with a fraction where there is one.
pub fn datetime_text(at: &NaiveDateTime) -> String {
    if at.time() == NaiveTime::MIN {
        at.format("%Y-%m-%d").to_string()
    } else {
        at.format("%Y-%m-%dT%H:%M:%S%.f").to_string()
    }
}

/// A time to the nearest second, as fields keep it.
pub fn to_second(at: NaiveDateTime) -> NaiveDateTime {
    let rounded = || at.checked_add_signed(TimeDelta::milliseconds(500))?.with_nanosecond(0);
    if at.nanosecond() == 0 { at } else { rounded().unwrap_or(at) }
}

/// `H:MM:SS`, hours unbounded, with milliseconds where there are some.
pub fn duration_text(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    let millis = (seconds.abs() * 1e3).round() as u64;
    let (whole, rest) = (millis / 1000, millis % 1000);
    let fraction = if rest > 0 { format!(".{rest:03}") } else { String::new() };
    format!("{sign}{}:{:02}:{:02}{fraction}", whole / 3600, whole / 60 % 60, whole % 60)
}
