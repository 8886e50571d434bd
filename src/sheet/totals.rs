//! Rows that are not data: totals, note lines, repeated headers.
//!
//! A row is suspected by its text and judged by evidence over all rows of its region, once; the verdicts are kept.
//! Must never happen: a data row kept apart because of one word; a sum counted as a row.

use super::kind::{Kind, kind, number};
use super::rows::Rows;
use super::sums::Sums;
use super::totals_word::{self, Figure};
use super::{Kept, ReadError};
use crate::value::{Cell, UNCALCULATED};

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
    /// Its label is a word of totals.
    Totals,
    /// A label begins or ends with a word of totals: it is one only where its numbers are the sums.
    NamedTotals,
    /// A number and then a word of totals: it is one only where the numbers after the word are the sums.
    NumberedTotals,
    /// Its label is a word such as `average`: it is one only where its numbers are just that.
    Figure(Figure),
    /// Numbers without a label where all other rows have one: it is a total only where they are the sums.
    Unlabelled,
    /// It begins with a word of notes, or is one long text.
    NoteLine,
    /// One short text in a table of several columns, or texts behind a name with a colon: a note line only after a blank row at the bottom.
    LoneText,
    RepeatedHeader,
    /// Dashes under the header or between rows.
    RuleLine,
}

impl Rule<'_> {
    /// What a row looks like, if not data.
    pub fn suspect(&self, cells: &[Cell<'_>]) -> Option<Suspect> {
        let first = cells.iter().position(|cell| !cell.is_blank())?;
        if let Some(label) = numbered(cells) {
            let totals = totals_word::suspect(&cells[label..]) == Some(Suspect::Totals);
            return (totals && !self.keep_totals).then_some(Suspect::NumberedTotals);
        }
        if first > 0 && !self.keep_totals && cells.iter().all(|cell| cell.is_blank() || number(cell).is_some()) {
            return Some(Suspect::Unlabelled);
        }
        let Cell::Text(text) = &cells[first] else { return None };
        if is_rule_line(cells) {
            return Some(Suspect::RuleLine);
        }
        if self.repeats_header(cells, first) {
            return Some(Suspect::RepeatedHeader);
        }
        if let Some(totals) = totals_word::suspect(&cells[first..]) {
            return (!self.keep_totals && cells.len() > 1).then_some(totals);
        }
        let alone = cells[first + 1..].iter().all(Cell::is_blank);
        if alone && cells.len() > 1 {
            let long = cells.len() > 2 && text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>() >= 30;
            return Some(if long || is_note(text) { Suspect::NoteLine } else { Suspect::LoneText });
        }
        let notes = is_note(text) && cells[first..].iter().all(|cell| is_signature(cell));
        let pairs = text.trim_end().ends_with([':', '：']) && cells[first..].iter().all(is_text_or_date);
        notes.then_some(Suspect::NoteLine).or(pairs.then_some(Suspect::LoneText))
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

/// The place of the first text of a row that begins with one number.
fn numbered(cells: &[Cell<'_>]) -> Option<usize> {
    let mut filled = cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank());
    let (_, first) = filled.next()?;
    let (label, second) = filled.next()?;
    (kind(first) == Kind::Number && kind(second) == Kind::Text).then_some(label)
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

/// Characters of a line that one cell draws alone.
const LONE_RULE: usize = 5;

/// Every cell that has something is drawn of dashes, `---`, `===`, `----+----`.
fn is_rule_line(cells: &[Cell<'_>]) -> bool {
    let mut lengths = cells.iter().filter(|cell| !cell.is_blank()).map(|cell| match cell {
        Cell::Text(text) => drawn(text.trim()),
        _ => 0,
    });
    let Some(first) = lengths.next() else { return false };
    let several = lengths.clone().next().is_some();
    first >= if several { 3 } else { LONE_RULE } && lengths.all(|length| length >= 3)
}

/// How many characters of a line a text has, if it has no others.
fn drawn(text: &str) -> usize {
    let dashes = |c: char| matches!(c, '-' | '=' | '_' | '+' | ':' | '|' | '─' | '═' | '━' | '┼');
    if text.chars().all(dashes) { text.chars().count() } else { 0 }
}

fn is_text_or_date(cell: &Cell<'_>) -> bool {
    matches!(cell, Cell::Text(_) | Cell::Empty | Cell::DateTime(_))
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
    /// What it begins with.
    label: String,
    /// Its numbers equal the running sums.
    sums_agree: bool,
    /// It has numbers, or formulas that would be.
    counts: bool,
}

#[derive(Debug, Default)]
struct Judge {
    /// Sums over all data rows, and since the last totals row.
    all: Sums,
    since: Sums,
    /// A data row has nothing in its first column.
    nameless: bool,
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
            Some(Suspect::RuleLine) => self.found.kept.push((row, Kept::NoteLine)),
            Some(Suspect::RepeatedHeader) => self.found.kept.push((row, Kept::RepeatedHeader)),
            Some(suspect @ (Suspect::Totals | Suspect::NamedTotals | Suspect::NumberedTotals)) => {
                self.totals(row, cells, suspect)
            }
            Some(Suspect::Figure(figure)) => self.figure(row, cells, figure),
            Some(Suspect::Unlabelled) => self.unlabelled(row, cells),
            Some(Suspect::NoteLine) => self.wait(row, Suspect::NoteLine),
            Some(Suspect::LoneText) if gap || self.tail.iter().any(|w| w.suspect == Suspect::NoteLine) => {
                self.wait(row, Suspect::NoteLine);
            }
            Some(Suspect::LoneText) | None => self.data(cells),
        }
    }

    fn wait(&mut self, row: u64, suspect: Suspect) {
        let (numbers, label) = (Vec::new(), String::new());
        self.tail.push(Waiting { row, suspect, numbers, label, sums_agree: false, counts: false });
    }

    fn data(&mut self, cells: &[Cell<'_>]) {
        self.settle(false);
        self.nameless |= cells.first().is_none_or(Cell::is_blank);
        self.all.add(cells.iter().map(number));
        self.since.add(cells.iter().map(number));
    }

    /// A row of means, counts or extremes of at least three rows.
    fn figure(&mut self, row: u64, cells: &[Cell<'_>], figure: Figure) {
        let numbers: Vec<Option<f64>> = cells.iter().map(number).collect();
        let agrees = |sums: &Sums| sums.rows > 2 && sums.agree(&numbers, figure);
        if agrees(&self.all) || agrees(&self.since) {
            let label = label(cells);
            let suspect = Suspect::Figure(figure);
            self.tail.push(Waiting { row, suspect, numbers, label, sums_agree: true, counts: true });
            return;
        }
        // `Max` may be a name.
        self.found.doubted.extend((figure == Figure::Mean).then_some(row));
        self.data(cells);
    }

    fn unlabelled(&mut self, row: u64, cells: &[Cell<'_>]) {
        let numbers: Vec<Option<f64>> = cells.iter().map(number).collect();
        let agrees = |sums: &Sums| sums.rows > 1 && sums.equal(&numbers);
        if self.nameless || !(agrees(&self.all) || agrees(&self.since)) {
            return self.data(cells);
        }
        self.since.clear();
        let (suspect, label) = (Suspect::Unlabelled, String::new());
        self.tail.push(Waiting { row, suspect, numbers, label, sums_agree: true, counts: true });
    }

    /// A named total sums at least two rows, unless it is named after its group: one row may have any name and equal its neighbour.
    fn totals(&mut self, row: u64, cells: &[Cell<'_>], suspect: Suspect) {
        let mut numbers: Vec<Option<f64>> = cells.iter().map(number).collect();
        if let Some(label) = numbered(cells).filter(|_| suspect == Suspect::NumberedTotals) {
            numbers[..label].fill(None);
        }
        let enough = |rows: u64| rows > 1 || (rows == 1 && suspect == Suspect::Totals);
        let agrees = |sums: &Sums| match suspect {
            Suspect::NamedTotals => sums.equal(&numbers),
            _ => sums.agree(&numbers, Figure::Sum),
        };
        let sums_agree = [&self.since, &self.all].into_iter().any(|sums| enough(sums.rows) && agrees(sums));
        if suspect == Suspect::NamedTotals && !sums_agree {
            return self.data(cells);
        }
        if sums_agree {
            self.since.clear();
        }
        let uncalculated = |cell: &Cell<'_>| matches!(cell, Cell::Error(UNCALCULATED));
        let counts = numbers.iter().any(Option::is_some) || cells.iter().any(uncalculated);
        self.tail.push(Waiting { row, suspect, numbers, label: label(cells), sums_agree, counts });
    }

    /// Decides about the rows that wait: `last` says that the region ends here.
    fn settle(&mut self, last: bool) {
        let tail = std::mem::take(&mut self.tail);
        let lone = |label: &str, open: &[Waiting]| {
            let mut unexplained = tail.iter().chain(open).filter(|w| w.suspect == Suspect::Totals && !w.sums_agree);
            unexplained.by_ref().filter(|other| other.label == label).nth(1).is_none()
        };
        let mut open = std::mem::take(&mut self.open);
        let by_place: Vec<bool> =
            tail.iter().map(|w| last && self.all.rows > 0 && w.counts && lone(&w.label, &open)).collect();
        for (waiting, by_place) in tail.into_iter().zip(by_place) {
            match waiting.suspect {
                Suspect::Totals | Suspect::NamedTotals if waiting.sums_agree || by_place => {
                    self.found.kept.push((waiting.row, Kept::Totals));
                }
                Suspect::NumberedTotals | Suspect::Unlabelled if waiting.sums_agree => {
                    self.found.kept.push((waiting.row, Kept::Totals));
                }
                // Among the data `Max` is a name.
                Suspect::Figure(_) if last => self.found.kept.push((waiting.row, Kept::Totals)),
                Suspect::Figure(_) => self.found.doubted.push(waiting.row),
                Suspect::Totals | Suspect::NumberedTotals => open.push(waiting),
                _ if last => self.found.kept.push((waiting.row, Kept::NoteLine)),
                _ => {}
            }
        }
        self.open = open;
    }

    fn verdicts(mut self) -> Verdicts {
        self.settle(true);
        for waiting in self.open {
            if self.all.agree(&waiting.numbers, Figure::Sum) {
                self.found.kept.push((waiting.row, Kept::Totals));
            } else {
                self.found.doubted.push(waiting.row);
            }
        }
        self.found.kept.sort_by_key(|(row, _)| *row);
        self.found.doubted.sort_unstable();
        self.found
    }
}

/// What a row begins with.
fn label(cells: &[Cell<'_>]) -> String {
    cells.iter().find(|cell| !cell.is_blank()).map(|cell| cell.text().into_owned()).unwrap_or_default()
}

/// The text of a row kept apart.
pub(super) fn row_text(cells: &[Cell<'_>], outside: Option<&str>) -> String {
    let texts = cells.iter().filter(|cell| kind(cell) != Kind::Blank).map(|cell| cell.text().into_owned());
    texts.chain(outside.map(str::to_owned)).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests;
