//! Documents of the same bytes in one dataset: the rows of one stand for all of them.
//!
//! A document that rests on another (`same_as`) has no live rows. Must never happen: rows of both that count; a document that rests
//! on one that no longer answers.

use sqlx::Sqlite;

use super::database::{Catalog, CatalogError, listed, now};
use super::files::{QUEUED, Task};
use crate::ids::Id;

type Write<'a> = sqlx::Transaction<'a, Sqlite>;

/// Holds of a row `twin` with its load in `load`.
const ANSWERS: &str = "load.live = 1 AND twin.enabled = 1 AND twin.gone = 0 AND twin.run IN ('DONE', 'RUNNING')";

/// Another document of the same bytes whose rows can be seen, for a row of `document`.
fn answering() -> String {
    format!(
        "SELECT twin.id FROM document AS twin JOIN load ON load.document = twin.id
         WHERE twin.kb = document.kb AND twin.hash = document.hash AND twin.id <> document.id AND {ANSWERS}
         ORDER BY twin.rowid LIMIT 1"
    )
}

impl Catalog {
    /// Ends a parse that gave no rows: it failed, or the rows of a document of the same bytes stand for it. Nothing where the
    /// parse is no longer awaited; where that other document no longer answers, the parse is still to be done.
    pub async fn end_without_rows(
        &self,
        task: Task,
        twin: Option<Id>,
        message: &str,
        took: i64,
    ) -> Result<(), CatalogError> {
        let (run, progress) = if twin.is_some() { ("DONE", 1.0) } else { ("FAIL", -1.0) };
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let ended = sqlx::query(sqlx::AssertSqlSafe(format!(
            "UPDATE document SET run = ?1, progress = ?2, message = ?3, took = ?4, same_as = ?5, updated = ?6
             WHERE id = ?7 AND ticket = ?8 AND run = 'RUNNING' AND (?5 IS NULL OR EXISTS (
                 SELECT 1 FROM document AS twin JOIN load ON load.document = twin.id WHERE twin.id = ?5 AND {ANSWERS}))"
        )))
        .bind(run)
        .bind(progress)
        .bind(message)
        .bind(took)
        .bind(twin.map(|twin| twin.to_string()))
        .bind(now())
        .bind(task.document.to_string())
        .bind(task.ticket)
        .execute(&mut *transaction)
        .await?;
        match (twin, ended.rows_affected() > 0) {
            (_, false) => {}
            // Rows of an earlier reading would count beside the other document's.
            (Some(_), true) => drop_rows(&mut transaction, task.document).await?,
            (None, true) => wake(&mut transaction, &[task.document]).await?,
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// Documents that rested on others that no longer answer are read themselves.
pub(super) async fn wake(transaction: &mut Write<'_>, documents: &[Id]) -> Result<(), CatalogError> {
    sqlx::query(
        "UPDATE document SET run = 'RUNNING', progress = 0.001, message = ?, began = ?, ticket = ticket + 1,
                             same_as = NULL WHERE same_as IN (SELECT value FROM json_each(?))",
    )
    .bind(QUEUED)
    .bind(now())
    .bind(listed(documents))
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// A document that was disabled comes back: where another of the same bytes has been read meanwhile, it rests on that one.
pub(super) async fn rest(transaction: &mut Write<'_>, document: Id) -> Result<(), CatalogError> {
    let rests = sqlx::query(sqlx::AssertSqlSafe(format!(
        "UPDATE document SET same_as = CASE run WHEN 'DONE' THEN ({twin}) END
         WHERE id = ? AND enabled = 0 AND run IN ('DONE', 'RUNNING') AND EXISTS ({twin})
         AND EXISTS (SELECT 1 FROM load WHERE load.document = document.id AND load.live = 1)",
        twin = answering()
    )))
    .bind(document.to_string())
    .execute(&mut **transaction)
    .await?;
    if rests.rows_affected() > 0 { drop_rows(transaction, document).await } else { Ok(()) }
}

/// Whether the rows of another document of the same bytes can be seen.
pub(super) async fn has_twin(transaction: &mut Write<'_>, document: Id) -> Result<bool, CatalogError> {
    let statement = format!("SELECT EXISTS ({}) FROM document WHERE id = ?", answering());
    let found: Option<bool> = sqlx::query_scalar(sqlx::AssertSqlSafe(statement))
        .bind(document.to_string())
        .fetch_optional(&mut **transaction)
        .await?;
    Ok(found.unwrap_or(false))
}

async fn drop_rows(transaction: &mut Write<'_>, document: Id) -> Result<(), CatalogError> {
    sqlx::query("UPDATE load SET live = 0 WHERE document = ?")
        .bind(document.to_string())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}
