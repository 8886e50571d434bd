//! The names a table goes by: its label, captions, files and sheets; which words of a question they explain.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::concept::stem;
use super::dates::{Period, periods};
use super::token::{Kind, Token, tokens};
use crate::schema::Table;

/// One document with the words of its names.
struct Document {
    name: String,
    words: Vec<String>,
    /// Names without spaces, for Han phrases.
    text: String,
    /// As they are written.
    written: String,
    periods: OnceCell<Vec<Period>>,
}

pub struct Names {
    documents: Vec<Document>,
}

/// The files of a table in their order, each with its sheets.
fn files(table: &Table) -> Vec<(&str, Vec<&str>)> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
    for (file, sheet) in &table.sheets {
        let place = *places.entry(file).or_insert(files.len());
        if place == files.len() {
            files.push((file, Vec::new()));
        }
        files[place].1.push(sheet);
    }
    files
}

impl Names {
    pub fn of(table: &Table) -> Self {
        let mut documents: Vec<Document> = Vec::new();
        let files = files(table);
        // A title of one sheet of several says nothing of the others' rows.
        let shared = match (files.len(), table.sheets.len()) {
            (0 | 1, 0 | 1) => [std::slice::from_ref(&table.label), table.captions.as_slice()].concat().join("\n"),
            (0 | 1, _) => table.label.clone(),
            _ => String::new(),
        };
        if files.is_empty() {
            documents.push(Document::of("", &shared));
        }
        for (file, sheets) in files {
            let sheets = if sheets.len() > 1 { String::new() } else { sheets.join("\n") };
            documents.push(Document::of(file, &format!("{}\n{sheets}\n{shared}", stem_of(file))));
        }
        Self { documents }
    }

    pub fn count(&self) -> usize {
        self.documents.len()
    }

    /// Spans from `at` that names explain: where they end and the documents whose names have them.
    pub fn spans(&self, all: &[Token], at: usize) -> Vec<(usize, Vec<String>)> {
        match all[at].kind {
            Kind::Han => self.han_spans(all, at),
            Kind::Word if all[at].text.chars().count() >= 3 => {
                let word = stem(&all[at].text);
                let names = self.bearing(|document| document.words.contains(&word));
                names.map(|names| (at + 1, names)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The words end a name of every document, but for what says that it is a list: they say what a row is.
    pub fn ends_with(&self, span: &[Token]) -> bool {
        let text: String = span.iter().map(|token| token.text.as_str()).collect();
        let word = stem(&text);
        let ends = |name: &str| match span.first().map(|token| token.kind) {
            Some(Kind::Han) => heads(name).any(|head| head.ends_with(&text)),
            _ => {
                tokens(name).iter().rfind(|token| token.kind == Kind::Word).is_some_and(|last| stem(&last.text) == word)
            }
        };
        self.documents.iter().all(|document| document.text.lines().any(ends))
    }

    /// How many documents have names that hold the period.
    pub fn of_period(&self, period: &Period) -> usize {
        self.documents.iter().filter(|document| document.holds(period)).count()
    }

    fn bearing(&self, bears: impl Fn(&Document) -> bool) -> Option<Vec<String>> {
        let names: Vec<String> =
            self.documents.iter().filter(|document| bears(document)).map(|document| document.name.clone()).collect();
        (!names.is_empty()).then_some(names)
    }

    fn han_spans(&self, all: &[Token], at: usize) -> Vec<(usize, Vec<String>)> {
        let run = all[at..].iter().take_while(|token| token.kind == Kind::Han).take(16).count();
        let mut found: Vec<(usize, Vec<String>)> = Vec::new();
        for length in 2..=run {
            let phrase: String = all[at..at + length].iter().map(|token| token.text.as_str()).collect();
            let Some(names) = self.bearing(|document| document.text.contains(&phrase)) else { break };
            found.push((at + length, names));
        }
        found.split_off(found.len().saturating_sub(4))
    }
}

impl Document {
    fn of(name: &str, names: &str) -> Self {
        let words =
            tokens(names).iter().filter(|token| token.kind == Kind::Word).map(|token| stem(&token.text)).collect();
        let text = names.lines().map(super::token::fold).collect::<Vec<_>>().join("\n");
        Self { name: name.to_owned(), words, text, written: names.to_owned(), periods: OnceCell::new() }
    }

    fn holds(&self, period: &Period) -> bool {
        let own = self.periods.get_or_init(|| periods(&self.written));
        own.iter().any(|other| other == period || period.holds(other))
    }
}

/// A name without the words that only say that it is a list, one after the other.
fn heads(name: &str) -> impl Iterator<Item = &str> {
    const LISTS: &[&str] =
        &["表", "明细", "台账", "名单", "记录", "清单", "列表", "数据", "信息", "汇总", "流水", "统计"];
    std::iter::successors(Some(name), |name| LISTS.iter().find_map(|list| name.strip_suffix(list)))
}

fn stem_of(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}
