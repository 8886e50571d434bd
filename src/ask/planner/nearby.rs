//! What stands around a token, where the same word may do one thing or another; the year that goes without saying.

use super::chunks::{Cutter, Meaning, Step};
use super::concept::concepts;
use super::dates::{Period, yearless};
use super::lexicon::{self, Role};
use super::reading::Column;
use super::token::Kind;
use crate::value::FieldType;

/// Years looked at for a month without a year.
const MOST_YEARS: usize = 50;
/// How one cell alone begins.
const PART_COST: f32 = 0.25;
/// The longest part of a cell, in characters.
const LONGEST_PART: usize = 8;
/// A cell of one character within a word: 女 of 女员工.
const SHORT_CELL_COST: f32 = 0.05;

impl Cutter<'_> {
    /// 女 of 女员工 or 女性: a cell of one character right before a word for people, in a column of few values.
    pub(super) fn short_cells(&self, at: usize, steps: &mut Vec<Step>) {
        let token = &self.tokens[at];
        let sex = self.tokens.get(at + 1).is_some_and(|next| next.text == "性");
        let end = at + 1 + usize::from(sex);
        let people = sex || self.known_people(end);
        if token.kind != Kind::Han || !people {
            return;
        }
        for (index, field) in self.table.fields.iter().enumerate() {
            let few = field.exact().is_some() && field.distinct.is_some_and(|distinct| distinct <= 20);
            if few && field.samples.contains(&token.text) {
                let cells = vec![token.text.clone()];
                let value = Meaning::Value { column: Column::Field(index), cells, whole: true };
                steps.push((end, Some(value), SHORT_CELL_COST));
            }
        }
    }

    /// 研发 of 研发部, `Acme` of `Acme Tools`: how one cell begins and no other of its column, in columns of few values.
    pub(super) fn beginnings_of_cells(&self, at: usize, steps: &mut Vec<Step>) {
        let named = self.tokens[at].kind == Kind::Word
            && self.question.get(self.tokens[at].start..).is_some_and(|rest| rest.starts_with(char::is_uppercase));
        let run = self.tokens[at..].iter().take_while(|token| token.kind == Kind::Han).take(LONGEST_PART).count();
        let ends = (at + 2..=at + run).chain(named.then_some(at + 1));
        for end in ends.filter(|end| !self.is_known(at, *end)) {
            let text: String = self.tokens[at..end].iter().map(|token| token.text.as_str()).collect();
            for (index, field) in self.table.fields.iter().enumerate() {
                let few = field.exact().is_some() && field.distinct == Some(field.samples.len() as u64);
                let mut cells = field.samples.iter().filter(|cell| few && begins(cell, &text));
                if let (Some(cell), None) = (cells.next(), cells.next()) {
                    let value =
                        Meaning::Value { column: Column::Field(index), cells: vec![cell.clone()], whole: false };
                    steps.push((end, Some(value), PART_COST));
                }
            }
        }
    }

    /// 最高的两个: a number behind a superlative is one, and no pointer (这两个).
    pub(super) fn ranks_two(&self, at: usize) -> bool {
        self.tokens[at].text == "两"
            && self.follows(at, |role| matches!(role, Role::Super { .. } | Role::Top | Role::Bottom | Role::Which))
    }

    /// The question begins with a verb of its own: is it so.
    pub(super) fn opens_yes_no(&self) -> bool {
        const OPENERS: &[&str] =
            &["is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "will", "would", "can", "could"];
        self.tokens.first().is_some_and(|token| OPENERS.contains(&token.text.as_str()))
    }

    /// The words are a phrase or a label of their own, or begin with one that is.
    pub(super) fn is_known(&self, at: usize, end: usize) -> bool {
        let phrase = |from: usize, to: usize| {
            let key = lexicon::key(self.tokens[from..to].iter().map(|token| token.text.as_str()));
            !lexicon::roles(&key).is_empty()
        };
        let word = |place: usize| self.tokens[place].kind != Kind::Han && phrase(place, place + 1);
        let edge = word(at) || word(end - 1);
        edge || phrase(at, end) || !self.labels.matches(&concepts(&self.tokens[at..end])).is_empty()
    }

    /// `which` and `who` ask at the head of a question and behind a preposition; behind a noun they may only join.
    pub(super) fn may_be_relative(&self, at: usize, roles: &[Role]) -> bool {
        const HEADS: &[&str] = &["in", "on", "at", "for", "of", "by", "to", "from", "with"];
        let asks = roles.iter().any(|role| {
            matches!(role, Role::Which | Role::What | Role::Who | Role::Where | Role::When | Role::HowMany)
        });
        let before = at.checked_sub(1).and_then(|place| self.tokens.get(place));
        !asks || before.is_some_and(|token| token.kind != Kind::Mark && !HEADS.contains(&token.text.as_str()))
    }

    pub(super) fn known_people(&self, at: usize) -> bool {
        at < self.tokens.len() && self.known_phrases(at).iter().any(|(_, roles)| roles.contains(&Role::Person))
    }

    /// A comparing phrase (`more than`, 至少) ends right before.
    pub(super) fn is_compared(&self, at: usize) -> bool {
        self.follows(at, |role| matches!(role, Role::Over | Role::AtLeast | Role::Under | Role::AtMost | Role::Equal))
    }

    /// What stands here is counted or asked for: `how many`, `number of`, 哪些, 最多的.
    pub(super) fn is_counted(&self, at: usize) -> bool {
        let numbered = at.checked_sub(1).is_some_and(|before| self.tokens[before].kind == Kind::Number);
        numbered && self.follows(at - 1, |role| super::bound::op(role).is_some())
            || self.follows(at, |role| {
                matches!(
                    role,
                    Role::HowMany
                        | Role::More { .. }
                        | Role::Share
                        | Role::First
                        | Role::Last
                        | Role::NumberOf
                        | Role::Which
                        | Role::List
                        | Role::Super { .. }
                )
            })
    }

    /// A phrase with such a role ends right before.
    pub(super) fn follows(&self, at: usize, wanted: impl Fn(Role) -> bool) -> bool {
        (at.saturating_sub(4)..at).any(|start| {
            let phrase = lexicon::key(self.tokens[start..at].iter().map(|token| token.text.as_str()));
            lexicon::roles(&phrase).iter().any(|role| wanted(*role))
        })
    }

    /// `scored by`, `placed by`: tells who did it, and groups nothing.
    pub(super) fn is_passive(&self, at: usize) -> bool {
        self.tokens[at].text == "by"
            && (self.follows(at, |role| matches!(role, Role::Verb | Role::Trade | Role::Deed | Role::Scored))
                || at.checked_sub(1).is_some_and(|before| self.tokens[before].text.ends_with("ed")))
    }

    /// A word within the phrase is a label whole: `total amount of`, where there is a column of amounts.
    pub(super) fn has_label(&self, at: usize, end: usize) -> bool {
        end > at + 1
            && (at..end).any(|place| {
                let span = concepts(&self.tokens[place..=place]);
                !span.is_empty() && self.labels.matches(&span).iter().any(|(_, cost)| *cost == 0.0)
            })
    }

    /// 是多少 at the end asks for a value: 多少 by itself would count.
    pub(super) fn asks_how_much(&self, at: usize) -> bool {
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let closed = self.tokens.get(at + 3).is_none_or(|token| token.kind == Kind::Mark);
        matches!(text(at), "是" | "为") && text(at + 1) == "多" && text(at + 2) == "少" && closed
    }

    /// `by`, `per` or 各 stands right before: what follows is a column or nothing.
    pub(super) fn is_grouping(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| {
            matches!(self.tokens[before].text.as_str(), "by" | "per" | "each" | "各" | "每" | "按")
        })
    }

    /// 人数 or 数量 is the label of a column of numbers: then it counts no rows.
    pub(super) fn is_number_label(&self, at: usize, end: usize) -> bool {
        let from = at + usize::from(self.tokens[at].text == "的");
        let span = concepts(&self.tokens[from.min(end)..end]);
        !span.is_empty()
            && self.labels.matches(&span).iter().any(|(index, cost)| {
                *cost == 0.0 && self.table.fields.get(*index).is_some_and(|field| field.kind.is_number())
            })
    }

    /// A month or quarter without a year, where the one column of dates has it in one year only.
    pub(super) fn undated_period(&self, at: usize) -> Option<(Period, usize)> {
        let mut dates = self.table.fields.iter().filter(|field| field.kind == FieldType::DateTime);
        let (low, high) = dates.next().filter(|_| dates.next().is_none())?.range.as_ref()?;
        let year = |text: &str| text.get(..4)?.parse::<i32>().ok();
        let (first, last) = (year(low)?, year(high)?);
        let within = |(period, _): &(Period, usize)| {
            period.from.to_string().as_str() <= high.get(..10).unwrap_or(high)
                && period.to.to_string().as_str() > low.get(..10).unwrap_or(low)
        };
        let years = (first..=last).take(MOST_YEARS).filter_map(|year| yearless(&self.tokens[at..], year));
        if first == last {
            return years.last();
        }
        let mut met = years.filter(within);
        met.next().filter(|_| met.next().is_none())
    }
}

/// The cell begins with the words and goes on.
fn begins(cell: &str, words: &str) -> bool {
    let folded = super::token::fold(cell);
    let rest = folded.strip_prefix(words).filter(|rest| !rest.is_empty());
    rest.is_some_and(|rest| words.chars().any(super::token::is_han) || !rest.starts_with(char::is_alphanumeric))
}
