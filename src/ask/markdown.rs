//! A result as a Markdown table: labels, typed formatting, escaped cells, `[ID:n]` marks.

use super::language::Language;
use crate::engine::ResultSet;
use crate::sql::OutColumn;
use crate::value::{FieldType, Value};

/// The table of a result; each row of a plain select ends with the mark of its source.
pub fn table(columns: &[OutColumn], result: &ResultSet, plain: bool, language: Language) -> String {
    if result.rows.is_empty() {
        return language.no_rows().to_owned();
    }
    let mut text = header(columns, plain, language);
    for (n, row) in result.rows.iter().enumerate() {
        text.push('|');
        for (value, column) in row.iter().zip(columns) {
            text.push_str(&format!(" {} |", cell(value, column)));
        }
        if plain {
            let mark = if n < result.sources.len() { format!("[ID:{n}]") } else { String::new() };
            text.push_str(&format!(" {mark} |"));
        }
        text.push('\n');
    }
    let shown = result.rows.len() as u64;
    if shown < result.total {
        text.push_str(&format!("\n{}\n", language.shown_of(shown, result.total)));
    }
    if !plain && !result.sources.is_empty() {
        let last = result.sources.len() - 1;
        let marks = if last == 0 { "[ID:0]".to_owned() } else { format!("[ID:0] … [ID:{last}]") };
        text.push_str(&format!("\n{}: {marks}\n", language.sources(result.sources.len(), result.sources_total)));
    }
    text
}

fn header(columns: &[OutColumn], plain: bool, language: Language) -> String {
    let mut labels: Vec<String> = columns.iter().map(|column| escape(&column.label)).collect();
    let mut rules: Vec<&str> = columns
        .iter()
        .map(|column| if column.kind.is_some_and(FieldType::is_number) { "---:" } else { "---" })
        .collect();
    if plain {
        labels.push(language.choose("来源", "source").to_owned());
        rules.push("---");
    }
    format!("| {} |\n| {} |\n", labels.join(" | "), rules.join(" | "))
}

/// One value as a person reads it.
pub fn cell(value: &Value, column: &OutColumn) -> String {
    match value {
        Value::Decimal(x) => decimal(*x, column.decimals),
        Value::Integer(n) if column.decimals.is_some() => grouped(&n.to_string()),
        other => escape(&other.text()),
    }
}

fn decimal(x: f64, decimals: Option<u8>) -> String {
    if !x.is_finite() {
        return String::new();
    }
    let text = match decimals {
        Some(_) if x != 0.0 && x.abs() < SMALL => significant(x),
        Some(places) if x.abs() < 1e15 => placed(x, places.into()),
        _ => crate::value::decimal_text(x),
    };
    grouped(&text)
}

/// Digits that a number is shown with at least, where it has so many.
const SIGNIFICANT: i32 = 6;
/// What is nearer to zero is shown with an exponent.
const SMALL: f64 = 1e-7;

fn significant(x: f64) -> String {
    let rounded = format!("{x:.*e}", SIGNIFICANT as usize - 1);
    rounded.parse().map_or(rounded, |x: f64| format!("{x:e}"))
}

/// So many places, and more where they would leave fewer digits than a number is shown with.
fn placed(x: f64, places: usize) -> String {
    let first = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    let wanted = usize::try_from(SIGNIFICANT - 1 - first).unwrap_or(0);
    let mut text = format!("{x:.*}", places.max(wanted));
    let spare = wanted.saturating_sub(places);
    let zeros = text.bytes().rev().take(spare).take_while(|digit| *digit == b'0').count();
    text.truncate(text.len() - zeros);
    if text.ends_with('.') {
        text.pop();
    }
    text
}

/// Thousands separators in the whole part.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    if !whole.bytes().all(|b| b.is_ascii_digit()) {
        return number.to_owned();
    }
    let mut text = String::from(sign);
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// Text that can't break out of its cell.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' => escaped.push_str("\\|"),
            '\\' => escaped.push_str("\\\\"),
            '\n' | '\r' => escaped.push(' '),
            '<' => escaped.push_str("&lt;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped_in_the_whole_part_only() {
        for (number, want) in [("0", "0"), ("-1234567.8910", "-1,234,567.8910"), ("100", "100"), ("1e20", "1e20")] {
            assert_eq!(grouped(number), want);
        }
    }

    #[test]
    fn a_number_is_shown_with_the_digits_that_tell_it() {
        for (x, places, want) in [
            (0.003, 2, "0.003"),
            (1.2345e-6, 6, "0.0000012345"),
            (6.626e-34, 15, "6.626e-34"),
            (1234.5, 2, "1,234.50"),
            (2.0 / 3.0, 2, "0.666667"),
            (1_234_567.891, 1, "1,234,567.9"),
            (0.0, 2, "0.00"),
            (5.0, 0, "5"),
            (-0.5, 0, "-0.5"),
            (999_999.96, 1, "1,000,000.0"),
        ] {
            assert_eq!(decimal(x, Some(places)), want, "{x}");
        }
    }

    #[test]
    fn a_cell_stays_in_its_cell() {
        assert_eq!(escape("x|y\nz"), "x\\|y z");
    }
}
