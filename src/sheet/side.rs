//! Tables that lie on their side: labels down the first column, one record in each further column.
//!
//! Must never happen: a cross table, a form or a common table that is turned; a cell that is lost by turning.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use super::grid::{Grid, GridBuilder, Stored};
use super::kind::{Kind, kind};

/// Records, rows and title lines of a table that is turned without being asked.
const SURE_RECORDS: usize = 3;
const SURE_ROWS: RangeInclusive<usize> = 4..=60;
const MAX_TITLES: usize = 3;
/// Characters of a label.
const LONGEST_LABEL: usize = 24;

/// Records and rows of one that is only noted.
const LEAST_RECORDS: usize = 2;
const SIDE_ROWS: RangeInclusive<usize> = 3..=60;

/// Whether the rows of a body are alike along the row and unlike down the columns.
pub(super) fn seems(grid: &Grid, body: usize, last: usize, columns: &[u32]) -> bool {
    let Some((names, records)) = columns.split_first() else { return false };
    if records.len() < LEAST_RECORDS || body > last || !SIDE_ROWS.contains(&(last + 1 - body)) {
        return false;
    }
    if !(body..=last).all(|i| kind(&grid.at(i, *names)) == Kind::Text) {
        return false;
    }
    let of_row = |i: usize| -> Option<Kind> {
        let mut kinds = records.iter().map(|column| plain(kind(&grid.at(i, *column))));
        let first = kinds.next()?;
        kinds.all(|kind| kind == first).then_some(first)
    };
    let rows: Option<Vec<Kind>> = (body..=last).map(of_row).collect();
    let count = |wanted: Kind| rows.iter().flatten().filter(|kind| **kind == wanted).count();
    let text = count(Kind::Text);
    text >= 1 && count(Kind::Number) + count(Kind::Date) >= 2 && count(Kind::Blank) == 0
}

fn plain(kind: Kind) -> Kind {
    if kind == Kind::Year { Kind::Number } else { kind }
}

/// The first row of a table that is all of the sheet below its title lines and lies on its side beyond doubt: labels, a row
/// that names the records, and further rows of texts, numbers and dates, each of one kind.
pub(super) fn surely(grid: &Grid) -> Option<usize> {
    let first = below_titles(grid)?;
    let last = grid.len() - 1;
    let unbroken = grid.number(last) - grid.number(first) == (last - first) as u32;
    let merged = grid.merges.all().iter().any(|merge| merge.last_row >= grid.number(first));
    if !SURE_ROWS.contains(&(last + 1 - first)) || !unbroken || merged {
        return None;
    }
    let lines: Option<Vec<Line>> = (first..=last).map(|i| Line::of(grid, i)).collect();
    let lines = lines?;
    let (head, fields) = lines.split_first()?;
    let (from, to) = (head.names, head.records.1);
    let one_block = lines.iter().all(|line| line.names == from && line.records.1 <= to);
    let records = (to - from) as usize;
    let labels: HashSet<&str> = lines.iter().map(|line| line.label.as_str()).collect();
    let named = head.texts.len() == records && head.texts.iter().collect::<HashSet<_>>().len() == records;
    if !one_block || records < SURE_RECORDS || labels.len() < lines.len() || !named {
        return None;
    }
    let whole = fields.iter().all(|line| line.texts.len() * 3 >= records * 2);
    let count = |wanted: Kind| fields.iter().filter(|line| line.kind == wanted).count();
    let (texts, dates, numbers) = (count(Kind::Text), count(Kind::Date), count(Kind::Number));
    let mixed = texts >= 1 && texts + dates >= 2 && dates + numbers >= 1;
    (whole && mixed && !values_recur(&lines)).then_some(first)
}

/// The first row that has more than one cell, below at most so many title lines.
pub(super) fn below_titles(grid: &Grid) -> Option<usize> {
    let first = (0..grid.len()).find(|i| grid.filled(*i).nth(1).is_some())?;
    (first <= MAX_TITLES).then_some(first)
}

/// A row of a table on its side.
struct Line {
    names: u32,
    label: String,
    /// First and last column with a value.
    records: (u32, u32),
    kind: Kind,
    texts: Vec<String>,
}

impl Line {
    /// A short label and values of one kind.
    fn of(grid: &Grid, i: usize) -> Option<Self> {
        let mut cells = grid.filled(i);
        let (names, label) = cells.next()?;
        let text = label.text().trim().to_owned();
        if kind(&label) != Kind::Text || text.chars().count() > LONGEST_LABEL {
            return None;
        }
        let (mut line, mut kinds) =
            (Self { names, label: text, records: (0, 0), kind: Kind::Blank, texts: vec![] }, vec![]);
        for (column, cell) in cells.filter(|(_, cell)| kind(cell) != Kind::Blank) {
            let first = if line.texts.is_empty() { column } else { line.records.0 };
            line.records = (first, column);
            line.texts.push(cell.text().trim().to_owned());
            kinds.push(plain(kind(&cell)));
        }
        line.kind = *kinds.first()?;
        kinds.iter().all(|kind| *kind == line.kind).then_some(line)
    }
}

/// A text stands in two rows: they hold values of one kind, as the cells of a cross table do.
fn values_recur(lines: &[Line]) -> bool {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    let texts = lines.iter().enumerate().filter(|(_, line)| line.kind == Kind::Text);
    let mut cells = texts.flat_map(|(n, line)| line.texts.iter().map(move |text| (n, text.as_str())));
    cells.any(|(n, text)| *rows.entry(text).or_insert(n) != n)
}

/// The rows from `first` on as columns: row and column of each cell change places.
pub(super) fn turned(grid: &Grid, first: usize) -> Grid {
    let mut cells: Vec<(u32, u32, Stored)> = Vec::new();
    for i in first..grid.len() {
        cells.extend(grid.used(i).iter().map(|used| (used.column, grid.number(i), used.stored)));
    }
    cells.sort_by_key(|(row, column, _)| (*row, *column));
    let mut builder = GridBuilder::default();
    for (row, column, stored) in cells {
        let stored = match grid.cell(stored) {
            crate::value::Cell::Text(text) => builder.texts().keep(&text).map(Stored::Text),
            _ => Some(stored),
        };
        stored.into_iter().for_each(|stored| {
            builder.push(row, column, stored);
        });
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::super::table_tests::grid;
    use super::*;

    const STAFF: [&str; 5] =
        ["姓名|张三|李四|王五", "部门|行政|研发|行政", "籍贯|苏州|昆山|太仓", "年龄|34|35|41", "工资|100|200|300"];

    #[test]
    fn a_table_on_its_side_is_turned_only_without_doubt() {
        let turned: [&[&str]; 5] = [
            &STAFF,
            &[
                "人员登记",
                "姓名|张三|李四|王五",
                "部门|行政|研发|",
                "入职|2020-01-05|2021-02-03|2022-03-04",
                "工资|1|2|3",
            ],
            &["Model|X1|X2|X3", "Screen|OLED|LCD|LCD", "Battery|Li-ion|NiMH|Lead", "Weight|180|200|220"],
            &["No|101|102|103", "Name|Ann|Bob|Cid", "Born|1990-01-02|1991-03-04|1989-05-06", "Score|7|8|9"],
            &["Test|2023-01-05|2023-02-05|2023-03-05", "By|Ann|Bob|Cid", "Place|Rome|Oslo|Bern", "Result|1.5|2.5|3.5"],
        ];
        for lines in turned {
            assert!(surely(&grid(lines, &[])).is_some(), "{lines:?}");
        }
        let others: [&[&str]; 13] = [
            // A cross table, and one with a row of texts and with shared words.
            &["地区|一月|二月|三月", "华东|1|2|3", "华北|4|5|6", "华南|7|8|9", "西部|1|3|5"],
            &["地区|一月|二月|三月", "负责人|张三|李四|王五", "华东|1|2|3", "华北|4|5|6"],
            &["姓名|1日|2日|3日", "张三|休|班|班", "李四|班|休|班", "王五|8|8|8"],
            // A common table, and one of texts.
            &["姓名|部门|年龄|工资", "张三|行政|34|100", "李四|研发|35|200", "王五|行政|41|300"],
            &["姓名|部门|职位|籍贯", "张三|行政|主任|苏州", "李四|研发|工程师|昆山", "王五|市场|经理|太仓"],
            // A form, and too few records.
            &["姓名|张三", "部门|行政", "入职|2020-01-05", "工资|100"],
            &["姓名|张三|李四", "部门|行政|研发", "籍贯|苏州|昆山", "年龄|34|35"],
            // Labels that stand twice, a record without a name, equal names, a row of two kinds, a gap, a footer.
            &["姓名|张三|李四|王五", "部门|行政|研发|市场", "部门|东|西|南", "年龄|34|35|41"],
            &["姓名|张三||王五", "部门|行政|研发|市场", "籍贯|苏州|昆山|太仓", "年龄|34|35|41"],
            &["姓名|张三|张三|王五", "部门|行政|研发|市场", "籍贯|苏州|昆山|太仓", "年龄|34|35|41"],
            &["姓名|张三|李四|王五", "部门|行政|研发|市场", "籍贯|苏州|昆山|太仓", "年龄|34|35|未知"],
            &["姓名|张三|李四|王五", "部门|行政|研发|市场", "", "籍贯|苏州|昆山|太仓", "年龄|34|35|41"],
            &["姓名|张三|李四|王五", "部门|行政|研发|市场", "籍贯|苏州|昆山|太仓", "年龄|34|35|41", "注：不含兼职"],
        ];
        for lines in others {
            assert_eq!(surely(&grid(lines, &[])), None, "{lines:?}");
        }
        assert_eq!(surely(&grid(&STAFF, &[(1, 1, 1, 2)])), None, "merged");
    }

    #[test]
    fn a_turned_grid_has_each_cell_once() {
        let (grid, back) = (grid(&STAFF, &[]), turned(&turned(&grid(&STAFF, &[]), 0), 0));
        assert_eq!(turned(&grid, 0).at(1, 4).text(), "100");
        assert!((0..grid.len()).all(|i| grid.filled(i).eq(back.filled(i))));
    }
}
