//! Questions over two small tables: the statement, or none.

mod cells;
mod shapes;

use chrono::NaiveDate;

use super::{Plan, Planner};
use crate::engine::{Likeness, Mention};
use crate::schema::{Field, Schema, Table};
use crate::value::FieldType::{self, DateTime, Decimal, Flag, Integer, Text};

fn field(name: &str, label: &str, kind: FieldType, distinct: u64) -> Field {
    Field { distinct: Some(distinct), decimals: 2, ..Field::for_test(name, label, kind) }
}

fn table(name: &str, label: &str, sheets: &[&str], fields: Vec<Field>) -> Table {
    let sheets = sheets.iter().map(|file| ((*file).to_owned(), "Sheet1".to_owned())).collect();
    Table { name: name.to_owned(), label: label.to_owned(), rows: 40, fields, captions: Vec::new(), sheets }
}

fn staff() -> Schema {
    let year = Field {
        identifier: true,
        range: Some(("1999".to_owned(), "2024".to_owned())),
        ..field("year_long", "Year", Integer, 20)
    };
    let fields = vec![
        field("name_tks", "Name", Text, 40),
        field("team_tks", "Team", Text, 5),
        year,
        field("points_long", "Points", Integer, 30),
        field("length_flt", "Length (km)", Decimal, 38),
        field("note_tks", "Result", Text, 12),
    ];
    Schema { tables: vec![table("staff", "riders", &["riders.csv"], fields)] }
}

fn sales(files: &[&str]) -> Schema {
    let money =
        Field { unit: Some("万元".to_owned()), ..field("xiao_shou_e_flt", "销售额（万元）", Decimal, 39) };
    let fields = vec![
        field("men_dian_tks", "门店名称", Text, 40),
        field("qu_yu_tks", "区域", Text, 4),
        field("ri_qi_dt", "日期", DateTime, 12),
        money,
        field("xiao_liang_long", "销量", Integer, 30),
        field("shi_fou_zhi_ying_kwd", "是否直营", Flag, 2),
    ];
    Schema { tables: vec![table("sales", "门店销售", files, fields)] }
}

/// Mentions of `field: cell`, wherever the question has the cell.
fn named(question: &str, schema: &Schema, cells: &[(&str, &str)]) -> Vec<Mention> {
    let table = &schema.tables[0].name;
    let mention = |(field, cell): &(&str, &str)| {
        let start = question.to_lowercase().find(&cell.to_lowercase())?;
        let (table, field, cell) = (table.clone(), (*field).to_owned(), (*cell).to_owned());
        Some(Mention { table, field, end: start + cell.len(), cell, start, how: Likeness::Folded })
    };
    cells.iter().filter_map(mention).collect()
}

const RIDERS: &[(&str, &str)] =
    &[("name_tks", "Ann Lee"), ("name_tks", "Bo O'Neil"), ("team_tks", "Red Kites"), ("note_tks", "Flat tyre")];
const SHOPS: &[(&str, &str)] = &[("men_dian_tks", "城东店"), ("men_dian_tks", "城西店"), ("qu_yu_tks", "华东")];

fn read(question: &str, schema: &Schema, cells: &[(&str, &str)]) -> Option<String> {
    let today = NaiveDate::from_ymd_opt(2024, 6, 1).expect("a date");
    match Planner::default().plan(question, schema, &named(question, schema, cells), today) {
        Plan::Statement { sql, .. } => Some(sql),
        Plan::Unsure { .. } => None,
    }
}

fn assert_read(schema: &Schema, cells: &[(&str, &str)], cases: &[(&str, &str)]) {
    for (question, sql) in cases {
        assert_eq!(read(question, schema, cells).as_deref(), Some(*sql), "{question}");
    }
}

#[test]
fn english_questions_become_statements() {
    assert_read(
        &staff(),
        RIDERS,
        &[
            ("How many points did Ann Lee score?", "SELECT points_long FROM staff WHERE name_kwd = 'Ann Lee'"),
            (
                "what is the total number of points of the Red Kites?",
                "SELECT SUM(points_long) FROM staff WHERE team_kwd = 'Red Kites'",
            ),
            ("average points of team Red Kites", "SELECT AVG(points_long) FROM staff WHERE team_kwd = 'Red Kites'"),
            ("how many riders have more than two dozen points?", "SELECT COUNT(*) FROM staff WHERE points_long > 24"),
            ("how many riders had no points?", "SELECT COUNT(*) FROM staff WHERE points_long = 0"),
            (
                "which rider had the most points before 2010?",
                "SELECT name_kwd, points_long FROM staff WHERE year_long < 2010 AND points_long = (SELECT MAX(points_long) FROM staff WHERE year_long < 2010)",
            ),
            (
                "who had the fewest points?",
                "SELECT name_kwd, points_long FROM staff WHERE points_long = (SELECT MIN(points_long) FROM staff)",
            ),
            ("what is the highest length?", "SELECT MAX(length_flt) FROM staff"),
            (
                "which team has the most riders?",
                "SELECT team_kwd, COUNT(*) FROM staff WHERE team_kwd IS NOT NULL GROUP BY team_kwd HAVING COUNT(*) = (SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM staff WHERE team_kwd IS NOT NULL GROUP BY team_kwd) AS picked)",
            ),
            (
                "top 5 riders by points",
                "SELECT name_kwd, points_long FROM staff WHERE points_long IS NOT NULL ORDER BY points_long DESC LIMIT 5",
            ),
            ("how many different teams are there?", "SELECT COUNT(DISTINCT team_kwd) FROM staff"),
            (
                "average points per team",
                "SELECT team_kwd, AVG(points_long) FROM staff GROUP BY team_kwd ORDER BY AVG(points_long) DESC",
            ),
            (
                "which riders have points between 10 and 20?",
                "SELECT name_kwd FROM staff WHERE points_long BETWEEN 10 AND 20",
            ),
            (
                "who is the rider after Ann Lee?",
                "SELECT name_kwd FROM staff WHERE row_long = (SELECT MIN(row_long) FROM staff WHERE row_long > (SELECT MAX(row_long) FROM staff WHERE name_kwd = 'Ann Lee'))",
            ),
            (
                "what was the first year that had over 30 points?",
                "SELECT MIN(year_long) FROM staff WHERE points_long > 30",
            ),
        ],
    );
}

#[test]
fn chinese_questions_become_statements() {
    assert_read(
        &sales(&["门店销售.xlsx"]),
        SHOPS,
        &[
            ("华东区域的平均销售额是多少？", "SELECT AVG(xiao_shou_e_flt) FROM sales WHERE qu_yu_kwd = '华东'"),
            (
                "销量最高的门店是哪家",
                "SELECT men_dian_kwd, xiao_liang_long FROM sales WHERE xiao_liang_long = (SELECT MAX(xiao_liang_long) FROM sales)",
            ),
            (
                "销量排名前三的门店有哪些？",
                "SELECT men_dian_kwd, xiao_liang_long FROM sales WHERE xiao_liang_long IS NOT NULL ORDER BY xiao_liang_long DESC LIMIT 3",
            ),
            (
                "城东店和城西店哪个的销量更高？",
                "SELECT men_dian_kwd, xiao_liang_long FROM sales WHERE men_dian_kwd IN ('城东店', '城西店') AND xiao_liang_long = (SELECT MAX(xiao_liang_long) FROM sales WHERE men_dian_kwd IN ('城东店', '城西店'))",
            ),
            (
                "城东店与城西店的销量分别是多少？",
                "SELECT men_dian_kwd, xiao_liang_long FROM sales WHERE men_dian_kwd IN ('城东店', '城西店')",
            ),
            ("销售额超过300万元的门店有多少家？", "SELECT COUNT(*) FROM sales WHERE xiao_shou_e_flt > 300"),
            (
                "2024年1月的总销量是多少",
                "SELECT SUM(xiao_liang_long) FROM sales WHERE ri_qi_dt >= '2024-01-01' AND ri_qi_dt < '2024-02-01'",
            ),
            (
                "各区域的销量总和",
                "SELECT qu_yu_kwd, SUM(xiao_liang_long) FROM sales GROUP BY qu_yu_kwd ORDER BY SUM(xiao_liang_long) DESC",
            ),
            ("直营的门店有多少家？", "SELECT COUNT(*) FROM sales WHERE shi_fou_zhi_ying_kwd = 'yes'"),
            ("城东店是不是直营？", "SELECT shi_fou_zhi_ying_kwd FROM sales WHERE men_dian_kwd = '城东店'"),
            (
                "销量前五的门店里，哪个门店的销售额最低？",
                "SELECT men_dian_kwd, xiao_shou_e_flt FROM (SELECT men_dian_kwd, xiao_shou_e_flt, xiao_liang_long FROM sales WHERE xiao_liang_long IS NOT NULL ORDER BY xiao_liang_long DESC LIMIT 5) AS picked WHERE xiao_shou_e_flt = (SELECT MIN(xiao_shou_e_flt) FROM (SELECT men_dian_kwd, xiao_shou_e_flt, xiao_liang_long FROM sales WHERE xiao_liang_long IS NOT NULL ORDER BY xiao_liang_long DESC LIMIT 5) AS picked)",
            ),
        ],
    );
}

#[test]
fn what_is_only_half_understood_is_declined() {
    let staff = staff();
    for question in [
        "how many sprints did Ann Lee win?",
        "what is the median adjusted points of the Red Kites?",
        "which team has the most points?",
        "which team has the highest length?",
        "how many riders did not finish?",
        "what is the highest result?",
        "why did Ann Lee have a flat tyre?",
        "how many races did the Red Kites win?",
        "points",
        "",
    ] {
        assert_eq!(read(question, &staff, RIDERS), None, "{question}");
    }
    let sales = sales(&["门店销售.xlsx"]);
    for question in ["城东店的毛利率是多少？", "销量同比增长多少", "华东的门店为什么销量低"]
    {
        assert_eq!(read(question, &sales, SHOPS), None, "{question}");
    }
}

#[test]
fn rows_of_an_entity_are_added_up() {
    let sums = "SELECT qu_yu_kwd, SUM(xiao_liang_long) FROM sales WHERE qu_yu_kwd IS NOT NULL AND xiao_liang_long IS NOT NULL GROUP BY qu_yu_kwd";
    let leader = format!(
        "{sums} HAVING SUM(xiao_liang_long) = (SELECT MAX(v) FROM (SELECT SUM(xiao_liang_long) AS v FROM sales WHERE qu_yu_kwd IS NOT NULL AND xiao_liang_long IS NOT NULL GROUP BY qu_yu_kwd) AS picked)"
    );
    let first = format!("{sums} ORDER BY SUM(xiao_liang_long) DESC LIMIT 2");
    assert_read(
        &sales(&["门店销售.xlsx"]),
        SHOPS,
        &[
            ("哪个区域的销量最高？", leader.as_str()),
            ("销量最高的两个区域是哪些？", first.as_str()),
            (
                "单笔销量最高的区域是哪个？",
                "SELECT DISTINCT qu_yu_kwd, xiao_liang_long FROM sales WHERE xiao_liang_long = (SELECT MAX(xiao_liang_long) FROM sales)",
            ),
            ("华东的销量是多少？", "SELECT SUM(xiao_liang_long) FROM sales WHERE qu_yu_kwd = '华东'"),
            ("华东一共卖了多少件？", "SELECT SUM(xiao_liang_long) FROM sales WHERE qu_yu_kwd = '华东'"),
        ],
    );
}

#[test]
fn groups_are_ordered_as_told() {
    let month = "DATE_TRUNC('month', ri_qi_dt)";
    let monthly = format!(
        "SELECT {month}, SUM(xiao_liang_long) FROM sales GROUP BY {month} ORDER BY {month} ASC, SUM(xiao_liang_long) DESC"
    );
    assert_read(
        &sales(&["门店销售.xlsx"]),
        SHOPS,
        &[
            ("每个月的销量", monthly.as_str()),
            (
                "各区域的销量合计，从低到高",
                "SELECT qu_yu_kwd, SUM(xiao_liang_long) FROM sales GROUP BY qu_yu_kwd ORDER BY SUM(xiao_liang_long) ASC",
            ),
            (
                "total 销量 by 区域, highest first",
                "SELECT qu_yu_kwd, SUM(xiao_liang_long) FROM sales GROUP BY qu_yu_kwd ORDER BY SUM(xiao_liang_long) DESC",
            ),
            ("非直营的记录有多少条？", "SELECT COUNT(*) FROM sales WHERE shi_fou_zhi_ying_kwd <> 'yes'"),
            (
                "2024年3月1日到15日有多少条记录？",
                "SELECT COUNT(*) FROM sales WHERE ri_qi_dt >= '2024-03-01' AND ri_qi_dt < '2024-03-16'",
            ),
            ("2023年以后（含2023年）有多少条记录？", "SELECT COUNT(*) FROM sales WHERE ri_qi_dt >= '2023-01-01'"),
        ],
    );
}

#[test]
fn a_named_document_of_several_becomes_a_condition() {
    let schema = sales(&["昆山2019年1月.xlsx", "昆山2019年2月.xlsx", "吴江2019年1月.xlsx"]);
    assert_read(
        &schema,
        SHOPS,
        &[(
            "吴江销量最高的门店是哪家",
            "SELECT men_dian_kwd, xiao_liang_long FROM sales WHERE docnm_kwd = '吴江2019年1月.xlsx' AND xiao_liang_long = (SELECT MAX(xiao_liang_long) FROM sales WHERE docnm_kwd = '吴江2019年1月.xlsx')",
        )],
    );
}

#[test]
fn cells_stay_literals_whatever_they_hold() {
    let schema = staff();
    let question = "how many points did \\' OR 1=1 -- score?";
    let cells = [("name_tks", "\\' OR 1=1 --")];
    assert_read(&schema, &cells, &[(question, "SELECT points_long FROM staff WHERE name_kwd = '\\'' OR 1=1 --'")]);
    assert_read(
        &schema,
        RIDERS,
        &[("how many points did Bo O'Neil get?", "SELECT points_long FROM staff WHERE name_kwd = 'Bo O''Neil'")],
    );
}
