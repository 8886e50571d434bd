//! Words of a question and of labels as ids that can be compared: stems, ordinals, years, Han characters.

use super::Claims;
use crate::ask::planner::concept::concepts;
use crate::ask::planner::token::{Kind, Token, tokens};

/// The question with the ids of each token.
pub(super) struct Asked<'a> {
    pub question: &'a str,
    pub tokens: &'a [Token],
    pub ids: Vec<Vec<String>>,
}

/// One word of a label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    pub id: String,
    pub text: String,
    /// Stands in brackets: may be named, need not be.
    pub aside: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn of(question: &'a str, tokens: &'a [Token]) -> Self {
        Self { question, tokens, ids: tokens.iter().map(ids).collect() }
    }

    /// Tokens with the id that are not taken.
    pub(super) fn places(&self, id: &str, taken: &Claims) -> Option<usize> {
        (0..self.tokens.len()).find(|at| !taken.contains(at) && self.ids[*at].iter().any(|own| own == id))
    }

    /// A token that is taken and says more than one word: `q3`.
    pub(super) fn shared(&self, id: &str, taken: &Claims) -> Option<usize> {
        taken.iter().copied().find(|at| self.ids[*at].len() > 1 && self.ids[*at].iter().any(|own| own == id))
    }

    /// As the question has it.
    pub(super) fn source(&self, at: usize) -> &'a str {
        self.tokens.get(at).and_then(|token| self.question.get(token.start..token.end)).unwrap_or_default()
    }

    /// From the first of the tokens to the last.
    pub(super) fn said(&self, claims: &Claims) -> String {
        let span = claims.first().zip(claims.last());
        let text = span
            .and_then(|(first, last)| self.question.get(self.tokens.get(*first)?.start..self.tokens.get(*last)?.end));
        text.unwrap_or_default().to_owned()
    }

    pub(super) fn years(&self) -> impl Iterator<Item = (usize, i32)> + '_ {
        self.tokens.iter().enumerate().filter_map(|(at, token)| Some((at, year(&token.text)?)))
    }
}

/// Four digits that are a year.
pub(super) fn year(text: &str) -> Option<i32> {
    let plain = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|year| plain && (1900..=2100).contains(year))
}

/// The words of a label, marks and joining words left out.
pub(super) fn words(label: &str) -> Vec<Word> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for token in tokens(label) {
        match token.text.as_str() {
            "(" | "[" | "【" => depth += 1,
            ")" | "]" | "】" => depth = depth.saturating_sub(1),
            _ => {
                let aside = depth > 0;
                let id = ids(&token).into_iter().next();
                found.extend(id.map(|id| Word { text: plain(&token, &id), id, aside }));
            }
        }
    }
    found
}

/// An ordinal as such, other words as they are written.
fn plain(token: &Token, id: &str) -> String {
    if SHORT.contains(&id) { id.to_owned() } else { token.text.clone() }
}

const SHORT: [&str; 4] = ["1st", "2nd", "3rd", "4th"];

/// What a token may be compared as.
fn ids(token: &Token) -> Vec<String> {
    const ORDINALS: [&str; 4] = ["first", "second", "third", "fourth"];
    let text = token.text.as_str();
    if let Some(at) = ORDINALS.iter().position(|word| *word == text) {
        return vec![SHORT[at].to_owned()];
    }
    let quarter = text.strip_prefix('q').and_then(|digit| digit.parse::<usize>().ok());
    if let Some(quarter) = quarter.filter(|quarter| (1..=4).contains(quarter)) {
        return vec![SHORT[quarter - 1].to_owned(), "quarter".to_owned()];
    }
    match text {
        "highest" | "peak" => return vec!["high".to_owned()],
        "lowest" => return vec!["low".to_owned()],
        _ => {}
    }
    if token.kind == Kind::Han {
        return vec![text.to_owned()];
    }
    concepts(std::slice::from_ref(token)).into_iter().map(|concept| concept.id).collect()
}
