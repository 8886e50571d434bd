//! Rows that are not data: totals, note lines, repeated headers.
//!
//! A row is suspected by its text and judged by evidence over all rows of its region, once; the verdicts are kept.
//! Must never happen: a data row kept apart because of one word; a sum counted as a row.

use super::kind::{Kind, kind, number};
use super::rows::Rows;
use super::{Kept, ReadError};
use crate::value::Cell;

/// What a region's rows are judged by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule<'a> {
    /// The cells of each header row, as text, one for each column.
    pub header: &'a [Vec<String>],
    pub keep_totals: bool,
}

/// What was decided about the suspected rows of a region.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Verdicts {
    /// In row order.
    kept: Vec<(u64, Kept)>,
    /// Rows that begin like totals but stay data, in row order.
    doubted: Vec<u64>,
}

impl Verdicts {
    pub fn kept(&self, row: u64) -> Option<Kept> {
        self.kept.binary_search_by_key(&row, |(row, _)| *row).ok().map(|i| self.kept[i].1)
    }

    pub fn is_doubted(&self, row: u64) -> bool {
        self.doubted.binary_search(&row).is_ok()
    }
}

/// What a row looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Suspect {
    Totals,
    /// It begins with a word of notes, or is one long text.
    NoteLine,
    /// One short text in a table of several columns: a note line only after a blank row at the bottom.
    LoneText,
    RepeatedHeader,
}

impl Rule<'_> {
    /// What a row looks like, if not data.
    pub fn suspect(&self, cells: &[Cell<'_>]) -> Option<Suspect> {
        let first = cells.iter().position(|cell| !cell.is_blank())?;
        let Cell::Text(text) = &cells[first] else { return None };
        if self.repeats_header(cells, first) {
            return Some(Suspect::RepeatedHeader);
        }
        if is_total_word(text) {
            return (!self.keep_totals && cells.len() > 1).then_some(Suspect::Totals);
        }
        let alone = cells[first + 1..].iter().all(Cell::is_blank);
        if alone && cells.len() > 1 {
            let long = cells.len() > 2 && text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>() >= 30;
            return Some(if long || is_note(text) { Suspect::NoteLine } else { Suspect::LoneText });
        }
        let notes = is_note(text) && cells[first..].iter().all(|cell| is_signature(cell));
        notes.then_some(Suspect::NoteLine)
    }

    fn repeats_header(&self, cells: &[Cell<'_>], first: usize) -> bool {
        let Cell::Text(text) = &cells[first] else { return false };
        let text = text.trim();
        self.header.iter().any(|header| {
            header.get(first).is_some_and(|label| label == text)
                && header.len() == cells.len()
                && header.iter().filter(|label| !label.is_empty()).count() > 1
                && header.iter().zip(cells).all(|(label, cell)| label == cell.text().trim())
        })
    }
}

const TOTAL_WORDS: [&str; 28] = [
    "合计",
    "总计",
    "小计",
    "共计",
    "汇总",
    "总合计",
    "合计数",
    "总数",
    "本页小计",
    "本页合计",
    "本月合计",
    "累计",
    "本年累计",
    "合計",
    "總計",
    "小計",
    "共計",
    "總數",
    "total",
    "subtotal",
    "sub-total",
    "grandtotal",
    "totals",
    "grandtotals",
    "sum",
    "sumtotal",
    "overalltotal",
    "total:",
];

/// Longer texts are not total words.
const MAX_TOTAL_WORD: usize = 48;

fn is_total_word(text: &str) -> bool {
    if text.len() > MAX_TOTAL_WORD {
        return false;
    }
    let begins = text.trim_start().chars().next();
    if !begins.is_some_and(|c| "合总小共汇本累總TtSsGgOo".contains(c)) {
        return false;
    }
    let folded: String =
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, ':' | '：')).flat_map(char::to_lowercase).collect();
    TOTAL_WORDS.contains(&folded.as_str())
}

const NOTE_WORDS: [&str; 40] = [
    "注：",
    "注:",
    "注1",
    "注１",
    "备注：",
    "备注:",
    "说明：",
    "说明:",
    "附注",
    "资料来源",
    "数据来源",
    "来源：",
    "来源:",
    "制表",
    "填表",
    "审核",
    "复核",
    "核准",
    "负责人",
    "打印时间",
    "打印日期",
    "导出时间",
    "制表日期",
    "報表",
    "註：",
    "註:",
    "資料來源",
    "source:",
    "sources:",
    "note:",
    "notes:",
    "footnote",
    "prepared by",
    "approved by",
    "reviewed by",
    "generated on",
    "printed on",
    "* ",
    "※",
    "†",
];

fn is_note(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    NOTE_WORDS.iter().any(|word| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
}

/// A cell of a signature line such as `制表人：张三`.
fn is_signature(cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Text(text) => cell.is_blank() || text.contains([':', '：']) || is_note(text),
        Cell::Empty | Cell::DateTime(_) => true,
        _ => false,
    }
}

/// Goes through all rows and decides about the suspected ones.
pub(super) fn decide(rows: &dyn Rows, rule: &Rule<'_>) -> Result<Verdicts, ReadError> {
    let mut judge = Judge::default();
    rows.each(&mut |row, cells, _| {
        judge.see(row, cells, rule.suspect(cells));
        Ok(())
    })?;
    Ok(judge.verdicts())
}

/// A suspected row that waits for evidence.
#[derive(Debug)]
struct Waiting {
    row: u64,
    suspect: Suspect,
    numbers: Vec<Option<f64>>,
    /// Its numbers equal the running sums.
    sums_agree: bool,
}

#[derive(Debug, Default)]
struct Judge {
    /// Sums over all data rows, and since the last totals row.
    all: Vec<f64>,
    since: Vec<f64>,
    last_row: u64,
    /// Suspected rows with no data row after them yet.
    tail: Vec<Waiting>,
    /// Totals in the middle that no running sum explains: compared once more with the sums of everything.
    open: Vec<Waiting>,
    found: Verdicts,
}

impl Judge {
    fn see(&mut self, row: u64, cells: &[Cell<'_>], suspect: Option<Suspect>) {
        let gap = self.last_row > 0 && row > self.last_row + 1;
        self.last_row = row;
        match suspect {
            Some(Suspect::RepeatedHeader) => self.found.kept.push((row, Kept::RepeatedHeader)),
            Some(Suspect::Totals) => self.totals(row, cells),
            Some(Suspect::NoteLine) => self.wait(row, Suspect::NoteLine),
            Some(Suspect::LoneText) if gap || self.tail.iter().any(|w| w.suspect != Suspect::Totals) => {
                self.wait(row, Suspect::NoteLine);
            }
            Some(Suspect::LoneText) | None => self.data(cells),
        }
    }

    fn wait(&mut self, row: u64, suspect: Suspect) {
        self.tail.push(Waiting { row, suspect, numbers: Vec::new(), sums_agree: false });
    }

    fn data(&mut self, cells: &[Cell<'_>]) {
        self.settle(false);
        self.all.resize(cells.len(), 0.0);
        self.since.resize(cells.len(), 0.0);
        for (i, cell) in cells.iter().enumerate() {
            if let Some(number) = number(cell) {
                self.all[i] += number;
                self.since[i] += number;
            }
        }
    }

    fn totals(&mut self, row: u64, cells: &[Cell<'_>]) {
        let numbers: Vec<Option<f64>> = cells.iter().map(number).collect();
        let sums_agree = agree(&numbers, &self.since) || agree(&numbers, &self.all);
        if sums_agree {
            self.since.fill(0.0);
        }
        self.tail.push(Waiting { row, suspect: Suspect::Totals, numbers, sums_agree });
    }

    /// Decides about the rows that wait: `last` says that the region ends here.
    fn settle(&mut self, last: bool) {
        for waiting in std::mem::take(&mut self.tail) {
            let has_numbers = waiting.numbers.iter().any(Option::is_some);
            match waiting.suspect {
                Suspect::Totals if waiting.sums_agree || (last && has_numbers) => {
                    self.found.kept.push((waiting.row, Kept::Totals));
                }
                Suspect::Totals => self.open.push(waiting),
                _ if last => self.found.kept.push((waiting.row, Kept::NoteLine)),
                _ => {}
            }
        }
    }

    fn verdicts(mut self) -> Verdicts {
        self.settle(true);
        for waiting in self.open {
            if agree(&waiting.numbers, &self.all) {
                self.found.kept.push((waiting.row, Kept::Totals));
            } else {
                self.found.doubted.push(waiting.row);
            }
        }
        self.found.kept.sort_by_key(|(row, _)| *row);
        self.found
    }
}

/// At least half of a row's numbers, and one that is not zero, are the sums.
fn agree(numbers: &[Option<f64>], sums: &[f64]) -> bool {
    let pairs = || numbers.iter().zip(sums).filter_map(|(number, sum)| number.map(|n| (n, *sum)));
    let same = |n: f64, sum: f64| (n - sum).abs() <= 0.006_f64.max(sum.abs() * 1e-9);
    let equal = pairs().filter(|(n, sum)| same(*n, *sum)).count();
    let telling = pairs().any(|(n, sum)| n != 0.0 && same(n, sum));
    telling && equal * 2 >= pairs().count()
}

/// The text of a row kept apart.
pub(super) fn row_text(cells: &[Cell<'_>], outside: Option<&str>) -> String {
    let texts = cells.iter().filter(|cell| kind(cell) != Kind::Blank).map(|cell| cell.text().into_owned());
    texts.chain(outside.map(str::to_owned)).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::super::rows::{Extra, TakeRow};
    use super::*;

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
    fn a_total_above_its_rows_is_found_by_the_sum_of_all() {
        let found = judged(&[(2, ["合计", "", "30"]), (3, ["行政", "a", "10"]), (4, ["研发", "b", "20"])]);
        assert_eq!(found.kept, [(2, Kept::Totals)]);
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
}
