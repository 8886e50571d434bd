//! What cuts or numbers rows has one order only, in the statement and in its sources alike.

use super::*;

fn both(sql: &str) -> (String, String) {
    let select = run(sql).unwrap_or_else(|refusal| panic!("{sql}: {refusal}"));
    (select.statement().to_string(), select.sources().map(ToString::to_string).unwrap_or_default())
}

#[test]
fn a_limit_inside_or_over_a_join_has_one_order_in_both_trees() {
    let table = [
        (
            "SELECT a.xing_ming_tks FROM sales a JOIN stock b ON a.city_tks = b.city_tks ORDER BY a.price_flt LIMIT 1",
            "ORDER BY a.price_flt NULLS LAST, a.row_key NULLS LAST, b.row_key NULLS LAST LIMIT 1",
        ),
        (
            "SELECT AVG(p) FROM (SELECT price_flt p FROM sales ORDER BY qty_long DESC LIMIT 2) t",
            "ORDER BY qty_long DESC NULLS LAST, row_key NULLS LAST LIMIT 2",
        ),
        (
            "WITH t AS (SELECT price_flt p FROM sales LIMIT 2) SELECT SUM(p) FROM t",
            "FROM sales WHERE kb_id IN ('d3a1b2c4e5f611ef8a0b0242ac120002') AND table_kwd = 'sales' \
             ORDER BY row_key NULLS LAST LIMIT 2",
        ),
        (
            "SELECT SUM(n) FROM (SELECT city_tks, COUNT(*) n FROM sales GROUP BY city_tks ORDER BY n LIMIT 2) t",
            "NULLS LAST, city_kwd NULLS LAST LIMIT 2",
        ),
    ];
    for (sql, want) in table {
        let (statement, sources) = both(sql);
        assert!(statement.contains(want), "{sql}: {statement}");
        assert!(sources.contains(want), "{sql}: {sources}");
    }
}

#[test]
fn rows_of_a_sub_select_are_told_apart_by_its_columns() {
    let (statement, _) = both(
        "WITH t AS (SELECT city_tks c, price_flt p FROM sales) SELECT t.c FROM t JOIN stock b ON t.c = b.city_tks LIMIT 1",
    );
    assert!(
        statement.ends_with("ORDER BY t.c NULLS LAST, t.p NULLS LAST, b.row_key NULLS LAST LIMIT 1"),
        "{statement}"
    );
}

#[test]
fn windows_that_number_rows_end_in_their_keys_and_ranks_do_not() {
    let (statement, _) = both(
        "SELECT qty_long FROM (SELECT qty_long, ROW_NUMBER() OVER (PARTITION BY city_tks ORDER BY price_flt) n, \
         RANK() OVER (ORDER BY price_flt) r FROM sales) t WHERE n = 1",
    );
    assert!(
        statement.contains("(PARTITION BY city_kwd ORDER BY price_flt NULLS LAST, row_key NULLS LAST)"),
        "{statement}"
    );
    assert!(statement.contains("RANK() OVER (ORDER BY price_flt NULLS LAST) AS r"), "{statement}");
    let (statement, _) =
        both("SELECT city_tks, ROW_NUMBER() OVER (ORDER BY SUM(qty_long) DESC) n FROM sales GROUP BY city_tks");
    assert!(statement.contains("(ORDER BY SUM(qty_long) DESC NULLS LAST, city_kwd NULLS LAST)"), "{statement}");
}

#[test]
fn an_alias_in_a_sort_expression_is_what_it_stands_for() {
    let (statement, _) =
        both("SELECT city_tks, SUM(qty_long) t FROM sales GROUP BY city_tks ORDER BY t * 2 DESC, t LIMIT 3");
    let want = "ORDER BY SUM(qty_long) * 2 DESC NULLS LAST, t NULLS LAST, city_kwd NULLS LAST LIMIT 3";
    assert!(statement.ends_with(want), "{statement}");
}
