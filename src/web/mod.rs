//! HTTP: RAGFlow's routes under `/api/v1`, and ours.
//!
//! Comes in: requests. Goes out: RAGFlow's envelope `{"code", "message", "data"}`, files, event streams.
//! Must never happen: a byte of another owner's; a body held whole in memory that is a file; an internal text in an answer.

mod asking;
mod body;
mod caller;
mod chat_body;
mod chat_view;
mod chats;
mod checked;
mod chunk_view;
mod chunks;
mod completions;
mod dataset_body;
mod dataset_view;
mod datasets;
mod date;
mod description;
mod document_update;
mod document_view;
mod documents;
mod download;
mod envelope;
mod export;
mod fault;
mod feedback;
mod frames;
mod health;
mod keys;
mod layers;
mod metadata;
mod metrics;
mod openai;
mod openai_shape;
mod owned;
mod parser_config;
mod parsing;
mod python;
mod reference;
mod reports;
mod retrieval;
mod router;
mod server;
mod sessions;
mod texts;
mod upload;
mod usage;
mod workbook;

use std::sync::Arc;

use crate::service::Service;

pub use caller::caller;
pub use fault::Fault;
pub use router::router;
pub use server::{ServeError, Server};

/// What every handler has.
pub struct Web {
    pub service: Arc<Service>,
    /// Only this machine can reach it.
    pub loopback: bool,
    pub metrics: metrics::Metrics,
}
