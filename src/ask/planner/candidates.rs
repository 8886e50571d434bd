//! Which tables of many a question may be about: those whose labels, names and cells share its words.
//!
//! Comes in: the question's tokens, all tables, the cells it names. Goes out: indices of the tables worth reading.
//! Must never happen: a table left out that shares more of the question than one that is read.

use std::collections::{HashMap, HashSet};

use super::concept;
use super::token::{Kind, Token, is_han};
use crate::engine::Mention;
use crate::schema::Table;

/// Tables read in full at most.
const READ: usize = 12;
/// A named cell tells more of a table than a word of a label.
const MENTIONED: f32 = 1.5;

/// The tables to read, all where they are few.
pub fn candidates(tokens: &[Token], tables: &[Table], mentions: &[Mention]) -> Vec<usize> {
    if tables.len() <= READ {
        return (0..tables.len()).collect();
    }
    let words = Words::of(tokens);
    let mentioned = mentioned(mentions);
    let mut scored: Vec<(usize, f32)> = tables
        .iter()
        .enumerate()
        .map(|(index, table)| {
            let cells = mentioned.get(table.name.as_str()).copied().unwrap_or_default();
            (index, words.score(table) + MENTIONED * cells)
        })
        .filter(|(_, score)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.truncate(READ);
    scored.into_iter().map(|(index, _)| index).collect()
}

/// For each table, how many letters of the question its cells take up, in words of about six.
fn mentioned(mentions: &[Mention]) -> HashMap<&str, f32> {
    let mut spans: HashMap<&str, HashSet<(usize, usize)>> = HashMap::new();
    for mention in mentions {
        spans.entry(mention.table.as_str()).or_default().insert((mention.start, mention.end));
    }
    let length = |spans: HashSet<(usize, usize)>| spans.iter().map(|(start, end)| (end - start) as f32 / 6.0).sum();
    spans.into_iter().map(|(table, spans)| (table, length(spans))).collect()
}

/// The question's words with those that mean the same, and pairs of its Han characters.
struct Words {
    words: HashSet<String>,
    pairs: HashSet<[char; 2]>,
}

impl Words {
    fn of(tokens: &[Token]) -> Self {
        let mut words = HashSet::new();
        for token in tokens.iter().filter(|token| matches!(token.kind, Kind::Word | Kind::Number)) {
            words.extend(concept::kin(&token.text).map(str::to_owned));
            words.insert(singular(&token.text).to_owned());
            words.insert(concept::stem(&token.text));
        }
        let han: String =
            tokens.iter().map(|token| if token.kind == Kind::Han { token.text.as_str() } else { " " }).collect();
        let mut all = vec![han.clone()];
        all.extend(concept::han_kin(&han).map(str::to_owned));
        let pairs = all.iter().flat_map(|text| pairs(text)).collect();
        Self { words, pairs }
    }

    /// The parts of labels and names that the question shares.
    fn score(&self, table: &Table) -> f32 {
        let labels = table
            .fields
            .iter()
            .map(|field| field.synonyms.iter().map(|name| self.share(name)).fold(self.share(&field.label), f32::max));
        let sheets = table.sheets.iter().flat_map(|(file, sheet)| [file, sheet]);
        let names =
            sheets.chain(&table.captions).chain([&table.label]).map(|name| self.share(name)).fold(0.0, f32::max);
        labels.sum::<f32>() + names
    }

    fn share(&self, text: &str) -> f32 {
        let (mut all, mut shared) = (0usize, 0usize);
        for word in text.split(|c: char| !c.is_alphanumeric() || is_han(c)).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            all += 1;
            shared += usize::from(self.words.contains(singular(&word)));
        }
        for pair in pairs(text) {
            all += 1;
            shared += usize::from(self.pairs.contains(&pair));
        }
        if all == 0 { 0.0 } else { shared as f32 / all as f32 }
    }
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')).unwrap_or(word)
}

/// Neighbouring Han characters.
fn pairs(text: &str) -> impl Iterator<Item = [char; 2]> + '_ {
    text.chars().zip(text.chars().skip(1)).filter(|(a, b)| is_han(*a) && is_han(*b)).map(|(a, b)| [a, b])
}
