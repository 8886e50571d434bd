//! Shapes beyond look-ups and sums: groups that meet a bound, parts, periods, yes or no, a cell of a statement.

use super::{RIDERS, SHOPS, assert_read, field, read, sales, staff, table};
use crate::ask::planner::{Check, Plan, Planner};
use crate::schema::{Field, Schema};
use crate::value::FieldType::{Decimal, Integer, Text};

fn shops() -> Schema {
    sales(&["门店销售.xlsx"])
}

#[test]
fn groups_meet_a_bound() {
    assert_read(
        &shops(),
        SHOPS,
        &[
            (
                "销量合计超过100的区域有哪些？",
                "SELECT qu_yu_kwd, SUM(xiao_liang_long) FROM sales WHERE qu_yu_kwd IS NOT NULL AND xiao_liang_long IS NOT NULL GROUP BY qu_yu_kwd HAVING SUM(xiao_liang_long) > 100 ORDER BY SUM(xiao_liang_long) DESC",
            ),
            (
                "记录超过10条的区域有几个？",
                "SELECT COUNT(*) FROM (SELECT qu_yu_kwd FROM sales WHERE qu_yu_kwd IS NOT NULL GROUP BY qu_yu_kwd HAVING COUNT(*) > 10) AS picked",
            ),
        ],
    );
    assert_read(
        &staff(),
        RIDERS,
        &[(
            "which teams have more than 3 riders?",
            "SELECT team_kwd, COUNT(*) FROM staff WHERE team_kwd IS NOT NULL GROUP BY team_kwd HAVING COUNT(*) > 3 ORDER BY COUNT(*) DESC",
        )],
    );
}

#[test]
fn parts_and_quotients_are_of_figures() {
    let half = "SUM(CASE WHEN qu_yu_kwd = '华东' THEN xiao_liang_long END)";
    let share = format!("SELECT {half} / NULLIF(SUM(xiao_liang_long), 0), {half}, SUM(xiao_liang_long) FROM sales");
    let month = |from: &str, to: &str| {
        format!("SUM(CASE WHEN ri_qi_dt >= '{from}' AND ri_qi_dt < '{to}' THEN xiao_liang_long END)")
    };
    let (now, before) = (month("2024-03-01", "2024-04-01"), month("2024-02-01", "2024-03-01"));
    let growth = format!(
        "SELECT ({now} - {before}) / NULLIF({before}, 0), {now}, {before} FROM sales WHERE (ri_qi_dt >= '2024-03-01' AND ri_qi_dt < '2024-04-01' OR ri_qi_dt >= '2024-02-01' AND ri_qi_dt < '2024-03-01')"
    );
    assert_read(
        &shops(),
        SHOPS,
        &[
            ("华东的销量占比是多少？", share.as_str()),
            (
                "各区域的销量占比",
                "SELECT qu_yu_kwd, SUM(xiao_liang_long) / (SELECT SUM(xiao_liang_long) FROM sales) FROM sales GROUP BY qu_yu_kwd ORDER BY SUM(xiao_liang_long) / (SELECT SUM(xiao_liang_long) FROM sales) DESC",
            ),
            ("2024年3月的销量环比增长多少？", growth.as_str()),
        ],
    );
}

#[test]
fn periods_have_the_most() {
    let month = "DATE_TRUNC('month', ri_qi_dt)";
    let sums = format!(
        "SELECT {month}, SUM(xiao_liang_long) FROM sales WHERE ri_qi_dt IS NOT NULL AND xiao_liang_long IS NOT NULL GROUP BY {month} HAVING SUM(xiao_liang_long) = (SELECT MAX(v) FROM (SELECT SUM(xiao_liang_long) AS v FROM sales WHERE ri_qi_dt IS NOT NULL AND xiao_liang_long IS NOT NULL GROUP BY {month}) AS picked)"
    );
    assert_read(&shops(), SHOPS, &[("哪个月的销量最高？", sums.as_str())]);
}

#[test]
fn yes_or_no_says_neither_where_a_figure_is_missing() {
    let (one, two) = (
        "MAX(CASE WHEN name_kwd = 'Ann Lee' THEN points_long END)",
        "MAX(CASE WHEN name_kwd = 'Bo O''Neil' THEN points_long END)",
    );
    let more = format!(
        "SELECT CASE WHEN {one} > {two} THEN 'yes' WHEN {one} IS NOT NULL AND {two} IS NOT NULL THEN 'no' END, {one}, {two} FROM staff WHERE (name_kwd = 'Ann Lee' OR name_kwd = 'Bo O''Neil')"
    );
    assert_read(&staff(), RIDERS, &[("did Ann Lee have more points than Bo O'Neil?", more.as_str())]);
    assert_read(
        &shops(),
        SHOPS,
        &[(
            "华东的销量是否超过100？",
            "SELECT CASE WHEN SUM(xiao_liang_long) > 100 THEN '是' WHEN SUM(xiao_liang_long) IS NOT NULL THEN '否' END, SUM(xiao_liang_long) FROM sales WHERE qu_yu_kwd = '华东'",
        )],
    );
    for question in ["与城东店相比，城西店的销量更高吗？", "城东店和城西店的销量高吗？"] {
        assert_eq!(read(question, &shops(), SHOPS), None, "{question}");
    }
}

#[test]
fn rows_are_compared_with_the_average_and_with_another_column() {
    assert_read(
        &staff(),
        RIDERS,
        &[(
            "how many riders have points above the average?",
            "SELECT COUNT(*) FROM staff WHERE points_long > (SELECT AVG(points_long) FROM staff)",
        )],
    );
    assert_read(
        &shops(),
        SHOPS,
        &[
            (
                "销量高于平均值的门店有多少家？",
                "SELECT COUNT(*) FROM sales WHERE xiao_liang_long > (SELECT AVG(xiao_liang_long) FROM sales)",
            ),
            ("华东以外的销量合计", "SELECT SUM(xiao_liang_long) FROM sales WHERE qu_yu_kwd <> '华东'"),
        ],
    );
}

/// Row labels without a header, columns of years with two figures each.
fn accounts(file: &str) -> Schema {
    let labels = ["Net revenue", "Cost of fuel (a)", "Operating income, excluding special items"];
    let label = Field { samples: labels.map(str::to_owned).to_vec(), ..field("column_a_tks", "Column A", Text, 3) };
    let fields = vec![
        label,
        field("n_2018_amount_long", "2018-Amount", Integer, 3),
        field("n_2018_change_flt", "2018-Change", Decimal, 3),
        field("n_2017_amount_long", "2017-Amount", Integer, 3),
        field("n_2017_change_flt", "2017-Change", Decimal, 3),
    ];
    let mut table = table("t", file, &[file], fields);
    table.rows = 3;
    Schema { tables: vec![table] }
}

#[test]
fn a_cell_is_named_by_its_row_and_its_header() {
    let schema = accounts("table 7.csv");
    assert_read(
        &schema,
        &[],
        &[
            (
                "What was the net revenue in 2018?",
                "SELECT n_2018_amount_long FROM t WHERE column_a_kwd = 'Net revenue'",
            ),
            (
                "What was the change in net revenue in 2017?",
                "SELECT n_2017_change_flt FROM t WHERE column_a_kwd = 'Net revenue'",
            ),
            (
                "How much was Northern Air Group's cost of fuel in 2017?",
                "SELECT n_2017_amount_long FROM t WHERE column_a_kwd = 'Cost of fuel (a)'",
            ),
        ],
    );
    for question in [
        "What was the net revenue in 2016?",
        "What was the operating income in 2018?",
        "What was the gross revenue in 2018?",
        "What was the net revenue?",
        "What was the net revenue of Asia in 2018?",
        "What was the revenue growth in 2018?",
    ] {
        assert_eq!(read(question, &schema, &[]), None, "{question}");
    }
}

#[test]
fn a_name_that_no_cell_has_is_told_or_declines() {
    let question = "How much was Northern Air Group's cost of fuel in 2017?";
    let today = chrono::NaiveDate::from_ymd_opt(2024, 6, 1).expect("a date");
    let Plan::Statement { notes, check, .. } = Planner::default().plan(question, &accounts("table 7.csv"), &[], today)
    else {
        panic!("a statement")
    };
    assert!(notes.iter().any(|note| note.code == "not_in_the_table" && note.message.contains("Northern Air Group")));
    assert!(matches!(check, Check::OneRow { .. }));
    assert_eq!(read(question, &accounts("southern airways.csv"), &[]), None);
}

#[test]
fn the_table_that_shares_the_words_is_read_among_many() {
    let mut schema = accounts("table 7.csv");
    for n in 0..200 {
        let fields = vec![field("a_tks", "Code", Text, 40), field("b_long", "Weight", Integer, 40)];
        schema.tables.push(table(&format!("other_{n}"), &format!("stock {n}"), &["stock.csv"], fields));
    }
    schema.tables.reverse();
    assert_eq!(
        read("What was the net revenue in 2018?", &schema, &[]).as_deref(),
        Some("SELECT n_2018_amount_long FROM t WHERE column_a_kwd = 'Net revenue'")
    );
}
