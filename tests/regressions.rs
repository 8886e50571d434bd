//! Faults that string-built SQL over a search engine had, end to end: what the right answer is, and that it is given.

use serde_json::{Value, json};

use crate::isolation::pair;

fn rows(statement: &str) -> Value {
    let outcome = pair().sql(statement);
    assert!(outcome["rows"].is_array(), "{statement}: {outcome}");
    outcome["rows"].clone()
}

#[test]
fn each_condition_means_what_it_says() {
    let table = [
        // Words of SQL inside a literal are the literal.
        ("name = 'speed limit sign'", json!([["speed limit sign"]])),
        ("note = 'Order by mail'", json!([["speed limit sign"]])),
        ("note = '/* where */'", json!([["car"]])),
        ("note = 'kb_id = ''x'''", json!([["red car"]])),
        ("note LIKE '%-- twice'", json!([["blue car"]])),
        // A percent sign is kept: escaped it is itself, alone it is any text, between numbers it is the remainder.
        ("note LIKE '%50\\% off%'", json!([["O'Brien"]])),
        ("note LIKE '50%'", json!([["O'Brien"], ["00123"]])),
        ("note LIKE '50\\%%'", json!([["O'Brien"]])),
        ("qty % 10 = 0", json!([["O'Brien"], ["a  b"], ["00123"]])),
        // Equality is equality, and so are its opposites.
        ("name = 'red car'", json!([["red car"]])),
        ("name_tks = 'car'", json!([["car"]])),
        ("(name_kwd = 'car')", json!([["car"]])),
        ("name IN ('car', 'blue car')", json!([["blue car"], ["car"]])),
        ("name NOT LIKE '%car%' AND qty < 10", json!([["speed limit sign"], ["a b"]])),
        ("NOT name = 'car' AND qty < 4", json!([["red car"], ["blue car"]])),
        ("name <> 'car' AND qty < 4", json!([["red car"], ["blue car"]])),
        // Quotes, white space and backslashes are data.
        ("name = 'O''Brien'", json!([["O'Brien"]])),
        ("name = 'a  b'", json!([["a  b"]])),
        ("name = 'a b'", json!([["a b"]])),
        ("note = 'C:\\tmp\\'", json!([["a b"]])),
        ("note = 'x|y'", json!([["a  b"]])),
        ("note = 'said \"no\" -- twice'", json!([["blue car"]])),
        ("name = '00123'", json!([["00123"]])),
        // An empty cell is neither equal nor unequal.
        ("city <> 'Oslo'", json!([["a b"], ["red car"], ["00123"]])),
        ("NOT city = 'Oslo'", json!([["a b"], ["red car"], ["00123"]])),
        ("city NOT IN ('Oslo', 'Bergen')", json!([["00123"]])),
        ("city IS NULL", json!([["a  b"], ["blue car"]])),
        ("city = 'Oslo' OR city IS NULL", json!([["O'Brien"], ["speed limit sign"], ["a  b"], ["blue car"], ["car"]])),
        // Times of the day count; a month and a day are their whole span.
        ("\"when\" = '2024-02-29'", json!([["O'Brien"]])),
        ("\"when\" > '2024-02-29 23:00' AND \"when\" < '2024-03-01'", json!([["O'Brien"]])),
        ("\"when\" <= '2024-06-30' AND \"when\" >= '2024-06'", json!([["red car"]])),
        ("price = 12.1", json!([["O'Brien"]])),
        ("price = 16777217", json!([["red car"]])),
        // An OR with the condition that is added, a comment that would swallow it, a mention that would pass for it.
        ("qty > 29 OR price < 0.15", json!([["00123"]])),
        ("qty > 29 -- all rows", json!([["00123"]])),
        ("kb_id = 'other' AND qty > 29", json!([["00123"]])),
    ];
    for (condition, want) in table {
        assert_eq!(rows(&format!("SELECT name FROM items WHERE {condition}")), want, "{condition}");
        let count = want.as_array().map_or(0, Vec::len);
        let comment = condition.contains("--") && !condition.contains("twice");
        if !comment {
            assert_eq!(rows(&format!("SELECT COUNT(*) FROM items WHERE {condition}")), json!([[count]]), "{condition}");
        }
    }
}

#[test]
fn text_is_grouped_sorted_and_made_distinct_by_its_cells() {
    let by_city = json!([["Bergen", 2], ["Oslo", 3], ["Tromsø", 1], [null, 2]]);
    assert_eq!(rows("SELECT city, COUNT(*) FROM items GROUP BY city ORDER BY city"), by_city);
    assert_eq!(
        rows("SELECT city_tks, COUNT(*) n FROM items GROUP BY city_tks ORDER BY n DESC, city_tks")[0],
        json!(["Oslo", 3])
    );
    assert_eq!(
        rows("SELECT DISTINCT city FROM items ORDER BY city DESC"),
        json!([["Tromsø"], ["Oslo"], ["Bergen"], [null]])
    );
    assert_eq!(rows("SELECT COUNT(DISTINCT city), COUNT(city), COUNT(*) FROM items"), json!([[3, 6, 8]]));
    assert_eq!(rows("SELECT city FROM items GROUP BY city HAVING COUNT(*) = 3"), json!([["Oslo"]]));
    assert_eq!(rows("SELECT MIN(name), MAX(name) FROM items"), json!([["00123", "speed limit sign"]]));
}

#[test]
fn numbers_and_times_are_exact() {
    assert_eq!(rows("SELECT price FROM items WHERE qty IN (10, 1) ORDER BY qty DESC"), json!([[12.1], [16_777_217.0]]));
    assert_eq!(rows("SELECT SUM(price) FROM items WHERE price < 1"), json!([[0.3]]));
    assert_eq!(rows("SELECT qty / 4 FROM items WHERE qty = 10"), json!([[2.5]]));
    assert_eq!(rows("SELECT \"when\" FROM items WHERE qty = 10"), json!([["2024-02-29T23:30:00"]]));
    assert_eq!(rows("SELECT DATE_FORMAT(\"when\", '%Y-%m') FROM items WHERE qty = 10"), json!([["2024-02"]]));
    let years = json!([[2023, 1], [2024, 7]]);
    assert_eq!(rows("SELECT YEAR(\"when\") y, COUNT(*) FROM items GROUP BY y ORDER BY y"), years);
    assert_eq!(rows("SELECT STDDEV(qty) > 0, MEDIAN(qty) FROM items WHERE qty IN (1, 2, 3)"), json!([[true, 2.0]]));
    assert_eq!(
        rows("SELECT (SELECT MAX(qty) FROM items), (SELECT MIN(qty) FROM items), COUNT(*) FROM items"),
        json!([[30, 1, 8]])
    );
}

#[test]
fn no_rows_is_an_answer_and_the_answer_is_safe_to_show() {
    let none = pair().sql("SELECT name FROM items WHERE \"when\" >= '2031-01-01'");
    assert_eq!((&none["total"], &none["answer"]), (&json!(0), &json!("No rows match.")));
    let shown = pair().sql("SELECT note, \"when\" FROM items WHERE qty IN (20, 10) ORDER BY qty DESC");
    let text = shown["answer"].as_str().unwrap_or_default();
    assert!(text.contains("| x\\|y | 2024-01-05 |") && text.contains("2024-02-29T23:30:00"), "{text}");
    let none = pair().sql("SELECT COUNT(*) FROM items WHERE \"when\" >= '2031-01-01'");
    assert_eq!(none["rows"], json!([[0]]));
}

/// Columns whose labels differ only in brackets, or sound the same, are two.
#[test]
fn labels_that_collide_stay_two_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "Price (USD),Price (EUR),价格,加个,q1\n1,2,3,4,a\n10,20,30,40,b\n";
    let file = crate::binary::written(folder.path(), "t.csv", text);
    let ran = crate::binary::Run::new(&["sql", "--json", &file, "SELECT * FROM t WHERE q1_tks = 'b'"]).ran().ends(0);
    assert_eq!(ran.document()["rows"], json!([[10, 20, 30, 40, "b"]]));
}

/// Cells that do not fit their column are told with their place, and never counted as zero.
#[test]
fn cells_that_do_not_fit_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let data: String = (1..=40).map(|n| format!("{n:05},{n}\n")).collect();
    let text = format!("id,amount\n{data}00041,\"1,200\"\n00042,N/A\n00043,about ten\n");
    let file = crate::binary::written(folder.path(), "t.csv", &text);
    let run = |statement: &str| crate::binary::Run::new(&["sql", "--json", &file, statement]).ran().ends(0).document();
    assert_eq!(
        run("SELECT SUM(amount), COUNT(amount), COUNT(*), MAX(id) FROM t")["rows"],
        json!([[2020, 41, 43, "00043"]])
    );
    let report = crate::binary::Run::new(&["inspect", "--json", &file]).ran().ends(0).document();
    let notes = report["files"][0]["notes"].to_string();
    assert!(notes.contains("about ten") && notes.contains("row 44"), "{notes}");
    let content = run("SELECT amount FROM t WHERE id = '00043'")["reference"]["chunks"][0]["content"].clone();
    assert_eq!(content, "id: 00043\namount: about ten");
}

#[test]
fn what_is_cut_in_a_sub_select_or_a_join_runs_and_is_cited() {
    let orders = crate::binary::fixture("orders.csv");
    for (statement, cited) in [
        (
            "WITH t AS (SELECT customer c, qty q FROM orders LIMIT 5) SELECT t.c, o.qty FROM t JOIN orders o \
             ON o.customer = t.c ORDER BY o.qty LIMIT 1",
            2,
        ),
        ("SELECT COUNT(*) FROM orders a WHERE EXISTS (SELECT 1 FROM orders b WHERE b.id = a.id LIMIT 1)", 120),
        ("SELECT SUBSTR(customer, CAST(qty AS BIGINT), 2), LEFT(customer, CAST(qty AS INT)) FROM orders LIMIT 2", 2),
    ] {
        let answer = crate::binary::Run::new(&["sql", "--json", &orders, statement]).ran().ends(0).document();
        assert_eq!(answer["reference"]["total"], cited, "{statement}: {answer}");
    }
}

/// Equal but for the last bits, which reading a JSON document may lose.
fn near(told: &Value, want: f64) -> bool {
    told.as_f64().is_some_and(|x| (x / want - 1.0).abs() < 1e-14)
}

#[test]
fn small_numbers_are_never_rounded_to_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: String = (0..1_000).map(|n| format!("{n},{},6.626e-34,0.0000012\n", u8::from(n % 400 == 7))).collect();
    let file = crate::binary::written(folder.path(), "probe.csv", &format!("k,hit,planck,share\n{lines}"));
    for (items, want, shown) in [
        ("AVG(hit)", 0.003, "| 0.003 |"),
        ("MAX(planck)", 6.626e-34, "| 6.626e-34 |"),
        ("MEDIAN(share)", 0.0000012, "| 0.0000012 |"),
        ("SUM(share)", 0.0012, "| 0.0012"),
    ] {
        let answer = crate::binary::Run::new(&["sql", "--json", &file, &format!("SELECT {items} FROM probe")]);
        let answer = answer.ran().ends(0).document();
        assert!(near(&answer["rows"][0][0], want), "{items}: {answer}");
        assert!(answer["answer"].as_str().is_some_and(|text| text.contains(shown)), "{items}: {}", answer["answer"]);
    }
    let cell = ["sql", "--json", &file, "SELECT planck FROM probe LIMIT 1"];
    assert!(near(&crate::binary::Run::new(&cell).ran().ends(0).document()["rows"][0][0], 6.626e-34));
}
