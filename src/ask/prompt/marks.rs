//! `[ID:n]` marks in an answer.
//!
//! Comes in: a model's answer. Goes out: the same with every mark in one form and none that names no row.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// One mark or a list of them, with the brackets and colons that models write instead.
static MARK: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| {
    Regex::new(r"(?i)[ \t]*[\[【(（]\s*ID\s*[:：]?\s*\d+(?:\s*[,，、;；]\s*(?:ID\s*[:：]?\s*)?\d+)*\s*[\]】)）]")
});

/// The answer with marks as `[ID:n]`; those that name none of the rows `0 … n - 1` are removed.
pub fn keep_valid_marks(answer: &str, n: usize) -> String {
    match MARK.as_ref() {
        Ok(mark) => mark.replace_all(answer, |found: &Captures<'_>| valid(&found[0], n)).into_owned(),
        Err(_) => answer.to_owned(),
    }
}

/// The marks of one match; the white space before it stays only with them.
fn valid(found: &str, n: usize) -> String {
    let space = &found[..found.len() - found.trim_start_matches([' ', '\t']).len()];
    let numbers = found.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<usize>().ok());
    let marks: Vec<_> = numbers.filter(|number| *number < n).map(|number| format!("[ID:{number}]")).collect();
    if marks.is_empty() { String::new() } else { format!("{space}{}", marks.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_take_one_form_and_name_rows_that_are_there() {
        for (answer, kept) in [
            ("12 [ID:0].", "12 [ID:0]."),
            ("12 [ID:3].", "12."),
            ("12 [ID:0] [ID:7] [ID:2]", "12 [ID:0] [ID:2]"),
            ("12 [ID:0, ID:9、2]", "12 [ID:0] [ID:2]"),
            ("甲【ID：1】，乙（id: 8）。", "甲[ID:1]，乙。"),
            ("12 (ID:1)", "12 [ID:1]"),
            ("12 [ID:99999999999999999999999]", "12"),
            ("order [ID:x] and [1] stay", "order [ID:x] and [1] stay"),
            ("no marks", "no marks"),
        ] {
            assert_eq!(keep_valid_marks(answer, 3), kept, "{answer}");
        }
        assert_eq!(keep_valid_marks("a [ID:0]", 0), "a");
    }
}
