//! What exists: knowledge bases, documents, their live loads, tables, segments. SQLite is the commit point.
//!
//! Comes in: a [`Commit`], made after every row is stored. Goes out: a [`Snapshot`](crate::engine::Snapshot) for one answer.
//! Must never happen: a load that is live before all of its rows are; a reader that waits for a lock; two writers.

mod chats;
mod commit;
mod database;
mod datasets;
mod files;
mod free_name;
mod lock;
mod migrate;
mod owners;
mod recent;
mod record;
mod sessions;
mod snapshot;
mod stored;
#[cfg(test)]
mod tests;
mod together;
mod twins;

pub use chats::{ChatRecord, PageQuery};
pub use commit::{Commit, Ended, NewLoad};
pub use database::{Catalog, CatalogError};
pub use datasets::{Created, DatasetQuery, DatasetRecord};
pub use files::{FileQuery, FileRecord, NewFile, Run, Task};
pub use lock::WriteLock;
pub use owners::{KeyRecord, OwnerRecord};
pub use record::{DocumentRecord, KbRecord, PartRecord, SheetRecord, TableRecord};
pub use sessions::SessionRecord;
pub use stored::{RECEIVED, UPLOADS};
