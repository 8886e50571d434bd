//! Where text may be read as what is like it, and how.

use super::*;

#[test]
fn under_a_negation_nothing_is_read_as_what_is_like_it() {
    let inside = "SELECT city_tks FROM stock WHERE city_tks = 'york'";
    for (condition, literal) in [
        (format!("city_tks IN ({inside})"), false),
        (format!("city_tks NOT IN ({inside})"), true),
        (format!("NOT city_tks IN ({inside})"), true),
        (format!("NOT EXISTS ({inside})"), true),
        (format!("city_tks <> ({inside} LIMIT 1)"), true),
        (format!("qty_long > 1 AND NOT (qty_long = 2 AND EXISTS ({inside}))"), true),
        (format!("CASE WHEN city_tks IN ({inside}) THEN 0 ELSE 1 END = 1"), true),
    ] {
        let sql = format!("SELECT xing_ming_tks FROM sales WHERE {condition}");
        let text = run(&sql).unwrap_or_else(|refusal| panic!("{sql}: {refusal}")).statement().to_string();
        assert_eq!(text.contains("city_kwd = 'york'"), literal, "{text}");
        assert_eq!(text.contains("city_kwd = 'New York'"), !literal, "{text}");
    }
    let except = run("SELECT city_tks FROM sales EXCEPT SELECT city_tks FROM stock WHERE city_tks = 'york'");
    assert!(except.expect("a statement").statement().to_string().contains("city_kwd = 'york'"));
}

#[test]
fn what_puts_rows_together_takes_no_cell_that_is_only_a_little_like_the_text() {
    for sql in [
        "SELECT qty_long, SUM(qty_long) OVER () FROM sales WHERE city_tks = 'old york'",
        "SELECT city_tks FROM sales WHERE city_tks = 'old york' GROUP BY city_tks",
        "SELECT DISTINCT city_tks FROM sales WHERE city_tks = 'old york'",
    ] {
        assert_eq!(run(sql).map(|select| select.statement().to_string()).map_err(|r| r.code), Err(Code::NoSuchValue));
    }
}

#[test]
fn a_limit_over_the_maximum_is_lowered_outside_and_refused_inside() {
    assert!(run("SELECT city_tks FROM sales LIMIT 20000").is_ok());
    let inside = run("SELECT COUNT(*) FROM (SELECT city_tks FROM sales ORDER BY qty_long LIMIT 20000) t");
    assert_eq!(inside.map(|_| ()).map_err(|refusal| refusal.code), Err(Code::TooLarge));
}

fn grounded(sql: &str, found: Found) -> Result<String, Refusal> {
    let guarded = guard(sql, &schema(), &SqlLimits::default(), None)?;
    guarded.ground(&[found]).map(|grounded| grounded.query.to_string())
}

#[test]
fn cells_that_contain_a_text_up_to_width_are_listed() {
    let cells = |cells: &[&str], cut| Found {
        folded: cells.iter().map(|cell| (*cell).to_owned()).collect(),
        cut,
        ..Found::default()
    };
    let ask = |how: &str, found| grounded(&format!("SELECT COUNT(*) FROM sales WHERE city_tks {how} '%A公司%'"), found);
    let is = |text: Result<String, Refusal>, want: &str| {
        let text = text.unwrap_or_else(|refusal| panic!("{want}: {refusal}"));
        assert!(text.ends_with(want), "{text}");
    };
    is(ask("LIKE", cells(&["Ａ公司"], false)), "city_kwd = 'Ａ公司'");
    is(ask("LIKE", cells(&["a公司", "Ａ公司"], false)), "city_kwd IN ('a公司', 'Ａ公司')");
    is(ask("ILIKE", cells(&["Ａ公司"], false)), "city_kwd = 'Ａ公司'");
    is(ask("ILIKE", cells(&["a公司"], true)), "city_kwd ILIKE '%A公司%'");
    assert_eq!(ask("LIKE", cells(&["a公司"], true)).map_err(|refusal| refusal.code), Err(Code::NoSuchValue));
}

#[test]
fn a_percentage_is_read_in_the_unit_of_its_field() {
    for (unit, want) in [(Some("percent"), "12"), (Some("%"), "0.12"), (None, "0.12")] {
        let mut schema = schema();
        schema.tables[0].fields[2].unit = unit.map(str::to_owned);
        for (condition, want) in [
            ("price_flt > '12%'", format!("price_flt > {want}")),
            ("price_flt IN ('12%')", format!("price_flt IN ({want})")),
            ("price_flt BETWEEN '12%' AND '12%'", format!("(price_flt >= {want} AND price_flt <= {want})")),
        ] {
            let sql = format!("SELECT city_tks FROM sales WHERE {condition}");
            let guarded = guard(&sql, &schema, &SqlLimits::default(), None).expect("a statement");
            assert!(guarded.query.to_string().ends_with(&want), "{}", guarded.query);
        }
    }
}

#[test]
fn only_sums_of_cells_are_rounded_to_their_places() {
    let summed = |sql: &str| run(sql).unwrap_or_else(|refusal| panic!("{sql}: {refusal}")).columns()[0].summed;
    for (sql, want) in [
        ("SELECT price_flt FROM sales", false),
        ("SELECT SUM(price_flt) FROM sales", true),
        ("SELECT AVG(price_flt) FROM sales", false),
        ("SELECT MAX(s) FROM (SELECT SUM(price_flt) s FROM sales GROUP BY city_tks) t", true),
        ("SELECT SUM(m) FROM (SELECT AVG(price_flt) m FROM sales GROUP BY city_tks) t", false),
    ] {
        assert_eq!(summed(sql), want, "{sql}");
    }
}
