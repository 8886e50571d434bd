//! The search of a question in the cells of all that is in scope.

use std::collections::HashSet;
use std::sync::Arc;

use super::fuzzy::{self, allowed};
use super::packed::{Entry, LONGEST, Packed};
use super::question::{Folded, Rolling, is_spaced};
use super::variants::variants;
use crate::engine::cells::column_of;
use crate::engine::{Likeness, Mention};
use crate::tokens;

/// Words of a cell that a fuzzy match may have.
const MAX_WORDS: usize = 4;

/// Cells of one table, all or some of them.
pub(in crate::engine) struct Indexed<'a> {
    pub table: &'a str,
    /// Stored names of the table's text fields, `docnm_kwd` and `sheet_kwd` included.
    pub text_fields: &'a [String],
    pub packed: Arc<Packed>,
}

/// Mentions in a question, longest first, then closest.
pub(in crate::engine) fn find(question: &str, indexes: &[Indexed<'_>]) -> Vec<Mention> {
    let folded = Folded::of(question);
    let mut mentions: Vec<Mention> = indexes.iter().flat_map(|index| index.whole(question, &folded)).collect();
    let taken: HashSet<(usize, usize)> = mentions.iter().map(|mention| (mention.start, mention.end)).collect();
    let pieces: Vec<(usize, usize)> =
        pieces(&folded).into_iter().filter(|&piece| is_free(&folded, piece, &taken)).collect();
    mentions.extend(indexes.iter().flat_map(|index| index.fuzzy(&folded, &pieces)));
    sorted(mentions)
}

/// No cell stands to the letter where the piece does.
fn is_free(folded: &Folded, (from, to): (usize, usize), taken: &HashSet<(usize, usize)>) -> bool {
    let (start, end) = folded.bytes(from, to);
    !taken.iter().any(|(s, e)| *s <= start && end <= *e)
}

impl Indexed<'_> {
    fn whole(&self, question: &str, folded: &Folded) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for from in (0..folded.letters.len()).filter(|&at| folded.begins(at)) {
            let mut hash = Rolling::default();
            for to in from + 1..=folded.letters.len().min(from + LONGEST) {
                hash = hash.add(folded.letters[to - 1]);
                if folded.ends(to) && (to - from >= 2 || stands_alone(question, folded.bytes(from, to))) {
                    mentions.extend(self.named(hash, question, folded, (from, to)));
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
    ) -> impl Iterator<Item = Mention> {
        let (start, end) = folded.bytes(from, to);
        self.packed.forms(hash.0).filter_map(move |entry| {
            let how = likeness(self.packed.cell(entry).1, &question[start..end], entry.is_partial());
            let how = how.filter(|how| to - from >= 2 || *how == Likeness::Exact)?;
            self.mention(entry, start, end, how)
        })
    }

    fn fuzzy(&self, folded: &Folded, pieces: &[(usize, usize)]) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for &(from, to) in pieces {
            let (start, end) = folded.bytes(from, to);
            let piece = &folded.letters[from..to];
            let said: String = piece.iter().collect();
            for entry in self.candidates(piece) {
                let cell = tokens::fold(self.packed.cell(entry).1);
                let edits = strsim::osa_distance(&cell, &said);
                if edits > 0 && edits <= allowed(cell.len().min(said.len())) {
                    mentions.extend(self.mention(entry, start, end, Likeness::Fuzzy));
                }
            }
        }
        mentions
    }

    /// Cells that may be a few letters away from a piece of a question.
    fn candidates(&self, piece: &[char]) -> Vec<Entry> {
        let hashes = fuzzy::parts_near(piece);
        let found = hashes.iter().flat_map(|&hash| self.packed.parts(hash).take(fuzzy::MAX_COMPARED));
        let mut found: Vec<Entry> = found.collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A cell of a column that is no text field of the table is none.
    fn mention(&self, entry: Entry, start: usize, end: usize, how: Likeness) -> Option<Mention> {
        let (column, cell) = self.packed.cell(entry);
        let field = self.text_fields.iter().find(|field| column_of(field) == column)?;
        Some(Mention { table: self.table.to_owned(), field: field.clone(), cell: cell.to_owned(), start, end, how })
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
            .or_else(|| variants(&tokens::fold(cell), true).contains(&folded).then_some(Likeness::Partial)),
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
