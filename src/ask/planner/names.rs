//! The names a table goes by: its label, captions, files and sheets; which words of a question they explain.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    /// What each name ends with.
    last: Vec<String>,
    periods: OnceLock<Vec<Period>>,
}

pub struct Names {
    documents: Vec<Document>,
    /// Signs that stand side by side in them: two that do not begin no Han phrase.
    pairs: HashSet<(char, char)>,
}

/// Tables whose names are kept.
const KEPT: usize = 16;
/// Sheets from which on names are kept: those of fewer are made as fast as they are found.
const MANY: usize = 100;

/// Names of tables of many sheets, kept for the next question.
#[derive(Default)]
pub struct KnownNames(Mutex<VecDeque<(Source, Arc<Names>)>>);

/// What names are made of.
struct Source {
    label: String,
    captions: Vec<String>,
    sheets: Vec<(String, String)>,
}

impl Source {
    fn is_of(&self, table: &Table) -> bool {
        self.label == table.label && self.captions == table.captions && self.sheets == table.sheets
    }
}

impl KnownNames {
    pub fn of(&self, table: &Table) -> Arc<Names> {
        if table.sheets.len() < MANY {
            return Arc::new(Names::of(table));
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, names)) = known.iter().find(|(source, _)| source.is_of(table)) {
            return names.clone();
        }
        let names = Arc::new(Names::of(table));
        let (label, captions, sheets) = (table.label.clone(), table.captions.clone(), table.sheets.clone());
        known.truncate(KEPT - 1);
        known.push_front((Source { label, captions, sheets }, names.clone()));
        names
    }
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
        let pairs = documents.iter().flat_map(|document| document.text.chars().zip(document.text.chars().skip(1)));
        Self { pairs: pairs.collect(), documents }
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
        let is_han = span.first().is_some_and(|token| token.kind == Kind::Han);
        self.documents.iter().all(|document| match is_han {
            true => document.text.lines().flat_map(heads).any(|head| head.ends_with(&text)),
            false => document.last.contains(&word),
        })
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
            if !phrase.chars().zip(phrase.chars().skip(1)).all(|pair| self.pairs.contains(&pair)) {
                break;
            }
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
        let last = |line: &str| Some(stem(&tokens(line).iter().rfind(|token| token.kind == Kind::Word)?.text));
        let last = text.lines().filter_map(last).collect();
        Self { name: name.to_owned(), words, text, written: names.to_owned(), last, periods: OnceLock::new() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_until_a_file_is_called_otherwise() {
        let mut table = Table {
            name: "t".to_owned(),
            label: "t".to_owned(),
            rows: 0,
            fields: Vec::new(),
            captions: Vec::new(),
            sheets: (0..MANY).map(|n| (format!("{n}.csv"), "一月".to_owned())).collect(),
        };
        let known = KnownNames::default();
        let names = known.of(&table);
        assert!(Arc::ptr_eq(&names, &known.of(&table)));
        table.sheets[7].0 = "北京.csv".to_owned();
        let named = known.of(&table);
        assert_eq!(named.spans(&tokens("北京"), 0), [(2, vec!["北京.csv".to_owned()])]);
        assert!(names.spans(&tokens("北京"), 0).is_empty());
    }
}
