//! What there is: knowledge bases, documents, tables, loads and the segments that hold them; in SQLite.
//!
//! Comes in: loads that begin, end or are given up. Goes out: a [`Snapshot`] that a whole answer is read from.
//! Must never happen: a load that is live in part; two processes that write at once; a number used twice.

mod failure;
mod migrate;
mod read;
mod record;
mod snapshot;
mod write;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::engine::Snapshot;
use crate::sql::Scope;

pub use failure::CatalogError;
pub use record::{FinishedLoad, Kb, LoadedTable, NewDocument, PendingLoad, StoredDocument, TableRecord};
pub use write::Writer;

/// Seconds that a statement waits for another process's transaction.
const BUSY: Duration = Duration::from_secs(10);
/// Connections that read at the same time.
const CONNECTIONS: u32 = 4;

/// The catalog of one data folder.
pub struct Catalog {
    pool: SqlitePool,
    folder: PathBuf,
    /// Nothing of it outlives the process.
    temporary: bool,
    last: Mutex<Option<(Scope, i64, Arc<Snapshot>)>>,
}

impl Catalog {
    /// Opens or makes the catalog in a folder. A temporary one is never forced to the disk.
    pub async fn open(folder: &Path, temporary: bool) -> Result<Self, CatalogError> {
        std::fs::create_dir_all(folder).map_err(|source| CatalogError::io(folder, source))?;
        let path = folder.join("catalog.sqlite");
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true)
            .foreign_keys(true)
            .journal_mode(if temporary { SqliteJournalMode::Memory } else { SqliteJournalMode::Wal })
            .synchronous(if temporary { SqliteSynchronous::Off } else { SqliteSynchronous::Full })
            .busy_timeout(BUSY);
        let connections = if temporary { 1 } else { CONNECTIONS };
        let pool = SqlitePoolOptions::new().max_connections(connections).connect_with(options).await?;
        migrate::migrate(&pool).await?;
        Ok(Self { pool, folder: folder.to_owned(), temporary, last: Mutex::default() })
    }
}
