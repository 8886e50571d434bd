//! What a model is told: the messages for writing SQL, for mending it, and for answering from rows.
//!
//! Comes in: a question, the schema, the cells that the question names, a refusal, rows found. Goes out: messages within the
//! size limits of [`LlmConfig`]. Must never happen: text from a file outside a data block, or unescaped in one.

mod data;
mod marks;
mod outline;
mod relevance;
mod rules;

use chrono::NaiveDate;

use crate::config::LlmConfig;
use crate::engine::Mention;
use crate::llm::Message;
use crate::schema::Schema;
use crate::sql::Refusal;

pub use marks::keep_valid_marks;
pub use rules::FUNCTIONS;

/// Characters of a refused statement that are shown again; admitted ones are shorter.
const STATEMENT_CHARS: usize = 4_000;

/// Messages that ask for one SELECT. The tables and columns that matter most for the question are in it: at most
/// `max_tables`, `max_columns` and `max_prompt_chars`, and it says how many are left out. What does not fit is dropped in this
/// order: samples and ranges of columns that the question does not name; those columns, the least relevant table's last
/// first; samples and ranges of named columns; named columns. The question and the rules are never cut.
pub fn write_sql(
    question: &str,
    schema: &Schema,
    mentions: &[Mention],
    today: NaiveDate,
    limits: &LlmConfig,
) -> Vec<Message> {
    let rules = rules::write_sql(today);
    let asked = format!("\n\nThe question, as a JSON string:\n{}", data::json(&question));
    let room = limits.max_prompt_chars.saturating_sub(rules.chars().count() + asked.chars().count());
    let hits = data::block("cells", &data::mentions(question, mentions, room / 4));
    let room = room.saturating_sub(hits.chars().count());
    let tables = outline::outline(question, schema, mentions, limits, room);
    vec![Message::system(rules), Message::user(format!("{tables}{hits}{asked}"))]
}

/// The same conversation with the refused statement and why it was refused.
pub fn repair(messages: &[Message], statement: &str, refusal: &Refusal) -> Vec<Message> {
    let mut messages = messages.to_vec();
    messages.push(Message::assistant(data::clip(statement, STATEMENT_CHARS)));
    messages.push(Message::user(rules::repair(&data::block("refusal", &[data::refusal(refusal)]))));
    messages
}

/// Messages that ask for an answer from rows found by search. Each row is given with its number, which the answer's
/// `[ID:n]` marks name; each has an equal share of `max_prompt_chars`.
pub fn grounded_answer(question: &str, rows: &[(usize, String)], limits: &LlmConfig) -> Vec<Message> {
    let asked = format!("\n\nThe question, as a JSON string:\n{}", data::json(&question));
    let room = limits.max_prompt_chars.saturating_sub(rules::ANSWER.chars().count() + asked.chars().count());
    let rows = data::block("rows", &data::rows(rows, room));
    vec![Message::system(rules::ANSWER), Message::user(format!("{rows}{asked}"))]
}

#[cfg(test)]
mod tests;
