//! Chats of an owner.

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};

use super::database::{Catalog, CatalogError, listed, now, parsed};
use super::datasets::limit;
use crate::ids::Id;

/// A chat: a name for some datasets with settings.
#[derive(Debug, Clone)]
pub struct ChatRecord {
    pub id: Id,
    pub owner: Id,
    pub name: String,
    /// Datasets and settings, JSON.
    pub details: String,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
}

/// Which chats, or which sessions of one, are listed, and in what order.
#[derive(Debug, Clone, Default)]
pub struct PageQuery {
    /// Only chats that never had another dataset than these, and had one.
    pub within: Option<Vec<Id>>,
    pub id: Option<Id>,
    /// Up to case.
    pub name: Option<String>,
    pub user_id: Option<String>,
    /// A column; the time it was made where it is none.
    pub order: Option<&'static str>,
    pub ascending: bool,
    pub skip: u64,
    pub take: u64,
}

impl PageQuery {
    /// All of them.
    pub fn all() -> Self {
        Self { take: u64::MAX, ..Self::default() }
    }

    pub(super) fn narrow(&self, sql: &mut QueryBuilder<Sqlite>) {
        if let Some(id) = self.id {
            sql.push(" AND id = ").push_bind(id.to_string());
        }
        if let Some(name) = &self.name {
            sql.push(" AND name = ").push_bind(name.clone()).push(" COLLATE folded");
        }
        let column = self.order.unwrap_or("created");
        let way = if self.ascending { "ASC" } else { "DESC" };
        sql.push(format!(" ORDER BY {column} {way}, rowid {way} LIMIT "));
        sql.push_bind(limit(self.take)).push(" OFFSET ").push_bind(limit(self.skip));
    }
}

impl Catalog {
    /// Keeps a new chat, or one that was changed; `NameTaken` where another chat of the owner is called so, up to case.
    pub async fn put_chat(&self, chat: &ChatRecord) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let taken: Vec<String> = sqlx::query_scalar("SELECT name FROM chat WHERE owner = ? AND id <> ?")
            .bind(chat.owner.to_string())
            .bind(chat.id.to_string())
            .fetch_all(&mut *transaction)
            .await?;
        if taken.iter().any(|name| name.to_lowercase() == chat.name.to_lowercase()) {
            return Err(CatalogError::NameTaken(chat.name.clone()));
        }
        sqlx::query(
            "INSERT INTO chat (id, owner, name, details, created, updated) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, details = excluded.details, updated = excluded.updated",
        )
        .bind(chat.id.to_string())
        .bind(chat.owner.to_string())
        .bind(&chat.name)
        .bind(&chat.details)
        .bind(chat.created)
        .bind(now())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// A page of the owner's chats.
    pub async fn chats(&self, owner: Id, query: &PageQuery) -> Result<Vec<ChatRecord>, CatalogError> {
        let mut sql = QueryBuilder::new("SELECT * FROM chat WHERE owner = ");
        sql.push_bind(owner.to_string());
        if let Some(ids) = &query.within {
            sql.push(" AND json_array_length(details, '$.seen_ids') > 0");
            sql.push(" AND NOT EXISTS (SELECT 1 FROM json_each(chat.details, '$.seen_ids') AS seen");
            sql.push(" WHERE seen.value NOT IN (SELECT value FROM json_each(").push_bind(listed(ids)).push(")))");
        }
        query.narrow(&mut sql);
        let rows = sql.build().fetch_all(&self.pool).await?;
        rows.iter().map(record).collect()
    }

    /// Removes a chat with its sessions.
    pub async fn remove_chat(&self, chat: Id) -> Result<(), CatalogError> {
        sqlx::query("DELETE FROM chat WHERE id = ?").bind(chat.to_string()).execute(&self.pool).await?;
        Ok(())
    }
}

fn record(row: &SqliteRow) -> Result<ChatRecord, CatalogError> {
    Ok(ChatRecord {
        id: parsed(row.get("id"))?,
        owner: parsed(row.get("owner"))?,
        name: row.get("name"),
        details: row.get("details"),
        created: row.get("created"),
        updated: row.get("updated"),
    })
}
