//! Questions read without a model: a question becomes a typed query over the schema, printed as a statement.
//!
//! Comes in: the question, the tables in scope, the cells it names, today's date. Goes out: a [`Plan`].
//! Must never happen: a statement that leaves a word of the question unread, or that is no better than another reading.

mod bound;
mod candidates;
mod cells;
mod check;
mod chunks;
mod concept;
mod dates;
mod doubt;
mod figures;
mod frame;
mod grammar;
mod grid;
mod groups;
mod labels;
mod lexicon;
mod measure;
mod missing;
mod moment;
mod names;
mod nearby;
mod numerals;
mod paraphrase;
mod phrases;
mod print;
mod reading;
mod remarks;
mod token;
mod tree;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod tests;

use chrono::NaiveDate;

use crate::engine::Mention;
use crate::note::Note;
use crate::schema::Schema;
pub use check::Check;
use grammar::Scored;

/// What the planner made of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// One reading that covers the question and beats the next.
    Statement { sql: String, notes: Vec<Note>, score: f32, check: Check },
    /// No reading, or several that are as good; the best are told.
    Unsure { readings: Vec<String> },
}

/// A reading that costs more is not taken.
const MOST_COST: f32 = 0.75;
/// How much cheaper the best must be than the next different one.
const MARGIN: f32 = 0.08;
/// Readings told when unsure.
const TOLD: usize = 2;
/// The longest question that is read, in tokens.
const MOST_TOKENS: usize = 150;

/// Reads questions; what it keeps changes no reading.
#[derive(Default)]
pub struct Planner {
    names: names::KnownNames,
}

impl Planner {
    /// Reads a question.
    pub fn plan(&self, question: &str, schema: &Schema, mentions: &[Mention], today: NaiveDate) -> Plan {
        let tokens = token::tokens(question);
        if tokens.is_empty() || tokens.len() > MOST_TOKENS {
            return Plan::Unsure { readings: Vec::new() };
        }
        let mut found: Vec<Scored> = Vec::new();
        for index in candidates::candidates(&tokens, &schema.tables, mentions) {
            found.extend(self.read_table(question, &tokens, schema, index, mentions, today));
        }
        let ranked = ranked(found, schema, question.chars().any(token::is_han));
        decide(&ranked, schema, question)
    }

    fn read_table(
        &self,
        question: &str,
        tokens: &[token::Token],
        schema: &Schema,
        index: usize,
        mentions: &[Mention],
        today: NaiveDate,
    ) -> Vec<Scored> {
        let table = &schema.tables[index];
        let labels = labels::Labels::of(table);
        let names = self.names.of(table);
        let cutter = chunks::Cutter { question, tokens, table, labels: &labels, names: &names, mentions, today };
        let paths = cutter.paths();
        let mut found = grid::read(question, tokens, table, index, mentions);
        for path in &paths {
            let (passed_over, twin) = (cutter.passes_over_a_cell(path), cutter.names_a_twin(path));
            let frames = frame::frames(path, table, &names);
            found.extend(frames.iter().flat_map(|frame| grammar::readings(frame, index)).map(|scored| Scored {
                doubtful: scored.doubtful || passed_over || twin,
                passed_over,
                read_as: cutter.read_as(path),
                ..scored
            }));
        }
        found
    }
}

/// A reading with its statement.
struct Ranked {
    sql: String,
    /// The statement with its conditions in one order.
    key: String,
    scored: Scored,
}

/// The cheapest of each statement, the cheapest first.
fn ranked(mut found: Vec<Scored>, schema: &Schema, chinese: bool) -> Vec<Ranked> {
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    if found.iter().any(|scored| !scored.passed_over && scored.cost <= MOST_COST) {
        found.retain(|scored| !scored.passed_over);
    }
    let mut kept: Vec<Ranked> = Vec::new();
    for scored in found {
        let Some(sql) = print::statement(&scored.reading, schema, chinese) else { continue };
        let key = print::statement(&scored.reading.in_order(), schema, chinese).unwrap_or_default();
        if !kept.iter().any(|other| other.key == key) {
            kept.push(Ranked { sql, key, scored });
        }
    }
    kept
}

fn decide(ranked: &[Ranked], schema: &Schema, question: &str) -> Plan {
    let tell = |ranked: &Ranked| paraphrase::paraphrase(&ranked.scored.reading, schema, question);
    let unsure = || Plan::Unsure { readings: ranked.iter().take(TOLD).map(tell).collect() };
    let Some((best, rest)) = ranked.split_first() else { return unsure() };
    let near: Vec<&Ranked> = rest.iter().take_while(|next| next.scored.cost - best.scored.cost < MARGIN).collect();
    let alike = near.iter().all(|next| best.scored.reading.is_of_the_same_cells(&next.scored.reading));
    if best.scored.doubtful || best.scored.cost > MOST_COST || !alike {
        return unsure();
    }
    let mut notes = vec![Note::new("question_read_as", tell(best))];
    notes.extend(remarks::remarks(&best.scored, schema, question));
    let check = match check::check(&best.scored.reading, schema, question.chars().any(token::is_han)) {
        Check::OneRow { .. } => {
            Check::OneRow { others: near.iter().map(|next| (next.sql.clone(), tell(next))).collect() }
        }
        other => other,
    };
    Plan::Statement { sql: best.sql.clone(), notes, score: (-best.scored.cost).exp(), check }
}
