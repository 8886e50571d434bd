//! Which cells a question names.
//!
//! Comes in: the distinct cells of text columns, once; a question. Goes out: mentions with their bytes.
//! Must never happen: every cell compared with every word of a question.

mod fuzzy;
mod index;
mod packed;
mod question;
mod variants;

pub(super) use index::{Indexed, find};
pub(super) use packed::{Building, Packed};
