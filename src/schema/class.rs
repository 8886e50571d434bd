//! What the text of one cell is, whatever its column turns out to be.

use super::clock::{self, Clock};
use super::date::{self, DateText};
use super::number::{self, NumberText, Scan};
use super::plain::{Plain, plain};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Class {
    /// Stands for "nothing": null in columns of numbers and dates, itself in columns of text.
    Marker,
    Flag(bool),
    Plain(Plain),
    /// A number in any other form.
    Number(NumberText),
    /// Digits that name something: leading zeros, or more than a number keeps.
    Identifier,
    Date(DateText),
    /// A time of day or a duration.
    Clock(Clock),
    Text,
}

/// No number, date or word is longer, in bytes.
const LONGEST: usize = 64;
const LONGEST_WORD: usize = 9;

/// `text` is trimmed and not empty.
pub(super) fn classify(text: &str) -> Class {
    if let Some(number) = plain(text) {
        return Class::Plain(number);
    }
    if let Some(at) = date::iso(text) {
        return Class::Date(DateText::At(at));
    }
    if text.len() > LONGEST {
        return Class::Text;
    }
    if let Some(class) = word(text) {
        return class;
    }
    match number::scan(text) {
        Scan::Number(number) => Class::Number(number),
        Scan::LeadingZero | Scan::Long => Class::Identifier,
        Scan::Not => {
            let date = || date::scan(text).map(Class::Date);
            clock::scan(text).map(Class::Clock).or_else(date).unwrap_or(Class::Text)
        }
    }
}

fn word(text: &str) -> Option<Class> {
    if text.len() > LONGEST_WORD {
        return None;
    }
    if is_marker(text) {
        return Some(Class::Marker);
    }
    flag(text).map(Class::Flag)
}

fn is_marker(text: &str) -> bool {
    matches!(
        text,
        "-" | "--"
            | "---"
            | "–"
            | "—"
            | "——"
            | "－"
            | "/"
            | "\\"
            | "."
            | "..."
            | "…"
            | "N/A"
            | "n/a"
            | "NA"
            | "N.A."
            | "#N/A"
            | "NULL"
            | "null"
            | "Null"
            | "None"
            | "none"
            | "nil"
            | "NaN"
            | "nan"
            | "NAN"
            | "无"
            | "暂无"
            | "无数据"
            | "空"
    )
}

/// The words of yes and no.
pub(super) fn flag(text: &str) -> Option<bool> {
    match text {
        "yes" | "Yes" | "YES" | "y" | "Y" | "true" | "True" | "TRUE" | "是" | "√" | "✓" | "✔" | "对" => {
            Some(true)
        }
        "no" | "No" | "NO" | "n" | "N" | "false" | "False" | "FALSE" | "否" | "×" | "✗" | "✘" | "错" => {
            Some(false)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_text() {
        let name = |text| match classify(text) {
            Class::Marker => "marker",
            Class::Flag(_) => "flag",
            Class::Plain(_) | Class::Number(_) => "number",
            Class::Identifier => "identifier",
            Class::Date(_) => "date",
            Class::Clock(_) => "clock",
            Class::Text => "text",
        };
        for (text, class) in [
            ("N/A", "marker"),
            ("-", "marker"),
            ("是", "flag"),
            ("TRUE", "flag"),
            ("-12", "number"),
            ("12%", "number"),
            ("007", "identifier"),
            ("110101199003071234", "identifier"),
            ("2024年1月5日", "date"),
            ("2024年", "number"),
            ("10:30", "clock"),
            ("13812345678-1", "text"),
            ("行政管理", "text"),
            ("Nobody", "text"),
        ] {
            assert_eq!(name(text), class, "{text}");
        }
    }
}
