//! What exists: knowledge bases, documents, their live loads, tables, segments. SQLite is the commit point.
//!
//! Comes in: a [`Commit`], made after every row is stored. Goes out: a [`Snapshot`](crate::engine::Snapshot) for one answer.
//! Must never happen: a load that is live before all of its rows are; a reader that waits for a lock; two writers.

mod commit;
mod database;
mod lock;
mod record;
mod snapshot;
#[cfg(test)]
mod tests;
mod together;

pub use commit::{Commit, NewLoad};
pub use database::{Catalog, CatalogError};
pub use lock::WriteLock;
pub use record::{DocumentRecord, KbRecord, PartRecord, SheetRecord, TableRecord};
