//! A model's reply becomes a statement that may run: `reply → guard → ground → scope → sources → render`.
//!
//! Comes in: a reply and the [`Schema`](crate::schema::Schema) in scope. Goes out: a [`ScopedSelect`], which only `admit` can make.
//! Must never happen: SQL that was not parsed, checked against the allow-list and scoped; SQL built from strings.

mod admit;
mod dialect;
mod ground;
mod growth;
mod guard;
mod lookup;
mod names;
mod parse;
mod predicate;
mod refusal;
pub mod render;
mod reply;
mod scope;
mod scoped;
mod shape;
mod sources;
pub(crate) mod tree;

#[cfg(test)]
mod tests;

pub use admit::admit;
pub use ground::Grounded;
pub use guard::{Guarded, guard};
pub use lookup::{Found, Lookup, Wanted};
pub use refusal::{Code, Refusal};
pub use reply::statement;
pub use scope::Scope;
pub use scoped::{OutColumn, SOURCES, ScopedSelect};
