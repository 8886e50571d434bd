use super::*;
use crate::sheet::rows::{Extra, TakeRow};

struct Table(Vec<(u64, Vec<&'static str>)>);

impl Rows for Table {
    fn each(&self, take: &mut TakeRow<'_>) -> Result<(), ReadError> {
        for (row, texts) in &self.0 {
            let cells: Vec<Cell<'_>> =
                texts.iter().map(|t| if t.is_empty() { Cell::Empty } else { Cell::Text((*t).into()) }).collect();
            take(*row, &cells, Extra::default())?;
        }
        Ok(())
    }
}

fn judged(rows: &[(u64, [&'static str; 3])]) -> Verdicts {
    let header = vec![vec!["部门".to_owned(), "姓名".to_owned(), "金额".to_owned()]];
    let rule = Rule { header: &header, keep_totals: false };
    let table = Table(rows.iter().map(|(row, cells)| (*row, cells.to_vec())).collect());
    decide(&table, &rule).expect("rows in memory")
}

#[test]
fn totals_need_evidence() {
    let found = judged(&[
        (2, ["行政", "张三", "10"]),
        (3, ["行政", "李四", "1,020.5"]),
        (4, ["小 计", "", "1,030.50"]),
        (5, ["研发", "王五", "7"]),
        (6, ["Total", "加油站", "3"]),
        (7, ["研发", "赵六", "5"]),
        (8, ["小计", "", "12"]),
        (9, ["合计：", "", "999"]),
        (11, ["注：金额为含税价", "", ""]),
        (12, ["制表人：张三", "", "审核：李四"]),
    ]);
    assert_eq!(
        found.kept,
        [(4, Kept::Totals), (8, Kept::Totals), (9, Kept::Totals), (11, Kept::NoteLine), (12, Kept::NoteLine)]
    );
    assert_eq!(found.doubted, [6]);
}

#[test]
fn signatures_below_a_gap_and_drawn_lines_are_no_data() {
    let rows = |last| {
        [
            (2, ["---", "----", "==="]),
            (3, ["行政", "张三", "10"]),
            (4, ["研发：", "李四", "x"]),
            (5, ["---", "王五", "7"]),
            (last, ["审批人：", "王总", "2024年1月5日"]),
        ]
    };
    assert_eq!(judged(&rows(7)).kept, [(2, Kept::NoteLine), (7, Kept::NoteLine)]);
    assert_eq!(judged(&rows(6)).kept, [(2, Kept::NoteLine)]);
}

#[test]
fn a_total_above_its_rows_is_found_by_the_sum_of_all() {
    let found = judged(&[(2, ["合计", "", "30"]), (3, ["行政", "a", "10"]), (4, ["研发", "b", "20"])]);
    assert_eq!(found.kept, [(2, Kept::Totals)]);
}

#[test]
fn named_totals_are_their_sums() {
    let found = judged(&[
        (2, ["行政", "张三", "10"]),
        (3, ["行政", "李四", "20"]),
        (4, ["行政 汇总", "", "30"]),
        (5, ["Total War", "x", "7"]),
        (6, ["Totals of last year", "y", "8"]),
        (7, ["研发", "小计", "15"]),
        (8, ["合计（元）", "", "45"]),
        (9, ["Total number of rows", "", "4"]),
    ]);
    assert_eq!(found.kept, [(4, Kept::Totals), (7, Kept::Totals), (8, Kept::Totals)]);
    assert!(found.doubted.is_empty());
}

#[test]
fn a_total_behind_a_number_needs_the_sums() {
    let found = judged(&[(2, ["1", "张三", "10"]), (3, ["2", "李四", "20"]), (4, ["3", "合计", "30"])]);
    assert_eq!(found.kept, [(4, Kept::Totals)]);
    let found = judged(&[(2, ["1", "张三", "10"]), (3, ["2", "李四", "20"]), (4, ["3", "Total", "31"])]);
    assert_eq!((found.kept.as_slice(), found.doubted.as_slice()), (&[][..], &[4][..]));
}

#[test]
fn a_category_called_total_is_data() {
    let found = judged(&[
        (2, ["Men", "2019", "3"]),
        (3, ["Men", "2020", "4"]),
        (4, ["Total", "2019", "9"]),
        (5, ["Total", "2020", "11"]),
    ]);
    assert_eq!((found.kept.as_slice(), found.doubted.as_slice()), (&[][..], &[4, 5][..]));
    assert!(judged(&[(2, ["合计", "", "30"])]).kept.is_empty());
}

#[test]
fn repeated_headers_and_lone_texts() {
    let found = judged(&[
        (2, ["行政", "张三", "10"]),
        (3, ["部门", "姓名", "金额"]),
        (4, ["华东", "", ""]),
        (5, ["研发", "王五", "7"]),
        (6, ["华南", "", ""]),
    ]);
    assert_eq!(found.kept, [(3, Kept::RepeatedHeader)]);
}

#[test]
fn means_and_extremes_are_kept_apart_where_they_are_just_that() {
    let found = judged(&[
        (2, ["行政", "张三", "10"]),
        (3, ["Max", "李四", "20"]),
        (4, ["研发", "王五", "25"]),
        (5, ["合计", "", "55"]),
        (6, ["平均", "", "18.33"]),
        (7, ["最高分", "", "25"]),
        (8, ["最小值", "", "10"]),
        (9, ["Count", "", "3"]),
    ]);
    assert_eq!(found.kept, [5, 6, 7, 8, 9].map(|row| (row, Kept::Totals)));
    assert!(found.doubted.is_empty());
    let names =
        [(2, ["a", "", "5"]), (3, ["b", "", "7"]), (4, ["c", "", "6"]), (5, ["Max", "", "7"]), (6, ["d", "", "1"])];
    assert_eq!(judged(&names), Verdicts { kept: Vec::new(), doubted: vec![5] });
    let few = [(2, ["最小", "", "1"]), (3, ["最大", "", "5"]), (4, ["平均", "", "3"])];
    assert_eq!(judged(&few), Verdicts { kept: Vec::new(), doubted: vec![4] });
}

#[test]
fn sums_without_a_label_are_kept_apart_where_all_rows_have_one() {
    let rows = [(2, ["行政", "张三", "10"]), (3, ["研发", "李四", "20"]), (4, ["", "", "30"])];
    assert_eq!(judged(&rows).kept, [(4, Kept::Totals)]);
    let other = [(2, ["行政", "张三", "10"]), (3, ["研发", "李四", "20"]), (4, ["", "", "31"])];
    assert_eq!(judged(&other), Verdicts::default());
    let nameless = [(2, ["行政", "", "10"]), (3, ["", "", "20"]), (4, ["", "", "30"])];
    assert_eq!(judged(&nameless), Verdicts::default());
}
