//! A scoped tree as the text of an engine's dialect, read back and compared.
//!
//! Must never happen: a text that an engine reads as another tree.

mod embedded;

pub use embedded::{embedded, embedded_exact};
