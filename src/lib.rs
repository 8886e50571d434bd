//! sheetwise: upload spreadsheets, ask about them, get the right number with the rows it came from.
//!
//! Modules stand in pipeline order; each imports only from those above it (`tests/house.rs` enforces it).

pub mod backoff;
pub mod config;
pub mod ids;
pub mod note;
pub mod value;

pub mod sheet;

pub mod schema;

pub mod tokens;

pub mod record;

pub mod sql;

pub mod query;

pub mod engine;

pub mod catalog;
pub mod llm;

pub mod ask;
pub mod ingest;

pub mod app;

pub mod service;

pub mod web;

pub mod mcp;

pub mod cli;
