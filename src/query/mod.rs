//! The DataFusion session that every engine runs statements in: same functions, same limits, same meaning of a value.
//!
//! Comes in: SQL text that an engine rendered, and the tables in scope. Goes out: exact rows, counted to the end.
//! Must never happen: a statement that sees a table not given to its own session; one that changes anything; row data in an error.

mod collect;
mod convert;
mod deadline;
mod failure;
mod joined_text;
mod session;
mod sharing;

pub use collect::{Rows, SourceCount, SourceRow};
pub use convert::{result_value, value};
pub use deadline::within;
pub use failure::QueryError;
pub use session::{Running, Session, Sessions};
pub use sharing::Shared;
