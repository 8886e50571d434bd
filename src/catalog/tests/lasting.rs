//! The catalog and the embedded engine together on one folder, as ingestion uses them.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::array::{ArrayRef, Int64Array, StringArray, UInt32Array};

use super::*;
use crate::config::{EmbeddedLimits, SqlLimits};
use crate::engine::Engine;
use crate::engine::embedded::Embedded;
use crate::sql::ScopedSelect;
use crate::value::Value;

fn engine(folder: &Folder) -> Embedded {
    Embedded::open(folder.folder.path(), &EmbeddedLimits::default(), &SqlLimits::default(), false).expect("an engine")
}

/// Loads a document whose rows are all `value`.
async fn put(folder: &Folder, engine: &Embedded, kb: &Kb, table: &TableRecord, name: &str, value: i64) -> PendingLoad {
    let writer = folder.writer().await;
    engine.number_segments_from(writer.next_segment().await.expect("a number"));
    let load = writer.begin_load(&document(kb, name)).await.expect("begun");
    let segments = write(engine, table, load.no, value);
    let mut finished = finished(load, table, 0, 3);
    finished.tables[0].segments = segments;
    writer.commit_loads(std::slice::from_ref(table), &[finished]).await.expect("live");
    let live = writer.live_segments(&table.id).await.expect("segments");
    for merged in engine.merge(&live).await.expect("merged") {
        writer.replace_segments(&merged.old, merged.new.as_ref()).await.expect("replaced");
    }
    load
}

fn write(engine: &Embedded, table: &TableRecord, no: u32, value: i64) -> Vec<SegmentRef> {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("row_long", Arc::new(Int64Array::from(vec![2, 3, 4]))),
        ("doc_no", Arc::new(UInt32Array::from(vec![no; 3]))),
        ("sheet_kwd", Arc::new(StringArray::from(vec!["一月"; 3]))),
        ("a_long", Arc::new(Int64Array::from(vec![value; 3]))),
    ];
    let mut writer = engine.writer(&table.id).expect("a writer");
    writer.push(RecordBatch::try_from_iter(columns).expect("a batch")).expect("pushed");
    writer.finish().expect("written")
}

async fn sum(folder: &Folder, engine: &Embedded, kbs: &[&Kb], condition: &str) -> Value {
    let snapshot = folder.snapshot(kbs).await;
    let sources = "SELECT row_key, doc_no, sheet_kwd, row_long FROM sales";
    let statement = format!("SELECT SUM(a_long) FROM sales WHERE {condition}");
    let select = ScopedSelect::for_test(&statement, Some(sources), Vec::new());
    engine.select(&select, &snapshot, 10, 10).await.expect("a result").rows[0][0].clone()
}

#[tokio::test]
async fn many_small_documents_are_few_segments_with_the_same_rows() {
    let folder = Folder::new().await;
    let engine = engine(&folder);
    let kb = folder.kb("k").await;
    let sales = table(&kb, "sales", "a_long");
    for value in 1..=80 {
        put(&folder, &engine, &kb, &sales, &format!("{value}.csv"), value).await;
    }
    let first = put(&folder, &engine, &kb, &sales, "1.csv", 1_000).await;
    assert_eq!(sum(&folder, &engine, &[&kb], "1 = 1").await, Value::Integer(3 * (80 * 81 / 2 - 1 + 1_000)));
    folder.writer().await.remove_document(first.doc).await.expect("removed");
    assert_eq!(sum(&folder, &engine, &[&kb], "1 = 1").await, Value::Integer(3 * (80 * 81 / 2 - 1)));
    let segments = folder.segments(&kb).await;
    assert!(segments.len() <= 20, "{segments:?}");
}

#[tokio::test]
async fn what_was_written_without_a_commit_is_swept_and_never_seen() {
    let folder = Folder::new().await;
    let engine = engine(&folder);
    let kb = folder.kb("k").await;
    let sales = table(&kb, "sales", "a_long");
    put(&folder, &engine, &kb, &sales, "a.csv", 1).await;
    let lost = write(&engine, &sales, 99, 5);
    assert_eq!(sum(&folder, &engine, &[&kb], "1 = 1").await, Value::Integer(3));
    let kept = folder.writer().await.kept_segments().await.expect("segments");
    engine.sweep(&kept).expect("swept");
    let path = |no: u32| folder.folder.path().join(format!("segments/{no}.parquet"));
    assert!(!path(lost[0].no).exists() && path(kept[0].no).exists());
    assert_eq!(sum(&folder, &engine, &[&kb], "1 = 1").await, Value::Integer(3));
}

#[tokio::test]
async fn no_statement_reaches_another_kb() {
    let folder = Folder::new().await;
    let engine = engine(&folder);
    let (own, other) = (folder.kb("own").await, folder.kb("other").await);
    put(&folder, &engine, &own, &table(&own, "sales", "a_long"), "a.csv", 1).await;
    put(&folder, &engine, &other, &table(&other, "sales", "a_long"), "a.csv", 100).await;
    for condition in ["1 = 1".to_owned(), format!("kb_id = '{}' OR 1 = 1", other.id), "kb_id <> ''".to_owned()] {
        assert_eq!(sum(&folder, &engine, &[&own], &condition).await, Value::Integer(3), "{condition}");
    }
    for (condition, told) in [
        ("1 = 1".to_owned(), Value::Integer(303)),
        (format!("kb_id IN ('{}')", other.id), Value::Integer(300)),
        (format!("kb_id IN ('{}') AND kb_id = '{}'", other.id, own.id), Value::Null),
    ] {
        assert_eq!(sum(&folder, &engine, &[&own, &other], &condition).await, told, "{condition}");
    }
}
