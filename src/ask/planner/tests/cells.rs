//! Words of a question that a cell, a label, a name or a function word may claim: who gets them, and when none does.

use chrono::NaiveDate;

use super::{SHOPS, assert_read, field, read, sales, table};
use crate::ask::planner::{Plan, Planner};
use crate::engine::{Likeness, Mention};
use crate::schema::{Field, Schema};
use crate::value::FieldType::{DateTime, Decimal, Integer, Text};

fn orders() -> Schema {
    let order = field("order_long", "Order", Integer, 38);
    let date = Field {
        range: Some(("2023-05-01".to_owned(), "2024-09-30".to_owned())),
        ..field("date_dt", "Date", DateTime, 30)
    };
    let fields = vec![
        order,
        field("region_tks", "Region", Text, 3),
        date,
        field("qty_long", "Qty", Integer, 9),
        Field {
            nulls: 6,
            range: Some(("2".to_owned(), "90".to_owned())),
            ..field("amount_flt", "Amount", Decimal, 30)
        },
        Field { nulls: 20, ..field("remark_tks", "Remark", Text, 5) },
    ];
    let mut table = table("orders", "orders", &["orders.xlsx"], fields);
    table.captions = vec!["North region orders 2024".to_owned()];
    Schema { tables: vec![table] }
}

#[test]
fn names_explain_only_what_nothing_else_does() {
    assert_read(
        &orders(),
        &[("region_tks", "North")],
        &[
            (
                "total amount in 2024",
                "SELECT SUM(amount_flt) FROM orders WHERE date_dt >= '2024-01-01' AND date_dt < '2025-01-01'",
            ),
            (
                "how many rows in 2024",
                "SELECT COUNT(*) FROM orders WHERE date_dt >= '2024-01-01' AND date_dt < '2025-01-01'",
            ),
            ("total amount in North", "SELECT SUM(amount_flt) FROM orders WHERE region_kwd = 'North'"),
            (
                "total amount by region",
                "SELECT region_kwd, SUM(amount_flt) FROM orders GROUP BY region_kwd ORDER BY SUM(amount_flt) DESC",
            ),
            ("count by region", "SELECT region_kwd, COUNT(*) FROM orders GROUP BY region_kwd ORDER BY COUNT(*) DESC"),
        ],
    );
}

#[test]
fn numberings_are_counted_and_empty_cells_asked_for() {
    assert_read(
        &orders(),
        &[],
        &[
            ("how many rows have no remark?", "SELECT COUNT(*) FROM orders WHERE remark_kwd IS NULL"),
            ("total qty with no remark", "SELECT SUM(qty_long) FROM orders WHERE remark_kwd IS NULL"),
            ("how many rows have no amount", "SELECT COUNT(*) FROM orders WHERE amount_flt IS NULL"),
            ("total qty without a remark", "SELECT SUM(qty_long) FROM orders WHERE remark_kwd IS NULL"),
        ],
    );
    for question in ["how many orders with qty 5", "which region received the most", "which region ordered the most"] {
        assert_eq!(read(question, &orders(), &[]), None, "{question}");
    }
}

/// Mentions that have the case of the cell.
fn exact(question: &str, cells: &[(&str, &str)]) -> Vec<Mention> {
    let of = |(field, cell): &(&str, &str)| {
        question
            .match_indices(cell)
            .map(|(start, _)| Mention {
                table: "cells".to_owned(),
                field: (*field).to_owned(),
                cell: (*cell).to_owned(),
                start,
                end: start + cell.len(),
                how: Likeness::Exact,
            })
            .collect::<Vec<_>>()
    };
    cells.iter().flat_map(of).collect()
}

#[test]
fn a_cell_that_is_a_function_word_too_is_the_cell() {
    let fields = vec![
        field("dept_tks", "Dept", Text, 4),
        field("shang_pin_tks", "商品", Text, 6),
        field("salary_long", "Salary", Integer, 20),
        field("shu_liang_long", "数量", Integer, 20),
    ];
    let schema = Schema { tables: vec![table("cells", "cells", &["cells.csv"], fields)] };
    let cells = [("dept_tks", "IT"), ("dept_tks", "Staff"), ("dept_tks", "A"), ("shang_pin_tks", "笔")];
    let today = NaiveDate::from_ymd_opt(2024, 6, 1).expect("a date");
    for (question, sql) in [
        ("total salary in IT", "SELECT SUM(salary_long) FROM cells WHERE dept_kwd = 'IT'"),
        ("total Staff salary", "SELECT SUM(salary_long) FROM cells WHERE dept_kwd = 'Staff'"),
        ("total salary for A", "SELECT SUM(salary_long) FROM cells WHERE dept_kwd = 'A'"),
        ("笔的数量合计", "SELECT SUM(shu_liang_long) FROM cells WHERE shang_pin_kwd = '笔'"),
    ] {
        let plan = Planner::default().plan(question, &schema, &exact(question, &cells), today);
        assert!(matches!(&plan, Plan::Statement { sql: found, .. } if found == sql), "{question}: {plan:?}");
    }
}

#[test]
fn twins_numbers_of_another_label_and_counts_with_a_column_are_declined() {
    let fields = vec![
        field("dan_hao_tks", "单号", Text, 40),
        field("bu_men_tks", "部门", Text, 5),
        field("jin_e_long", "金额", Integer, 30),
        field("ren_shu_long", "人数", Integer, 30),
        field("score_long", "Score", Integer, 30),
        field("score_2_long", "Score", Integer, 30),
    ];
    let schema = Schema { tables: vec![table("twins", "twins", &["twins.csv"], fields)] };
    for question in ["total score", "单号2的金额", "各部门人数", "部门是多少"] {
        assert_eq!(read(question, &schema, &[]), None, "{question}");
    }
}

#[test]
fn bounds_are_converted_only_where_a_scale_is_written() {
    let amounts = |question| read(question, &sales(&["门店销售.xlsx"]), SHOPS);
    let counted = |bound: &str| Some(format!("SELECT COUNT(*) FROM sales WHERE xiao_shou_e_flt > {bound}"));
    for (question, bound) in [
        ("销售额超过20000的门店有多少家？", "20000"),
        ("销售额超过2亿的门店有多少家？", "20000"),
        ("销售额超过20000元的门店有多少家？", "2"),
        ("销售额超过三百万的门店有多少家？", "300"),
    ] {
        assert_eq!(amounts(question), counted(bound), "{question}");
    }
}
