//! Knowledge bases as their owners see them over HTTP: datasets with settings and times.

use std::collections::HashSet;

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};

use super::database::{Catalog, CatalogError, count, listed, now, parsed};
use super::free_name::free_name;
use crate::ids::Id;

/// A dataset with what is in it.
#[derive(Debug, Clone)]
pub struct DatasetRecord {
    pub id: Id,
    pub owner: Id,
    pub name: String,
    /// What its owner set, JSON.
    pub details: String,
    pub documents: u64,
    /// Rows that can be seen.
    pub rows: u64,
    /// Texts added to its documents by hand, one for each time.
    pub texts: u64,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
}

impl DatasetRecord {
    /// Rows and texts.
    pub fn chunks(&self) -> u64 {
        self.rows + self.texts
    }
}

/// Which datasets of an owner are listed, and in what order.
#[derive(Debug, Clone, Default)]
pub struct DatasetQuery {
    /// Only some of them.
    pub within: Option<Vec<Id>>,
    pub id: Option<Id>,
    /// Up to case.
    pub name: Option<String>,
    pub by_update: bool,
    pub ascending: bool,
    pub skip: u64,
    pub take: u64,
}

/// What asking for a name came to.
#[derive(Debug, Clone)]
pub enum Created {
    Made(Id),
    /// The free name is over the limit.
    TooLong(String),
}

const DATASET: &str = "SELECT kb.*,
    (SELECT COUNT(*) FROM document WHERE document.kb = kb.id AND document.gone = 0) AS documents,
    (SELECT COALESCE(SUM(part.rows), 0) FROM document JOIN load ON load.document = document.id AND load.live = 1
     JOIN part ON part.load = load.no WHERE document.kb = kb.id AND document.gone = 0
     AND document.run IN ('DONE', 'RUNNING')) AS rows,
    (SELECT COALESCE(SUM(times), 0) FROM document JOIN free_text ON free_text.document = document.id
     WHERE document.kb = kb.id AND document.gone = 0) AS texts
    FROM kb WHERE kb.owner = ";

impl Catalog {
    /// Makes a dataset; a name that is taken gets `(1)`. A name may have `max_bytes`.
    pub async fn create_dataset(
        &self,
        owner: Id,
        name: &str,
        details: &str,
        max_bytes: usize,
    ) -> Result<Created, CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let taken: Vec<String> = sqlx::query_scalar("SELECT name FROM kb WHERE owner = ?")
            .bind(owner.to_string())
            .fetch_all(&mut *transaction)
            .await?;
        let taken: HashSet<String> = taken.iter().map(|name| name.to_lowercase()).collect();
        let name = free_name(name, &taken);
        if name.len() > max_bytes {
            return Ok(Created::TooLong(name));
        }
        let id = Id::new();
        sqlx::query("INSERT INTO kb (id, owner, name, details, created, updated) VALUES (?, ?, ?, ?, ?, ?)")
            .bind(id.to_string())
            .bind(owner.to_string())
            .bind(&name)
            .bind(details)
            .bind(now())
            .bind(now())
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(Created::Made(id))
    }

    /// The one dataset of the owner's that the query asks for.
    pub async fn dataset(&self, owner: Id, query: &DatasetQuery) -> Result<Option<DatasetRecord>, CatalogError> {
        let row = matching(DATASET, owner, query).build().fetch_optional(&self.pool).await?;
        row.as_ref().map(record).transpose()
    }

    /// A page of the owner's datasets, and how many there are on all pages.
    pub async fn datasets(&self, owner: Id, query: &DatasetQuery) -> Result<(Vec<DatasetRecord>, u64), CatalogError> {
        let total: i64 = matching("SELECT COUNT(*) FROM kb WHERE kb.owner = ", owner, query)
            .build_query_scalar()
            .fetch_one(&self.pool)
            .await?;
        let mut sql = matching(DATASET, owner, query);
        let column = if query.by_update { "kb.updated" } else { "kb.created" };
        let way = if query.ascending { "ASC" } else { "DESC" };
        sql.push(format!(" ORDER BY {column} {way}, kb.rowid {way} LIMIT "));
        sql.push_bind(limit(query.take)).push(" OFFSET ").push_bind(limit(query.skip));
        let rows = sql.build().fetch_all(&self.pool).await?;
        Ok((rows.iter().map(record).collect::<Result<_, _>>()?, u64::try_from(total).unwrap_or(0)))
    }

    /// Changes name and settings; `NameTaken` where another dataset of the owner is called so, up to case.
    pub async fn update_dataset(&self, dataset: &DatasetRecord) -> Result<(), CatalogError> {
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let taken: Vec<String> = sqlx::query_scalar("SELECT name FROM kb WHERE owner = ? AND id <> ?")
            .bind(dataset.owner.to_string())
            .bind(dataset.id.to_string())
            .fetch_all(&mut *transaction)
            .await?;
        if taken.iter().any(|name| name.to_lowercase() == dataset.name.to_lowercase()) {
            return Err(CatalogError::NameTaken(dataset.name.clone()));
        }
        sqlx::query("UPDATE kb SET name = ?, details = ?, updated = ? WHERE id = ?")
            .bind(&dataset.name)
            .bind(&dataset.details)
            .bind(now())
            .bind(dataset.id.to_string())
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn matching(select: &str, owner: Id, query: &DatasetQuery) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(select);
    sql.push_bind(owner.to_string());
    if let Some(ids) = &query.within {
        sql.push(" AND kb.id IN (SELECT value FROM json_each(").push_bind(listed(ids)).push("))");
    }
    if let Some(id) = query.id {
        sql.push(" AND kb.id = ").push_bind(id.to_string());
    }
    if let Some(name) = &query.name {
        sql.push(" AND kb.name = ").push_bind(name.clone()).push(" COLLATE folded");
    }
    sql
}

pub(super) fn limit(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn record(row: &SqliteRow) -> Result<DatasetRecord, CatalogError> {
    Ok(DatasetRecord {
        id: parsed(row.get("id"))?,
        owner: parsed(row.get("owner"))?,
        name: row.get("name"),
        details: row.get("details"),
        documents: count(row, "documents"),
        rows: count(row, "rows"),
        texts: count(row, "texts"),
        created: row.get("created"),
        updated: row.get("updated"),
    })
}
