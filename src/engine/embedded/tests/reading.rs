use super::House;
use crate::engine::{Engine, EngineError, LiveSegment, RowKey};
use crate::ids::Id;
use crate::sql::{Code, OutColumn, ScopedSelect};
use crate::value::Value;

const PLAIN: &str = "row_key, doc_no, sheet_kwd, row_long";

async fn two_documents() -> House {
    let mut house = House::new();
    house.put(
        "a.xlsx",
        &[
            (Some("甲"), Some(1), Some(0.1)),
            (Some("乙"), Some(2), Some(0.2)),
            (None, Some(3), None),
            (Some("丁"), None, Some(0.7)),
        ],
    );
    house.put("b.xlsx", &[(Some("甲"), Some(10), None), (Some("戊"), Some(20), Some(1.5))]);
    house
}

#[tokio::test]
async fn a_statement_sees_all_live_rows_and_only_those() {
    let mut house = two_documents().await;
    assert_eq!(house.one("SELECT SUM(amount_long) FROM sales").await, Value::Integer(36));
    assert_eq!(house.one("SELECT COUNT(*) FROM sales").await, Value::Integer(6));
    house.snapshot.tables[0].parts[0].segments[0].docs = Some(vec![]);
    assert_eq!(house.one("SELECT SUM(amount_long) FROM sales").await, Value::Integer(30));
    house.snapshot.tables[0].parts[0].segments.clear();
    assert_eq!(house.one("SELECT COUNT(*) FROM sales").await, Value::Integer(0));
}

#[tokio::test]
async fn rows_of_a_dead_load_in_a_shared_segment_are_left_out() {
    let mut house = two_documents().await;
    let segments = house.snapshot.tables[0].parts[0].segments.clone();
    let merged = house.engine.merge(&segments).await.expect("merged");
    assert!(merged.is_empty(), "two segments are few");
    let live = |docs| LiveSegment { docs, ..segments[0].clone() };
    house.snapshot.tables[0].parts[0].segments = vec![live(Some(vec![2]))];
    assert_eq!(house.one("SELECT COUNT(*) FROM sales").await, Value::Integer(0));
    house.snapshot.tables[0].parts[0].segments = vec![live(Some(vec![1]))];
    assert_eq!(house.one("SELECT COUNT(name_kwd) FROM sales").await, Value::Integer(3));
}

#[tokio::test]
async fn scope_conditions_are_answered_by_document() {
    let house = two_documents().await;
    let (kb, other) = (house.kb, Id::new());
    let first = house.snapshot.documents[0].doc_id;
    for (condition, rows) in [
        (format!("kb_id IN ('{kb}')"), 6),
        (format!("kb_id = '{kb}' AND table_kwd = 'sales'"), 6),
        (format!("kb_id IN ('{other}')"), 0),
        (format!("kb_id IN ('{other}', '{kb}') AND (amount_long > 1 OR 1 = 1)"), 6),
        (format!("(amount_long > 1 OR 1 = 1) AND kb_id = '{other}'"), 0),
        (format!("kb_id IN ('{kb}') AND doc_id IN ('{first}')"), 4),
        (format!("NOT (doc_id = '{first}')"), 2),
        (format!("doc_id = '{first}' OR amount_long = 20"), 5),
        ("table_kwd = 'costs'".to_owned(), 0),
        ("docnm_kwd = 'b.xlsx'".to_owned(), 2),
        ("sheet_kwd LIKE '%月'".to_owned(), 6),
        (format!("length(kb_id) = 32 AND kb_id LIKE '{kb}'"), 6),
    ] {
        let count = house.one(&format!("SELECT COUNT(*) FROM sales WHERE {condition}")).await;
        assert_eq!(count, Value::Integer(rows), "{condition}");
    }
}

#[tokio::test]
async fn a_plain_select_gives_its_sources_in_sheet_order() {
    let house = two_documents().await;
    let select = ScopedSelect::for_test(&format!("SELECT name_kwd, {PLAIN} FROM sales"), None, Vec::new());
    let result = house.engine.select(&select, &house.snapshot, 5, 3).await.expect("a result");
    assert_eq!((result.total, result.rows.len(), result.sources.len()), (6, 5, 3));
    assert_eq!(result.rows[3], [Value::Text("丁".to_owned())]);
    assert_eq!(result.documents, [(1, 4), (2, 2)]);
    let keys = [result.sources[2].key, result.sources[0].key, RowKey(u64::MAX)];
    let rows = house.engine.rows(&keys, &house.snapshot);
    let rows = rows.await.expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].source.row, 4);
    assert!(rows[1].content.contains("name_tks: 甲"), "{}", rows[1].content);
}

#[tokio::test]
async fn an_aggregate_cites_the_least_rows_and_counts_all() {
    let house = two_documents().await;
    let sources = format!("SELECT {PLAIN} FROM sales WHERE amount_long >= 2 ORDER BY row_long DESC");
    let result = house.select("SELECT SUM(amount_long) FROM sales WHERE amount_long >= 2", Some(&sources)).await;
    let places: Vec<(u32, u64)> = result.sources.iter().map(|source| (source.doc_no, source.row)).collect();
    assert_eq!(places, [(1, 3), (1, 4), (2, 2), (2, 3)]);
    assert_eq!((result.sources_total, result.documents), (4, vec![(1, 2), (2, 2)]));
}

#[tokio::test]
async fn sums_alone_are_rounded_to_the_places_of_their_terms() {
    let house = two_documents().await;
    let column =
        OutColumn { name: "s".into(), label: "s".into(), kind: None, unit: None, decimals: Some(1), summed: true };
    let select = ScopedSelect::for_test(
        "SELECT SUM(score_flt) AS s FROM sales WHERE score_flt < 0.5",
        Some(&format!("SELECT {PLAIN} FROM sales")),
        vec![column.clone()],
    );
    let result = house.engine.select(&select, &house.snapshot, 5, 3).await.expect("a result");
    assert_eq!(result.rows, [[Value::Decimal(0.3)]]);
    for (statement, want) in [("SELECT AVG(score_flt) * 1e-9 AS s FROM sales WHERE score_flt < 0.15", 1e-10)] {
        let column = OutColumn { summed: false, ..column.clone() };
        let select = ScopedSelect::for_test(statement, Some(&format!("SELECT {PLAIN} FROM sales")), vec![column]);
        let result = house.engine.select(&select, &house.snapshot, 5, 3).await.expect("a result");
        let Value::Decimal(x) = result.rows[0][0] else { panic!("{statement}: {:?}", result.rows) };
        assert!((x / want - 1.0).abs() < 1e-9, "{statement}: {x}");
    }
}

#[tokio::test]
async fn what_is_no_select_over_the_tables_is_refused() {
    let house = two_documents().await;
    for statement in [
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM costs",
        "SELECT nope FROM sales",
        "SELECT * FROM generate_series(1, 5)",
    ] {
        let select = ScopedSelect::for_test(statement, Some("SELECT 1"), Vec::new());
        match house.engine.select(&select, &house.snapshot, 5, 3).await {
            Err(EngineError::Refused(refusal)) => assert_eq!(refusal.code, Code::NotRunnable, "{statement}"),
            other => panic!("{statement}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn nulls_come_last_in_both_directions() {
    let house = two_documents().await;
    for direction in ["ASC", "DESC"] {
        let rows = house.rows(&format!("SELECT amount_long FROM sales ORDER BY amount_long {direction}")).await;
        assert_eq!(rows[5], [Value::Null], "{direction}");
    }
}

#[tokio::test]
async fn whole_numbers_never_wrap() {
    let mut house = House::new();
    let large = i64::MAX - 1;
    house.put(
        "a.xlsx",
        &[(Some("甲"), Some(large), None), (Some("乙"), Some(large), None), (Some("丙"), Some(3_000_000_000), None)],
    );
    let told =
        house.one("SELECT SUM(amount_long * amount_long) FROM sales WHERE name_kwd = '丙' AND kb_id <> ''").await;
    assert_eq!(told, Value::Integer(9_000_000_000_000_000_000));
    assert_eq!(house.one("SELECT MAX(amount_long) FROM sales").await, Value::Integer(large));
    assert_eq!(house.one("SELECT COUNT(*) FROM sales WHERE amount_long > 5").await, Value::Integer(3));
    for items in ["SUM(amount_long)", "amount_long * amount_long * amount_long"] {
        let select = ScopedSelect::for_test(&format!("SELECT {items} FROM sales"), Some("SELECT 1"), Vec::new());
        let refused = house.engine.select(&select, &house.snapshot, 5, 3).await;
        assert!(matches!(refused, Err(EngineError::Refused(_))), "{items}: {refused:?}");
    }
}
