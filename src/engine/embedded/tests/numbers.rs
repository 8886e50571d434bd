//! Whole numbers near the end of their range, and means of them.

use super::House;
use crate::engine::{Engine, EngineError};
use crate::sql::{Code, ScopedSelect};
use crate::value::Value;

fn house() -> House {
    let mut house = House::new();
    house.put(
        "a.xlsx",
        &[
            (Some("甲"), Some(1), Some(4e9)),
            (Some("乙"), Some(1), Some(4e9)),
            (Some("丙"), Some(2), Some(9e18)),
            (Some("丁"), Some(4), Some(9e18)),
        ],
    );
    house
}

/// A condition under which whole numbers are decimals.
const LARGE: &str = "WHERE amount_long < 9000000000000000000";

#[tokio::test]
async fn means_are_the_same_whatever_stands_beside_them() {
    let house = house();
    for (items, want) in [
        ("MEDIAN(amount_long)", 1.5),
        ("AVG(amount_long) / 3", 2.0 / 3.0),
        ("STDDEV_POP(amount_long)", 1.5f64.sqrt()),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amount_long)", 1.5),
        ("AVG(amount_long) OVER ()", 2.0),
    ] {
        for condition in ["", LARGE] {
            let statement = format!("SELECT {items} FROM sales {condition}");
            let Value::Decimal(x) = house.one(&statement).await else { panic!("{statement} is no decimal") };
            assert!((x - want).abs() < 1e-12, "{statement}: {x}");
        }
    }
}

#[tokio::test]
async fn a_whole_number_out_of_range_is_refused_and_never_wraps() {
    let house = house();
    for statement in [
        "SELECT CAST(score_flt AS BIGINT) * CAST(score_flt AS BIGINT) FROM sales WHERE score_flt < 5e9",
        "SELECT SUM(CAST(score_flt AS BIGINT)) FROM sales",
        "SELECT SUM(amount_long) * 9000000000000000000 FROM sales",
    ] {
        let sources = Some("SELECT row_key, doc_no, sheet_kwd, row_long FROM sales");
        let select = ScopedSelect::for_test(statement, sources, Vec::new());
        match house.engine.select(&select, &house.snapshot, 10, 10).await {
            Err(EngineError::Refused(refusal)) => assert_eq!(refusal.code, Code::NotRunnable, "{statement}"),
            other => panic!("{statement}: {other:?}"),
        }
    }
    let fits = "SELECT SUM(CAST(score_flt AS BIGINT)) FROM sales WHERE score_flt < 5e9";
    assert_eq!(house.one(fits).await, Value::Integer(8_000_000_000));
}

#[tokio::test]
async fn a_whole_number_beside_decimals_stays_exact() {
    let mut house = House::new();
    let rows: Vec<_> = (0..20).map(|n| (Some("甲"), Some(999_999_999_999_999 - 7 * n), Some(1e-19))).collect();
    house.put("a.xlsx", &rows);
    let sum = Value::Integer(19_999_999_999_998_650);
    for (item, want) in [
        ("SUM(amount_long) * 1.0", sum.clone()),
        ("SUM(amount_long * 1.0)", sum.clone()),
        ("SUM(CASE WHEN amount_long > 0 THEN amount_long ELSE 0.0 END)", sum.clone()),
        ("GREATEST(SUM(amount_long), 1.5)", sum),
        ("SUM(amount_long) - 19999999999998649.0", Value::Decimal(1.0)),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amount_long)", Value::Decimal(999_999_999_999_932.5)),
    ] {
        assert_eq!(house.one(&format!("SELECT {item} FROM sales")).await, want, "{item}");
    }
    // Beside doubles numbers stay doubles, down to the smallest.
    let tiny = "SELECT COUNT(*) FROM sales WHERE score_flt > 0.00000000000000000001 AND amount_long * 1.5 > 2.5";
    assert_eq!(house.one(tiny).await, Value::Integer(20));
}
