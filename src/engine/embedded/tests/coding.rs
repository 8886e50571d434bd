use super::House;
use crate::config::EmbeddedLimits;
use crate::value::Value;

const NAMES: [Option<&str>; 5] = [Some("甲"), Some("乙"), None, Some("a longer name than a view holds"), Some("")];

/// Two segments with enough rows for codes; the texts are met in another order in each.
fn large() -> House {
    let mut house = House::with(EmbeddedLimits { row_group_rows: 20_000, ..EmbeddedLimits::default() });
    for step in [1, 3] {
        let name = |n: i64| NAMES[(n * step) as usize % NAMES.len()];
        let rows: Vec<super::Row<'_>> = (0..30_000).map(|n| (name(n), Some(n % 7), None)).collect();
        house.put(&format!("{step}.csv"), &rows);
    }
    house
}

fn text(name: Option<&str>) -> Value {
    name.map_or(Value::Null, |name| Value::Text(name.to_owned()))
}

#[tokio::test]
async fn groups_told_apart_by_codes_have_their_texts() {
    let house = large();
    let mut names = NAMES;
    names.sort_by_key(|name| (name.is_none(), *name));
    let want: Vec<Vec<Value>> = names.iter().map(|name| vec![text(*name), Value::Integer(12_000)]).collect();
    for statement in [
        "SELECT name_kwd, COUNT(*) FROM sales GROUP BY name_kwd ORDER BY name_kwd",
        "SELECT s.name_kwd, COUNT(*) FROM sales AS s GROUP BY s.name_kwd ORDER BY s.name_kwd",
        "SELECT name_kwd, SUM(n) FROM (SELECT name_kwd, amount_long, COUNT(*) AS n FROM sales GROUP BY name_kwd, amount_long)
         AS g GROUP BY name_kwd ORDER BY name_kwd",
    ] {
        assert_eq!(house.rows(statement).await, want, "{statement}");
    }
    let distinct = house.rows("SELECT DISTINCT name_kwd FROM sales ORDER BY name_kwd").await;
    assert_eq!(distinct, names.map(|name| vec![text(name)]));
    let read_too = house.rows("SELECT name_kwd, MAX(name_kwd) FROM sales GROUP BY name_kwd ORDER BY name_kwd").await;
    assert_eq!(read_too, names.map(|name| vec![text(name), text(name)]));
}

#[tokio::test]
async fn conditions_asked_of_values_hold_for_the_same_rows() {
    let house = large();
    for (condition, rows) in [
        ("name_kwd = '甲'", 12_000),
        ("name_kwd <> '甲'", 36_000),
        ("name_kwd IS NULL", 12_000),
        ("name_kwd LIKE '%name%' OR name_kwd IS NULL", 24_000),
        ("NOT (name_kwd IN ('甲', ''))", 24_000),
        ("length(name_kwd) > 1 AND amount_long >= 0", 12_000),
        ("coalesce(name_kwd, '甲') = '甲'", 24_000),
        ("name_kwd = '甲' AND name_kwd = '乙'", 0),
        ("name_kwd = 'none'", 0),
    ] {
        let count = house.one(&format!("SELECT COUNT(*) FROM sales WHERE {condition}")).await;
        assert_eq!(count, Value::Integer(rows), "{condition}");
    }
    let grouped = house.rows("SELECT name_kwd, COUNT(*) FROM sales WHERE name_kwd >= '乙' GROUP BY name_kwd").await;
    assert_eq!(grouped.len(), 2);
}
