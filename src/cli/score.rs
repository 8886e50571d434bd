//! Whether an answer is right: its rows, as a multiset, equal the wanted list.
//!
//! Numbers are compared as numbers (thousands separators, currency signs, bracketed negatives and units folded; a percent
//! equals its fraction), text after NFKC, case folding, trimming and without footnote marks, dates as dates. Up to two
//! label columns may stand beside the wanted values.

use serde_json::Value as Json;
use unicode_normalization::UnicodeNormalization;

/// Label columns that may stand beside the wanted values.
const LABEL_COLUMNS: usize = 2;

/// One comparable cell.
#[derive(Debug, Clone, PartialEq)]
enum Atom {
    Number { value: f64, percent: bool },
    Text(String),
}

/// The wanted list: one row for each element, `[name, value]` pairs of a named answer by their values alone.
pub fn is_right(wanted: &[Json], named: bool, rows: &[Vec<Json>]) -> bool {
    if named {
        return named_values_match(wanted, rows);
    }
    let wanted: Vec<Vec<Atom>> = wanted.iter().map(wanted_row).collect();
    let got: Vec<Vec<Atom>> = rows.iter().map(|row| row.iter().map(atom).collect()).collect();
    let Some(width) = wanted.first().map(Vec::len) else { return got.is_empty() };
    let columns = got.first().map_or(0, Vec::len);
    if wanted.len() != got.len() || wanted.iter().any(|row| row.len() != width) || columns > width + LABEL_COLUMNS {
        return false;
    }
    choices(columns, width).iter().any(|choice| same_rows(&wanted, &got, choice))
}

fn wanted_row(element: &Json) -> Vec<Atom> {
    match element {
        Json::Array(cells) => cells.iter().map(atom).collect(),
        cell => vec![atom(cell)],
    }
}

/// All ways to take `width` of `columns` columns, in order.
fn choices(columns: usize, width: usize) -> Vec<Vec<usize>> {
    (0..columns)
        .fold(vec![Vec::new()], |chosen: Vec<Vec<usize>>, column| {
            let with =
                chosen.iter().filter(|choice| choice.len() < width).map(|choice| [&choice[..], &[column]].concat());
            let with: Vec<_> = with.collect();
            chosen.into_iter().chain(with).collect()
        })
        .into_iter()
        .filter(|choice| choice.len() == width)
        .collect()
}

fn same_rows(wanted: &[Vec<Atom>], got: &[Vec<Atom>], choice: &[usize]) -> bool {
    let mut left: Vec<&Vec<Atom>> = wanted.iter().collect();
    got.iter().all(|row| {
        let found = left.iter().position(|want| want.iter().zip(choice).all(|(want, &n)| same(want, &row[n])));
        found.map(|n| left.swap_remove(n)).is_some()
    }) && left.is_empty()
}

fn same(want: &Atom, got: &Atom) -> bool {
    match (want, got) {
        (Atom::Text(a), Atom::Text(b)) => a == b,
        (Atom::Number { value: a, percent: p }, Atom::Number { value: b, percent: q }) => {
            near(*a, *b) || (*p && !q && near(*a / 100.0, *b)) || (*q && !p && near(*a, *b / 100.0))
        }
        _ => false,
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Named values are rounded: each wanted number is found in the answer to its own places.
fn named_values_match(wanted: &[Json], rows: &[Vec<Json>]) -> bool {
    let got: Vec<Atom> = rows.iter().flatten().map(atom).collect();
    wanted.iter().all(|pair| {
        let want = pair.get(1).unwrap_or(pair);
        let places = want.as_str().and_then(|text| text.split_once('.')).map_or(0, |(_, fraction)| fraction.len());
        let slack = 0.5 * 10f64.powi(-(places as i32)) + 1e-9;
        got.iter().any(|got| match (atom(want), got) {
            (Atom::Number { value: a, .. }, Atom::Number { value: b, .. }) => (a - b).abs() <= slack,
            (a, b) => same(&a, b),
        })
    })
}

fn atom(cell: &Json) -> Atom {
    match cell {
        Json::Number(number) => Atom::Number { value: number.as_f64().unwrap_or(f64::NAN), percent: false },
        Json::String(text) => text_atom(text),
        Json::Bool(flag) => text_atom(if *flag { "yes" } else { "no" }),
        _ => Atom::Text(String::new()),
    }
}

fn text_atom(text: &str) -> Atom {
    let folded: String = text.nfkc().collect::<String>().trim().to_lowercase();
    if let Some(date) = date(&folded) {
        return Atom::Text(date);
    }
    number(&folded).unwrap_or_else(|| {
        let plain = without_footnotes(&folded);
        Atom::Text(match plain.as_str() {
            "是" | "yes" | "true" => "yes".to_owned(),
            "否" | "no" | "false" => "no".to_owned(),
            _ => plain,
        })
    })
}

/// `2024-01-05`, `2024年1月5日` and `2024-01-05T00:00:00` are one text.
fn date(text: &str) -> Option<String> {
    let day = text.split(['t', ' ']).next().filter(|_| !text.contains("00:00:01")).unwrap_or(text);
    let time = text.get(day.len()..).unwrap_or("").trim_start_matches(['t', ' ']);
    if !(time.is_empty() || time == "00:00:00") {
        return None;
    }
    let parts: Vec<&str> = day.trim_end_matches('日').split(['-', '/', '年', '月']).collect();
    let [year, month, day] = parts[..] else { return None };
    let (year, month, day): (u32, u32, u32) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    (year >= 1000 && (1..=12).contains(&month) && (1..=31).contains(&day)).then(|| format!("{year}-{month}-{day}"))
}

fn number(text: &str) -> Option<Atom> {
    let percent = text.contains('%');
    let negative = text.starts_with('(') && text.contains(')') || text.starts_with('-');
    let bare: String = text.chars().filter(|c| !"()-+%,$€£¥￥¢ ".contains(*c)).collect();
    let digits = bare.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = &bare[digits.len()..];
    let words = text.split_whitespace().count();
    if digits.is_empty() || words > 2 || unit.chars().count() > 8 || text.matches('-').count() > 1 {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    Some(Atom::Number { value: if negative { -value } else { value }, percent })
}

/// Without `[1]`, `*`, `†` at the end.
fn without_footnotes(text: &str) -> String {
    let mut rest = text.trim_end();
    loop {
        let shorter = rest.trim_end_matches(['*', '†', '‡', '^']).trim_end();
        let shorter = match (shorter.ends_with(']'), shorter.rfind('[')) {
            (true, Some(open)) if open > 0 => shorter[..open].trim_end(),
            _ => shorter,
        };
        if shorter.len() == rest.len() {
            return rest.to_owned();
        }
        rest = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_compared_as_what_they_are() {
        let cases = [
            (json!("(1,844)"), json!(-1844), true),
            (json!("12%"), json!(0.12), true),
            (json!("$3,634,431"), json!(3634431), true),
            (json!("3,668.97 km"), json!(3668.97), true),
            (json!("2017年03月29日"), json!("2017-03-29"), true),
            (json!("Clay[1]"), json!("clay"), true),
            (json!("是"), json!("yes"), true),
            (json!("1987-88"), json!(1987), false),
            (json!("9"), json!("10"), false),
        ];
        for (want, got, right) in cases {
            assert_eq!(is_right(std::slice::from_ref(&want), false, &[vec![got.clone()]]), right, "{want} {got}");
        }
    }

    #[test]
    fn two_label_columns_may_stand_beside_the_value_and_no_row_more() {
        let row = vec![json!("a"), json!("b"), json!(3)];
        assert!(is_right(&[json!(3)], false, std::slice::from_ref(&row)));
        assert!(!is_right(&[json!(3)], false, &[row.clone(), row.clone()]));
        assert!(!is_right(&[json!(3)], false, &[vec![json!(1), json!(2), json!(4), json!(3)]]));
    }
}
