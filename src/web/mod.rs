//! HTTP: RAGFlow's routes under `/api/v1`, and ours.
//!
//! Comes in: requests. Goes out: RAGFlow's envelope `{"code", "message", "data"}`, files, event streams.
//! Must never happen: a byte of another owner's; a body held whole in memory that is a file; an internal text in an answer.

mod asking;
mod body;
mod caller;
mod checked;
mod chunk_view;
mod chunks;
mod dataset_body;
mod dataset_view;
mod datasets;
mod date;
mod document_update;
mod document_view;
mod documents;
mod download;
mod envelope;
mod fault;
mod health;
mod layers;
mod owned;
mod parser_config;
mod parsing;
mod python;
mod reports;
mod router;
mod server;
mod upload;

use std::sync::Arc;

use crate::service::Service;

pub use router::router;
pub use server::{ServeError, Server};

/// What every handler has.
pub struct Web {
    pub service: Arc<Service>,
    /// Only this machine can reach it.
    pub loopback: bool,
}
