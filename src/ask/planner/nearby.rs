//! What stands around a token, where the same word may do one thing or another; the year that goes without saying.

use super::chunks::{Cutter, Meaning, Step};
use super::concept::concepts;
use super::lexicon::{self, Role};
use super::reading::Column;
use super::token::Kind;
use crate::value::FieldType;

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

    /// 最高的两个: a number behind a superlative is one, and no pointer (这两个).
    pub(super) fn ranks_two(&self, at: usize) -> bool {
        self.tokens[at].text == "两"
            && self.follows(at, |role| matches!(role, Role::Super { .. } | Role::Top | Role::Bottom | Role::Which))
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
        self.follows(at, |role| {
            matches!(role, Role::HowMany | Role::NumberOf | Role::Which | Role::List | Role::Super { .. })
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

    /// The one year of the one column of dates.
    pub(super) fn only_year(&self) -> Option<i32> {
        let mut dates = self.table.fields.iter().filter(|field| field.kind == FieldType::DateTime);
        let (low, high) = dates.next().filter(|_| dates.next().is_none())?.range.as_ref()?;
        let year = |text: &str| text.get(..4)?.parse::<i32>().ok();
        year(low).filter(|first| year(high) == Some(*first))
    }
}
