//! Cells that the question names, as steps of the cutter: what each costs by how well it is named.

use std::collections::BTreeMap;

use super::chunks::{CHUNK_COST, CONTEXT_COST, Cutter, Meaning, Step};
use super::labels;
use super::lexicon::{self, Role};
use super::reading::Column;
use super::token::Kind;
use crate::engine::{Likeness, Mention};

const FUNCTION_CELL_COST: f32 = 0.5;
/// A cell that the key column has as well is rather the key's.
const OTHER_CELL_COST: f32 = 0.12;
/// A cell that differs in a few letters from words that mean nothing else.
const FUZZY_COST: f32 = 0.3;

impl Cutter<'_> {
    pub(super) fn values(&self, at: usize, steps: &mut Vec<Step>) {
        let mut grouped: BTreeMap<(usize, &str), (Vec<String>, Likeness)> = BTreeMap::new();
        for mention in self.mentions.iter().filter(|mention| mention.table == self.table.name) {
            let Some((start, end)) = self.span(mention) else { continue };
            if start != at {
                continue;
            }
            let entry = grouped.entry((end, mention.field.as_str())).or_insert_with(|| (Vec::new(), mention.how));
            if mention.how < entry.1 {
                *entry = (Vec::new(), mention.how);
            }
            if mention.how == entry.1 && !entry.0.contains(&mention.cell) {
                entry.0.push(mention.cell.clone());
            }
        }
        let key =
            labels::key(self.table).and_then(|index| self.table.fields.get(index)).map(|field| field.name.as_str());
        let keyed: Vec<usize> = grouped.keys().filter(|(_, field)| Some(*field) == key).map(|(end, _)| *end).collect();
        for ((end, field), (cells, how)) in grouped {
            let other = if keyed.contains(&end) && Some(field) != key { OTHER_CELL_COST } else { 0.0 };
            steps.extend(
                self.value(at, end, field, cells, how).map(|(end, meaning, cost)| (end, meaning, cost + other)),
            );
        }
    }

    fn value(&self, at: usize, end: usize, field: &str, cells: Vec<String>, how: Likeness) -> Option<Step> {
        let column = match field {
            "docnm_kwd" => Column::Document,
            "sheet_kwd" => Column::Sheet,
            name => Column::Field(
                self.table
                    .fields
                    .iter()
                    .position(|field| field.name == name || field.exact().as_deref() == Some(name))?,
            ),
        };
        let likeness = match how {
            Likeness::Exact | Likeness::Folded => 0.0,
            Likeness::Partial if cells.len() == 1 => 0.15,
            Likeness::Partial => 0.3,
            Likeness::Fuzzy if cells.len() == 1 && !self.is_known(at, end) => FUZZY_COST,
            Likeness::Fuzzy => 0.8,
        };
        let (same, minor) = match column {
            Column::Field(index) => {
                let field = self.table.fields.get(index)?;
                (field.distinct == Some(1) && field.nulls == 0, !labels::is_unique(self.table, field))
            }
            Column::Document | Column::Sheet => (self.table.sheets.len() <= 1, true),
        };
        if same && self.follows(at, |role| role == Role::HowMany) && self.names.ends_with(&self.tokens[at..end]) {
            return None;
        }
        if same {
            return Some((end, Some(Meaning::Context(Vec::new().into())), CONTEXT_COST / 2.0));
        }
        let whole = matches!(how, Likeness::Exact | Likeness::Folded);
        let cost = CHUNK_COST
            + likeness
            + if minor { 0.02 } else { 0.0 }
            + if self.is_function(at, end) && !self.is_meant(field, at, end) { FUNCTION_CELL_COST } else { 0.0 };
        Some((end, Some(Meaning::Value { column, cells, whole }), cost))
    }

    /// A cell such as 是, `?` or `no`: in a question the word hardly names it.
    pub(super) fn is_function(&self, at: usize, end: usize) -> bool {
        let span = &self.tokens[at..end];
        span.iter().all(|token| token.kind == Kind::Mark)
            || !lexicon::roles(&lexicon::key(span.iter().map(|token| token.text.as_str()))).is_empty()
    }

    /// The tokens of a mention; none where it cuts one in two.
    pub(super) fn span(&self, mention: &Mention) -> Option<(usize, usize)> {
        let start = self.tokens.iter().position(|token| token.start == mention.start)?;
        let end = self.tokens.iter().position(|token| token.end == mention.end)?;
        (start <= end).then_some((start, end + 1))
    }
}
