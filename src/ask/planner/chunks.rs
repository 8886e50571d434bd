//! A question cut into chunks that each mean something in one table; several ways, the cheapest first.
//!
//! Comes in: tokens, a table, the cells that the question names. Goes out: paths of chunks that cover every token.
//! Must never happen: a word that is passed over because nothing knows it.

use std::sync::Arc;

use chrono::NaiveDate;

use super::concept::concepts;
use super::dates::{Period, period};
use super::labels::{self, Labels};
use super::lexicon::{self, LONGEST, Role};
use super::names::Names;
use super::numerals::{Number, number, range};
use super::reading::Column;
use super::token::{Kind, Token};
use crate::engine::Mention;
use crate::schema::Table;

#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// A field, and whether the words are its label whole.
    Column(usize, bool),
    /// Cells of one column that the words name.
    Value {
        column: Column,
        cells: Vec<String>,
        whole: bool,
    },
    Number(Number),
    Range(Number, Number),
    Period(Period),
    Role(Role),
    /// Words of the table's own names, with the documents that bear them.
    Context(Arc<[String]>),
    /// The field is empty.
    Missing(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Tokens.
    pub start: usize,
    pub end: usize,
    pub meaning: Meaning,
}

/// One way to cut the question.
#[derive(Debug, Clone, Default)]
pub struct Path {
    pub chunks: Vec<Chunk>,
    pub cost: f32,
}

/// Paths kept at each token.
const BEAM: usize = 48;
/// The longest label in tokens of a question.
const LONGEST_LABEL: usize = 12;
/// A label that costs less is named whole.
pub(super) const WHOLE_LABEL: f32 = 0.1;
pub(super) const CHUNK_COST: f32 = 0.02;
const ROLE_COST: f32 = 0.01;
const VERB_COST: f32 = 0.06;
/// A word that could say something is passed over.
const SKIP_COST: f32 = 0.12;
pub(super) const CONTEXT_COST: f32 = 0.04;
/// A phrase that tells something (以上) is cut into words that tell nothing.
const SPLIT_COST: f32 = 0.8;
/// A word that nothing knows, behind `which` or `how many`, in a table whose rows have mere names.
const UNKNOWN_NOUN_COST: f32 = 0.25;
/// `一` and `one` mostly only point.
const ONE_COST: f32 = 0.2;
/// One Han character that compares (高, 少) is weaker than a phrase.
const SHORT_COST: f32 = 0.05;
/// The year of a month is that of all rows.
const YEARLESS_COST: f32 = 0.12;
/// The longest remark in brackets that a bound is included.
const LONGEST_REMARK: usize = 8;
/// Names that also look like a label had better be the label.
const LABEL_CONTEXT_COST: f32 = 0.3;

pub struct Cutter<'a> {
    pub question: &'a str,
    pub tokens: &'a [Token],
    pub table: &'a Table,
    pub labels: &'a Labels,
    pub names: &'a Names,
    pub mentions: &'a [Mention],
    pub today: NaiveDate,
}

/// A way on from a token: where it leads, what it means (`None` is passed over), what it costs.
pub(super) type Step = (usize, Option<Meaning>, f32);

impl Cutter<'_> {
    /// Every way to cover all tokens, at most [`BEAM`], the cheapest first.
    pub fn paths(&self) -> Vec<Path> {
        let mut open: Vec<Vec<Path>> = vec![Vec::new(); self.tokens.len() + 1];
        open[0].push(Path::default());
        for at in 0..self.tokens.len() {
            let mut here = std::mem::take(&mut open[at]);
            keep_best(&mut here);
            if here.is_empty() {
                continue;
            }
            for (end, meaning, cost) in self.steps(at) {
                let open_to = |path: &&Path| !self.is_another_labels(path, at, meaning.as_ref());
                for path in here.iter().filter(open_to) {
                    open[end].push(extended(path, at, end, meaning.as_ref(), cost));
                }
            }
        }
        let mut last = open.pop().unwrap_or_default();
        keep_best(&mut last);
        last
    }

    fn steps(&self, at: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        self.phrases(at, &mut steps);
        self.columns(at, &mut steps);
        self.values(at, &mut steps);
        self.missing(at, &mut steps);
        self.numbers(at, &mut steps);
        self.context(at, &mut steps);
        self.unknown_noun(at, &mut steps);
        self.short_cells(at, &mut steps);
        self.beginnings_of_cells(at, &mut steps);
        self.inclusive(at, &mut steps);
        steps
    }

    fn phrases(&self, at: usize, steps: &mut Vec<Step>) {
        if self.tokens[at].kind == Kind::Mark
            && lexicon::roles(&self.tokens[at].text).is_empty()
            && !matches!(self.tokens[at].text.as_str(), "%" | "$" | "#")
        {
            steps.push((at + 1, None, 0.0));
        }
        let known = self.known_phrases(at);
        let telling =
            |roles: &[Role]| roles.iter().any(|role| !matches!(role, Role::Filler | Role::Verb | Role::WhichTime(_)));
        let longest = known.iter().filter(|(_, roles)| telling(roles)).map(|(end, _)| *end).max().unwrap_or(0);
        for (end, roles) in known {
            let split = if end < longest { SPLIT_COST } else { 0.0 };
            let short = if end == at + 1 && self.tokens[at].kind == Kind::Han { SHORT_COST } else { 0.0 };
            for role in roles {
                match role {
                    Role::Filler | Role::Verb if end == 1 && self.opens_yes_no() => {
                        steps.push((end, Some(Meaning::Role(Role::YesNo)), ROLE_COST));
                    }
                    Role::Filler if self.ranks_two(at) || self.asks_how_much(at) => {}
                    Role::Filler if roles.len() == 1 => steps.push((end, None, split)),
                    Role::Filler if self.may_be_relative(at, roles) => steps.push((end, None, SKIP_COST + split)),
                    Role::Filler => {}
                    Role::Verb => steps.push((end, None, VERB_COST + split)),
                    Role::InTermsOf if self.is_passive(at) => {}
                    Role::Count { .. } | Role::NumberOf if self.is_number_label(at, end) => {}
                    role => steps.push((end, Some(Meaning::Role(*role)), ROLE_COST + short)),
                }
            }
        }
    }

    /// Phrases of the lexicon from `at`: every Chinese one, of others the longest (`at most` is never `at` and `most`).
    pub(super) fn known_phrases(&self, at: usize) -> Vec<(usize, &'static [Role])> {
        let ends = at + 1..=(at + LONGEST).min(self.tokens.len());
        let mut known: Vec<(usize, &[Role])> = ends
            .map(|end| {
                (end, lexicon::roles(&lexicon::key(self.tokens[at..end].iter().map(|token| token.text.as_str()))))
            })
            .filter(|(_, roles)| !roles.is_empty())
            .collect();
        let asks_time = |roles: &[Role]| roles.iter().all(|role| matches!(role, Role::WhichTime(_)));
        if self.tokens[at].kind != Kind::Han && !known.iter().any(|(end, _)| self.has_label(at, *end)) {
            let last = known.iter().rposition(|(_, roles)| !asks_time(roles)).unwrap_or(0);
            known.drain(..last);
        }
        known
    }

    fn columns(&self, at: usize, steps: &mut Vec<Step>) {
        let joins = |token: &Token| lexicon::is_filler(&token.text) && token.kind != Kind::Han;
        let text = |token: &Token| token.kind == Kind::Mark && !matches!(token.text.as_str(), "%" | "#");
        if joins(&self.tokens[at]) && concepts(&self.tokens[at..=at]).is_empty()
            || text(&self.tokens[at]) && self.tokens[at].text != "("
        {
            return;
        }
        for end in at + 1..=(at + LONGEST_LABEL).min(self.tokens.len()) {
            let last = &self.tokens[end - 1];
            if last.text == "no" && self.is_denying(end - 1) {
                break;
            }
            if last.text == "否" && end - at > 2 && self.tokens[end - 2].text == "是" {
                continue;
            }
            if end > at + 1
                && ((text(last) && last.text != ")")
                    || (last.kind != Kind::Mark
                        && last.text != "by"
                        && concepts(&self.tokens[end - 1..end]).is_empty()))
            {
                continue;
            }
            let span = concepts(&self.tokens[at..end]);
            if span.is_empty() {
                continue;
            }
            for (field, cost) in self.labels.matches(&span) {
                steps.push((end, Some(Meaning::Column(field, cost < WHOLE_LABEL)), cost + CHUNK_COST));
            }
        }
    }

    fn numbers(&self, at: usize, steps: &mut Vec<Step>) {
        let rest = &self.tokens[at..];
        if let Some((period, taken)) = period(rest, self.today) {
            steps.push((at + taken, Some(Meaning::Period(period)), CHUNK_COST));
        }
        if let Some((period, taken)) = self.undated_period(at) {
            steps.push((at + taken, Some(Meaning::Period(period)), CHUNK_COST + YEARLESS_COST));
        }
        if let Some((low, high, taken)) = range(rest) {
            steps.push((at + taken, Some(Meaning::Range(low, high)), CHUNK_COST));
        }
        if rest[0].text == "no" && !self.has_gaps(at + 1) && rest.get(1).is_some_and(|token| token.kind == Kind::Word) {
            steps.push((
                at + 1,
                Some(Meaning::Number(Number { value: 0.0, unit: None, bare: false, scaled: false })),
                ONE_COST,
            ));
        }
        if let Some((number, taken)) = number(rest) {
            if taken == 1 && number.bare && rest[0].text.len() == 4 {
                steps.extend(
                    Period::year(number.value as i32).map(|year| (at + 1, Some(Meaning::Period(year)), CHUNK_COST)),
                );
            }
            let one = if number.value == 1.0 && !number.bare && !self.is_compared(at) { ONE_COST } else { 0.0 };
            steps.push((at + taken, Some(Meaning::Number(number)), CHUNK_COST + one));
        }
    }

    /// `（含2020年）`: says that the bound before it is one of them.
    fn inclusive(&self, at: usize, steps: &mut Vec<Step>) {
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let says = matches!(text(at + 1), "含" | "包" | "including" | "inclusive" | "included");
        if text(at) != "(" || !says {
            return;
        }
        let told = |token: &Token| {
            token.kind == Kind::Number || "含包括本数该当年月日年度元".contains(&token.text) || token.text.is_ascii()
        };
        let close = (at + 2..=(at + LONGEST_REMARK).min(self.tokens.len())).find(|place| text(*place) == ")");
        if let Some(close) = close.filter(|close| self.tokens[at + 1..*close].iter().all(told)) {
            steps.push((close + 1, Some(Meaning::Role(Role::Inclusive)), ROLE_COST));
        }
    }

    /// `which district`, `how many districts` where the key column is called Name: the word can only say what the rows are.
    fn unknown_noun(&self, at: usize, steps: &mut Vec<Step>) {
        let token = &self.tokens[at];
        let asked = at
            .checked_sub(1)
            .is_some_and(|before| matches!(self.tokens[before].text.as_str(), "which" | "many" | "what"));
        let told = matches!(
            self.tokens.get(at + 1).map(|next| next.text.as_str()),
            Some("have" | "has" | "had" | "with" | "is" | "are" | "were" | "was")
        );
        let known = !lexicon::roles(&token.text).is_empty() || steps.iter().any(|(_, meaning, _)| meaning.is_some());
        let word = token.kind == Kind::Word && token.text.chars().all(char::is_alphabetic);
        if asked && told && !known && word && labels::has_mere_names(self.table) {
            steps.push((at + 1, Some(Meaning::Role(Role::Row)), UNKNOWN_NOUN_COST));
        }
    }

    fn context(&self, at: usize, steps: &mut Vec<Step>) {
        for (end, documents) in self.names.spans(self.tokens, at) {
            let whole = documents.len() == self.names.count();
            let labels = self.labels.matches(&concepts(&self.tokens[at..end]));
            if labels.iter().any(|(_, cost)| *cost < WHOLE_LABEL) {
                continue;
            }
            if self.is_grouping(at) {
                if whole && labels.is_empty() && self.names.ends_with(&self.tokens[at..end]) {
                    steps.push((end, Some(Meaning::Role(Role::Row)), CONTEXT_COST));
                }
                continue;
            }
            let labelled = !labels.is_empty();
            if whole && !labelled && self.is_counted(at) && self.names.ends_with(&self.tokens[at..end]) {
                steps.push((end, Some(Meaning::Role(Role::Row)), CONTEXT_COST));
                if self.follows(at, |role| role == Role::HowMany) {
                    continue;
                }
            }
            steps.push((
                end,
                Some(Meaning::Context(documents.into())),
                if labelled { LABEL_CONTEXT_COST } else { CONTEXT_COST },
            ));
        }
    }
}

fn extended(path: &Path, start: usize, end: usize, meaning: Option<&Meaning>, cost: f32) -> Path {
    let mut chunks = path.chunks.clone();
    chunks.extend(meaning.map(|meaning| Chunk { start, end, meaning: meaning.clone() }));
    Path { chunks, cost: path.cost + cost }
}

fn keep_best(paths: &mut Vec<Path>) {
    paths.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut kept: Vec<Path> = Vec::new();
    for path in paths.drain(..) {
        if kept.len() >= BEAM {
            break;
        }
        if !kept.iter().any(|other| same(other, &path)) {
            kept.push(path);
        }
    }
    *paths = kept;
}

/// The same meanings in the same order, wherever they stand.
fn same(a: &Path, b: &Path) -> bool {
    a.chunks.len() == b.chunks.len() && a.chunks.iter().zip(&b.chunks).all(|(x, y)| x.meaning == y.meaning)
}
