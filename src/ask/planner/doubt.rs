//! What a way to cut a question passes over although a cell has it, and labels that two columns share.
//!
//! Comes in: a path. Goes out: whether it may be taken. Must never happen: a named cell read as a mere function word or name.

use super::chunks::{Chunk, Cutter, Meaning, Path};
use super::lexicon::{self, Role};
use super::token::{Kind, Token, fold};
use crate::engine::{Likeness, Mention};

/// A span of tokens that is a cell, or a part of one.
#[derive(PartialEq)]
struct Named {
    start: usize,
    end: usize,
    part: bool,
}

impl Named {
    /// The chunk has a meaning for some of it; a longer name of the table is one for a mere part of a cell.
    fn is_told_by(&self, chunk: &Chunk) -> bool {
        let touched = chunk.start < self.end && self.start < chunk.end;
        let around =
            chunk.start <= self.start && self.end <= chunk.end && chunk.end - chunk.start > self.end - self.start;
        touched
            && match chunk.meaning {
                Meaning::Role(_) => false,
                Meaning::Context(_) => self.part && around,
                _ => true,
            }
    }
}

impl Cutter<'_> {
    /// A cell that the question names is read as a function word or as a part of the table's names.
    pub(super) fn passes_over_a_cell(&self, path: &Path) -> bool {
        self.named_spans().iter().any(|named| !path.chunks.iter().any(|chunk| named.is_told_by(chunk)))
    }

    /// Words of the path that name cells without being one of them.
    pub(super) fn read_as(&self, path: &Path) -> Vec<(String, Vec<String>)> {
        let said = |chunk: &Chunk| {
            let (first, last) = (self.tokens.get(chunk.start)?, self.tokens.get(chunk.end.checked_sub(1)?)?);
            self.question.get(first.start..last.end)
        };
        let loose = path.chunks.iter().filter_map(|chunk| match &chunk.meaning {
            Meaning::Value { cells, whole: false, .. } => Some((said(chunk)?.to_owned(), cells.clone())),
            _ => None,
        });
        loose.collect()
    }

    /// The path names a column whose label another column has as well.
    pub(super) fn names_a_twin(&self, path: &Path) -> bool {
        let label = |index: usize| self.table.fields.get(index).map(|field| fold(&field.label));
        let twin =
            |index: usize| (0..self.table.fields.len()).any(|other| other != index && label(other) == label(index));
        path.chunks.iter().any(|chunk| match chunk.meaning {
            Meaning::Column(index, _) | Meaning::Missing(index) => twin(index),
            _ => false,
        })
    }

    /// A function word that is meant as a cell of the field.
    pub(super) fn is_meant(&self, field: &str, at: usize, end: usize) -> bool {
        self.mentions.iter().any(|mention| {
            mention.table == self.table.name
                && mention.field == field
                && self.span(mention) == Some((at, end))
                && self.stands_as_a_cell(mention, at, end)
        })
    }

    /// `单号2`: a bare number right behind the label of a text belongs to that label, and is no number of another.
    pub(super) fn is_another_labels(&self, path: &Path, at: usize, meaning: Option<&Meaning>) -> bool {
        let bare = matches!(meaning, Some(Meaning::Number(number)) if number.bare);
        let text = |index: usize| self.table.fields.get(index).is_some_and(|field| field.exact().is_some());
        bare && path
            .chunks
            .last()
            .is_some_and(|chunk| matches!(chunk.meaning, Meaning::Column(index, _) if chunk.end == at && text(index)))
    }

    /// Spans of tokens that are cells, or parts of cells, of a column whose rows differ.
    fn named_spans(&self) -> Vec<Named> {
        let near = |mention: &&Mention| mention.table == self.table.name && mention.how != Likeness::Fuzzy;
        let mut spans = Vec::new();
        for mention in self.mentions.iter().filter(near).filter(|mention| self.tells_rows(mention)) {
            let Some((start, end)) = self.span(mention) else { continue };
            let named = Named { start, end, part: mention.how == Likeness::Partial };
            let plain = !self.is_function(start, end) && !is_lowered(mention);
            if !spans.contains(&named) && (plain || !named.part && self.stands_as_a_cell(mention, start, end)) {
                spans.push(named);
            }
        }
        spans
    }

    fn tells_rows(&self, mention: &Mention) -> bool {
        self.table.fields.iter().any(|field| {
            (field.name == mention.field || field.exact().as_deref() == Some(mention.field.as_str()))
                && (field.distinct != Some(1) || field.nulls > 0)
        })
    }

    /// A function word that is meant as the cell: by its case, by what stands beside it, or because it says little else.
    pub(super) fn stands_as_a_cell(&self, mention: &Mention, start: usize, end: usize) -> bool {
        let span = &self.tokens[start..end];
        if span.iter().all(|token| token.kind == Kind::Mark) {
            return false;
        }
        let text = |at: Option<usize>| at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text.as_str());
        let (before, after) = (text(start.checked_sub(1)), text(Some(end)));
        let roles = lexicon::roles(&lexicon::key(span.iter().map(|token| token.text.as_str())));
        let light = |role: &Role| {
            matches!(role, Role::Verb | Role::Person | Role::Row | Role::Trade | Role::Deed | Role::Scored)
        };
        if !roles.is_empty() && roles.iter().all(light) {
            return true;
        }
        if span.iter().any(|token: &Token| token.kind == Kind::Han) {
            return span.len() == 1 || after == "的" || matches!(before, "为" | "是" | "=");
        }
        let cased = mention.how == Likeness::Exact && mention.cell.chars().any(char::is_uppercase) && start > 0;
        cased || (matches!(before, "for" | "in" | "of" | "=" | "is") && span.len() == 1 && !self.governs(end))
    }

    /// What follows goes with the word: an article or a preposition stands before something.
    fn governs(&self, end: usize) -> bool {
        self.tokens.get(end).is_some_and(|token| token.kind != Kind::Mark && lexicon::roles(&token.text).is_empty())
    }
}

/// A short cell in another case than the question's word: ME and `me`.
fn is_lowered(mention: &Mention) -> bool {
    mention.how == Likeness::Folded && mention.cell.len() <= 3
}
