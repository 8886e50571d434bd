//! Sessions of a chat, and what was said in them.

use std::collections::HashMap;

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row};

use super::chats::PageQuery;
use super::database::{Catalog, CatalogError, now, parsed};
use crate::ids::Id;

/// One conversation.
#[derive(Debug, Clone)]
pub struct SessionRecord {
    pub id: Id,
    pub chat: Id,
    pub name: String,
    /// Whom the client says it is for.
    pub user_id: String,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
    /// Turns in order, JSON.
    pub messages: Vec<String>,
}

impl Catalog {
    /// Keeps a new session with its first messages.
    pub async fn add_session(&self, session: &SessionRecord) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query("INSERT INTO session (id, chat, name, user_id, created, updated) VALUES (?, ?, ?, ?, ?, ?)")
            .bind(session.id.to_string())
            .bind(session.chat.to_string())
            .bind(&session.name)
            .bind(&session.user_id)
            .bind(session.created)
            .bind(session.updated)
            .execute(&mut *transaction)
            .await?;
        for message in &session.messages {
            sqlx::query("INSERT INTO message (session, body) VALUES (?, ?)")
                .bind(session.id.to_string())
                .bind(message)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Adds a question with its answer.
    pub async fn say(&self, session: Id, messages: &[String]) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        for message in messages {
            sqlx::query("INSERT INTO message (session, body) VALUES (?, ?)")
                .bind(session.to_string())
                .bind(message)
                .execute(&mut *transaction)
                .await?;
        }
        sqlx::query("UPDATE session SET updated = ? WHERE id = ?")
            .bind(now())
            .bind(session.to_string())
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }

    pub async fn rename_session(&self, session: Id, name: &str) -> Result<(), CatalogError> {
        sqlx::query("UPDATE session SET name = ?, updated = ? WHERE id = ?")
            .bind(name)
            .bind(now())
            .bind(session.to_string())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// A page of a chat's sessions with what was said in them.
    pub async fn sessions(&self, chat: Id, query: &PageQuery) -> Result<Vec<SessionRecord>, CatalogError> {
        let mut sql = QueryBuilder::new("SELECT * FROM session WHERE chat = ");
        sql.push_bind(chat.to_string());
        if let Some(user_id) = &query.user_id {
            sql.push(" AND user_id = ").push_bind(user_id.clone());
        }
        query.narrow(&mut sql);
        let rows = sql.build().fetch_all(&self.pool).await?;
        let mut sessions = rows.iter().map(record).collect::<Result<Vec<_>, CatalogError>>()?;
        let mut said = self.said(&sessions).await?;
        for session in &mut sessions {
            session.messages = said.remove(&session.id.to_string()).unwrap_or_default();
        }
        Ok(sessions)
    }

    async fn said(&self, sessions: &[SessionRecord]) -> Result<HashMap<String, Vec<String>>, CatalogError> {
        let mut said: HashMap<String, Vec<String>> = HashMap::new();
        if sessions.is_empty() {
            return Ok(said);
        }
        let mut sql = QueryBuilder::new("SELECT session, body FROM message WHERE session IN (");
        let mut ids = sql.separated(", ");
        for session in sessions {
            ids.push_bind(session.id.to_string());
        }
        sql.push(") ORDER BY no");
        for row in sql.build().fetch_all(&self.pool).await? {
            said.entry(row.get("session")).or_default().push(row.get("body"));
        }
        Ok(said)
    }

    pub async fn remove_session(&self, session: Id) -> Result<(), CatalogError> {
        sqlx::query("DELETE FROM session WHERE id = ?").bind(session.to_string()).execute(&self.pool).await?;
        Ok(())
    }
}

fn record(row: &SqliteRow) -> Result<SessionRecord, CatalogError> {
    Ok(SessionRecord {
        id: parsed(row.get("id"))?,
        chat: parsed(row.get("chat"))?,
        name: row.get("name"),
        user_id: row.get("user_id"),
        created: row.get("created"),
        updated: row.get("updated"),
        messages: Vec::new(),
    })
}
