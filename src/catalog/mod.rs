//! What exists: knowledge bases, documents, their live loads, tables, segments. SQLite is the commit point.
//!
//! Comes in: a [`Commit`], made after every row is stored. Goes out: a [`Snapshot`](crate::engine::Snapshot) for one answer.
//! Must never happen: a load that is live before all of its rows are; a reader that waits for a lock; two writers.

mod chats;
mod commit;
mod database;
mod datasets;
mod feedback;
mod files;
mod free_name;
mod lock;
mod migrate;
mod owners;
mod recent;
mod record;
mod run;
mod sessions;
mod snapshot;
mod stored;
#[cfg(test)]
mod tests;
mod text_search;
mod texts;
mod together;
mod twins;
mod usage;

pub use chats::{ChatRecord, PageQuery};
pub use commit::{Commit, Ended, NewLoad};
pub use database::{Catalog, CatalogError};
pub use datasets::{Created, DatasetQuery, DatasetRecord};
pub use feedback::{FeedbackQuery, FeedbackRecord};
pub use files::{FileQuery, FileRecord, NewFile, Task};
pub use lock::WriteLock;
pub use owners::{KeyRecord, OwnerRecord};
pub use record::{DocumentRecord, KbRecord, PartRecord, SheetRecord, TableRecord};
pub use run::Run;
pub use sessions::SessionRecord;
pub use stored::{RECEIVED, UPLOADS};
pub use texts::{NewText, TextRecord};
pub use usage::{KeptRecord, UsageRecord};
