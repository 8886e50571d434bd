//! Which cells a question names.
//!
//! Comes in: the distinct cells of the text columns of each segment, once; a question. Goes out: mentions with their bytes.
//! Must never happen: every cell compared with every word of a question.

mod fuzzy;
mod index;
mod kept;
mod packed;
mod question;
mod variants;

pub(super) use kept::MentionIndexes;
