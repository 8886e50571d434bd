use super::House;
use crate::engine::Engine;
use crate::value::Value;

async fn house() -> House {
    let mut house = House::new();
    house.put(
        "计划.xlsx",
        &[
            (Some("red apple pie"), Some(1), None),
            (Some("green apple"), Some(2), None),
            (None, Some(3), None),
            (Some("pear"), Some(4), None),
        ],
    );
    house.put("b.xlsx", &[(Some("apple"), Some(5), None)]);
    house
}

/// Rows that meet a condition, by their amount.
async fn amounts(house: &House, condition: &str) -> Vec<i64> {
    let rows = house.rows(&format!("SELECT amount_long FROM sales s WHERE {condition} ORDER BY amount_long")).await;
    rows.into_iter().map(|row| if let Value::Integer(n) = row[0] { n } else { -1 }).collect()
}

#[tokio::test]
async fn a_match_is_three_valued_wherever_it_stands() {
    let house = house().await;
    let matched =
        |words: &str, options: &str| format!("sw_match('sales', 'name_tks', '{words}', '{options}', s.row_key)");
    let apple = matched("apple", "");
    let pie = matched("Apple PIE", "operator=AND");
    for (condition, rows) in [
        (apple.clone(), vec![1, 2, 5]),
        (format!("NOT {apple}"), vec![4]),
        (format!("NOT (NOT {apple})"), vec![1, 2, 5]),
        (pie.clone(), vec![1]),
        (format!("{apple} AND NOT {pie}"), vec![2, 5]),
        (format!("{pie} OR amount_long = 3"), vec![1, 3]),
        (format!("NOT ({apple} OR amount_long = 4)"), vec![]),
        (format!("NOT ({apple} AND amount_long = 3)"), vec![1, 2, 4, 5]),
        (format!("{apple} IS NULL"), vec![3]),
        (matched("apple green pear", "operator=OR;minimum_should_match=67%"), vec![2]),
        (matched("apple green pear", "operator=OR;minimum_should_match=30%"), vec![1, 2, 4, 5]),
        (matched("", ""), vec![]),
    ] {
        assert_eq!(amounts(&house, &condition).await, rows, "{condition}");
    }
}

#[tokio::test]
async fn a_match_works_in_a_join_where_a_row_may_be_missing() {
    let house = house().await;
    let rows = house.rows(
        "SELECT a.amount_long, sw_match('sales', 'name_tks', 'apple', '', b.row_key) \
         FROM sales a LEFT JOIN sales b ON a.amount_long + 1 = b.amount_long ORDER BY 1",
    );
    let told: Vec<Value> = rows.await.into_iter().map(|row| row[1].clone()).collect();
    assert_eq!(told, [Value::Flag(true), Value::Null, Value::Flag(false), Value::Flag(true), Value::Null]);
}

#[tokio::test]
async fn search_ranks_live_rows() {
    let mut house = house().await;
    let found = house.engine.search("apple pie", &house.snapshot, 2).await.expect("hits");
    assert_eq!(found.iter().map(|hit| (hit.source.doc_no, hit.source.row)).collect::<Vec<_>>(), [(1, 2), (2, 2)]);
    house.snapshot.tables[0].parts[0].segments[0].docs = Some(vec![9]);
    let found = house.engine.search("apple pie", &house.snapshot, 2).await.expect("hits");
    assert_eq!(found.iter().map(|hit| hit.source.doc_no).collect::<Vec<_>>(), [2]);
    let found = house.engine.search("nothing like it", &house.snapshot, 2).await.expect("hits");
    assert!(found.is_empty());
}
