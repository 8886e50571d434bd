//! Owners of knowledge bases, and the keys that stand for them.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::database::{Catalog, CatalogError, listed, now, parsed};
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
    /// Datasets that it is for; all of its owner's, where there is none.
    pub datasets: Option<Vec<Id>>,
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

    /// Keeps a key by its hash; `KeyTaken` where the owner has a key of this name.
    pub async fn create_key(&self, key: &KeyRecord, hash: &str) -> Result<(), CatalogError> {
        let made = sqlx::query(
            "INSERT INTO api_key (id, owner, name, hash, may_write, datasets, expires, created)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, name) DO NOTHING",
        )
        .bind(key.id.to_string())
        .bind(key.owner.id.to_string())
        .bind(&key.name)
        .bind(hash)
        .bind(key.may_write)
        .bind(key.datasets.as_deref().map(listed))
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

    /// All keys by name, or those of one owner.
    pub async fn keys(&self, owner: Option<Id>) -> Result<Vec<KeyRecord>, CatalogError> {
        let sql = format!("{KEY} WHERE ?1 IS NULL OR api_key.owner = ?1 ORDER BY api_key.name, owner_name");
        let owner = owner.map(|owner| owner.to_string());
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(owner).fetch_all(&self.pool).await?;
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

    pub async fn remove_key(&self, key: Id) -> Result<(), CatalogError> {
        sqlx::query("DELETE FROM api_key WHERE id = ?").bind(key.to_string()).execute(&self.pool).await?;
        Ok(())
    }
}

fn record(row: &SqliteRow) -> Result<KeyRecord, CatalogError> {
    let datasets: Option<String> = row.get("datasets");
    let datasets = datasets.map(|listed| serde_json::from_str(&listed)).transpose();
    Ok(KeyRecord {
        id: parsed(row.get("id"))?,
        name: row.get("name"),
        owner: OwnerRecord { id: parsed(row.get("owner"))?, name: row.get("owner_name") },
        may_write: row.get("may_write"),
        datasets: datasets.map_err(|error| CatalogError::Damaged(error.to_string()))?,
        expires: row.get("expires"),
        created: row.get("created"),
        used: row.get("used"),
    })
}
