//! Statements as the embedded engine runs them, over a small table in memory: results, and the rows they stand on.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampSecondArray, UInt32Array, UInt64Array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::prelude::SessionContext;

use super::{KB, run};
use crate::sql::{ScopedSelect, render};

const FOREIGN: &str = "00000000e5f611ef8a0b0242ac120002";

/// Six rows of ours and one of another knowledge base.
fn sales() -> RecordBatch {
    let cities = [Some("Paris"), Some("Paris"), Some("Berlin"), Some("Berlin"), Some("New York"), None, Some("Paris")];
    let mut kbs = vec![KB; 6];
    kbs.push(FOREIGN);
    let days = [19_723_i64, 19_754, 19_783, 19_783, 19_814, 19_844, 19_723];
    let at = TimestampSecondArray::from_iter_values(days.map(|day| day * 86_400));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("kb_id", Arc::new(StringArray::from(kbs))),
        ("table_kwd", Arc::new(StringArray::from(vec!["sales"; 7]))),
        ("row_key", Arc::new(UInt64Array::from_iter_values(1..=7))),
        ("doc_no", Arc::new(UInt32Array::from_iter_values([1; 7]))),
        ("sheet_kwd", Arc::new(StringArray::from(vec!["一月"; 7]))),
        ("row_long", Arc::new(Int64Array::from_iter_values(2..=8))),
        ("xing_ming_kwd", Arc::new(StringArray::from(vec!["a", "b", "c", "d", "e", "f", "g"]))),
        ("city_kwd", Arc::new(StringArray::from_iter(cities))),
        (
            "price_flt",
            Arc::new(Float64Array::from(vec![
                Some(10.0),
                Some(20.0),
                Some(5.0),
                None,
                Some(7.5),
                Some(1.0),
                Some(1000.0),
            ])),
        ),
        ("qty_long", Arc::new(Int64Array::from_iter_values([1, 2, 3, 4, 0, 6, 7]))),
        ("ri_qi_dt", cast(&at, &DataType::Timestamp(TimeUnit::Millisecond, None)).expect("a cast of times")),
        ("paid_kwd", Arc::new(StringArray::from(vec!["yes", "no", "yes", "no", "yes", "no", "yes"]))),
        ("n_2031_long", Arc::new(Int64Array::from_iter_values([0, 1, 2, 3, 4, 5, 6]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

fn stock() -> RecordBatch {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("kb_id", Arc::new(StringArray::from(vec![KB, KB, FOREIGN]))),
        ("table_kwd", Arc::new(StringArray::from(vec!["stock"; 3]))),
        ("row_key", Arc::new(UInt64Array::from_iter_values(11..=13))),
        ("doc_no", Arc::new(UInt32Array::from_iter_values([2; 3]))),
        ("sheet_kwd", Arc::new(StringArray::from(vec!["stock"; 3]))),
        ("row_long", Arc::new(Int64Array::from_iter_values(2..=4))),
        ("city_kwd", Arc::new(StringArray::from(vec!["Paris", "Rome", "Berlin"]))),
        ("amount_long", Arc::new(Int64Array::from_iter_values([100, 200, 300]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

async fn rows_of(text: &str) -> Vec<Vec<String>> {
    let context = SessionContext::new();
    context.register_batch("sales", sales()).expect("a table");
    context.register_batch("stock", stock()).expect("a table");
    let batches = match context.sql(text).await {
        Ok(frame) => frame.collect().await.unwrap_or_else(|error| panic!("{text}: {error}")),
        Err(error) => panic!("{text}: {error}"),
    };
    let cell = |batch: &RecordBatch, row: usize, column: usize| {
        array_value_to_string(batch.column(column), row).expect("a cell that prints")
    };
    batches
        .iter()
        .flat_map(|batch| {
            (0..batch.num_rows()).map(move |row| (0..batch.num_columns()).map(|c| cell(batch, row, c)).collect())
        })
        .collect()
}

/// The rows of an answer and the keys of the rows it stands on, sorted.
async fn answer(select: &ScopedSelect) -> (Vec<Vec<String>>, Vec<u64>) {
    let width = select.columns().len();
    let rows = rows_of(&render::embedded(select.statement()).expect("the statement prints")).await;
    let keys = match select.sources() {
        Some(sources) => rows_of(&render::embedded(sources).expect("the sources print"))
            .await
            .into_iter()
            .map(|row| row[0].clone())
            .collect(),
        None => rows.iter().map(|row| row[width].clone()).collect::<Vec<_>>(),
    };
    let mut keys: Vec<u64> = keys.iter().map(|key| key.parse().expect("a key")).collect();
    keys.sort_unstable();
    (
        rows.into_iter()
            .map(|mut row| {
                row.truncate(width);
                row
            })
            .collect(),
        keys,
    )
}

#[tokio::test]
async fn answers_are_exact_and_cite_the_rows_they_stand_on() {
    let table: [(&str, &str, &[u64]); 30] = [
        ("SELECT COUNT(*) FROM sales", "6", &[1, 2, 3, 4, 5, 6]),
        ("SELECT COUNT(*) FROM sales WHERE qty_long > 100 OR price_flt < 9999", "5", &[1, 2, 3, 5, 6]),
        ("SELECT SUM(price_flt) FROM sales WHERE city_tks = 'paris'", "30.0", &[1, 2]),
        ("SELECT MAX(price_flt) FROM sales", "20.0", &[2]),
        ("SELECT MIN(price_flt), MAX(price_flt) FROM sales WHERE city_tks <> 'Berlin'", "7.5 20.0", &[2, 5]),
        ("SELECT xing_ming_tks FROM sales ORDER BY price_flt DESC", "b|a|e|c|f|d", &[1, 2, 3, 4, 5, 6]),
        ("SELECT xing_ming_tks FROM sales ORDER BY price_flt LIMIT 2", "f|c", &[3, 6]),
        (
            "SELECT city_tks, COUNT(*) n FROM sales GROUP BY city_tks ORDER BY n DESC, city_tks",
            "Berlin 2|Paris 2|New York 1| 1",
            &[1, 2, 3, 4, 5, 6],
        ),
        ("SELECT city_tks, SUM(qty_long) FROM sales GROUP BY 1 ORDER BY 2 DESC LIMIT 1", "Berlin 7", &[3, 4]),
        ("SELECT city_tks FROM sales GROUP BY city_tks HAVING COUNT(*) = 1 ORDER BY city_tks", "New York|", &[5, 6]),
        ("SELECT DISTINCT city_tks FROM sales ORDER BY city_tks", "Berlin|New York|Paris|", &[1, 2, 3, 4, 5, 6]),
        ("SELECT xing_ming_tks FROM sales WHERE 日期 = '2024-03'", "c|d", &[3, 4]),
        ("SELECT COUNT(*) FROM sales WHERE ri_qi_dt BETWEEN '2024-01-01' AND '2024-02'", "2", &[1, 2]),
        ("SELECT qty_long / 2 FROM sales WHERE qty_long = 3", "1.5", &[3]),
        ("SELECT price_flt / qty_long FROM sales WHERE xing_ming_tks = 'e'", "", &[5]),
        (
            "SELECT DATE_FORMAT(ri_qi_dt, '%Y-%m') m, COUNT(*) FROM sales GROUP BY m ORDER BY m LIMIT 2",
            "2024-01 1|2024-02 1",
            &[1, 2],
        ),
        ("SELECT DATEDIFF('2024-03-01', ri_qi_dt) FROM sales WHERE qty_long = 1", "60", &[1]),
        ("SELECT YEAR(ri_qi_dt), MONTH(ri_qi_dt), DAYOFWEEK(ri_qi_dt) FROM sales WHERE qty_long = 1", "2024 1 2", &[1]),
        (
            "SELECT a.xing_ming_tks, b.amount_long FROM sales a LEFT JOIN stock b ON a.city_tks = b.city_tks ORDER BY a.xing_ming_tks",
            "a 100|b 100|c |d |e |f ",
            &[1, 2, 3, 4, 5, 6, 11],
        ),
        ("SELECT SUM(b.amount_long) FROM sales a JOIN stock b USING (city_tks)", "200", &[1, 2, 11]),
        (
            "WITH r AS (SELECT xing_ming_tks, city_tks, ROW_NUMBER() OVER (PARTITION BY city_tks ORDER BY price_flt DESC) rn FROM sales) SELECT xing_ming_tks FROM r WHERE rn = 1 AND city_tks IS NOT NULL ORDER BY xing_ming_tks",
            "b|c|e",
            &[2, 3, 5],
        ),
        ("SELECT AVG(s) FROM (SELECT SUM(qty_long) s FROM sales GROUP BY city_tks) t", "4.0", &[1, 2, 3, 4, 5, 6]),
        ("SELECT COUNT(*) FROM (SELECT * FROM sales WHERE qty_long > 1) t WHERE price_flt > 6", "1", &[2]),
        (
            "SELECT city_tks FROM sales UNION SELECT city_tks FROM stock ORDER BY city_tks",
            "Berlin|New York|Paris|Rome|",
            &[1, 2, 3, 4, 5, 6, 11, 12],
        ),
        ("SELECT xing_ming_tks FROM sales WHERE price_flt > (SELECT AVG(price_flt) FROM sales)", "a|b", &[1, 2]),
        (
            "SELECT xing_ming_tks FROM sales WHERE EXISTS (SELECT 1 FROM stock WHERE stock.city_tks = sales.city_tks)",
            "a|b",
            &[1, 2],
        ),
        (
            "SELECT ABS((SELECT price_flt FROM sales WHERE xing_ming_tks = 'a') - (SELECT price_flt FROM sales WHERE xing_ming_tks = 'c')) AS d",
            "5.0",
            &[1, 3],
        ),
        (
            "SELECT COUNT(*) * 100.0 / (SELECT COUNT(*) FROM stock) FROM sales WHERE city_tks = 'Paris'",
            "100.0",
            &[1, 2, 11, 12],
        ),
        (
            "SELECT xing_ming_tks FROM (SELECT * FROM sales ORDER BY price_flt DESC LIMIT 3) t WHERE qty_long < 2 ORDER BY price_flt LIMIT 1",
            "e",
            &[5],
        ),
        (
            "SELECT MEDIAN(price_flt), PERCENTILE(price_flt, 0.5), STRING_AGG(city_tks, '/') FROM sales WHERE qty_long < 3",
            "10.0 10.0 Paris/Paris/New York",
            &[1, 2, 5],
        ),
    ];
    for (sql, want, cited) in table {
        let select = run(sql).unwrap_or_else(|refusal| panic!("{sql}: {refusal} ({})", refusal.hint));
        let (rows, keys) = answer(&select).await;
        let got: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(got.join("|"), want, "{sql}");
        assert_eq!(keys, cited, "{sql}");
    }
}

#[tokio::test]
async fn what_is_allowed_runs() {
    let table = [
        (
            "SELECT xing_ming_tks, RANK() OVER (ORDER BY price_flt DESC) r FROM sales QUALIFY r <= 2 ORDER BY r",
            "b 1|a 2",
        ),
        ("SELECT city_tks, SUM(SUM(qty_long)) OVER () FROM sales GROUP BY city_tks ORDER BY 1 LIMIT 1", "Berlin 16"),
        ("SELECT xing_ming_tks, LAG(qty_long) OVER (ORDER BY qty_long) FROM sales ORDER BY qty_long LIMIT 2", "e |a 0"),
        (
            "SELECT SUM(qty_long) OVER (ORDER BY qty_long ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM sales ORDER BY qty_long LIMIT 3",
            "0|1|3",
        ),
        ("SELECT COUNT(*) FROM sales WHERE ri_qi_dt > DATE '2024-02-01' - INTERVAL 1 DAY", "5"),
        ("SELECT COUNT(*) FROM sales WHERE ri_qi_dt >= DATE_SUB(CURRENT_DATE, INTERVAL 1 MONTH)", "5"),
        ("SELECT COUNT(*) FROM sales WHERE NOT (ri_qi_dt BETWEEN '2024-01' AND '2024-02')", "4"),
        ("SELECT COUNT(*) FROM sales WHERE ri_qi_dt LIKE '2024-01%'", "1"),
        ("SELECT COUNT(*) FROM sales WHERE ri_qi_dt IN ('2024-01', '2024-03')", "3"),
        ("SELECT COUNT(*) FROM sales WHERE city_tks LIKE 'P%' OR city_tks LIKE '%\\%%'", "2"),
        ("SELECT COUNT(*) FROM sales WHERE city_tks ILIKE '%PARIS%'", "2"),
        ("SELECT COUNT(*) FROM sales WHERE city_tks NOT LIKE '%ar%'", "3"),
        ("SELECT COUNT(*) FROM sales WHERE CAST(qty_long AS VARCHAR) LIKE '4%'", "1"),
        ("SELECT COUNT(*) FROM sales WHERE SUBSTR(ri_qi_dt, 1, 7) = '2024-01'", "1"),
        ("SELECT COUNT(*) FROM sales WHERE strftime('%Y', ri_qi_dt) = '2024' AND YEAR(ri_qi_dt) = '2024'", "6"),
        (
            "SELECT DATE_TRUNC('month', ri_qi_dt) m, COUNT(*) FROM sales GROUP BY 1 ORDER BY 1 LIMIT 1",
            "2024-01-01T00:00:00 1",
        ),
        (
            "SELECT UPPER(city_tks) || '-' || LEFT(xing_ming_tks, 1), CHAR_LENGTH(city_tks), TRIM(city_tks) FROM sales WHERE qty_long = 1",
            "PARIS-a 5 Paris",
        ),
        (
            "SELECT ROUND(AVG(price_flt), 1), STDDEV(price_flt) > 0, VAR_POP(price_flt) > 0, CORR(price_flt, qty_long) < 1 FROM sales",
            "8.7 true true true",
        ),
        (
            "SELECT COALESCE(city_tks, '?'), NULLIF(qty_long, 6), GREATEST(qty_long, 9), MOD(qty_long, 4), SIGN(price_flt), POWER(2, 3) FROM sales WHERE qty_long = 6",
            "?  9 2 1.0 8.0",
        ),
        (
            "SELECT SUM(CASE city_tks WHEN 'Paris' THEN 1 ELSE 0 END), SUM(IF(paid_kwd = 1, qty_long, 0)), COUNT(*) FILTER (WHERE qty_long > 2) FROM sales",
            "2 4 3",
        ),
        (
            "SELECT STRING_AGG(xing_ming_tks, '-' ORDER BY qty_long DESC) FROM sales WHERE city_tks IS NOT NULL",
            "d-c-b-a-e",
        ),
        ("SELECT qty_long % n_2031_long FROM sales WHERE xing_ming_tks = 'a'", ""),
        (
            "SELECT CAST('12' AS BIGINT) + CAST(price_flt AS INT), FLOOR(price_flt), CEIL(price_flt) FROM sales WHERE qty_long = 0",
            "19 7.0 8.0",
        ),
        ("SELECT city_tks FROM sales GROUP BY city_tks ORDER BY MAX(price_flt) DESC LIMIT 1", "Paris"),
        ("SELECT COUNT(DISTINCT city_tks) FROM sales WHERE (paid_kwd = 'yes') IS TRUE AND paid_kwd", "3"),
        (
            "SELECT t.city_tks, t.n FROM (SELECT city_tks, COUNT(*) AS n FROM sales GROUP BY city_tks) t WHERE t.n > 1 ORDER BY t.city_tks",
            "Berlin 2|Paris 2",
        ),
        ("SELECT city_tks FROM sales INTERSECT SELECT city_tks FROM stock", "Paris"),
        (
            "SELECT x.c FROM (SELECT city_tks AS c FROM sales EXCEPT SELECT city_tks FROM stock) x ORDER BY x.c LIMIT 1",
            "Berlin",
        ),
        (
            "SELECT a.xing_ming_tks FROM sales a CROSS JOIN (SELECT AVG(price_flt) m FROM sales) b WHERE a.price_flt > b.m ORDER BY 1",
            "a|b",
        ),
        (
            "SELECT xing_ming_tks FROM sales WHERE qty_long = (SELECT MAX(qty_long) FROM sales s WHERE s.city_tks = sales.city_tks) ORDER BY 1",
            "b|d|e",
        ),
        (
            "SELECT DAY(ri_qi_dt), QUARTER(ri_qi_dt), WEEK(ri_qi_dt), HOUR(ri_qi_dt) FROM sales WHERE qty_long = 1",
            "1 1 1 0",
        ),
    ];
    for (sql, want) in table {
        let select = run(sql).unwrap_or_else(|refusal| panic!("{sql}: {refusal} ({})", refusal.hint));
        let (rows, _) = answer(&select).await;
        let got: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(got.join("|"), want, "{sql}");
    }
}
