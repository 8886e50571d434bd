//! The lexical index: one Tantivy index for each row group of a segment, whose document numbers are its rows.
//!
//! Comes in: segments and words. Goes out: rows that have the words, and rows by relevance.
//! Must never happen: an index that other rows show through; an index half built that counts as whole.

mod build;
mod content;
mod rank;
mod shard;
mod words;

pub(super) use build::build;
pub(super) use rank::rank;
pub(super) use shard::Shards;
