//! How much a question is about a table or a column.
//!
//! Comes in: the question, names and cells. Goes out: a score; [`NAMED`] and above means that the question names it.
//! Purely lexical: the model decides what is meant, this only decides what it gets to see first.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

use super::data::short;
use crate::engine::Mention;
use crate::schema::{Field, Table};
use crate::value::FieldType;

/// From here on a column or table is named by the question.
pub(super) const NAMED: f64 = 0.5;

/// A cell of the column stands in the question.
const MENTIONED: f64 = 2.0;

/// The question's words: Latin words, and pairs and single letters of scripts without spaces.
pub(super) struct Words<'a> {
    question: &'a str,
    parts: HashSet<String>,
}

impl<'a> Words<'a> {
    pub(super) fn new(question: &'a str) -> Self {
        let folded = fold(question);
        let singles = folded.chars().filter(|c| is_unspaced(*c)).map(String::from);
        Self { question, parts: parts(&folded).into_iter().chain(singles).collect() }
    }

    /// The share of the text's parts that the question has, 0 to 1.
    pub(super) fn share(&self, text: &str) -> f64 {
        let parts = parts(&fold(&short(text)));
        if parts.is_empty() {
            return 0.0;
        }
        parts.iter().filter(|part| self.parts.contains(*part)).count() as f64 / parts.len() as f64
    }

    /// The value stands in the question to the letter; looser likeness is found by the engine's mentions.
    fn hold(&self, value: &str) -> bool {
        value.chars().nth(1).is_some() && self.question.contains(value)
    }

    fn best<'t>(&self, texts: impl IntoIterator<Item = &'t String>) -> f64 {
        texts.into_iter().map(|text| self.share(text)).fold(0.0, f64::max)
    }
}

/// The score of a column: its names count most, then values it lists, then a little for kinds that are often needed.
pub(super) fn field(words: &Words<'_>, field: &Field, mentioned: bool) -> f64 {
    let names = words.share(&field.label).max(words.best(&field.synonyms)).max(words.share(&field.name));
    let values = if field.allowed.iter().chain(&field.samples).any(|value| words.hold(value)) { 0.8 } else { 0.0 };
    let kind = match field.kind {
        FieldType::DateTime => 0.1,
        FieldType::Integer | FieldType::Decimal => 0.05,
        FieldType::Text | FieldType::Flag => 0.0,
    };
    names.max(values) + kind + if mentioned { MENTIONED } else { 0.0 }
}

/// The score of a table: its own names, its best column, all its named columns between tables that are alike in these, and
/// whether the question names one of its files or sheets.
pub(super) fn table(words: &Words<'_>, table: &Table, columns: &[f64], mentioned: bool) -> f64 {
    let sheets = table.sheets.iter().flat_map(|(file, sheet)| [file, sheet]);
    let names = words.best([&table.label, &table.name].into_iter().chain(&table.captions).chain(sheets));
    let best = columns.iter().copied().fold(0.0, f64::max);
    let all: f64 = columns.iter().filter(|score| **score >= NAMED).sum();
    names + best + 0.1 * all + if mentioned { MENTIONED } else { 0.0 }
}

/// The tables and stored fields of the cells that a question names.
pub(super) fn mentioned(mentions: &[Mention]) -> HashSet<(&str, &str)> {
    mentions.iter().map(|mention| (mention.table.as_str(), mention.field.as_str())).collect()
}

fn fold(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).collect()
}

/// Words of spaced scripts without a plural `s`; overlapping pairs of the others, a lone letter as itself.
fn parts(folded: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for run in folded.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let letters: Vec<char> = run.chars().collect();
        for piece in letters.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
            if is_unspaced(piece[0]) { pairs(piece, &mut parts) } else { parts.push(singular(piece.iter().collect())) }
        }
    }
    parts
}

fn pairs(letters: &[char], parts: &mut Vec<String>) {
    if let [one] = letters {
        parts.push(one.to_string());
    }
    parts.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
}

fn singular(word: String) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
        _ => word,
    }
}

/// Han, kana: no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_counts_words_or_pairs_of_letters() {
        for (question, text, share) in [
            ("各部门的销售额合计", "部门", 1.0),
            ("各部门的销售额合计", "销售额（元）", 2.0 / 3.0),
            ("各部门的销售额合计", "采购", 0.0),
            ("按省统计", "省", 1.0),
            ("Total Amounts by region", "amount", 1.0),
            ("total by region", "Unit Price", 0.0),
            ("Ｑ１ actual", "Q1 Actual", 1.0),
            ("anything", "——", 0.0),
            ("", "部门", 0.0),
        ] {
            assert!((Words::new(question).share(text) - share).abs() < 1e-9, "{question} / {text}");
        }
    }
}
