//! Faults that a string-based pipeline was seen to have, each as a statement and what it becomes here.

use super::*;

/// The condition of a statement that reads `sales`, before the scope.
fn condition(sql: &str) -> String {
    let select = run(sql).unwrap_or_else(|refusal| panic!("{sql}: {refusal} ({})", refusal.hint));
    let text = select.statement().to_string();
    render::embedded(select.statement()).unwrap_or_else(|refusal| panic!("{sql}: {refusal}"));
    let (_, condition) = text.split_once(" WHERE ").unwrap_or_default();
    let (condition, _) = condition.split_once(SALES).unwrap_or_else(|| panic!("{sql} is not scoped: {text}"));
    condition.trim_end_matches(" AND ").to_owned()
}

#[test]
fn the_condition_is_nested_beside_the_scope_and_keeps_its_literals() {
    let table = [
        // An OR does not get around the scope.
        ("SELECT city_tks FROM sales WHERE qty_long > 5 OR price_flt < 2", "(qty_long > 5 OR price_flt < 2)"),
        // A comment swallows nothing.
        ("SELECT city_tks FROM sales -- all rows", ""),
        ("SELECT city_tks /* where */ FROM sales", ""),
        // A scope that is mentioned is not a scope.
        ("SELECT city_tks FROM sales WHERE kb_id = 'other'", ""),
        ("SELECT city_tks FROM sales WHERE kb_id IN ('a', 'b') AND (qty_long = 1)", "(qty_long = 1)"),
        ("SELECT city_tks FROM sales WHERE city_tks <> 'kb_id = x'", "(city_kwd <> 'kb_id = x')"),
        // Keywords, signs and white space inside a literal are the literal.
        ("SELECT city_tks FROM sales WHERE city_tks = 'speed limit sign'", "(city_kwd = 'speed limit sign')"),
        ("SELECT city_tks FROM sales WHERE city_tks = 'a  b'", "(city_kwd = 'a  b')"),
        ("SELECT city_tks FROM sales WHERE city_tks = 'O''Brien'", "(city_kwd = 'O''Brien')"),
        ("SELECT city_tks FROM sales WHERE city_tks LIKE '%50\\% off%'", "(city_kwd LIKE '%50\\% off%')"),
        ("SELECT city_tks FROM sales WHERE city_tks LIKE '50%'", "(city_kwd LIKE '50%')"),
        ("SELECT city_tks FROM sales WHERE qty_long % 10 = 0", "(qty_long % 10 = 0)"),
        // Equality is equality; NOT, <> and IN know the cells too.
        ("SELECT city_tks FROM sales WHERE city_tks = 'Paris'", "(city_kwd = 'Paris')"),
        ("SELECT city_tks FROM sales WHERE (city_tks = 'paris')", "(city_kwd = 'Paris')"),
        ("SELECT city_tks FROM sales WHERE NOT city_tks = 'paris'", "(NOT city_kwd = 'Paris')"),
        ("SELECT city_tks FROM sales WHERE city_tks NOT IN ('paris', 'x')", "(city_kwd NOT IN ('Paris', 'x'))"),
        (
            "SELECT city_tks FROM sales WHERE city_tks == 'x' AND 姓名 LIKE '%Brien%'",
            "(city_kwd = 'x' AND xing_ming_kwd LIKE '%Brien%')",
        ),
        // Words of a cell, then a third of them, in a plain select alone.
        ("SELECT city_tks FROM sales WHERE city_tks = 'york'", "(city_kwd = 'New York')"),
        ("SELECT city_tks FROM sales WHERE city_tks = 'old york'", "(city_kwd = 'New York')"),
        ("SELECT city_tks FROM sales WHERE city_tks <> 'york'", "(city_kwd <> 'york')"),
        // A number with an alias is a column that begins with a digit.
        ("SELECT 2031_long FROM sales WHERE 2031_long > 3", "(n_2031_long > 3)"),
        // Literals are read as the type beside them.
        (
            "SELECT city_tks FROM sales WHERE qty_long = '1,200' AND 已付 = '是' AND city_tks = 7",
            "(qty_long = 1200 AND paid_kwd = 'yes' AND city_kwd = '7')",
        ),
        (
            "SELECT city_tks FROM sales WHERE 日期 >= '2024-02' AND ri_qi_dt <= DATE '2024-02-29'",
            "(ri_qi_dt >= TIMESTAMP '2024-02-01 00:00:00' AND ri_qi_dt < TIMESTAMP '2024-03-01 00:00:00')",
        ),
        ("SELECT city_tks FROM sales WHERE city_tks <> ''", "(city_kwd <> '')"),
        ("SELECT city_tks FROM sales WHERE city_tks = ''", "(city_kwd IS NULL OR city_kwd = '')"),
        (
            "SELECT city_tks FROM sales WHERE MATCH(City, 'a b', 'operator=and')",
            "(MATCH(city_tks, 'a b', 'operator=AND'))",
        ),
    ];
    for (sql, want) in table {
        assert_eq!(condition(sql), want, "{sql}");
    }
}

#[test]
fn what_may_not_run_is_refused_with_its_code() {
    let table = [
        ("SELECT city_tks FROM sales WHERE kb_id = 'other' OR qty_long > 1", Code::ScopeCondition),
        ("SELECT city_tks FROM sales WHERE qty_long > 1 OR (kb_id = 'o' AND 1 = 1)", Code::ScopeCondition),
        ("SELECT kb_id FROM sales", Code::ScopeCondition),
        ("SELECT city_tks AS kb_id FROM sales", Code::ScopeCondition),
        ("WITH r(doc_id) AS (SELECT city_tks FROM sales) SELECT * FROM r", Code::ScopeCondition),
        ("SELECT content_with_weight FROM sales", Code::UnknownField),
        ("SELECT doc_id FROM \"ragflow_*\" --", Code::UnknownTable),
        ("SELECT * FROM other.sales", Code::UnknownTable),
        ("SELECT * FROM information_schema.tables", Code::UnknownTable),
        ("SELECT * FROM read_csv('/etc/passwd')", Code::FunctionNotAllowed),
        ("SELECT * FROM generate_series(1, 1000000000)", Code::FunctionNotAllowed),
        ("SELECT REPEAT('a', 2000000000) FROM sales", Code::FunctionNotAllowed),
        ("SELECT version() FROM sales", Code::FunctionNotAllowed),
        ("SHOW TABLES --", Code::NotSelect),
        ("EXPLAIN SELECT * FROM sales", Code::NotSelect),
        ("DELETE FROM sales", Code::NotSelect),
        ("SELECT 1; DROP TABLE sales", Code::ManyStatements),
        ("VALUES (1)", Code::ClauseNotAllowed),
        ("SELECT 1", Code::ClauseNotAllowed),
        ("SELECT * FROM sales FOR UPDATE", Code::ClauseNotAllowed),
        ("SELECT * INTO x FROM sales", Code::ClauseNotAllowed),
        ("WITH RECURSIVE r AS (SELECT 1 FROM sales) SELECT * FROM r", Code::ClauseNotAllowed),
        ("SELECT COUNT(*) FROM sales a, sales b", Code::ClauseNotAllowed),
        ("SELECT COUNT(*) FROM sales a JOIN stock b ON 1 = 1", Code::ClauseNotAllowed),
        ("SELECT COUNT(*) FROM sales a, sales b WHERE a.qty_long = b.qty_long OR 1 = 1", Code::ClauseNotAllowed),
        ("SELECT city_tks FROM sales WHERE qty_long = ?", Code::ExpressionNotAllowed),
        ("SELECT city_tks, COUNT(*) FROM sales", Code::ExpressionNotAllowed),
        ("SELECT city_tks FROM sales WHERE COUNT(*) > 1", Code::ExpressionNotAllowed),
        ("SELECT COUNT(*) FROM sales WHERE city_tks = 'red car'", Code::NoSuchValue),
        ("SELECT city_tks FROM sales WHERE ri_qi_dt = '2024-13-01'", Code::TypeMismatch),
        ("SELECT city_tks FROM sales WHERE qty_long = 'many'", Code::TypeMismatch),
        ("SELECT city_tks FROM sales WHERE city_tks = NULL", Code::TypeMismatch),
        ("SELECT SUM(city_tks) FROM sales", Code::TypeMismatch),
        (
            "SELECT sales.city_tks, city_tks FROM sales JOIN stock ON sales.city_tks = stock.city_tks",
            Code::AmbiguousField,
        ),
        ("SELECT nmae FROM sales", Code::UnknownField),
        ("SELECT city_tks FROM sale", Code::UnknownTable),
        (
            "SELECT (SELECT (SELECT (SELECT (SELECT 1 FROM sales) FROM sales) FROM sales) FROM sales) FROM sales",
            Code::TooDeep,
        ),
        ("SELECT STRING_AGG(city_tks, ',') OVER (ORDER BY qty_long) FROM sales", Code::ClauseNotAllowed),
        ("SELECT LAG(qty_long, 1, 0.5) OVER (ORDER BY ri_qi_dt) FROM sales", Code::TypeMismatch),
        ("SELECT SUM(CASE WHEN qty_long > 1 THEN city_tks ELSE 0 END) FROM sales", Code::TypeMismatch),
        ("SELECT NULLIF(city_tks, 0) FROM sales", Code::TypeMismatch),
        (
            "WITH a AS (SELECT city_tks || city_tks AS c FROM sales), b AS (SELECT c || c || c || c AS c FROM a), \
             d AS (SELECT c || c || c || c AS c FROM b), e AS (SELECT c || c || c || c AS c FROM d), \
             f AS (SELECT c || c || c || c AS c FROM e) SELECT MAX(LENGTH(c)) FROM f",
            Code::TooLarge,
        ),
        (
            "WITH a AS (SELECT qty_long FROM sales), b AS (SELECT x.qty_long FROM a x JOIN a y ON x.qty_long = y.qty_long), \
             c AS (SELECT x.qty_long FROM b x JOIN b y ON x.qty_long = y.qty_long), \
             d AS (SELECT x.qty_long FROM c x JOIN c y ON x.qty_long = y.qty_long), \
             e AS (SELECT x.qty_long FROM d x JOIN d y ON x.qty_long = y.qty_long), \
             f AS (SELECT x.qty_long FROM e x JOIN e y ON x.qty_long = y.qty_long) SELECT COUNT(*) FROM f",
            Code::TooLarge,
        ),
        ("no statement here", Code::NoStatement),
        ("SELECT FROM WHERE", Code::Syntax),
    ];
    for (sql, code) in table {
        match run(sql) {
            Ok(select) => panic!("{sql} was taken: {}", select.statement()),
            Err(refusal) => assert_eq!(refusal.code, code, "{sql}: {refusal}"),
        }
    }
}

#[test]
fn text_is_shown_grouped_and_sorted_by_cells() {
    let select =
        run("SELECT city_tks, COUNT(*) AS 数 FROM sales GROUP BY city_tks ORDER BY 数 DESC").expect("a statement");
    let want = format!(
        "SELECT city_kwd, COUNT(*) AS \"数\" FROM sales WHERE {SALES} GROUP BY city_kwd \
         ORDER BY \"数\" DESC NULLS LAST, city_kwd NULLS LAST"
    );
    assert_eq!(select.statement().to_string(), want);
    let labels: Vec<&str> = select.columns().iter().map(|column| column.label.as_str()).collect();
    assert_eq!(labels, ["City", "数"]);
}

#[test]
fn inside_an_outer_join_the_scope_stands_at_the_table() {
    let select =
        run("SELECT a.city_tks FROM sales a LEFT JOIN stock b ON a.city_tks = b.city_tks").expect("a statement");
    let want = format!(
        "SELECT a.city_kwd FROM (SELECT * FROM sales WHERE {SALES}) AS a LEFT JOIN \
         (SELECT * FROM stock WHERE {}) AS b ON a.city_kwd = b.city_kwd",
        SALES.replace("'sales'", "'stock'")
    );
    assert_eq!(select.statement().to_string(), want);
}

#[test]
fn match_carries_its_table_and_the_key_of_the_row() {
    let select =
        run("SELECT a.city_tks FROM sales a JOIN stock b ON a.city_tks = b.city_tks WHERE NOT MATCH(b.city_tks, 'x')")
            .expect("a statement");
    let text = render::embedded(select.statement()).expect("a text");
    assert!(text.contains("NOT sw_match('stock', 'city_tks', 'x', '', b.row_key)"), "{text}");
}

#[test]
fn documents_rows_and_fields_out_of_scope_stay_out() {
    let limited = Scope {
        docs: Some(vec![KB.parse().expect("an id")]),
        row_predicates: vec![("sales".to_owned(), "qty_long > 1 OR paid_kwd = 'yes'".to_owned())],
        hidden_fields: vec!["xing_ming_tks".to_owned()],
        ..scope()
    };
    let select = run_in("SELECT city_tks FROM sales", &limited).expect("a statement");
    let want = format!("{SALES} AND doc_id IN ('{KB}') AND (qty_long > 1 OR paid_kwd = 'yes')");
    assert!(select.statement().to_string().contains(&want), "{}", select.statement());
    assert_eq!(
        run_in("SELECT 姓名 FROM sales", &limited).map(|_| ()).map_err(|refusal| refusal.code),
        Err(Code::UnknownField)
    );
    assert!(limited.visible(&schema()).tables[0].field("xing_ming_tks").is_none());
    let none = Scope::default();
    assert_eq!(
        run_in("SELECT city_tks FROM sales", &none).map(|_| ()).map_err(|refusal| refusal.code),
        Err(Code::ScopeCondition)
    );
}

#[test]
fn a_reading_that_is_not_literal_is_noted() {
    let notes =
        |sql: &str| run(sql).expect("a statement").notes().iter().map(|note| note.code.clone()).collect::<Vec<_>>();
    assert_eq!(notes("SELECT city_tks FROM sales WHERE city_tks = 'Paris'"), Vec::<String>::new());
    assert_eq!(notes("SELECT city_tks FROM sales WHERE city_tks = 'paris'"), ["value_read_as"]);
    assert_eq!(
        notes("SELECT city_tks FROM sales WHERE city_tks = 'york' LIMIT 20000"),
        ["limit_lowered", "value_read_as"]
    );
    assert_eq!(notes("SELECT city_tks FROM sales WHERE city_tks = 'Rome'"), ["no_such_value"]);
    assert_eq!(notes("SELECT city_tks FROM sales WHERE kb_id = 'k'"), ["scope_condition_dropped"]);
}
