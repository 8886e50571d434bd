use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor};

use super::*;
use crate::engine::SegmentRef;
use crate::ids::Id;
use crate::schema::RowSet;
use crate::sql::Scope;

struct World {
    catalog: Catalog,
    kb: Id,
    _folder: tempfile::TempDir,
}

async fn world() -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let catalog = Catalog::open(folder.path(), true).await.expect("a catalog");
    let kb = catalog.create_kb("a").await.expect("a knowledge base");
    World { catalog, kb, _folder: folder }
}

fn table() -> TableRecord {
    TableRecord { id: "t".into(), name: "sales".into(), label: "Sales".into(), key: "k".into(), fields: Vec::new() }
}

fn load(no: u32, id: Id, name: &str, rows: u64) -> NewLoad {
    let document = DocumentRecord {
        id,
        name: name.into(),
        hash: name.into(),
        size: 1,
        upload: "u".into(),
        options: "{}".into(),
        answers: true,
    };
    let part = PartRecord {
        document: id,
        table_id: "t".into(),
        rows,
        profiles: "[]".into(),
        sheets: vec![SheetRecord { name: "s".into(), titles: vec!["title".into()], rows: RowSet::default() }],
    };
    NewLoad { no, document, report: "{}".into(), parts: vec![part], again: false }
}

impl World {
    async fn put(&self, loads: &[(Id, &str, u64)], segment: u32) -> Vec<u32> {
        let numbers = self.catalog.begin(loads.len()).await.expect("numbers");
        let rows = loads.iter().map(|(_, _, rows)| rows).sum();
        let commit = Commit {
            tables: vec![table()],
            loads: numbers.iter().zip(loads).map(|(no, (id, name, rows))| load(*no, *id, name, *rows)).collect(),
            segments: vec![(SegmentRef { no: segment, table_id: "t".into(), rows }, numbers.clone())],
            ended: None,
        };
        self.catalog.commit(self.kb, &commit).await.expect("a commit");
        numbers
    }

    async fn snapshot(&self) -> std::sync::Arc<crate::engine::Snapshot> {
        self.catalog.snapshot(&Scope { kbs: vec![self.kb], ..Scope::default() }).await.expect("a snapshot")
    }
}

#[tokio::test]
async fn a_replaced_document_leaves_only_its_new_rows_live() {
    let world = world().await;
    let (a, b) = (Id::new(), Id::new());
    let first = world.put(&[(a, "a.csv", 3), (b, "b.csv", 4)], 1).await;
    assert_eq!(world.snapshot().await.tables[0].parts[0].segments[0].docs, None);
    world.put(&[(a, "a.csv", 5)], 2).await;
    let snapshot = world.snapshot().await;
    assert_eq!(snapshot.schema.tables[0].rows, 9);
    let segments = &snapshot.tables[0].parts[0].segments;
    assert_eq!(segments[0].docs, Some(vec![first[1]]));
    assert_eq!(segments[1].docs, None);
    assert_eq!(world.catalog.documents(world.kb).await.expect("documents").len(), 2);
}

#[tokio::test]
async fn a_load_that_was_begun_and_not_committed_is_not_seen_and_is_swept() {
    let world = world().await;
    world.catalog.begin(2).await.expect("numbers");
    let snapshot = world.snapshot().await;
    assert!(snapshot.documents.is_empty() && snapshot.schema.tables.is_empty());
    assert!(world.catalog.sweep().await.expect("a sweep").is_empty());
    let next = world.catalog.begin(1).await.expect("numbers");
    assert_eq!(next, [3], "a number is never used again");
}

#[tokio::test]
async fn removing_the_last_document_removes_its_table_and_segment() {
    let world = world().await;
    let a = Id::new();
    world.put(&[(a, "a.csv", 3)], 7).await;
    world.catalog.remove_documents(&[a], &[]).await.expect("removed");
    assert!(world.snapshot().await.schema.tables.is_empty());
    assert!(world.catalog.sweep().await.expect("a sweep").is_empty());
    assert_eq!(world.catalog.next_segment().await.expect("a number"), 8);
}

#[tokio::test]
async fn documents_out_of_scope_do_not_count() {
    let world = world().await;
    let (a, b) = (Id::new(), Id::new());
    let numbers = world.put(&[(a, "a.csv", 3), (b, "b.csv", 4)], 1).await;
    let scope = Scope { kbs: vec![world.kb], docs: Some(vec![b]), ..Scope::default() };
    let snapshot = world.catalog.snapshot(&scope).await.expect("a snapshot");
    assert_eq!(snapshot.schema.tables[0].rows, 4);
    assert_eq!(snapshot.tables[0].parts[0].segments[0].docs, Some(vec![numbers[1]]));
    assert_eq!(snapshot.documents.len(), 1);
}

#[tokio::test]
async fn a_snapshot_is_read_once_until_something_of_it_changes() {
    let world = world().await;
    let (a, b) = (Id::new(), Id::new());
    let mut before = world.snapshot().await;
    let mut is_new = async |change: &str| {
        let now = world.snapshot().await;
        assert!(!std::sync::Arc::ptr_eq(&before, &now), "{change}");
        assert!(std::sync::Arc::ptr_eq(&now, &world.snapshot().await), "{change}");
        before = now;
    };
    world.put(&[(a, "a.csv", 3), (b, "b.csv", 4)], 1).await;
    is_new("two documents").await;
    for change in [
        "UPDATE document SET name = 'c.csv' WHERE id = ?",
        "UPDATE document SET enabled = 0 WHERE id = ?",
        "UPDATE document SET enabled = 1 WHERE id = ?",
        "UPDATE document SET gone = 1 WHERE id = ?",
        "UPDATE document SET gone = 0 WHERE id = ?",
        "UPDATE document SET run = 'FAIL' WHERE id = ?",
        "UPDATE document SET run = 'DONE' WHERE id = ?",
    ] {
        sqlx::query(change).bind(a.to_string()).execute(&world.catalog.pool).await.expect(change);
        is_new(change).await;
    }
    world.put(&[(a, "c.csv", 5)], 2).await;
    is_new("replaced").await;
    let merged = SegmentRef { no: 4, table_id: "t".into(), rows: 9 };
    world.catalog.replace_segments(&[1, 2], Some(&merged)).await.expect("merged");
    is_new("merged").await;
    world.catalog.remove_documents(&[b], &[]).await.expect("removed");
    is_new("removed").await;
    let all = world.snapshot().await;
    let scope = Scope { kbs: vec![world.kb], docs: Some(vec![b]), ..Scope::default() };
    assert!(world.catalog.snapshot(&scope).await.expect("a snapshot").documents.is_empty());
    assert_eq!((all.documents.len(), world.snapshot().await.documents.len()), (1, 1));
}

#[tokio::test]
async fn a_name_is_taken_once() {
    let world = world().await;
    assert!(matches!(world.catalog.create_kb("a").await, Err(CatalogError::NameTaken(_))));
}

#[tokio::test]
async fn a_merged_segment_stands_for_the_live_loads_of_its_parts() {
    let world = world().await;
    let (a, b) = (Id::new(), Id::new());
    world.put(&[(a, "a.csv", 3)], 1).await;
    let last = [world.put(&[(b, "b.csv", 4)], 2).await, world.put(&[(a, "a.csv", 5)], 3).await].concat();
    let merged = SegmentRef { no: 4, table_id: "t".into(), rows: 9 };
    world.catalog.replace_segments(&[2, 3], Some(&merged)).await.expect("replaced");
    let segments = world.snapshot().await.tables[0].parts[0].segments.clone();
    assert_eq!(segments.len(), 1);
    assert_eq!((&segments[0].segment, &segments[0].docs), (&merged, &None));
    assert_eq!(last.len(), 2);
}

#[tokio::test]
async fn a_folder_of_the_first_version_is_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = SqliteConnectOptions::new().filename(folder.path().join("catalog.sqlite")).create_if_missing(true);
    let mut first = options.connect().await.expect("a connection");
    let (kb, document) = (Id::new(), Id::new());
    let filled = format!(
        "INSERT INTO kb (id, name) VALUES ('{kb}', 'a');
         INSERT INTO document (id, kb, name, hash, size, upload, options) VALUES ('{document}', '{kb}', 'a.csv', 'h', 7, 'u', '{{}}');
         PRAGMA user_version = 1"
    );
    first.execute(include_str!("schema.sql")).await.expect("the first schema");
    first.execute(sqlx::AssertSqlSafe(filled)).await.expect("a document");
    first.close().await.expect("closed");
    let catalog = Catalog::open(folder.path(), true).await.expect("it is taken over");
    assert_eq!(catalog.kb("a").await.expect("a look-up"), Some(kb));
    let text = NewText { content: "a heron".into(), ..NewText::default() };
    let added = catalog.add_text(document, &text).await.expect("added").expect("a document");
    let scope = Scope { kbs: vec![kb], ..Scope::default() };
    let found = catalog.find_texts(&scope, "herons", 5).await.expect("found");
    assert_eq!(found.iter().map(|text| &text.id).collect::<Vec<_>>(), [&added.id]);
    let kept = catalog.kept(catalog.local_owner().id).await.expect("kept");
    assert_eq!((kept.documents, kept.bytes, kept.texts), (1, 7, 1));
}

/// A received file of these bytes, with the parse that was asked for.
async fn queued(world: &World, name: &str, hash: &str) -> Task {
    let file = NewFile {
        id: Id::new(),
        name: name.into(),
        hash: hash.into(),
        size: 1,
        upload: "u".into(),
        options: "{}".into(),
        details: "{}".into(),
    };
    assert!(world.catalog.add_files(world.kb, std::slice::from_ref(&file)).await.expect("added"));
    world.catalog.queue(&[file.id]).await.expect("queued");
    world.catalog.next_tasks(1).await.expect("a catalog").pop().expect("a task")
}

#[tokio::test]
async fn a_document_does_not_rest_on_one_that_stopped_answering_meanwhile() {
    let world = world().await;
    let a = Id::new();
    world.put(&[(a, "a.csv", 3)], 1).await;
    let task = queued(&world, "b.csv", "a.csv").await;
    world.catalog.hide(&[a]).await.expect("hidden");
    world.catalog.end_without_rows(task, Some(a), "", 1).await.expect("ended");
    assert_eq!(world.catalog.next_tasks(1).await.expect("a catalog"), [task], "it is still to be read");
    assert!(world.snapshot().await.documents.is_empty());
}

#[tokio::test]
async fn rows_of_the_same_bytes_never_count_twice() {
    let world = world().await;
    let a = Id::new();
    world.put(&[(a, "a.csv", 3)], 1).await;
    let task = queued(&world, "b.csv", "a.csv").await;
    let no = world.catalog.begin(1).await.expect("numbers")[0];
    let mut late = load(no, task.document, "b.csv", 3);
    late.document.hash = "a.csv".into();
    let ended = Ended { document: task.document, ticket: task.ticket, message: String::new(), took: 1 };
    let commit = Commit { tables: vec![table()], loads: vec![late], segments: Vec::new(), ended: Some(ended) };
    assert!(matches!(world.catalog.commit(world.kb, &commit).await, Err(CatalogError::Overtaken)));
    assert_eq!(world.snapshot().await.documents.len(), 1);
}

#[tokio::test]
async fn a_document_whose_twin_is_replaced_or_removed_is_read_itself() {
    let world = world().await;
    let (a, b) = (Id::new(), Id::new());
    for change in ["replaced", "removed"] {
        world.put(&[(a, change, 3)], 1).await;
        let task = queued(&world, &format!("{change}.csv"), change).await;
        world.catalog.end_without_rows(task, Some(a), "", 1).await.expect("ended");
        assert_eq!(world.catalog.next_tasks(1).await.expect("a catalog"), [], "{change}");
        match change {
            "replaced" => drop(world.put(&[(a, "other", 3), (b, "b", 1)], 2).await),
            _ => world.catalog.remove_documents(&[a], &[]).await.expect("removed"),
        }
        let woken = world.catalog.next_tasks(1).await.expect("a catalog").pop().expect("a task");
        assert_eq!(woken.document, task.document, "{change}");
        world.catalog.hide(&[task.document]).await.expect("hidden");
        world.catalog.remove_documents(&[a], &[]).await.expect("removed");
    }
}

#[tokio::test]
async fn a_document_read_anew_for_another_keeps_the_options_that_its_owner_set() {
    let world = world().await;
    let a = Id::new();
    world.put(&[(a, "a.csv", 3)], 1).await;
    let options = "UPDATE document SET options = '{\"keep_totals\":true}' WHERE id = ?";
    sqlx::query(options).bind(a.to_string()).execute(&world.catalog.pool).await.expect("set");
    let no = world.catalog.begin(1).await.expect("numbers")[0];
    let again = NewLoad { again: true, ..load(no, a, "a.csv", 3) };
    let commit = Commit { tables: vec![table()], loads: vec![again], ..Commit::default() };
    world.catalog.commit(world.kb, &commit).await.expect("a commit");
    let documents = world.catalog.documents(world.kb).await.expect("documents");
    assert_eq!(documents[0].options, "{\"keep_totals\":true}");
}
