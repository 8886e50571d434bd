//! `no note`, `without a date`, 没有备注: rows whose field is empty.

use super::chunks::{Cutter, Meaning, Step, WHOLE_LABEL};
use super::concept::concepts;
use super::token::Kind;

/// What it costs to read that a field is empty.
const MISSING_COST: f32 = 0.03;
/// The longest label in tokens.
const LONGEST: usize = 8;

impl Cutter<'_> {
    /// A word that denies, right before a label that is named whole.
    pub(super) fn missing(&self, at: usize, steps: &mut Vec<Step>) {
        let Some(from) = self.denied(at) else { return };
        for (end, index) in self.whole_labels(from) {
            if self.is_empty_somewhere(index) {
                steps.push((end, Some(Meaning::Missing(index)), MISSING_COST));
            }
        }
    }

    /// A number is sometimes empty: then `no amount` is not the number 0.
    pub(super) fn has_gaps(&self, from: usize) -> bool {
        self.whole_labels(from).iter().any(|(_, index)| {
            self.table.fields.get(*index).is_some_and(|field| field.nulls > 0 && field.kind.is_number())
        })
    }

    /// `no` behind a verb of having is no part of a label.
    pub(super) fn is_denying(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| {
            matches!(self.tokens[before].text.as_str(), "have" | "has" | "had" | "with" | "having")
        })
    }

    /// Where the label begins that a word here denies.
    fn denied(&self, at: usize) -> Option<usize> {
        let text = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        match (text(at), text(at + 1)) {
            ("without", "a" | "an" | "any") | ("没", "有") => Some(at + 2),
            ("no" | "without" | "无", _) => Some(at + 1),
            _ => None,
        }
    }

    fn whole_labels(&self, from: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for end in from + 1..=(from + LONGEST).min(self.tokens.len()) {
            if self.tokens[end - 1].kind == Kind::Mark {
                break;
            }
            let labels = self.labels.matches(&concepts(&self.tokens[from..end]));
            found.extend(labels.iter().filter(|(_, cost)| *cost < WHOLE_LABEL).map(|(index, _)| (end, *index)));
        }
        found
    }

    /// A text, or a number that is empty in some rows and never 0.
    fn is_empty_somewhere(&self, index: usize) -> bool {
        let Some(field) = self.table.fields.get(index) else { return false };
        if !field.kind.is_number() {
            return true;
        }
        let bounds =
            field.range.as_ref().and_then(|(low, high)| Some((low.parse::<f64>().ok()?, high.parse::<f64>().ok()?)));
        field.nulls > 0 && bounds.is_none_or(|(low, high)| low > 0.0 || high < 0.0)
    }
}
