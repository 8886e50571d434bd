//! Documents as the service shows them: waiting, read, stopped, failed; and the queue of those to be read.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};

use super::database::{Catalog, CatalogError, count, listed, now, parsed};
use super::datasets::limit;
use super::free_name::free_name;
use super::run::Run;
use super::stored::upload;
use super::twins::{rest, wake};
use crate::ids::Id;

/// A document with its state.
#[derive(Debug, Clone)]
pub struct FileRecord {
    pub id: Id,
    pub kb: Id,
    pub name: String,
    pub size: u64,
    pub upload: PathBuf,
    /// What its owner set, JSON.
    pub details: String,
    pub run: Run,
    /// 0 to 1; −1 failed.
    pub progress: f64,
    pub message: String,
    /// When its parse was asked for; milliseconds since 1970.
    pub began: Option<i64>,
    /// Milliseconds that its last parse took.
    pub took: i64,
    pub enabled: bool,
    pub made: i64,
    pub updated: i64,
    /// Rows that can be seen while it is enabled.
    pub rows: u64,
    /// Texts added by hand, one for each time.
    pub texts: u64,
}

impl FileRecord {
    /// Rows and texts.
    pub fn chunks(&self) -> u64 {
        self.rows + self.texts
    }
}

/// A file that was received.
#[derive(Debug, Clone)]
pub struct NewFile {
    pub id: Id,
    pub name: String,
    /// SHA-256 of its bytes, hex.
    pub hash: String,
    pub size: u64,
    pub upload: PathBuf,
    /// How it is read, JSON.
    pub options: String,
    pub details: String,
}

/// Which documents of a dataset are listed, and in what order.
#[derive(Debug, Clone, Default)]
pub struct FileQuery {
    /// Only some of them.
    pub within: Option<Vec<Id>>,
    pub id: Option<Id>,
    pub name: Option<String>,
    /// In the name, up to case.
    pub keywords: Option<String>,
    /// Extensions without the dot.
    pub suffixes: Vec<String>,
    pub runs: Vec<Run>,
    pub made_from: Option<i64>,
    pub made_to: Option<i64>,
    /// A column of the list; the time it was made where it is none.
    pub order: Option<&'static str>,
    pub ascending: bool,
    pub skip: u64,
    pub take: u64,
}

impl FileQuery {
    /// All of them.
    pub fn all() -> Self {
        Self { take: u64::MAX, ..Self::default() }
    }
}

/// A document that waits to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Task {
    pub document: Id,
    pub kb: Id,
    pub ticket: i64,
}

/// What a document is said to be while it waits.
pub(super) const QUEUED: &str = "Task is queued...";

const FILE: &str = "SELECT document.*, (SELECT COALESCE(SUM(part.rows), 0) FROM load JOIN part ON part.load = load.no
    WHERE load.document = document.id AND load.live = 1 AND document.run IN ('DONE', 'RUNNING')) AS rows,
    (SELECT COALESCE(SUM(times), 0) FROM free_text WHERE free_text.document = document.id) AS texts
    FROM document WHERE document.gone = 0 AND document.kb = ";

impl Catalog {
    /// Keeps received files; a name that is taken in the dataset gets `(1)`. `false` where the dataset is gone.
    pub async fn add_files(&self, kb: Id, files: &[NewFile]) -> Result<bool, CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let is_there: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM kb WHERE id = ?)")
            .bind(kb.to_string())
            .fetch_one(&mut *transaction)
            .await?;
        if !is_there {
            return Ok(false);
        }
        let names: Vec<String> = sqlx::query_scalar("SELECT name FROM document WHERE kb = ?")
            .bind(kb.to_string())
            .fetch_all(&mut *transaction)
            .await?;
        let mut taken: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
        for file in files {
            let name = free_name(&file.name, &taken);
            sqlx::query(
                "INSERT INTO document (id, kb, name, hash, size, upload, options, details, run, progress, made, updated)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'UNSTART', 0, ?, ?)",
            )
            .bind(file.id.to_string())
            .bind(kb.to_string())
            .bind(&name)
            .bind(&file.hash)
            .bind(limit(file.size))
            .bind(file.upload.to_string_lossy().into_owned())
            .bind(&file.options)
            .bind(&file.details)
            .bind(now())
            .bind(now())
            .execute(&mut *transaction)
            .await?;
            taken.insert(name.to_lowercase());
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// A page of the dataset's documents, and how many there are on all pages.
    pub async fn files(&self, kb: Id, query: &FileQuery) -> Result<(Vec<FileRecord>, u64), CatalogError> {
        let counted = "SELECT COUNT(*) FROM document WHERE document.gone = 0 AND document.kb = ";
        let within = self.having(kb, query).await?;
        let total: i64 =
            matching(counted, kb, query, within.clone()).build_query_scalar().fetch_one(&self.pool).await?;
        let mut sql = matching(FILE, kb, query, within);
        let column = query.order.unwrap_or("document.made");
        let way = if query.ascending { "ASC" } else { "DESC" };
        sql.push(format!(" ORDER BY {column} {way}, document.rowid {way} LIMIT "));
        sql.push_bind(limit(query.take)).push(" OFFSET ").push_bind(limit(query.skip));
        let rows = sql.build().fetch_all(&self.pool).await?;
        Ok((rows.iter().map(|row| self.record(row)).collect::<Result<_, _>>()?, u64::try_from(total).unwrap_or(0)))
    }

    /// Documents with the query's keywords in their names, up to case: SQLite itself folds ASCII letters alone.
    async fn having(&self, kb: Id, query: &FileQuery) -> Result<Option<String>, CatalogError> {
        let Some(keywords) = query.keywords.as_deref().map(str::to_lowercase) else { return Ok(None) };
        let names = sqlx::query("SELECT id, name FROM document WHERE kb = ? AND gone = 0");
        let rows = names.bind(kb.to_string()).fetch_all(&self.pool).await?;
        let has = rows.iter().filter(|row| row.get::<&str, _>("name").to_lowercase().contains(&keywords));
        Ok(Some(listed(&has.map(|row| parsed(row.get("id"))).collect::<Result<Vec<Id>, _>>()?)))
    }

    /// The dataset's document of this id.
    pub async fn file(&self, kb: Id, id: Id) -> Result<Option<FileRecord>, CatalogError> {
        let query = FileQuery { id: Some(id), ..FileQuery::default() };
        let row = matching(FILE, kb, &query, None).build().fetch_optional(&self.pool).await?;
        row.as_ref().map(|row| self.record(row)).transpose()
    }

    /// The report of the document's live load, JSON; `None` where it has none.
    pub async fn file_report(&self, id: Id) -> Result<Option<String>, CatalogError> {
        let report = sqlx::query_scalar("SELECT report FROM load WHERE document = ? AND live = 1");
        Ok(report.bind(id.to_string()).fetch_optional(&self.pool).await?)
    }

    /// Changes name and settings; `NameTaken` where another document of the dataset is called exactly so. With `unread` it is read
    /// by the options from now on: its rows are dropped and it waits for a parse.
    pub async fn update_file(&self, file: &FileRecord, options: &str, unread: bool) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let taken: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM document WHERE kb = ? AND name = ? AND id <> ?)")
                .bind(file.kb.to_string())
                .bind(&file.name)
                .bind(file.id.to_string())
                .fetch_one(&mut *transaction)
                .await?;
        if taken {
            return Err(CatalogError::NameTaken(file.name.clone()));
        }
        if file.enabled && !unread {
            rest(&mut transaction, file.id).await?;
        }
        sqlx::query(
            "UPDATE document SET name = ?, options = CASE WHEN ? THEN ? ELSE options END, details = ?, enabled = ?, updated = ?
             WHERE id = ?",
        )
        .bind(&file.name)
        .bind(unread)
        .bind(options)
        .bind(&file.details)
        .bind(file.enabled)
        .bind(now())
        .bind(file.id.to_string())
        .execute(&mut *transaction)
        .await?;
        if unread {
            let reset = "run = 'UNSTART', progress = 0, message = '', began = NULL, took = 0, same_as = NULL";
            set(&mut transaction, &[file.id], reset).await?;
        }
        if unread || !file.enabled {
            wake(&mut transaction, &[file.id]).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Asks for a parse of each document. Rows that don't answer now don't answer while it waits.
    pub async fn queue(&self, documents: &[Id]) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let silent = "UPDATE load SET live = 0 WHERE document IN (SELECT document.id FROM json_each(?)
                      JOIN document ON document.id = value WHERE document.run NOT IN ('DONE', 'RUNNING'))";
        sqlx::query(silent).bind(listed(documents)).execute(&mut *transaction).await?;
        let queued = format!(
            "run = 'RUNNING', progress = 0.001, message = '{QUEUED}', began = {}, took = 0, same_as = NULL",
            now()
        );
        set(&mut transaction, documents, &queued).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Stops the parse of each document; its rows of before do not answer any more.
    pub async fn cancel(&self, documents: &[Id]) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        set(&mut transaction, documents, "run = 'CANCEL', progress = 0, message = '', took = 0, same_as = NULL")
            .await?;
        wake(&mut transaction, documents).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Hides documents from every reader; [`Catalog::gone`] lists them until their rows are removed.
    pub async fn hide(&self, documents: &[Id]) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        set(&mut transaction, documents, "gone = 1, name = id, run = 'CANCEL', same_as = NULL").await?;
        wake(&mut transaction, documents).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Documents that are hidden, by knowledge base.
    pub async fn gone(&self) -> Result<BTreeMap<Id, Vec<Id>>, CatalogError> {
        let rows = sqlx::query("SELECT id, kb FROM document WHERE gone = 1").fetch_all(&self.pool).await?;
        let mut gone: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        for row in &rows {
            gone.entry(parsed(row.get("kb"))?).or_default().push(parsed(row.get("id"))?);
        }
        Ok(gone)
    }

    /// So many of the documents that wait longest or are being read.
    pub async fn next_tasks(&self, most: usize) -> Result<Vec<Task>, CatalogError> {
        let rows = sqlx::query(
            "SELECT id, kb, ticket FROM document WHERE run = 'RUNNING' AND gone = 0 ORDER BY began, rowid LIMIT ?",
        )
        .bind(limit(most as u64))
        .fetch_all(&self.pool)
        .await?;
        let task = |row: &SqliteRow| {
            Ok(Task { document: parsed(row.get("id"))?, kb: parsed(row.get("kb"))?, ticket: row.get("ticket") })
        };
        rows.iter().map(task).collect()
    }

    /// Documents that wait or are being read.
    pub async fn queued(&self) -> Result<u64, CatalogError> {
        let queued: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM document WHERE run = 'RUNNING' AND gone = 0")
            .fetch_one(&self.pool)
            .await?;
        Ok(u64::try_from(queued).unwrap_or(0))
    }

    fn record(&self, row: &SqliteRow) -> Result<FileRecord, CatalogError> {
        Ok(FileRecord {
            id: parsed(row.get("id"))?,
            kb: parsed(row.get("kb"))?,
            name: row.get("name"),
            size: count(row, "size"),
            upload: upload(&self.folder, row),
            details: row.get("details"),
            run: Run::of(row.get("run")),
            progress: row.get("progress"),
            message: row.get("message"),
            began: row.get("began"),
            took: row.get("took"),
            enabled: row.get("enabled"),
            made: row.get("made"),
            updated: row.get("updated"),
            rows: count(row, "rows"),
            texts: count(row, "texts"),
        })
    }
}

/// Sets columns of documents; what was asked of them before counts no more.
async fn set(
    transaction: &mut sqlx::Transaction<'_, Sqlite>,
    documents: &[Id],
    columns: &str,
) -> Result<(), CatalogError> {
    let statement = format!(
        "UPDATE document SET {columns}, ticket = ticket + 1, updated = ?
         WHERE id IN (SELECT value FROM json_each(?))"
    );
    sqlx::query(sqlx::AssertSqlSafe(statement)).bind(now()).bind(listed(documents)).execute(&mut **transaction).await?;
    Ok(())
}

/// With the documents that have the keywords in their names, as a JSON list, where those are asked for.
fn matching(select: &str, kb: Id, query: &FileQuery, within: Option<String>) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(select);
    sql.push_bind(kb.to_string());
    if let Some(id) = query.id {
        sql.push(" AND document.id = ").push_bind(id.to_string());
    }
    if let Some(name) = &query.name {
        sql.push(" AND document.name = ").push_bind(name.clone());
    }
    for ids in within.into_iter().chain(query.within.as_deref().map(listed)) {
        sql.push(" AND document.id IN (SELECT value FROM json_each(").push_bind(ids).push("))");
    }
    if let Some(from) = query.made_from {
        sql.push(" AND document.made >= ").push_bind(from);
    }
    if let Some(to) = query.made_to {
        sql.push(" AND document.made <= ").push_bind(to);
    }
    for (n, suffix) in query.suffixes.iter().enumerate() {
        sql.push(if n == 0 { " AND (" } else { " OR " });
        let ending = format!(".{}", suffix.to_lowercase());
        sql.push("substr(lower(document.name), -").push_bind(limit(ending.chars().count() as u64));
        sql.push(") = ").push_bind(ending);
    }
    sql.push(if query.suffixes.is_empty() { "" } else { ")" });
    for (n, run) in query.runs.iter().enumerate() {
        sql.push(if n == 0 { " AND document.run IN (" } else { ", " }).push_bind(run.word());
    }
    sql.push(if query.runs.is_empty() { "" } else { ")" });
    sql
}
