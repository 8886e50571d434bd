//! Text predicates become conditions on the cells that the engine found.
//!
//! Comes in: a [`Guarded`] statement and one [`Found`] for each of its look-ups. Goes out: a [`Grounded`] statement with a note
//! for every reading that was not literal. Must never happen: an aggregate over rows that are only like what was asked for.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::Expr;
use datafusion::sql::sqlparser::ast::Query;

use super::guard::Guarded;
use super::lookup::{Found, Lookup};
use super::predicate::{Form, Predicate, replace_marks};
use super::{Code, OutColumn, Refusal, shape, tree};
use crate::note::Note;

/// Cells named in one note.
const NAMED_CELLS: usize = 10;

/// A statement whose every predicate is tied to cells, not yet scoped.
#[derive(Debug, Clone)]
pub struct Grounded {
    pub(super) query: Query,
    pub(super) columns: Vec<OutColumn>,
    pub(super) notes: Vec<Note>,
    pub(super) tables: Vec<String>,
}

/// The cells that a step of the ladder gives.
enum Reading<'a> {
    Exact,
    /// These cells instead.
    Cells(&'a [String]),
    /// More than can be listed: the search itself.
    Search(&'static str),
    Nothing,
}

impl Guarded {
    /// What the engine must look up, in order.
    pub fn lookups(&self) -> Vec<Lookup> {
        self.predicates.iter().flat_map(Predicate::lookups).collect()
    }

    /// Ties the predicates to what was found, one [`Found`] for each look-up in the same order.
    pub fn ground(self, found: &[Found]) -> Result<Grounded, Refusal> {
        let Guarded { mut query, predicates, columns, mut notes, tables, max_in_list } = self;
        let aggregate = aggregates(&query);
        let mut rest = found;
        let mut conditions = Vec::new();
        for predicate in &predicates {
            let Some((mine, others)) = rest.split_at_checked(predicate.texts.len()) else {
                return Err(Refusal::new(Code::NotRunnable, "not every text was looked up", "ask again"));
            };
            rest = others;
            let mut settling = Settling { predicate, aggregate, max_in_list, notes: &mut notes };
            conditions.push(settling.condition(mine)?);
        }
        replace_marks(&mut query, &conditions);
        Ok(Grounded { query, columns, notes, tables })
    }
}

/// Whether any SELECT of the statement puts rows together, over a window too.
fn aggregates(query: &Query) -> bool {
    use datafusion::sql::sqlparser::ast::{Select, Visit, Visitor};
    struct Aggregates;
    impl Visitor for Aggregates {
        type Break = ();
        fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
            let together = select.distinct.is_some() || shape::is_grouped(select);
            if together { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            if shape::is_aggregate(expr) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    query.visit(&mut Aggregates).is_break()
}

struct Settling<'a> {
    predicate: &'a Predicate,
    aggregate: bool,
    max_in_list: usize,
    notes: &'a mut Vec<Note>,
}

impl Settling<'_> {
    fn condition(&mut self, found: &[Found]) -> Result<Expr, Refusal> {
        match (self.predicate.form, found) {
            (Form::Equal, [found]) => self.equal(found),
            (Form::Equal, found) => self.one_of(found),
            (Form::Contains | Form::ContainsFolded, [found, ..]) => self.contains(found),
            (Form::Contains | Form::ContainsFolded, []) => Ok(self.predicate.literally()),
        }
    }

    fn equal(&mut self, found: &Found) -> Result<Expr, Refusal> {
        let predicate = self.predicate;
        match self.reading(found) {
            Reading::Exact => Ok(predicate.literally()),
            Reading::Cells(cells) => {
                self.note_read_as(0, cells);
                Ok(predicate.is_one_of(cells))
            }
            Reading::Search(options) => Ok(self.search(options)),
            Reading::Nothing => {
                self.nothing(&[(0, found)], false)?;
                Ok(predicate.literally())
            }
        }
    }

    /// Each value of a list by itself, to the letter or folded.
    fn one_of(&mut self, found: &[Found]) -> Result<Expr, Refusal> {
        let mut cells = Vec::new();
        let mut missing = Vec::new();
        for (at, (text, found)) in self.predicate.texts.iter().zip(found).enumerate() {
            if !found.exact.is_empty() {
                cells.push(text.clone());
            } else if !found.folded.is_empty() {
                self.note_read_as(at, &found.folded);
                cells.extend(found.folded.iter().cloned());
            } else {
                missing.push((at, found));
                cells.push(text.clone());
            }
        }
        if !missing.is_empty() {
            self.nothing(&missing, missing.len() < self.predicate.texts.len())?;
        }
        Ok(self.predicate.is_one_of(&cells))
    }

    fn contains(&mut self, found: &Found) -> Result<Expr, Refusal> {
        let predicate = self.predicate;
        match self.reading(found) {
            Reading::Exact => Ok(predicate.literally()),
            Reading::Cells(cells) if self.says_so(cells) => Ok(predicate.literally()),
            Reading::Cells(cells) if found.cut || cells.len() > self.max_in_list => Err(self.too_many(cells)),
            Reading::Cells(cells) => {
                self.note_read_as(0, cells);
                Ok(predicate.is_one_of(cells))
            }
            Reading::Search(options) => Ok(self.search(options)),
            Reading::Nothing => {
                self.nothing(&[(0, found)], false)?;
                Ok(predicate.literally())
            }
        }
    }

    /// Whether ILIKE finds all these cells as it stands: it folds case, and no more than that.
    fn says_so(&self, cells: &[String]) -> bool {
        let text = self.predicate.texts.first().map_or_else(String::new, |text| text.to_lowercase());
        self.predicate.form == Form::ContainsFolded && cells.iter().all(|cell| cell.to_lowercase().contains(&text))
    }

    fn too_many(&self, cells: &[String]) -> Refusal {
        let text = self.predicate.texts.first().map_or("", String::as_str);
        let message = format!(
            "no cell of {} contains {text:?} to the letter, more than can be listed do up to case, width and white space",
            self.predicate.label
        );
        Refusal::new(Code::NoSuchValue, message, format!("write the text as the cells do: {}", listed(cells)))
    }

    /// The first step of the ladder that found something and may be taken.
    fn reading<'f>(&self, found: &'f Found) -> Reading<'f> {
        if !found.exact.is_empty() {
            return Reading::Exact;
        }
        if !found.folded.is_empty() {
            return Reading::Cells(&found.folded);
        }
        let all = (&found.all_tokens, self.predicate.fuzzy, "operator=AND");
        let some_allowed = self.predicate.fuzzy && !self.aggregate && self.predicate.form == Form::Equal;
        let some = (&found.some_tokens, some_allowed, "operator=OR;minimum_should_match=30%");
        let step = [all, some].into_iter().find(|(cells, allowed, _)| *allowed && !cells.is_empty());
        match step {
            None => Reading::Nothing,
            Some((cells, ..)) if !found.cut && cells.len() <= self.max_in_list => Reading::Cells(cells),
            Some((.., options)) if self.predicate.tokens.is_some() => Reading::Search(options),
            Some(_) => Reading::Nothing,
        }
    }

    fn search(&mut self, options: &str) -> Expr {
        let text = self.predicate.texts.first().map_or("", String::as_str);
        let message = format!("{text:?} in {} read as a search for its words", self.predicate.label);
        self.notes.push(Note::new("value_read_as", message));
        match &self.predicate.tokens {
            Some(tokens) => tree::call("MATCH", [tokens.clone(), tree::text(text), tree::text(options)]),
            None => self.predicate.literally(),
        }
    }

    fn note_read_as(&mut self, at: usize, cells: &[String]) {
        let text = self.predicate.texts.get(at).map_or("", String::as_str);
        let message = format!("{text:?} in {} read as {}", self.predicate.label, listed(cells));
        self.notes.push(Note::new("value_read_as", message));
    }

    /// No cell is meant by these texts: an aggregate that asks for them is refused, anything else is noted.
    fn nothing(&mut self, missing: &[(usize, &Found)], others_found: bool) -> Result<(), Refusal> {
        let text = |at: usize| self.predicate.texts.get(at).map_or("", String::as_str);
        let texts: Vec<String> = missing.iter().map(|(at, _)| format!("{:?}", text(*at))).collect();
        let how = if self.predicate.form == Form::Equal { "is" } else { "contains" };
        let message = format!("no cell of {} {how} {}", self.predicate.label, texts.join(", "));
        let nearest: Vec<String> = missing.iter().flat_map(|(_, found)| &found.nearest).cloned().collect();
        let hint = if nearest.is_empty() {
            "there is nothing like it".to_owned()
        } else {
            format!("nearest: {}", listed(&nearest))
        };
        if self.aggregate && self.predicate.fuzzy && !others_found {
            return Err(Refusal::new(Code::NoSuchValue, message, hint));
        }
        self.notes.push(Note::new("no_such_value", format!("{message}; {hint}")));
        Ok(())
    }
}

fn listed(cells: &[String]) -> String {
    let named: Vec<String> = cells.iter().take(NAMED_CELLS).map(|cell| format!("{cell:?}")).collect();
    match cells.len() - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
