//! Writing the catalog, under a lock that one process holds.

use std::fs::{File, OpenOptions, TryLockError};
use std::time::Duration;

use chrono::Utc;
use serde::Serialize;
use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::read::{count, id, number};
use super::{Catalog, CatalogError, FinishedLoad, Kb, LoadedTable, NewDocument, PendingLoad, TableRecord};
use crate::engine::{LiveSegment, SegmentRef};
use crate::ids::Id;

/// Seconds that files of dead segments stay, for answers that began before.
const GRACE_SECONDS: i64 = 600;
/// Milliseconds between tries for the lock.
const RETRY: Duration = Duration::from_millis(50);

/// The only one that writes; the lock is freed when it is dropped.
pub struct Writer<'a> {
    catalog: &'a Catalog,
    _lock: File,
}

impl Catalog {
    /// Takes the writer's lock, waiting at most so many seconds. What a process that died had begun is forgotten.
    pub async fn write(&self, wait_seconds: u64) -> Result<Writer<'_>, CatalogError> {
        let path = self.folder.join("write.lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(|source| CatalogError::io(&path, source))?;
        let deadline = tokio::time::Instant::now() + Duration::from_secs(wait_seconds);
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(CatalogError::io(&path, source)),
                Err(TryLockError::WouldBlock) if tokio::time::Instant::now() >= deadline => {
                    return Err(CatalogError::Busy {
                        folder: self.folder.display().to_string(),
                        seconds: wait_seconds,
                    });
                }
                Err(TryLockError::WouldBlock) => tokio::time::sleep(RETRY).await,
            }
        }
        let writer = Writer { catalog: self, _lock: lock };
        writer.forget_broken().await?;
        Ok(writer)
    }
}

impl Writer<'_> {
    /// The first segment number that was never used.
    pub async fn next_segment(&self) -> Result<u32, CatalogError> {
        let last: Option<(i64,)> = sqlx::query_as("SELECT seq FROM sqlite_sequence WHERE name = 'segments'")
            .fetch_optional(&self.catalog.pool)
            .await?;
        number(last.map_or(0, |(last,)| last) + 1)
    }

    pub async fn create_kb(&self, name: &str) -> Result<Kb, CatalogError> {
        if self.catalog.kb_by_name(name).await?.is_some() {
            return Err(CatalogError::NameTaken(name.to_owned()));
        }
        let kb = Kb { id: Id::new(), name: name.to_owned(), created: now() };
        let mut change = self.begin().await?;
        sqlx::query("INSERT INTO kbs (id, name, created) VALUES (?, ?, ?)")
            .bind(kb.id.to_string())
            .bind(name)
            .bind(&kb.created)
            .execute(&mut *change)
            .await?;
        finish(change).await?;
        Ok(kb)
    }

    /// Removes a knowledge base with all that is in it.
    pub async fn remove_kb(&self, kb: Id) -> Result<(), CatalogError> {
        let mut change = self.begin().await?;
        sqlx::query("DELETE FROM kbs WHERE id = ?").bind(kb.to_string()).execute(&mut *change).await?;
        finish(change).await
    }

    /// Removes a document and the tables that only it had.
    pub async fn remove_document(&self, doc: Id) -> Result<(), CatalogError> {
        let mut change = self.begin().await?;
        sqlx::query("DELETE FROM documents WHERE id = ?").bind(doc.to_string()).execute(&mut *change).await?;
        drop_empty_tables(&mut change).await?;
        finish(change).await
    }

    /// Records a load before its first row. The document keeps its id where there is one of that name.
    pub async fn begin_load(&self, document: &NewDocument) -> Result<PendingLoad, CatalogError> {
        let mut change = self.begin().await?;
        let doc = document_id(&mut change, document).await?;
        let load = Id::new();
        let done = sqlx::query("INSERT INTO loads (id, doc, hash, size, stored, started) VALUES (?, ?, ?, ?, ?, ?)")
            .bind(load.to_string())
            .bind(doc.to_string())
            .bind(&document.hash)
            .bind(i64::try_from(document.size).unwrap_or(i64::MAX))
            .bind(&document.stored)
            .bind(now())
            .execute(&mut *change)
            .await?;
        change.commit().await?;
        Ok(PendingLoad { no: number(done.last_insert_rowid())?, id: load, doc })
    }

    /// Makes loads live and those before them dead, with the tables as they are from now on: all of it or nothing.
    pub async fn commit_loads(&self, tables: &[TableRecord], loads: &[FinishedLoad]) -> Result<(), CatalogError> {
        let mut change = self.begin().await?;
        for table in tables {
            put_table(&mut change, table).await?;
        }
        for load in loads {
            make_live(&mut change, load).await?;
        }
        drop_empty_tables(&mut change).await?;
        finish(change).await
    }

    /// Gives a load up; a document that never answered goes with it.
    pub async fn abandon(&self, load: &PendingLoad) -> Result<(), CatalogError> {
        let mut change = self.begin().await?;
        sqlx::query("DELETE FROM loads WHERE no = ? AND NOT live")
            .bind(i64::from(load.no))
            .execute(&mut *change)
            .await?;
        drop_documents_without_loads(&mut change).await?;
        finish(change).await
    }

    /// The segments of a physical table with their live loads.
    pub async fn live_segments(&self, table_id: &str) -> Result<Vec<LiveSegment>, CatalogError> {
        let rows: Vec<(i64, i64, i64, i64)> = sqlx::query_as(
            "SELECT s.no, s.rows, ls.load, ls.rows FROM segments s JOIN load_segments ls ON ls.segment = s.no
             JOIN loads l ON l.no = ls.load AND l.live WHERE s.table_id = ? ORDER BY s.no, ls.load",
        )
        .bind(table_id)
        .fetch_all(&self.catalog.pool)
        .await?;
        rows.chunk_by(|one, other| one.0 == other.0).map(|rows| live_segment(table_id, rows)).collect()
    }

    /// Names `new` in place of `old`, which hold the same live rows.
    pub async fn replace_segments(&self, old: &[u32], new: Option<&SegmentRef>) -> Result<(), CatalogError> {
        let mut change = self.begin().await?;
        let numbers = json(&old)?;
        if let Some(new) = new {
            put_segment(&mut change, new).await?;
            sqlx::query(
                "INSERT INTO load_segments (load, segment, rows) SELECT load, ?, SUM(rows) FROM load_segments
                 WHERE segment IN (SELECT value FROM json_each(?)) GROUP BY load",
            )
            .bind(i64::from(new.no))
            .bind(&numbers)
            .execute(&mut *change)
            .await?;
        }
        sqlx::query("DELETE FROM load_segments WHERE segment IN (SELECT value FROM json_each(?))")
            .bind(&numbers)
            .execute(&mut *change)
            .await?;
        finish(change).await
    }

    /// Forgets segments that died long enough ago, and gives all others: what the engine's sweep must keep.
    pub async fn kept_segments(&self) -> Result<Vec<SegmentRef>, CatalogError> {
        let grace = if self.catalog.temporary { 0 } else { GRACE_SECONDS };
        sqlx::query("DELETE FROM segments WHERE dead_since <= ?")
            .bind(Utc::now().timestamp() - grace)
            .execute(&self.catalog.pool)
            .await?;
        let rows: Vec<(i64, String, i64)> =
            sqlx::query_as("SELECT no, table_id, rows FROM segments ORDER BY no").fetch_all(&self.catalog.pool).await?;
        rows.into_iter()
            .map(|(no, table_id, rows)| Ok(SegmentRef { no: number(no)?, table_id, rows: count(rows) }))
            .collect()
    }

    async fn begin(&self) -> Result<Transaction<'static, Sqlite>, CatalogError> {
        Ok(self.catalog.pool.begin_with("BEGIN IMMEDIATE").await?)
    }

    async fn forget_broken(&self) -> Result<(), CatalogError> {
        let mut change = self.begin().await?;
        let gone = sqlx::query("DELETE FROM loads WHERE NOT live").execute(&mut *change).await?.rows_affected();
        if gone == 0 {
            return Ok(());
        }
        drop_documents_without_loads(&mut change).await?;
        finish(change).await
    }
}

/// Every change ends here: segments without a load are dead, and a new version is seen.
async fn finish(mut change: Transaction<'static, Sqlite>) -> Result<(), CatalogError> {
    sqlx::query(
        "UPDATE segments SET dead_since = ? WHERE dead_since IS NULL
         AND NOT EXISTS (SELECT 1 FROM load_segments WHERE segment = segments.no)",
    )
    .bind(Utc::now().timestamp())
    .execute(&mut *change)
    .await?;
    sqlx::query("UPDATE state SET version = version + 1").execute(&mut *change).await?;
    Ok(change.commit().await?)
}

async fn document_id(change: &mut SqliteConnection, document: &NewDocument) -> Result<Id, CatalogError> {
    let found: Option<(String,)> = sqlx::query_as("SELECT id FROM documents WHERE kb = ? AND name = ?")
        .bind(document.kb.to_string())
        .bind(&document.name)
        .fetch_optional(&mut *change)
        .await?;
    if let Some((found,)) = found {
        return id(&found);
    }
    let doc = Id::new();
    sqlx::query("INSERT INTO documents (id, kb, name, created) VALUES (?, ?, ?, ?)")
        .bind(doc.to_string())
        .bind(document.kb.to_string())
        .bind(&document.name)
        .bind(now())
        .execute(change)
        .await?;
    Ok(doc)
}

async fn put_table(change: &mut SqliteConnection, table: &TableRecord) -> Result<(), CatalogError> {
    sqlx::query(
        "INSERT INTO tables (id, kb, name, label, shape, fields, decisions) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, label = excluded.label, shape = excluded.shape,
         fields = excluded.fields, decisions = excluded.decisions",
    )
    .bind(&table.id)
    .bind(table.kb.to_string())
    .bind(&table.name)
    .bind(&table.label)
    .bind(&table.shape)
    .bind(json(&table.fields)?)
    .bind(json(&table.decisions)?)
    .execute(change)
    .await?;
    Ok(())
}

async fn make_live(change: &mut SqliteConnection, finished: &FinishedLoad) -> Result<(), CatalogError> {
    let no = i64::from(finished.load.no);
    sqlx::query("DELETE FROM loads WHERE doc = ? AND no <> ?")
        .bind(finished.load.doc.to_string())
        .bind(no)
        .execute(&mut *change)
        .await?;
    sqlx::query("UPDATE loads SET live = 1, report = ? WHERE no = ?")
        .bind(json(&finished.report)?)
        .bind(no)
        .execute(&mut *change)
        .await?;
    for table in &finished.tables {
        put_loaded(change, no, table).await?;
    }
    Ok(())
}

async fn put_loaded(change: &mut SqliteConnection, load: i64, table: &LoadedTable) -> Result<(), CatalogError> {
    sqlx::query("INSERT INTO load_tables (load, table_id, rows, profile, sheets, captions) VALUES (?, ?, ?, ?, ?, ?)")
        .bind(load)
        .bind(&table.table_id)
        .bind(i64::try_from(table.rows).unwrap_or(i64::MAX))
        .bind(json(&table.profile)?)
        .bind(json(&table.sheets)?)
        .bind(json(&table.captions)?)
        .execute(&mut *change)
        .await?;
    for segment in &table.segments {
        put_segment(change, segment).await?;
        sqlx::query("INSERT INTO load_segments (load, segment, rows) VALUES (?, ?, ?)")
            .bind(load)
            .bind(i64::from(segment.no))
            .bind(i64::try_from(segment.rows).unwrap_or(i64::MAX))
            .execute(&mut *change)
            .await?;
    }
    Ok(())
}

async fn put_segment(change: &mut SqliteConnection, segment: &SegmentRef) -> Result<(), CatalogError> {
    sqlx::query("INSERT INTO segments (no, table_id, rows) VALUES (?, ?, ?)")
        .bind(i64::from(segment.no))
        .bind(&segment.table_id)
        .bind(i64::try_from(segment.rows).unwrap_or(i64::MAX))
        .execute(change)
        .await?;
    Ok(())
}

async fn drop_empty_tables(change: &mut SqliteConnection) -> Result<(), CatalogError> {
    sqlx::query("DELETE FROM tables WHERE id NOT IN (SELECT table_id FROM load_tables)").execute(change).await?;
    Ok(())
}

async fn drop_documents_without_loads(change: &mut SqliteConnection) -> Result<(), CatalogError> {
    sqlx::query("DELETE FROM documents WHERE id NOT IN (SELECT doc FROM loads)").execute(change).await?;
    Ok(())
}

fn live_segment(table_id: &str, rows: &[(i64, i64, i64, i64)]) -> Result<LiveSegment, CatalogError> {
    let (no, stored, ..) = rows[0];
    let live: i64 = rows.iter().map(|row| row.3).sum();
    let loads = rows.iter().map(|row| number(row.2)).collect::<Result<Vec<u32>, _>>()?;
    let segment = SegmentRef { no: number(no)?, table_id: table_id.to_owned(), rows: count(stored) };
    Ok(LiveSegment { segment, docs: (live != stored).then_some(loads) })
}

fn json<T: Serialize>(value: &T) -> Result<String, CatalogError> {
    serde_json::to_string(value).map_err(|error| CatalogError::damaged("a value", error))
}

fn now() -> String {
    Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string()
}
