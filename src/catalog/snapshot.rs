//! One state of the catalog, limited to a scope.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use sqlx::SqliteConnection;

use super::read::{count, id, json, number, table};
use super::{Catalog, CatalogError, TableRecord};
use crate::engine::{Document, LiveSegment, LiveTable, Part, SegmentRef, Snapshot};
use crate::schema::{Field, Schema, Table};
use crate::sql::Scope;

/// Samples of a field at most.
const MAX_SAMPLES: usize = 20;

/// What the live loads in scope brought for one table.
#[derive(Default)]
struct Brought {
    rows: u64,
    sheets: Vec<(String, String)>,
    captions: Vec<String>,
}

/// A stored segment and the live loads in scope that have rows in it.
struct Held {
    segment: SegmentRef,
    live: u64,
    loads: Vec<u32>,
}

impl Catalog {
    /// All that is live in the scope, as of one moment. The same one is given again until something changes.
    pub async fn snapshot(&self, scope: &Scope) -> Result<Arc<Snapshot>, CatalogError> {
        let mut reading = self.pool.begin().await?;
        let (version,): (i64,) = sqlx::query_as("SELECT version FROM state").fetch_one(&mut *reading).await?;
        if let Some(last) = self.last(scope, version) {
            return Ok(last);
        }
        let snapshot = Arc::new(read(&mut reading, scope).await?);
        reading.commit().await?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((scope.clone(), version, snapshot.clone()));
        Ok(snapshot)
    }

    fn last(&self, scope: &Scope, version: i64) -> Option<Arc<Snapshot>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|last| last.0 == *scope && last.1 == version).map(|last| last.2.clone())
    }
}

async fn read(reading: &mut SqliteConnection, scope: &Scope) -> Result<Snapshot, CatalogError> {
    let documents = documents(reading, scope).await?;
    let mut brought = brought(reading, &documents).await?;
    let mut segments = segments(reading, &documents).await?;
    let mut snapshot = Snapshot { documents, ..Snapshot::default() };
    for record in tables(reading, scope).await? {
        let Some(brought) = brought.remove(&record.id) else { continue };
        let segments = segments.remove(&record.id).unwrap_or_default();
        let part = Part { kb: record.kb, table_id: record.id.clone(), segments };
        place(&mut snapshot, &scope.hidden_fields, record, brought, part);
    }
    Ok(snapshot)
}

async fn documents(reading: &mut SqliteConnection, scope: &Scope) -> Result<Vec<Document>, CatalogError> {
    let rows: Vec<(i64, String, String, String)> = sqlx::query_as(
        "SELECT l.no, d.id, d.name, d.kb FROM loads l JOIN documents d ON d.id = l.doc
         WHERE l.live AND d.kb IN (SELECT value FROM json_each(?)) ORDER BY l.no",
    )
    .bind(kbs(scope)?)
    .fetch_all(reading)
    .await?;
    let docs: Option<HashSet<_>> = scope.docs.as_ref().map(|docs| docs.iter().collect());
    let mut documents = Vec::with_capacity(rows.len());
    for (no, doc, name, kb) in rows {
        let document = Document { no: number(no)?, doc_id: id(&doc)?, name, kb: id(&kb)? };
        if docs.as_ref().is_none_or(|docs| docs.contains(&document.doc_id)) {
            documents.push(document);
        }
    }
    Ok(documents)
}

async fn tables(reading: &mut SqliteConnection, scope: &Scope) -> Result<Vec<TableRecord>, CatalogError> {
    let rows = sqlx::query_as(
        "SELECT id, kb, name, label, shape, fields, decisions FROM tables
         WHERE kb IN (SELECT value FROM json_each(?)) ORDER BY rowid",
    )
    .bind(kbs(scope)?)
    .fetch_all(reading)
    .await?;
    rows.into_iter().map(table).collect()
}

async fn brought(
    reading: &mut SqliteConnection,
    documents: &[Document],
) -> Result<HashMap<String, Brought>, CatalogError> {
    let names: HashMap<u32, &str> = documents.iter().map(|document| (document.no, document.name.as_str())).collect();
    let rows: Vec<(i64, String, i64, String, String)> =
        sqlx::query_as("SELECT load, table_id, rows, sheets, captions FROM load_tables ORDER BY load")
            .fetch_all(reading)
            .await?;
    let mut tables: HashMap<String, Brought> = HashMap::new();
    for (load, table_id, rows, sheets, captions) in rows {
        let Some(name) = names.get(&number(load)?) else { continue };
        let table = tables.entry(table_id).or_default();
        table.rows += count(rows);
        let sheets: Vec<String> = json("sheets", &sheets)?;
        table.sheets.extend(sheets.into_iter().map(|sheet| ((*name).to_owned(), sheet)));
        add_new(&mut table.captions, json("captions", &captions)?);
    }
    Ok(tables)
}

/// Live segments by table, in order of their numbers.
async fn segments(
    reading: &mut SqliteConnection,
    documents: &[Document],
) -> Result<HashMap<String, Vec<LiveSegment>>, CatalogError> {
    let loads: HashSet<u32> = documents.iter().map(|document| document.no).collect();
    let rows: Vec<(i64, String, i64, i64, i64)> = sqlx::query_as(
        "SELECT s.no, s.table_id, s.rows, ls.load, ls.rows FROM segments s JOIN load_segments ls ON ls.segment = s.no",
    )
    .fetch_all(reading)
    .await?;
    let mut held: BTreeMap<u32, Held> = BTreeMap::new();
    for (no, table_id, stored, load, rows) in rows {
        let (no, load) = (number(no)?, number(load)?);
        if loads.contains(&load) {
            let segment =
                || Held { segment: SegmentRef { no, table_id, rows: count(stored) }, live: 0, loads: Vec::new() };
            let held = held.entry(no).or_insert_with(segment);
            held.live += count(rows);
            held.loads.push(load);
        }
    }
    let mut tables: HashMap<String, Vec<LiveSegment>> = HashMap::new();
    for held in held.into_values() {
        let docs = (held.live != held.segment.rows).then_some(held.loads);
        tables.entry(held.segment.table_id.clone()).or_default().push(LiveSegment { segment: held.segment, docs });
    }
    Ok(tables)
}

fn kbs(scope: &Scope) -> Result<String, CatalogError> {
    serde_json::to_string(&scope.kbs).map_err(|error| CatalogError::damaged("a scope", error))
}

/// Puts a physical table into the schema: to the one of the same name and fields, else under a name of its own.
fn place(snapshot: &mut Snapshot, hidden: &[String], record: TableRecord, brought: Brought, part: Part) {
    let mut fields = record.fields;
    fields.retain(|field| !hidden.contains(&field.name));
    let of_other_kb = |live: &LiveTable| live.parts.iter().all(|other| other.kb != part.kb);
    let pairs = snapshot.schema.tables.iter().zip(&snapshot.tables);
    let found = pairs.enumerate().find(|(_, (table, live))| {
        table.name == record.name && same_fields(&table.fields, &fields) && of_other_kb(live)
    });
    match found.map(|(index, _)| index) {
        Some(index) => {
            let table = &mut snapshot.schema.tables[index];
            table.rows += brought.rows;
            table.sheets.extend(brought.sheets);
            add_new(&mut table.captions, brought.captions);
            table.fields.iter_mut().for_each(|field| join(field, &fields));
            snapshot.tables[index].parts.push(part);
        }
        None => {
            let name = free_name(&snapshot.schema, &record.name);
            let Brought { rows, sheets, captions } = brought;
            snapshot.schema.tables.push(Table { name, label: record.label, rows, fields, captions, sheets });
            snapshot.tables.push(LiveTable { parts: vec![part] });
        }
    }
}

fn same_fields(one: &[Field], other: &[Field]) -> bool {
    let has = |field: &Field| other.iter().any(|other| other.name == field.name && other.kind == field.kind);
    one.len() == other.len() && one.iter().all(has)
}

fn free_name(schema: &Schema, name: &str) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| schema.table(name).is_none()).unwrap_or_else(|| name.to_owned())
}

/// What is known of a field in two knowledge bases.
fn join(field: &mut Field, others: &[Field]) {
    let Some(other) = others.iter().find(|other| other.name == field.name) else { return };
    field.nulls += other.nulls;
    field.distinct = None;
    field.decimals = field.decimals.max(other.decimals);
    field.identifier &= other.identifier;
    if field.range != other.range {
        field.range = None;
    }
    if field.unit != other.unit {
        field.unit = None;
    }
    add_new(&mut field.synonyms, other.synonyms.clone());
    add_new(&mut field.allowed, other.allowed.clone());
    add_new(&mut field.samples, other.samples.clone());
    field.samples.truncate(MAX_SAMPLES);
}

fn add_new(list: &mut Vec<String>, more: Vec<String>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}
