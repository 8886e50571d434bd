//! A model's reply becomes a statement that may run: `reply → guard → ground → scope → sources → render`.
//!
//! Comes in: a reply and the [`Schema`](crate::schema::Schema) in scope. Goes out: a [`ScopedSelect`], which only `admit` can make.
//! Must never happen: SQL that was not parsed, checked against the allow-list and scoped; SQL built from strings.

mod lookup;
mod refusal;
pub mod render;
mod scope;
mod scoped;

pub use lookup::{Found, Lookup, Wanted};
pub use refusal::{Code, Refusal};
pub use scope::Scope;
pub use scoped::{OutColumn, SOURCES, ScopedSelect};
