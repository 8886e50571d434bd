//! Reading the catalog: no lock is taken.

use serde::de::DeserializeOwned;

use super::{Catalog, CatalogError, Kb, StoredDocument, TableRecord};
use crate::ids::Id;
use crate::sql::Scope;

type DocumentRow = (String, String, String, i64, String, i64, String, String, String);
type TableRow = (String, String, String, String, String, String, String);

impl Catalog {
    /// All knowledge bases by name.
    pub async fn list_kbs(&self) -> Result<Vec<Kb>, CatalogError> {
        let rows: Vec<(String, String, String)> =
            sqlx::query_as("SELECT id, name, created FROM kbs ORDER BY name").fetch_all(&self.pool).await?;
        rows.into_iter().map(|(id, name, created)| Ok(Kb { id: self::id(&id)?, name, created })).collect()
    }

    /// Names are compared to the letter.
    pub async fn kb_by_name(&self, name: &str) -> Result<Option<Kb>, CatalogError> {
        Ok(self.list_kbs().await?.into_iter().find(|kb| kb.name == name))
    }

    /// The documents of a knowledge base that answer, by name.
    pub async fn documents(&self, kb: Id) -> Result<Vec<StoredDocument>, CatalogError> {
        let rows: Vec<DocumentRow> = sqlx::query_as(
            "SELECT d.id, d.kb, d.name, l.no, l.hash, l.size, l.stored, d.created, l.report
             FROM documents d JOIN loads l ON l.doc = d.id AND l.live WHERE d.kb = ? ORDER BY d.name",
        )
        .bind(kb.to_string())
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(document).collect()
    }

    /// Names of documents in scope whose newest bytes do not answer yet.
    pub async fn loading(&self, scope: &Scope) -> Result<Vec<String>, CatalogError> {
        let rows: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT DISTINCT d.id, d.kb, d.name FROM documents d JOIN loads l ON l.doc = d.id AND NOT l.live ORDER BY d.name",
        )
        .fetch_all(&self.pool)
        .await?;
        let mut names = Vec::new();
        for (doc, kb, name) in rows {
            let (doc, kb) = (id(&doc)?, id(&kb)?);
            if scope.kbs.contains(&kb) && scope.docs.as_ref().is_none_or(|docs| docs.contains(&doc)) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// The physical tables of a knowledge base in the order they were made.
    pub async fn tables(&self, kb: Id) -> Result<Vec<TableRecord>, CatalogError> {
        let rows: Vec<TableRow> = sqlx::query_as(
            "SELECT id, kb, name, label, shape, fields, decisions FROM tables WHERE kb = ? ORDER BY rowid",
        )
        .bind(kb.to_string())
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(table).collect()
    }

    /// The column profiles of each live load of a table, `(doc_no, profile)`.
    pub async fn profiles(&self, table_id: &str) -> Result<Vec<(u32, serde_json::Value)>, CatalogError> {
        let rows: Vec<(i64, String)> = sqlx::query_as(
            "SELECT t.load, t.profile FROM load_tables t JOIN loads l ON l.no = t.load AND l.live
             WHERE t.table_id = ? ORDER BY t.load",
        )
        .bind(table_id)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(|(no, profile)| Ok((number(no)?, json("a profile", &profile)?))).collect()
    }
}

fn document(row: DocumentRow) -> Result<StoredDocument, CatalogError> {
    let (id, kb, name, load, hash, size, stored, created, report) = row;
    Ok(StoredDocument {
        id: self::id(&id)?,
        kb: self::id(&kb)?,
        name,
        load: number(load)?,
        hash,
        size: count(size),
        stored,
        created,
        report: json("a report", &report)?,
    })
}

pub(super) fn table(row: TableRow) -> Result<TableRecord, CatalogError> {
    let (id, kb, name, label, shape, fields, decisions) = row;
    let fields = json("a table's fields", &fields)?;
    Ok(TableRecord { id, kb: self::id(&kb)?, name, label, shape, fields, decisions: json("decisions", &decisions)? })
}

pub(super) fn id(text: &str) -> Result<Id, CatalogError> {
    text.parse().map_err(|error| CatalogError::damaged("an id", error))
}

pub(super) fn number(no: i64) -> Result<u32, CatalogError> {
    u32::try_from(no).map_err(|error| CatalogError::damaged("a number", error))
}

pub(super) fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or_default()
}

pub(super) fn json<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, CatalogError> {
    serde_json::from_str(text).map_err(|error| CatalogError::damaged(what, error))
}
