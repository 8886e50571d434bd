//! All cells in scope by the hash of how they may be said, and the search of a question in it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::fuzzy::{Parts, allowed};
use super::question::{Folded, Rolling, is_spaced};
use super::variants::variants;
use crate::engine::cells::Cells;
use crate::engine::{Likeness, Mention};
use crate::tokens;

/// Letters of the longest cell that is found in a question.
const LONGEST: usize = 64;
/// Words of a cell that a fuzzy match may have.
const MAX_WORDS: usize = 4;
/// Snapshots whose indexes are kept.
const MAX_KEPT: usize = 4;

/// Indexes of the last snapshots asked about.
#[derive(Default)]
pub(in crate::engine) struct MentionIndexes {
    kept: Mutex<Vec<Arc<MentionIndex>>>,
}

/// One text column of a table.
pub(in crate::engine) struct Column {
    pub table: String,
    /// Stored name of its field, or `docnm_kwd` / `sheet_kwd`.
    pub field: String,
    pub cells: Arc<Cells>,
}

pub(in crate::engine) struct MentionIndex {
    columns: Vec<Column>,
    /// Hash of a folded form, place in `entries`; by hash.
    forms: Vec<(u64, u32)>,
    entries: Vec<Entry>,
    parts: Parts,
}

#[derive(Clone, Copy)]
struct Entry {
    column: u32,
    cell: u32,
    /// The form is not the whole cell.
    partial: bool,
}

impl MentionIndexes {
    /// The index of all text columns in scope, made where the last ones do not have it.
    pub(in crate::engine) fn of(&self, columns: Vec<Column>) -> Arc<MentionIndex> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = kept.iter().find(|index| index.is_of(&columns)) {
            return index.clone();
        }
        let index = Arc::new(MentionIndex::new(columns));
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.push(index.clone());
        index
    }
}

impl MentionIndex {
    fn new(columns: Vec<Column>) -> Self {
        let mut index = Self { columns: Vec::new(), forms: Vec::new(), entries: Vec::new(), parts: Parts::default() };
        for (column, at) in columns.iter().zip(0..) {
            let is_file = column.field == "docnm_kwd";
            for (cell, place) in column.cells.all.iter().zip(0..) {
                index.add(cell, is_file, at, place);
            }
        }
        index.forms.sort_unstable();
        index.columns = columns;
        index
    }

    fn add(&mut self, cell: &str, is_file: bool, column: u32, place: u32) {
        if cell.len() > LONGEST * 8 {
            return;
        }
        let whole = tokens::fold(cell);
        if whole.is_empty() {
            return;
        }
        self.add_form(&whole, Entry { column, cell: place, partial: false });
        self.parts.add(&whole, (self.entries.len() - 1) as u32);
        for form in variants(cell, is_file) {
            self.add_form(&form, Entry { column, cell: place, partial: true });
        }
    }

    fn add_form(&mut self, form: &str, entry: Entry) {
        self.forms.push((Rolling::of(form.chars()).0, self.entries.len() as u32));
        self.entries.push(entry);
    }

    fn is_of(&self, columns: &[Column]) -> bool {
        let same = |(own, other): (&Column, &Column)| {
            own.table == other.table && own.field == other.field && Arc::ptr_eq(&own.cells, &other.cells)
        };
        self.columns.len() == columns.len() && self.columns.iter().zip(columns).all(same)
    }

    fn cell(&self, entry: Entry) -> &str {
        &self.columns[entry.column as usize].cells.all[entry.cell as usize]
    }

    /// Mentions in a question, longest first, then closest.
    pub(in crate::engine) fn find(&self, question: &str) -> Vec<Mention> {
        let folded = Folded::of(question);
        let mut mentions = self.whole(question, &folded);
        let taken: HashSet<(usize, usize)> = mentions.iter().map(|mention| (mention.start, mention.end)).collect();
        mentions.extend(self.fuzzy(&folded, &taken));
        sorted(mentions)
    }

    fn whole(&self, question: &str, folded: &Folded) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for from in (0..folded.letters.len()).filter(|&at| folded.begins(at)) {
            let mut hash = Rolling::default();
            for to in from + 1..=folded.letters.len().min(from + LONGEST) {
                hash = hash.add(folded.letters[to - 1]);
                if folded.ends(to) && (to - from >= 2 || stands_alone(question, folded.bytes(from, to))) {
                    self.named(hash, question, folded, (from, to), &mut mentions);
                }
            }
        }
        mentions
    }

    fn named(
        &self,
        hash: Rolling,
        question: &str,
        folded: &Folded,
        (from, to): (usize, usize),
        mentions: &mut Vec<Mention>,
    ) {
        let first = self.forms.partition_point(|(form, _)| *form < hash.0);
        for &(_, place) in self.forms[first..].iter().take_while(|(form, _)| *form == hash.0) {
            let entry = self.entries[place as usize];
            let (start, end) = folded.bytes(from, to);
            let said = &question[start..end];
            let how = likeness(self.cell(entry), said, entry.partial);
            if let Some(how) = how.filter(|how| to - from >= 2 || *how == Likeness::Exact) {
                mentions.push(self.mention(entry, start, end, how));
            }
        }
    }

    fn fuzzy(&self, folded: &Folded, taken: &HashSet<(usize, usize)>) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for (from, to) in pieces(folded) {
            let (start, end) = folded.bytes(from, to);
            if taken.iter().any(|(s, e)| *s <= start && end <= *e) {
                continue;
            }
            let piece = &folded.letters[from..to];
            let said: String = piece.iter().collect();
            for place in self.parts.candidates(piece) {
                let entry = self.entries[place as usize];
                let cell = tokens::fold(self.cell(entry));
                let edits = strsim::osa_distance(&cell, &said);
                if edits > 0 && edits <= allowed(cell.len().min(said.len())) {
                    mentions.push(self.mention(entry, start, end, Likeness::Fuzzy));
                }
            }
        }
        mentions
    }

    fn mention(&self, entry: Entry, start: usize, end: usize, how: Likeness) -> Mention {
        let column = &self.columns[entry.column as usize];
        let (table, field) = (column.table.clone(), column.field.clone());
        Mention { table, field, cell: self.cell(entry).to_owned(), start, end, how }
    }
}

/// A letter that is not a part of a word: a Latin capital, or one behind `for`, `in`, `of`, `is` or `=`; a Han character
/// between marks or words that end one thing and begin the next.
fn stands_alone(question: &str, (start, end): (usize, usize)) -> bool {
    let Some(letter) = question[start..end].chars().next() else { return false };
    let before = question[..start].trim_end();
    if letter.is_alphabetic() && is_spaced(letter) {
        let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        return letter.is_uppercase()
            || before.ends_with('=')
            || ["for", "in", "of", "is"].iter().any(|word| last.eq_ignore_ascii_case(word));
    }
    let mark = |letter: char| !letter.is_alphanumeric();
    let opens = |letter: char| mark(letter) || "为是在年月日".contains(letter);
    let closes = |letter: char| mark(letter) || "的有共一总".contains(letter);
    let opened = before.chars().next_back().is_none_or(opens);
    let closed = question[end..].chars().next().is_none_or(closes);
    letter.is_alphabetic() && opened && closed
}

/// How what was said is like the cell; `None` where only their hashes are.
fn likeness(cell: &str, said: &str, partial: bool) -> Option<Likeness> {
    let folded = tokens::fold(said);
    match partial {
        false if cell == said => Some(Likeness::Exact),
        false => (tokens::fold(cell) == folded).then_some(Likeness::Folded),
        true => tokens::fold(cell)
            .contains(&folded)
            .then_some(Likeness::Partial)
            .or_else(|| variants(cell, true).contains(&folded).then_some(Likeness::Partial)),
    }
}

/// Runs of one to four words.
fn pieces(folded: &Folded) -> Vec<(usize, usize)> {
    let starts = (0..folded.letters.len()).filter(|&at| folded.begins(at) && folded.letters[at].is_ascii_alphabetic());
    let ends = |from: usize| {
        let all = (from + 1..=folded.letters.len().min(from + LONGEST)).filter(|&to| folded.ends(to));
        all.take(MAX_WORDS).map(move |to| (from, to))
    };
    starts.flat_map(ends).collect()
}

/// Longest first, then closest; a mention within a longer one of the same field is dropped.
fn sorted(mut mentions: Vec<Mention>) -> Vec<Mention> {
    mentions.sort_by(|one, other| {
        let length = |mention: &Mention| mention.end - mention.start;
        let by_length = length(other).cmp(&length(one)).then(one.how.cmp(&other.how)).then(one.start.cmp(&other.start));
        by_length.then_with(|| (&one.table, &one.field, &one.cell).cmp(&(&other.table, &other.field, &other.cell)))
    });
    let mut kept: Vec<Mention> = Vec::new();
    for mention in mentions {
        let is_covered = |longer: &Mention| {
            longer.table == mention.table
                && longer.field == mention.field
                && longer.start <= mention.start
                && mention.end <= longer.end
                && (longer.end - longer.start > mention.end - mention.start || longer.cell == mention.cell)
        };
        if !kept.iter().any(is_covered) {
            kept.push(mention);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::stands_alone;

    #[test]
    fn a_letter_stands_alone_as_a_capital_behind_a_joint_or_between_marks() {
        for (question, letter, alone) in [
            ("how many with blood A", "A", true),
            ("sum of v for a", "a", true),
            ("what is a row", "a", true),
            ("give me a row", "a", false),
            ("笔的数量合计", "笔", true),
            ("2024年笔的数量", "笔", true),
            ("一共有多少笔订单", "笔", false),
            ("最大的数量", "大", false),
        ] {
            let start = question.rfind(letter).expect("the letter");
            assert_eq!(stands_alone(question, (start, start + letter.len())), alone, "{question}");
        }
    }
}
