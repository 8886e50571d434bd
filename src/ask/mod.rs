//! From a question to an answer.
//!
//! Comes in: a question and the tables in scope. Goes out: a statement, an answer with its sources, or a refusal to guess.
//! Must never happen: a statement for a question that was only half understood.

pub mod planner;
pub mod prompt;
