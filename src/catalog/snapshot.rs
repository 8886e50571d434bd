//! One state of the catalog, read in one transaction.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sqlx::{Executor, Row, Sqlite, Transaction};

use super::commit::number;
use super::database::{Catalog, CatalogError, count, json, listed, parsed, table};
use super::record::{PartRecord, SheetRecord, TableRecord};
use super::together::add;
use crate::engine::{Document, LiveSegment, LiveTable, Part, Repeated, SegmentRef, Snapshot};
use crate::ids::Id;
use crate::schema::{self, Repeat, Table};
use crate::sql::Scope;

type Read<'a> = Transaction<'a, Sqlite>;

impl Catalog {
    /// What `scope` can see now; read once for many questions, until something of it changes. One that names documents is read
    /// for itself.
    pub async fn snapshot(&self, scope: &Scope) -> Result<Arc<Snapshot>, CatalogError> {
        if scope.docs.is_some() {
            return Ok(Arc::new(self.read(scope).await?.0));
        }
        if let Some(snapshot) = self.recent.get(scope, changes(&self.pool).await?) {
            return Ok(snapshot);
        }
        // Whoever waited for another's reading takes what it read.
        let _reading = self.recent.reading.lock().await;
        if let Some(snapshot) = self.recent.get(scope, changes(&self.pool).await?) {
            return Ok(snapshot);
        }
        let (snapshot, changes) = self.read(scope).await?;
        let snapshot = Arc::new(snapshot);
        self.recent.put(scope, changes, snapshot.clone());
        Ok(snapshot)
    }

    /// What is there, and how many changes had been counted.
    async fn read(&self, scope: &Scope) -> Result<(Snapshot, i64), CatalogError> {
        let only = scope.docs.as_deref().map(listed);
        let mut read = self.pool.begin().await?;
        let changes = changes(&mut *read).await?;
        let mut snapshot = Snapshot::default();
        for kb in &scope.kbs {
            let documents = documents(&mut read, *kb, only.as_deref()).await?;
            let in_scope: HashSet<u32> = documents.iter().map(|document| document.no).collect();
            let names = documents.iter().map(|document| (document.doc_id, document.name.clone())).collect();
            let mut parts = parts(&mut read, *kb, only.as_deref()).await?;
            let segments = segments(&mut read, *kb, &in_scope).await?;
            for record in tables(&mut read, *kb).await? {
                let given = parts.remove(&record.id).unwrap_or_default();
                let live = segments.get(&record.id).cloned().unwrap_or_default();
                let part = Part { kb: *kb, table_id: record.id.clone(), segments: live };
                let repeats = repeats(&given, &names);
                add(&mut snapshot, seen(record, &given, &names), LiveTable { parts: vec![part], repeats });
            }
            snapshot.documents.extend(documents);
        }
        read.commit().await?;
        Ok((snapshot, changes))
    }

    /// The segments of each table with every load that is stored, whether or not its document answers now.
    pub async fn stored_segments(&self, kb: Id) -> Result<Vec<Vec<LiveSegment>>, CatalogError> {
        let mut read = self.pool.begin().await?;
        let loads: Vec<i64> = sqlx::query_scalar(
            "SELECT load.no FROM load JOIN document ON document.id = load.document
             WHERE document.kb = ? AND load.live = 1",
        )
        .bind(kb.to_string())
        .fetch_all(&mut *read)
        .await?;
        let stored = loads.into_iter().map(number).collect::<Result<HashSet<u32>, _>>()?;
        Ok(segments(&mut read, kb, &stored).await?.into_values().collect())
    }
}

/// Changes of what questions see, counted by the catalog's triggers.
async fn changes(read: impl Executor<'_, Database = Sqlite>) -> Result<i64, CatalogError> {
    Ok(sqlx::query_scalar("SELECT next FROM counter WHERE name = 'seen'").fetch_one(read).await?)
}

/// The documents that answer; `only` is a JSON list of their ids. Thousands come as one text: row by row takes four times as long.
async fn documents(read: &mut Read<'_>, kb: Id, only: Option<&str>) -> Result<Vec<Document>, CatalogError> {
    let found: String = sqlx::query_scalar(
        "SELECT json_group_array(json_array(no, id, name)) FROM (
         SELECT load.no, document.id, document.name FROM document
         JOIN load ON load.document = document.id AND load.live = 1
         WHERE document.kb = ?1 AND document.enabled = 1 AND document.gone = 0 AND document.run IN ('DONE', 'RUNNING')
         AND (?2 IS NULL OR document.id IN (SELECT value FROM json_each(?2))) ORDER BY load.no)",
    )
    .bind(kb.to_string())
    .bind(only)
    .fetch_one(&mut **read)
    .await?;
    let found: Vec<(u32, Id, String)> = json(&found)?;
    Ok(found.into_iter().map(|(no, doc_id, name)| Document { no, doc_id, name, kb }).collect())
}

async fn tables(read: &mut Read<'_>, kb: Id) -> Result<Vec<TableRecord>, CatalogError> {
    let rows = sqlx::query("SELECT * FROM shape WHERE kb = ? ORDER BY rowid")
        .bind(kb.to_string())
        .fetch_all(&mut **read)
        .await?;
    rows.iter().map(table).collect()
}

/// What the live loads gave to each table, without their profiles.
async fn parts(
    read: &mut Read<'_>,
    kb: Id,
    only: Option<&str>,
) -> Result<HashMap<String, Vec<PartRecord>>, CatalogError> {
    let found: String = sqlx::query_scalar(
        "SELECT json_group_array(json_array(document, shape, rows, json(sheets))) FROM (
         SELECT load.document, part.shape, part.rows, part.sheets FROM part
         JOIN load ON load.no = part.load AND load.live = 1 JOIN shape ON shape.id = part.shape
         WHERE shape.kb = ?1 AND (?2 IS NULL OR load.document IN (SELECT value FROM json_each(?2))) ORDER BY load.no)",
    )
    .bind(kb.to_string())
    .bind(only)
    .fetch_one(&mut **read)
    .await?;
    let mut parts: HashMap<String, Vec<PartRecord>> = HashMap::new();
    for (document, table_id, rows, sheets) in json::<Vec<(Id, String, u64, Vec<SheetRecord>)>>(&found)? {
        let part = PartRecord { document, table_id, rows, profiles: String::new(), sheets };
        parts.entry(part.table_id.clone()).or_default().push(part);
    }
    Ok(parts)
}

/// The segments of each table with the loads in scope that have rows in them.
async fn segments(
    read: &mut Read<'_>,
    kb: Id,
    in_scope: &HashSet<u32>,
) -> Result<HashMap<String, Vec<LiveSegment>>, CatalogError> {
    let rows = sqlx::query(
        "SELECT segment.no, segment.shape, segment.rows, group_concat(content.load) AS loads FROM segment
         JOIN content ON content.segment = segment.no JOIN shape ON shape.id = segment.shape
         WHERE shape.kb = ? GROUP BY segment.no ORDER BY segment.no",
    )
    .bind(kb.to_string())
    .fetch_all(&mut **read)
    .await?;
    let mut segments: HashMap<String, Vec<LiveSegment>> = HashMap::new();
    for row in &rows {
        let no = number(row.get("no"))?;
        let segment = SegmentRef { no, table_id: row.get("shape"), rows: count(row, "rows") };
        let mut loads = row.get::<&str, _>("loads").split(',').map(parsed).collect::<Result<Vec<u32>, _>>()?;
        loads.sort_unstable();
        let live: Vec<u32> = loads.iter().copied().filter(|load| in_scope.contains(load)).collect();
        if live.is_empty() {
            continue;
        }
        let docs = (live.len() < loads.len()).then_some(live);
        segments.entry(segment.table_id.clone()).or_default().push(LiveSegment { segment, docs });
    }
    Ok(segments)
}

/// The table as a statement sees it: only documents in scope count.
fn seen(record: TableRecord, parts: &[PartRecord], names: &HashMap<Id, String>) -> Table {
    let mut table = Table {
        name: record.name,
        label: record.label,
        rows: 0,
        fields: record.fields,
        captions: Vec::new(),
        sheets: Vec::new(),
    };
    let mut titles = HashSet::new();
    for part in parts {
        let Some(name) = names.get(&part.document) else { continue };
        table.rows += part.rows;
        for sheet in &part.sheets {
            table.sheets.push((name.clone(), sheet.name.clone()));
            table.captions.extend(sheet.titles.iter().filter(|title| titles.insert(*title)).cloned());
        }
    }
    table
}

/// Sheets in scope whose rows stand in other sheets of the table too.
fn repeats(parts: &[PartRecord], names: &HashMap<Id, String>) -> Vec<Repeated> {
    let named = parts.iter().filter_map(|part| Some((names.get(&part.document)?.as_str(), part)));
    let sheets: Vec<_> = named.flat_map(|(file, part)| part.sheets.iter().map(move |sheet| (file, sheet))).collect();
    let rows: Vec<_> = sheets.iter().map(|(file, sheet)| (*file, sheet.rows)).collect();
    let place = |at: usize| (sheets[at].0.to_owned(), sheets[at].1.name.clone());
    let found = schema::repeats(&rows).into_iter().enumerate();
    found
        .filter_map(|(at, repeat)| {
            let of = match repeat? {
                Repeat::Copy(of) => Some(place(of)),
                Repeat::Summary => None,
            };
            Some(Repeated { sheet: place(at), of })
        })
        .collect()
}
