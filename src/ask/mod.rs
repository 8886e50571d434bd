//! A question becomes an answer: exact by SQL where it can be, else rows found by search, else declined.
//!
//! Comes in: a question, a snapshot and its scope. Goes out: an [`Answer`] with notes and citations.
//! Must never happen: a number that is not what the statement gives; an answer without the rows it stands on;
//! a failure that looks like an answer.

mod answer;
mod found;
mod language;
mod markdown;
pub mod planner;
pub mod prompt;
mod question;
mod search;
mod spent;
mod statement;

use crate::catalog::{Catalog, CatalogError};
use crate::config::Config;
use crate::engine::{Engine, EngineError, Snapshot};
use crate::llm::Client;
use crate::sql::Scope;

pub use answer::{Answer, ByHand, Chunk, Column, DocCount, Path, Reference, Statement};
pub use language::Language;
pub use planner::Planner;
pub use question::Mode;
pub use spent::Spent;
pub use statement::Outcome;

/// Why a question could not be worked on at all.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error("{0}")]
    Question(String),
}

/// Everything that one answer is made from.
pub struct Asker<'a> {
    pub engine: &'a dyn Engine,
    /// Has the texts that were added by hand.
    pub catalog: &'a Catalog,
    pub snapshot: &'a Snapshot,
    pub scope: &'a Scope,
    pub config: &'a Config,
    pub llm: Option<&'a Client>,
    pub planner: &'a Planner,
    pub spent: Spent,
    /// Times that a refused statement is repaired.
    pub repairs: usize,
}
