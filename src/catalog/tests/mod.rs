mod lasting;

use super::*;
use crate::engine::{LiveSegment, SegmentRef};
use crate::ids::Id;
use crate::schema::Field;
use crate::value::FieldType;

struct Folder {
    catalog: Catalog,
    folder: tempfile::TempDir,
}

impl Folder {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { catalog: Catalog::open(folder.path(), false).await.expect("a catalog"), folder }
    }

    async fn writer(&self) -> Writer<'_> {
        self.catalog.write(5).await.expect("the lock")
    }

    async fn kb(&self, name: &str) -> Kb {
        self.writer().await.create_kb(name).await.expect("a kb")
    }

    /// Loads a document of so many rows into a table and gives its number.
    async fn load(&self, kb: &Kb, name: &str, table: &TableRecord, rows: u64) -> PendingLoad {
        let writer = self.writer().await;
        let load = writer.begin_load(&document(kb, name)).await.expect("begun");
        let no = writer.next_segment().await.expect("a number");
        writer.commit_loads(std::slice::from_ref(table), &[finished(load, table, no, rows)]).await.expect("live");
        load
    }

    async fn snapshot(&self, kbs: &[&Kb]) -> Arc<Snapshot> {
        self.catalog.snapshot(&scope(kbs)).await.expect("a snapshot")
    }

    async fn segments(&self, kb: &Kb) -> Vec<LiveSegment> {
        let snapshot = self.snapshot(&[kb]).await;
        snapshot.tables.iter().flat_map(|table| &table.parts).flat_map(|part| part.segments.clone()).collect()
    }
}

fn scope(kbs: &[&Kb]) -> Scope {
    Scope { kbs: kbs.iter().map(|kb| kb.id).collect(), ..Scope::default() }
}

fn document(kb: &Kb, name: &str) -> NewDocument {
    NewDocument { kb: kb.id, name: name.to_owned(), hash: format!("hash of {name}"), size: 1, stored: String::new() }
}

fn finished(load: PendingLoad, table: &TableRecord, segment: u32, rows: u64) -> FinishedLoad {
    let segment = SegmentRef { no: segment, table_id: table.id.clone(), rows };
    let loaded = LoadedTable {
        table_id: table.id.clone(),
        rows,
        profile: serde_json::json!({"rows": rows}),
        sheets: vec!["一月".to_owned()],
        captions: vec!["表".to_owned()],
        segments: vec![segment],
    };
    FinishedLoad { load, tables: vec![loaded], report: serde_json::Value::Null }
}

fn table(kb: &Kb, name: &str, field: &str) -> TableRecord {
    let field = Field {
        name: field.to_owned(),
        label: field.to_owned(),
        kind: FieldType::Integer,
        unit: None,
        synonyms: Vec::new(),
        allowed: Vec::new(),
        nulls: 1,
        distinct: Some(3),
        samples: Vec::new(),
        decimals: 0,
        identifier: false,
        range: None,
    };
    TableRecord {
        id: Id::new().to_string(),
        kb: kb.id,
        name: name.to_owned(),
        label: name.to_owned(),
        shape: String::new(),
        fields: vec![field],
        decisions: serde_json::Value::Null,
    }
}

#[tokio::test]
async fn a_load_answers_from_its_commit_and_the_one_before_until_then() {
    let folder = Folder::new().await;
    let kb = folder.kb("k").await;
    let sales = table(&kb, "sales", "a_long");
    let first = folder.load(&kb, "a.csv", &sales, 4).await;
    let writer = folder.writer().await;
    let second = writer.begin_load(&document(&kb, "a.csv")).await.expect("begun");
    assert_eq!(second.doc, first.doc);
    assert_eq!(folder.snapshot(&[&kb]).await.schema.tables[0].rows, 4);
    assert_eq!(folder.catalog.loading(&scope(&[&kb])).await.expect("names"), ["a.csv"]);
    let no = writer.next_segment().await.expect("a number");
    writer.commit_loads(&[], &[finished(second, &sales, no, 7)]).await.expect("live");
    let snapshot = folder.snapshot(&[&kb]).await;
    assert_eq!((snapshot.schema.tables[0].rows, snapshot.documents.len()), (7, 1));
    assert_eq!(snapshot.documents[0].no, second.no);
    assert_eq!(snapshot.schema.tables[0].sheets, [("a.csv".to_owned(), "一月".to_owned())]);
    assert_eq!(writer.kept_segments().await.expect("segments").len(), 2, "the dead one stays a while");
}

#[tokio::test]
async fn what_a_dead_process_began_is_forgotten_and_its_number_is_not_used_again() {
    let folder = Folder::new().await;
    let kb = folder.kb("k").await;
    let begun = folder.writer().await.begin_load(&document(&kb, "a.csv")).await.expect("begun");
    let writer = folder.writer().await;
    assert!(folder.catalog.loading(&scope(&[&kb])).await.expect("names").is_empty());
    let next = writer.begin_load(&document(&kb, "a.csv")).await.expect("begun");
    assert!(next.no > begun.no);
    writer.abandon(&next).await.expect("given up");
    assert!(folder.catalog.documents(kb.id).await.expect("documents").is_empty());
}

#[tokio::test]
async fn removing_leaves_nothing_that_answers() {
    let folder = Folder::new().await;
    let kb = folder.kb("k").await;
    let sales = table(&kb, "sales", "a_long");
    let load = folder.load(&kb, "a.csv", &sales, 4).await;
    folder.load(&kb, "b.csv", &sales, 2).await;
    folder.writer().await.remove_document(load.doc).await.expect("removed");
    assert_eq!(folder.snapshot(&[&kb]).await.schema.tables[0].rows, 2);
    folder.writer().await.remove_kb(kb.id).await.expect("removed");
    let snapshot = folder.snapshot(&[&kb]).await;
    assert!(snapshot.schema.tables.is_empty() && snapshot.documents.is_empty());
    assert!(folder.catalog.list_kbs().await.expect("kbs").is_empty());
}

#[tokio::test]
async fn segment_numbers_are_never_used_again() {
    let folder = Folder::new().await;
    let kb = folder.kb("k").await;
    let load = folder.load(&kb, "a.csv", &table(&kb, "sales", "a_long"), 4).await;
    let before = folder.writer().await.next_segment().await.expect("a number");
    folder.writer().await.remove_document(load.doc).await.expect("removed");
    sqlx::query("DELETE FROM segments").execute(&folder.catalog.pool).await.expect("deleted");
    assert_eq!(folder.writer().await.next_segment().await.expect("a number"), before);
}

#[tokio::test]
async fn a_merged_segment_stands_for_the_live_loads_of_the_old_ones() {
    let folder = Folder::new().await;
    let kb = folder.kb("k").await;
    let sales = table(&kb, "sales", "a_long");
    let first = folder.load(&kb, "a.csv", &sales, 4).await;
    let second = folder.load(&kb, "b.csv", &sales, 2).await;
    let old: Vec<u32> = folder.segments(&kb).await.iter().map(|live| live.segment.no).collect();
    let merged = SegmentRef { no: 9, table_id: sales.id.clone(), rows: 6 };
    folder.writer().await.replace_segments(&old, Some(&merged)).await.expect("replaced");
    assert_eq!(folder.segments(&kb).await, [LiveSegment { segment: merged.clone(), docs: None }]);
    folder.writer().await.remove_document(first.doc).await.expect("removed");
    let docs = Some(vec![second.no]);
    assert_eq!(folder.segments(&kb).await, [LiveSegment { segment: merged.clone(), docs: docs.clone() }]);
    let live = folder.writer().await.live_segments(&sales.id).await.expect("segments");
    assert_eq!(live, [LiveSegment { segment: merged, docs }]);
}

#[tokio::test]
async fn a_scope_of_documents_sees_only_theirs() {
    let folder = Folder::new().await;
    let kb = folder.kb("k").await;
    let first = folder.load(&kb, "a.csv", &table(&kb, "sales", "a_long"), 4).await;
    folder.load(&kb, "b.csv", &table(&kb, "costs", "b_long"), 2).await;
    let scope = Scope { docs: Some(vec![first.doc]), ..scope(&[&kb]) };
    let snapshot = folder.catalog.snapshot(&scope).await.expect("a snapshot");
    assert_eq!(snapshot.schema.tables.iter().map(|table| table.name.as_str()).collect::<Vec<_>>(), ["sales"]);
    assert_eq!(snapshot.documents.len(), 1);
}

#[tokio::test]
async fn tables_of_one_name_and_fields_are_one_table_over_several_kbs() {
    let folder = Folder::new().await;
    let (one, two) = (folder.kb("one").await, folder.kb("two").await);
    folder.load(&one, "a.csv", &table(&one, "sales", "a_long"), 4).await;
    folder.load(&one, "b.csv", &table(&one, "costs", "a_long"), 1).await;
    folder.load(&two, "a.csv", &table(&two, "sales", "a_long"), 2).await;
    folder.load(&two, "b.csv", &table(&two, "costs", "b_long"), 3).await;
    let snapshot = folder.snapshot(&[&one, &two]).await;
    let tables = snapshot.schema.tables.iter().zip(&snapshot.tables);
    let told: Vec<_> = tables.map(|(table, live)| (table.name.as_str(), table.rows, live.parts.len())).collect();
    assert_eq!(told, [("sales", 6, 2), ("costs", 1, 1), ("costs_2", 3, 1)]);
    assert_eq!(snapshot.schema.tables[0].fields[0].nulls, 2);
    assert_eq!(folder.snapshot(&[&two]).await.schema.tables[0].rows, 2);
}

#[tokio::test]
async fn one_writes_and_many_read() {
    let folder = Folder::new().await;
    let writer = folder.writer().await;
    let other = Catalog::open(folder.folder.path(), false).await.expect("a second catalog");
    assert!(matches!(other.write(0).await, Err(CatalogError::Busy { .. })));
    assert!(other.list_kbs().await.expect("kbs").is_empty());
    writer.create_kb("k").await.expect("a kb");
    assert!(matches!(writer.create_kb("k").await, Err(CatalogError::NameTaken(_))));
    writer.create_kb("K").await.expect("names differ by case");
    drop(writer);
    assert!(other.write(0).await.is_ok());
    assert_eq!(other.list_kbs().await.expect("kbs").len(), 2);
}

#[tokio::test]
async fn a_temporary_catalog_opens_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = std::time::Instant::now();
    let catalog = Catalog::open(folder.path(), true).await.expect("a catalog");
    catalog.write(0).await.expect("the lock").create_kb("k").await.expect("a kb");
    eprintln!("opened in {:?}", start.elapsed());
    assert!(start.elapsed().as_millis() < 500);
}
