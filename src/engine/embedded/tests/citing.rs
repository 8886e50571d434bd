use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt32Array};

use super::House;
use crate::engine::{Document, Engine, LiveSegment, ResultSet};
use crate::ids::Id;
use crate::sql::ScopedSelect;
use crate::value::Value;

const SOURCES: &str = "row_key, doc_no, sheet_kwd, row_long";

/// Document, sheet, row, name, amount.
type Placed = (u32, &'static str, i64, Option<&'static str>, i64);

/// One segment of three documents whose sheets and rows are in no order, in row groups of three.
fn mixed() -> House {
    let mut house = House::new();
    let rows: [Placed; 11] = [
        (2, "二月", 7, Some("a"), 1),
        (2, "二月", 5, Some("b"), 2),
        (2, "一月", 9, Some("a"), 3),
        (2, "一月", 3, None, 4),
        (1, "一月", 2, Some("c"), 5),
        (1, "一月", 4, Some("a"), 6),
        (3, "一月", 2, None, 7),
        (3, "一月", 3, Some("c"), 8),
        (1, "三月", 2, Some("b"), 9),
        (1, "三月", 3, Some("b"), 10),
        (1, "三月", 4, Some("d"), 11),
    ];
    let column = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
    let texts = |values: Vec<Option<&str>>| Arc::new(StringArray::from(values)) as ArrayRef;
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("row_long", column(rows.iter().map(|row| row.2).collect()), true),
        ("doc_no", Arc::new(rows.iter().map(|row| row.0).collect::<UInt32Array>()) as ArrayRef, true),
        ("sheet_kwd", texts(rows.iter().map(|row| Some(row.1)).collect()), true),
        ("name_kwd", texts(rows.iter().map(|row| row.3).collect()), true),
        ("amount_long", column(rows.iter().map(|row| row.4).collect()), true),
    ]);
    let mut writer = house.engine.writer(&house.destination()).expect("a writer");
    writer.push(batch.expect("a batch")).expect("pushed");
    let segment = writer.finish().expect("written").remove(0);
    house.snapshot.tables[0].parts[0].segments.push(LiveSegment { segment, docs: None });
    for no in 1..=3 {
        let document = Document { no, doc_id: Id::new(), name: format!("{no}.csv"), kb: house.kb };
        house.snapshot.documents.push(document);
    }
    house
}

async fn cited(house: &House, statement: &str, sources: &str, max: usize) -> ResultSet {
    let select = ScopedSelect::for_test(statement, Some(sources), Vec::new());
    house.engine.select(&select, &house.snapshot, 100, max).await.expect("a result")
}

#[tokio::test]
async fn sources_told_by_runs_are_those_of_the_select_itself() {
    let mut house = mixed();
    for docs in [None, Some(vec![1, 3])] {
        house.snapshot.tables[0].parts[0].segments[0].docs = docs.clone();
        for condition in ["1 = 1", "amount_long > 3", "name_kwd = 'b'", "name_kwd IS NULL", "amount_long > 90"] {
            let sources = format!("SELECT {SOURCES} FROM sales s WHERE {condition}");
            for max in [0, 1, 4, 50] {
                let count = "SELECT COUNT(*) FROM sales";
                let by_runs = cited(&house, count, &sources, max).await;
                let by_rows = cited(&house, count, &format!("{sources} ORDER BY amount_long"), max).await;
                assert_eq!(by_runs.sources, by_rows.sources, "{condition}, {max}, {docs:?}");
                assert_eq!(by_runs.sources_total, by_rows.sources_total, "{condition}, {docs:?}");
                assert_eq!(by_runs.documents, by_rows.documents, "{condition}, {docs:?}");
            }
        }
    }
}

#[tokio::test]
async fn groups_computed_once_cite_the_rows_of_those_that_are_shown() {
    let house = mixed();
    for (key, having, end, cited_rows) in [
        ("name_kwd", "", "ORDER BY SUM(amount_long) DESC, name_kwd LIMIT 1", 3),
        ("name_kwd", "", "ORDER BY COUNT(*), name_kwd LIMIT 2", 3),
        ("name_kwd", "", "ORDER BY SUM(amount_long) DESC, name_kwd LIMIT 4", 8),
        ("name_kwd", "HAVING SUM(amount_long) = 11", "", 3),
        ("name_kwd", "HAVING SUM(amount_long) = 0", "", 0),
        ("amount_long / 4", "HAVING COUNT(*) = 1", "", 11),
        ("name_kwd, sheet_kwd", "HAVING COUNT(*) = 2", "", 8),
    ] {
        let items: Vec<String> =
            key.split(", ").enumerate().map(|(at, key)| format!("{key} AS group_key_{}", at + 1)).collect();
        let keys =
            |at: usize| format!("(({}) IS NOT DISTINCT FROM g.group_key_{})", key.split(", ").nth(at).unwrap(), at + 1);
        let on: Vec<String> = (0..items.len()).map(keys).collect();
        let grouped = format!("FROM sales WHERE amount_long > 0 GROUP BY {key} {having} {end}");
        let statement = format!("SELECT {key}, COUNT(*) AS n, SUM(amount_long) AS s {grouped}");
        let groups = format!("SELECT {} {grouped}", items.join(", "));
        let columns: Vec<String> = SOURCES.split(", ").map(|source| format!("sales.{source} AS {source}")).collect();
        let sources = format!(
            "SELECT {} FROM (SELECT * FROM sales WHERE amount_long > 0) AS sales JOIN ({groups}) AS g ON {}",
            columns.join(", "),
            on.join(" AND ")
        );
        let result = cited(&house, &statement, &sources, 50).await;
        let counts = result.rows.iter().map(|row| match &row[row.len() - 2] {
            Value::Integer(n) => *n as u64,
            other => panic!("{statement}: {other:?}"),
        });
        assert_eq!((result.sources_total, counts.sum::<u64>()), (cited_rows, cited_rows), "{statement}");
        assert_eq!(result.sources.len() as u64, cited_rows, "{statement}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_dead_rows_is_no_ones_business() {
    let mut house = House::new();
    house.put("a.csv", &[(Some("12"), Some(1), None), (Some("x"), Some(2), None)]);
    let count = "SELECT COUNT(*) FROM sales WHERE CAST(name_kwd AS BIGINT) = 12";
    house.snapshot.tables[0].parts[0].segments[0].docs = Some(Vec::new());
    assert_eq!(house.one(count).await, Value::Integer(0));
    house.snapshot.tables[0].parts[0].segments[0].docs = None;
    let select = ScopedSelect::for_test(count, Some("SELECT 1"), Vec::new());
    assert!(house.engine.select(&select, &house.snapshot, 5, 5).await.is_err(), "a live cell that does not convert");
}
