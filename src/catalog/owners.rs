//! Owners of knowledge bases, and the keys that stand for them.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::database::{Catalog, CatalogError, now, parsed};
use crate::ids::Id;

/// Whose knowledge bases are seen.
#[derive(Debug, Clone)]
pub struct OwnerRecord {
    pub id: Id,
    pub name: String,
}

/// A key; its text is not kept.
#[derive(Debug, Clone)]
pub struct KeyRecord {
    pub id: Id,
    pub name: String,
    pub owner: OwnerRecord,
    pub may_write: bool,
    /// Milliseconds since 1970; never, where there is none.
    pub expires: Option<i64>,
    pub created: i64,
    pub used: Option<i64>,
}

const KEY: &str = "SELECT api_key.*, owner.name AS owner_name FROM api_key JOIN owner ON owner.id = api_key.owner";

impl Catalog {
    /// The owner of what is made without a key.
    pub fn local_owner(&self) -> OwnerRecord {
        OwnerRecord { id: self.local, name: "local".to_owned() }
    }

    /// The owner of this name, made where there is none.
    pub async fn owner(&self, name: &str) -> Result<OwnerRecord, CatalogError> {
        let id: String = sqlx::query_scalar(
            "INSERT INTO owner (id, name) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
        )
        .bind(Id::new().to_string())
        .bind(name)
        .fetch_one(&self.pool)
        .await?;
        Ok(OwnerRecord { id: parsed(&id)?, name: name.to_owned() })
    }

    /// Keeps a key by its hash; `NameTaken` where the name has a key.
    pub async fn create_key(&self, key: &KeyRecord, hash: &str) -> Result<(), CatalogError> {
        let made = sqlx::query(
            "INSERT INTO api_key (id, owner, name, hash, may_write, expires, created) VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (name) DO NOTHING",
        )
        .bind(key.id.to_string())
        .bind(key.owner.id.to_string())
        .bind(&key.name)
        .bind(hash)
        .bind(key.may_write)
        .bind(key.expires)
        .bind(key.created)
        .execute(&self.pool)
        .await?;
        if made.rows_affected() == 0 { Err(CatalogError::KeyTaken(key.name.clone())) } else { Ok(()) }
    }

    /// The key of this hash, expired or not.
    pub async fn key(&self, hash: &str) -> Result<Option<KeyRecord>, CatalogError> {
        let row = sqlx::query(sqlx::AssertSqlSafe(format!("{KEY} WHERE api_key.hash = ?")))
            .bind(hash)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(record).transpose()
    }

    /// All keys by name.
    pub async fn keys(&self) -> Result<Vec<KeyRecord>, CatalogError> {
        let rows =
            sqlx::query(sqlx::AssertSqlSafe(format!("{KEY} ORDER BY api_key.name"))).fetch_all(&self.pool).await?;
        rows.iter().map(record).collect()
    }

    pub async fn has_keys(&self) -> Result<bool, CatalogError> {
        Ok(sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM api_key)").fetch_one(&self.pool).await?)
    }

    /// Notes the last use, to the minute.
    pub async fn key_used(&self, key: &KeyRecord) -> Result<(), CatalogError> {
        const MINUTE: i64 = 60_000;
        if key.used.is_some_and(|used| now() - used < MINUTE) {
            return Ok(());
        }
        sqlx::query("UPDATE api_key SET used = ? WHERE id = ?")
            .bind(now())
            .bind(key.id.to_string())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Whether there was a key of this name.
    pub async fn remove_key(&self, name: &str) -> Result<bool, CatalogError> {
        let removed = sqlx::query("DELETE FROM api_key WHERE name = ?").bind(name).execute(&self.pool).await?;
        Ok(removed.rows_affected() > 0)
    }
}

fn record(row: &SqliteRow) -> Result<KeyRecord, CatalogError> {
    Ok(KeyRecord {
        id: parsed(row.get("id"))?,
        name: row.get("name"),
        owner: OwnerRecord { id: parsed(row.get("owner"))?, name: row.get("owner_name") },
        may_write: row.get("may_write"),
        expires: row.get("expires"),
        created: row.get("created"),
        used: row.get("used"),
    })
}
