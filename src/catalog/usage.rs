//! What is done and kept for an owner.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::database::{Catalog, CatalogError, count};
use super::datasets::limit;
use crate::ids::Id;

/// Work done for an owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageRecord {
    pub questions: u64,
    pub statements: u64,
    pub model_calls: u64,
    /// As the model's server counts them.
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

impl UsageRecord {
    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            questions: self.questions + other.questions,
            statements: self.statements + other.statements,
            model_calls: self.model_calls + other.model_calls,
            prompt_tokens: self.prompt_tokens + other.prompt_tokens,
            completion_tokens: self.completion_tokens + other.completion_tokens,
        }
    }
}

/// What is kept for an owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeptRecord {
    pub datasets: u64,
    pub documents: u64,
    /// Of the uploaded files.
    pub bytes: u64,
    /// Rows that can be seen.
    pub rows: u64,
    /// Texts added by hand.
    pub texts: u64,
}

const LIVE: &str = "FROM kb JOIN document ON document.kb = kb.id AND document.gone = 0";

impl Catalog {
    /// Counts work of a day (`2025-03-11`) in.
    pub async fn add_work(&self, day: &str, done: &[(Id, UsageRecord)]) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        for (owner, work) in done {
            sqlx::query(
                "INSERT INTO usage (owner, day, questions, statements, model_calls, prompt_tokens, completion_tokens)
                 VALUES (?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (owner, day) DO UPDATE SET questions = questions + excluded.questions,
                     statements = statements + excluded.statements, model_calls = model_calls + excluded.model_calls,
                     prompt_tokens = prompt_tokens + excluded.prompt_tokens,
                     completion_tokens = completion_tokens + excluded.completion_tokens",
            )
            .bind(owner.to_string())
            .bind(day)
            .bind(limit(work.questions))
            .bind(limit(work.statements))
            .bind(limit(work.model_calls))
            .bind(limit(work.prompt_tokens))
            .bind(limit(work.completion_tokens))
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// The owner's last days with work, newest first.
    pub async fn work(&self, owner: Id, days: u64) -> Result<Vec<(String, UsageRecord)>, CatalogError> {
        let rows = sqlx::query("SELECT * FROM usage WHERE owner = ? ORDER BY day DESC LIMIT ?")
            .bind(owner.to_string())
            .bind(limit(days))
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.iter().map(|row| (row.get("day"), work(row))).collect())
    }

    /// What is kept for the owner now.
    pub async fn kept(&self, owner: Id) -> Result<KeptRecord, CatalogError> {
        let statement = format!(
            "SELECT (SELECT COUNT(*) FROM kb WHERE owner = ?1) AS datasets,
                    (SELECT COUNT(*) {LIVE} WHERE kb.owner = ?1) AS documents,
                    (SELECT COALESCE(SUM(document.size), 0) {LIVE} WHERE kb.owner = ?1) AS bytes,
                    (SELECT COALESCE(SUM(part.rows), 0) {LIVE} JOIN load ON load.document = document.id AND load.live = 1
                     JOIN part ON part.load = load.no WHERE kb.owner = ?1 AND document.run IN ('DONE', 'RUNNING')) AS rows,
                    (SELECT COALESCE(SUM(times), 0) {LIVE} JOIN free_text ON free_text.document = document.id
                     WHERE kb.owner = ?1) AS texts"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(statement)).bind(owner.to_string()).fetch_one(&self.pool).await?;
        Ok(KeptRecord {
            datasets: count(&row, "datasets"),
            documents: count(&row, "documents"),
            bytes: count(&row, "bytes"),
            rows: count(&row, "rows"),
            texts: count(&row, "texts"),
        })
    }
}

fn work(row: &SqliteRow) -> UsageRecord {
    UsageRecord {
        questions: count(row, "questions"),
        statements: count(row, "statements"),
        model_calls: count(row, "model_calls"),
        prompt_tokens: count(row, "prompt_tokens"),
        completion_tokens: count(row, "completion_tokens"),
    }
}
