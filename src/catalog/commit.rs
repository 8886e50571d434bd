//! One transaction makes a set of loads live and the ones before them dead.

use std::collections::{BTreeSet, HashSet};

use sqlx::{Row, Sqlite, Transaction};

use super::database::{Catalog, CatalogError, listed, now};
use super::record::{DocumentRecord, PartRecord, TableRecord};
use super::twins::{has_twin, wake};
use crate::engine::SegmentRef;
use crate::ids::Id;

/// One load whose rows are all stored.
#[derive(Debug, Clone)]
pub struct NewLoad {
    /// Given by [`Catalog::begin`].
    pub no: u32,
    pub document: DocumentRecord,
    /// What was read of it, JSON.
    pub report: String,
    pub parts: Vec<PartRecord>,
    /// It was read anew for the sake of another document: whether it answers stays as it was.
    pub again: bool,
}

/// The parse that a commit ends; one that was stopped, or asked for once more, must not become live.
#[derive(Debug, Clone)]
pub struct Ended {
    pub document: Id,
    pub ticket: i64,
    pub message: String,
    /// Milliseconds.
    pub took: i64,
}

/// Everything that becomes visible at once.
#[derive(Debug, Clone, Default)]
pub struct Commit {
    /// New tables, and those whose fields changed.
    pub tables: Vec<TableRecord>,
    pub loads: Vec<NewLoad>,
    /// New segments with the numbers of the loads that have rows in them.
    pub segments: Vec<(SegmentRef, Vec<u32>)>,
    /// `None` where no parse was asked for: the documents answer from now on.
    pub ended: Option<Ended>,
}

impl Catalog {
    /// Records `count` loads before their first row, and gives their numbers.
    pub async fn begin(&self, count: usize) -> Result<Vec<u32>, CatalogError> {
        let mut transaction = self.pool.begin().await?;
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            let row = sqlx::query("INSERT INTO load (id) VALUES (?) RETURNING no")
                .bind(Id::new().to_string())
                .fetch_one(&mut *transaction)
                .await?;
            numbers.push(number(row.get("no"))?);
        }
        transaction.commit().await?;
        Ok(numbers)
    }

    /// The first segment number that no commit has used.
    pub async fn next_segment(&self) -> Result<u32, CatalogError> {
        let next: i64 =
            sqlx::query_scalar("SELECT next FROM counter WHERE name = 'segment'").fetch_one(&self.pool).await?;
        number(next)
    }

    /// Makes the loads live; a document of the same id loses its load of before.
    pub async fn commit(&self, kb: Id, commit: &Commit) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        if let Some(ended) = &commit.ended {
            end(&mut transaction, ended).await?;
        }
        for table in &commit.tables {
            put_table(&mut transaction, kb, table).await?;
        }
        for load in &commit.loads {
            put_load(&mut transaction, kb, load).await?;
            if commit.ended.is_none() && !load.again {
                answers(&mut transaction, load.document.id).await?;
            }
        }
        for (segment, loads) in &commit.segments {
            put_segment(&mut transaction, segment, loads).await?;
        }
        drop_empty(&mut transaction).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Names a merged segment in the place of those it was made from; `None` where no live row was left.
    pub async fn replace_segments(&self, old: &[u32], new: Option<&SegmentRef>) -> Result<(), CatalogError> {
        // It reads before it writes: it must be the writer from the start.
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let mut loads = BTreeSet::new();
        for no in old {
            let live: Vec<i64> = sqlx::query_scalar(
                "SELECT content.load FROM content JOIN load ON load.no = content.load AND load.live = 1 WHERE segment = ?",
            )
            .bind(i64::from(*no))
            .fetch_all(&mut *transaction)
            .await?;
            loads.extend(live.into_iter().map(number).collect::<Result<Vec<u32>, _>>()?);
            sqlx::query("DELETE FROM segment WHERE no = ?").bind(i64::from(*no)).execute(&mut *transaction).await?;
        }
        if let Some(segment) = new {
            put_segment(&mut transaction, segment, &Vec::from_iter(loads)).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Removes documents with their rows; `tables` are those they are in, with the fields that they have without them.
    pub async fn remove_documents(&self, documents: &[Id], tables: &[TableRecord]) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        for table in tables {
            sqlx::query("UPDATE shape SET fields = ? WHERE id = ?")
                .bind(text(&table.fields)?)
                .bind(&table.id)
                .execute(&mut *transaction)
                .await?;
        }
        wake(&mut transaction, documents).await?;
        sqlx::query("DELETE FROM document WHERE id IN (SELECT value FROM json_each(?))")
            .bind(listed(documents))
            .execute(&mut *transaction)
            .await?;
        drop_empty(&mut transaction).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Forgets loads that are not live, and gives the segments that are named. What a document gave to its tables before is known
    /// until it is read anew, so that they keep their names. Only under the write lock.
    pub async fn sweep(&self) -> Result<Vec<SegmentRef>, CatalogError> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "DELETE FROM load WHERE live = 0 AND NOT EXISTS
             (SELECT 1 FROM document WHERE document.id = load.document AND document.run = 'RUNNING' AND document.gone = 0)",
        )
        .execute(&mut *transaction)
        .await?;
        drop_empty(&mut transaction).await?;
        let rows = sqlx::query("SELECT no, shape, rows FROM segment").fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        rows.iter()
            .map(|row| {
                Ok(SegmentRef {
                    no: number(row.get("no"))?,
                    table_id: row.get("shape"),
                    rows: super::database::count(row, "rows"),
                })
            })
            .collect()
    }

    /// Hashes of the uploads that documents name.
    pub async fn uploads(&self) -> Result<HashSet<String>, CatalogError> {
        let hashes: Vec<String> =
            sqlx::query_scalar("SELECT DISTINCT hash FROM document").fetch_all(&self.pool).await?;
        Ok(hashes.into_iter().collect())
    }
}

type Write<'a> = Transaction<'a, Sqlite>;

/// A table that goes with this commit leaves its name to one that comes.
async fn put_table(transaction: &mut Write<'_>, kb: Id, table: &TableRecord) -> Result<(), CatalogError> {
    sqlx::query("UPDATE shape SET name = id WHERE kb = ? AND name = ? AND id <> ?")
        .bind(kb.to_string())
        .bind(&table.name)
        .bind(&table.id)
        .execute(&mut **transaction)
        .await?;
    sqlx::query(
        "INSERT INTO shape (id, kb, name, label, key, fields) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET label = excluded.label, fields = excluded.fields",
    )
    .bind(&table.id)
    .bind(kb.to_string())
    .bind(&table.name)
    .bind(&table.label)
    .bind(&table.key)
    .bind(text(&table.fields)?)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// Marks the parse as done, where it is still the one that is awaited and its rows are to count.
async fn end(transaction: &mut Write<'_>, ended: &Ended) -> Result<(), CatalogError> {
    if has_twin(transaction, ended.document).await? {
        return Err(CatalogError::Overtaken);
    }
    let changed = sqlx::query(
        "UPDATE document SET run = 'DONE', progress = 1, message = ?, took = ?, same_as = NULL, updated = ?
         WHERE id = ? AND ticket = ? AND run = 'RUNNING' AND gone = 0",
    )
    .bind(&ended.message)
    .bind(ended.took)
    .bind(now())
    .bind(ended.document.to_string())
    .bind(ended.ticket)
    .execute(&mut **transaction)
    .await?;
    if changed.rows_affected() == 0 { Err(CatalogError::Overtaken) } else { Ok(()) }
}

async fn answers(transaction: &mut Write<'_>, document: Id) -> Result<(), CatalogError> {
    sqlx::query(
        "UPDATE document SET run = 'DONE', progress = 1, message = '', ticket = ticket + 1, same_as = NULL, gone = 0,
                             made = CASE made WHEN 0 THEN ?1 ELSE made END, updated = ?1 WHERE id = ?2",
    )
    .bind(now())
    .bind(document.to_string())
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

async fn put_load(transaction: &mut Write<'_>, kb: Id, load: &NewLoad) -> Result<(), CatalogError> {
    let document = &load.document;
    let id = document.id.to_string();
    let replaced = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM document WHERE id = ? AND hash <> ?)");
    if replaced.bind(&id).bind(&document.hash).fetch_one(&mut **transaction).await? {
        wake(transaction, &[document.id]).await?;
    }
    sqlx::query(
        "INSERT INTO document (id, kb, name, hash, size, upload, options) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, size = excluded.size, upload = excluded.upload,
                                        options = CASE WHEN ? THEN options ELSE excluded.options END",
    )
    .bind(&id)
    .bind(kb.to_string())
    .bind(&document.name)
    .bind(&document.hash)
    .bind(i64::try_from(document.size).unwrap_or(i64::MAX))
    .bind(document.upload.to_string_lossy().into_owned())
    .bind(&document.options)
    // Its owner may have set others meanwhile.
    .bind(load.again)
    .execute(&mut **transaction)
    .await?;
    sqlx::query("DELETE FROM load WHERE document = ?").bind(&id).execute(&mut **transaction).await?;
    sqlx::query("UPDATE load SET document = ?, live = 1, report = ? WHERE no = ?")
        .bind(&id)
        .bind(&load.report)
        .bind(i64::from(load.no))
        .execute(&mut **transaction)
        .await?;
    for part in &load.parts {
        sqlx::query("INSERT INTO part (load, shape, rows, profiles, sheets) VALUES (?, ?, ?, ?, ?)")
            .bind(i64::from(load.no))
            .bind(&part.table_id)
            .bind(i64::try_from(part.rows).unwrap_or(i64::MAX))
            .bind(&part.profiles)
            .bind(text(&part.sheets)?)
            .execute(&mut **transaction)
            .await?;
    }
    Ok(())
}

async fn put_segment(transaction: &mut Write<'_>, segment: &SegmentRef, loads: &[u32]) -> Result<(), CatalogError> {
    sqlx::query("INSERT INTO segment (no, shape, rows) VALUES (?, ?, ?)")
        .bind(i64::from(segment.no))
        .bind(&segment.table_id)
        .bind(i64::try_from(segment.rows).unwrap_or(i64::MAX))
        .execute(&mut **transaction)
        .await?;
    for load in loads {
        sqlx::query("INSERT INTO content (segment, load) VALUES (?, ?)")
            .bind(i64::from(segment.no))
            .bind(i64::from(*load))
            .execute(&mut **transaction)
            .await?;
    }
    sqlx::query("UPDATE counter SET next = MAX(next, ? + 1) WHERE name = 'segment'")
        .bind(i64::from(segment.no))
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// Segments without a live row, and tables without a part, go.
async fn drop_empty(transaction: &mut Write<'_>) -> Result<(), CatalogError> {
    sqlx::query(
        "DELETE FROM segment WHERE NOT EXISTS (SELECT 1 FROM content JOIN load ON load.no = content.load AND load.live = 1
                                               WHERE content.segment = segment.no)",
    )
    .execute(&mut **transaction)
    .await?;
    sqlx::query("DELETE FROM shape WHERE NOT EXISTS (SELECT 1 FROM part WHERE part.shape = shape.id)")
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

fn text(value: &impl serde::Serialize) -> Result<String, CatalogError> {
    serde_json::to_string(value).map_err(|error| CatalogError::Damaged(error.to_string()))
}

pub(super) fn number(no: i64) -> Result<u32, CatalogError> {
    u32::try_from(no).map_err(|_| CatalogError::Damaged(format!("{no} is out of range for a number")))
}
