//! The connection, and questions that read one table.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::Row;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
};

use super::migrate::{self, VERSION};
use super::recent::Recent;
use super::record::{DocumentRecord, KbRecord, PartRecord, TableRecord};
use super::stored::upload;
use crate::ids::Id;

/// Why the catalog can't answer.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("the catalog failed: {0}")]
    Database(#[from] sqlx::Error),
    #[error("the catalog is damaged: {0}")]
    Damaged(String),
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("another process is writing to {}; try again when it has finished", .0.display())]
    Busy(PathBuf),
    #[error(
        "the data folder was written by another version of sheetwise (catalog {found}, this is {VERSION}); use that version"
    )]
    Version { found: i64 },
    #[error("there is a knowledge base called {0:?} already")]
    NameTaken(String),
    #[error("there is a key called {0:?} already")]
    KeyTaken(String),
    #[error("the parse was stopped, or asked for once more, before it ended")]
    Overtaken,
}

/// The catalog of one data folder.
#[derive(Debug, Clone)]
pub struct Catalog {
    pub(super) pool: SqlitePool,
    /// The data folder.
    pub(super) folder: PathBuf,
    /// The owner of what is made without a key.
    pub(super) local: Id,
    pub(super) recent: Arc<Recent>,
}

impl Catalog {
    /// Opens or makes the catalog in `folder`. One that does not last trades durability for speed.
    pub async fn open(folder: &Path, lasting: bool) -> Result<Self, CatalogError> {
        let options = SqliteConnectOptions::new()
            .filename(folder.join("catalog.sqlite"))
            .create_if_missing(true)
            // SQLite's own folds ASCII letters alone.
            .collation("folded", |one, other| one.to_lowercase().cmp(&other.to_lowercase()))
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(30))
            .journal_mode(if lasting { SqliteJournalMode::Wal } else { SqliteJournalMode::Memory })
            .synchronous(if lasting { SqliteSynchronous::Full } else { SqliteSynchronous::Off });
        migrate::migrate(&options).await?;
        let pool = SqlitePoolOptions::new().max_connections(if lasting { 4 } else { 1 }).connect_with(options).await?;
        let local: String = sqlx::query_scalar("SELECT id FROM owner WHERE name = 'local'").fetch_one(&pool).await?;
        Ok(Self { pool, folder: folder.to_owned(), local: parsed(&local)?, recent: Arc::default() })
    }

    /// Makes an empty knowledge base of the local user.
    pub async fn create_kb(&self, name: &str) -> Result<Id, CatalogError> {
        let id = Id::new();
        let made = sqlx::query(
            "INSERT INTO kb (id, owner, name, created, updated) VALUES (?, ?, ?, ?, ?) ON CONFLICT (owner, name) DO NOTHING",
        )
        .bind(id.to_string())
        .bind(self.local.to_string())
        .bind(name)
        .bind(now())
        .bind(now())
        .execute(&self.pool)
        .await?;
        if made.rows_affected() == 0 { Err(CatalogError::NameTaken(name.to_owned())) } else { Ok(id) }
    }

    /// The local user's knowledge base of this name.
    pub async fn kb(&self, name: &str) -> Result<Option<Id>, CatalogError> {
        let id: Option<String> = sqlx::query_scalar("SELECT id FROM kb WHERE owner = ? AND name = ?")
            .bind(self.local.to_string())
            .bind(name)
            .fetch_optional(&self.pool)
            .await?;
        id.map(|id| parsed(&id)).transpose()
    }

    pub async fn remove_kb(&self, kb: Id) -> Result<(), CatalogError> {
        sqlx::query("DELETE FROM kb WHERE id = ?").bind(kb.to_string()).execute(&self.pool).await?;
        Ok(())
    }

    /// The local user's knowledge bases by name.
    pub async fn kbs(&self) -> Result<Vec<KbRecord>, CatalogError> {
        let rows = sqlx::query(
            "SELECT kb.id, kb.name, (SELECT COUNT(*) FROM document WHERE document.kb = kb.id AND document.gone = 0) AS files,
                    (SELECT COUNT(*) FROM shape WHERE shape.kb = kb.id) AS tables,
                    (SELECT COALESCE(SUM(part.rows), 0) FROM shape JOIN part ON part.shape = shape.id
                     JOIN load ON load.no = part.load WHERE shape.kb = kb.id AND load.live = 1) AS rows
             FROM kb WHERE kb.owner = ? ORDER BY kb.name",
        )
        .bind(self.local.to_string())
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(KbRecord {
                    id: parsed(row.get("id"))?,
                    name: row.get("name"),
                    files: count(row, "files"),
                    tables: count(row, "tables"),
                    rows: count(row, "rows"),
                })
            })
            .collect()
    }

    /// The documents of a knowledge base in the order they were added.
    pub async fn documents(&self, kb: Id) -> Result<Vec<DocumentRecord>, CatalogError> {
        let rows = sqlx::query(
            "SELECT document.*, load.no IS NOT NULL AND enabled = 1 AND gone = 0 AND run IN ('DONE', 'RUNNING') AS answers FROM document
             LEFT JOIN load ON load.document = document.id AND load.live = 1 WHERE kb = ? ORDER BY document.rowid",
        )
        .bind(kb.to_string())
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|row| document(&self.folder, row)).collect()
    }

    /// The reports of its documents' live loads in the order they were added, JSON.
    pub async fn reports(&self, kb: Id) -> Result<Vec<String>, CatalogError> {
        let reports = sqlx::query_scalar(
            "SELECT load.report FROM document JOIN load ON load.document = document.id AND load.live = 1
             WHERE kb = ? AND load.report <> '' ORDER BY document.rowid",
        );
        Ok(reports.bind(kb.to_string()).fetch_all(&self.pool).await?)
    }

    /// The tables of a knowledge base in the order they were made.
    pub async fn tables(&self, kb: Id) -> Result<Vec<TableRecord>, CatalogError> {
        let rows = sqlx::query("SELECT * FROM shape WHERE kb = ? ORDER BY rowid")
            .bind(kb.to_string())
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(table).collect()
    }

    /// What the live loads gave to the tables of a knowledge base.
    pub async fn parts(&self, kb: Id) -> Result<Vec<PartRecord>, CatalogError> {
        let rows = sqlx::query(
            "SELECT load.document, part.* FROM part JOIN load ON load.no = part.load AND load.live = 1
             JOIN shape ON shape.id = part.shape WHERE shape.kb = ? ORDER BY load.no",
        )
        .bind(kb.to_string())
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(part).collect()
    }
}

fn document(folder: &Path, row: &SqliteRow) -> Result<DocumentRecord, CatalogError> {
    Ok(DocumentRecord {
        id: parsed(row.get("id"))?,
        name: row.get("name"),
        hash: row.get("hash"),
        size: count(row, "size"),
        upload: upload(folder, row),
        options: row.get("options"),
        answers: row.get("answers"),
    })
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

pub(super) fn table(row: &SqliteRow) -> Result<TableRecord, CatalogError> {
    Ok(TableRecord {
        id: row.get("id"),
        name: row.get("name"),
        label: row.get("label"),
        key: row.get("key"),
        fields: json(row.get("fields"))?,
    })
}

pub(super) fn part(row: &SqliteRow) -> Result<PartRecord, CatalogError> {
    Ok(PartRecord {
        document: parsed(row.get("document"))?,
        table_id: row.get("shape"),
        rows: count(row, "rows"),
        profiles: row.get("profiles"),
        sheets: json(row.get("sheets"))?,
    })
}

pub(super) fn count(row: &SqliteRow, column: &str) -> u64 {
    u64::try_from(row.get::<i64, _>(column)).unwrap_or(0)
}

pub(super) fn parsed<T: FromStr>(text: &str) -> Result<T, CatalogError>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| CatalogError::Damaged(error.to_string()))
}

pub(super) fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, CatalogError> {
    serde_json::from_str(text).map_err(|error| CatalogError::Damaged(error.to_string()))
}

/// Ids as a JSON list, which a statement takes as one value.
pub(super) fn listed(ids: &[Id]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| format!("\"{id}\"")).collect();
    format!("[{}]", ids.join(","))
}
