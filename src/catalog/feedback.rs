//! What askers think of answers, for the owner to read.

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};

use super::database::{Catalog, CatalogError, parsed};
use super::datasets::limit;
use crate::ids::Id;

/// One opinion on one answer.
#[derive(Debug, Clone)]
pub struct FeedbackRecord {
    pub id: Id,
    pub owner: Id,
    /// The dataset that was asked; `None` where it was a session's message.
    pub dataset: Option<Id>,
    /// The session and the id of its message.
    pub message: Option<(Id, String)>,
    pub thumbup: bool,
    /// The asker's words.
    pub text: String,
    pub question: String,
    pub answer: String,
    /// The statement that was run, where the asker sent it.
    pub sql: String,
    /// Milliseconds since 1970.
    pub created: i64,
}

/// Which opinions are listed, newest first.
#[derive(Debug, Clone, Default)]
pub struct FeedbackQuery {
    pub dataset: Option<Id>,
    pub thumbup: Option<bool>,
    pub skip: u64,
    pub take: u64,
}

impl Catalog {
    /// Keeps an opinion; a later one on the same message of a session takes its place.
    pub async fn put_feedback(&self, feedback: &FeedbackRecord) -> Result<(), CatalogError> {
        let (session, message) = feedback.message.clone().unzip();
        sqlx::query(
            "INSERT INTO feedback (id, owner, dataset, session, message, thumbup, text, question, answer, sql, created)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (session, message) DO UPDATE SET thumbup = excluded.thumbup, text = excluded.text,
                                                          created = excluded.created",
        )
        .bind(feedback.id.to_string())
        .bind(feedback.owner.to_string())
        .bind(feedback.dataset.map(|dataset| dataset.to_string()))
        .bind(session.map(|session| session.to_string()))
        .bind(message)
        .bind(feedback.thumbup)
        .bind(&feedback.text)
        .bind(&feedback.question)
        .bind(&feedback.answer)
        .bind(&feedback.sql)
        .bind(feedback.created)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// A page of the owner's opinions, and how many there are on all pages.
    pub async fn feedback(&self, owner: Id, query: &FeedbackQuery) -> Result<(Vec<FeedbackRecord>, u64), CatalogError> {
        let total: i64 = matching("SELECT COUNT(*) FROM feedback WHERE owner = ", owner, query)
            .build_query_scalar()
            .fetch_one(&self.pool)
            .await?;
        let mut sql = matching("SELECT * FROM feedback WHERE owner = ", owner, query);
        sql.push(" ORDER BY created DESC, rowid DESC LIMIT ").push_bind(limit(query.take));
        sql.push(" OFFSET ").push_bind(limit(query.skip));
        let rows = sql.build().fetch_all(&self.pool).await?;
        Ok((rows.iter().map(record).collect::<Result<_, _>>()?, u64::try_from(total).unwrap_or(0)))
    }
}

fn matching(select: &str, owner: Id, query: &FeedbackQuery) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(select);
    sql.push_bind(owner.to_string());
    if let Some(dataset) = query.dataset {
        sql.push(" AND dataset = ").push_bind(dataset.to_string());
    }
    if let Some(thumbup) = query.thumbup {
        sql.push(" AND thumbup = ").push_bind(thumbup);
    }
    sql
}

fn record(row: &SqliteRow) -> Result<FeedbackRecord, CatalogError> {
    let id = |column: &str| row.get::<Option<&str>, _>(column).map(parsed::<Id>).transpose();
    Ok(FeedbackRecord {
        id: parsed(row.get("id"))?,
        owner: parsed(row.get("owner"))?,
        dataset: id("dataset")?,
        message: id("session")?.zip(row.get("message")),
        thumbup: row.get("thumbup"),
        text: row.get("text"),
        question: row.get("question"),
        answer: row.get("answer"),
        sql: row.get("sql"),
        created: row.get("created"),
    })
}
