//! Text whose columns are told by where they stand: cut at the places that are blank in every line.
//!
//! Comes in: lines. Goes out: the same lines with [`JOINT`] between their cells.
//! Must never happen: prose taken for a table; a character that is lost.

use std::borrow::Cow;
use std::cell::Cell as Flag;
use std::io::Read;
use std::rc::Rc;

use unicode_width::UnicodeWidthChar;

use super::passed::give;

/// Stands between cells on their way to the reader of records.
pub(super) const JOINT: u8 = 0x1E;

/// Lines looked at, and how many there must be.
const MOST_LINES: usize = 500;
const LEAST_LINES: usize = 3;
/// Bytes of a line that is cut.
const LONGEST: usize = 1 << 20;
/// Columns of a screen that are looked at.
const WIDEST: usize = 2_000;

/// The screen columns where a text is cut; none where its columns are not aligned by blanks.
pub(super) fn cuts(text: &str, delimiter: u8) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_LINES).collect();
    let delimited = lines.iter().filter(|line| line.as_bytes().contains(&delimiter)).count();
    let apart = lines.iter().filter(|line| line.trim().contains("  ")).count();
    if lines.len() < LEAST_LINES || delimited * 2 > lines.len() || apart * 4 < lines.len() * 3 {
        return Vec::new();
    }
    let mut filled = vec![false; WIDEST];
    for line in &lines {
        let mut place = 0;
        for c in line.trim_end().chars() {
            let width = c.width().unwrap_or(0);
            if c != ' ' {
                filled.iter_mut().skip(place).take(width.max(1)).for_each(|place| *place = true);
            }
            place += width;
        }
    }
    let end = filled.iter().rposition(|place| *place).unwrap_or(0);
    let begins = |place: &usize| !filled[place - 1] && filled[*place] && filled[..*place].contains(&true);
    (1..=end).filter(begins).collect()
}

/// Passes lines on with joints at the cuts, and without the blanks around their cells.
pub(super) struct Aligned<R> {
    source: R,
    cuts: Vec<usize>,
    /// Set once some bytes are no text.
    broken: Rc<Flag<bool>>,
    /// Text that is no whole line yet.
    rest: Vec<u8>,
    out: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Aligned<R> {
    pub fn new(source: R, cuts: Vec<usize>, broken: Rc<Flag<bool>>) -> Self {
        Self { source, cuts, broken, rest: Vec::new(), out: Vec::new(), given: 0, ended: false }
    }

    fn refill(&mut self) -> std::io::Result<()> {
        self.out.clear();
        self.given = 0;
        while self.out.is_empty() && !self.ended {
            let old = self.rest.len();
            self.rest.resize(old + (64 << 10), 0);
            let read = self.source.read(&mut self.rest[old..])?;
            self.rest.truncate(old + read);
            self.ended = read == 0;
            let last = self.rest.iter().rposition(|byte| *byte == b'\n');
            // A line without an end is passed on as it comes.
            let whole = last.map_or(if self.rest.len() > LONGEST { self.rest.len() } else { 0 }, |end| end + 1);
            let lines: Vec<u8> = self.rest.drain(..if self.ended { self.rest.len() } else { whole }).collect();
            let text = String::from_utf8_lossy(&lines);
            if matches!(text, Cow::Owned(_)) {
                self.broken.set(true);
            }
            text.split_inclusive('\n').for_each(|line| self.line(line));
        }
        Ok(())
    }

    fn line(&mut self, line: &str) {
        let content = line.trim_end_matches(['\n', '\r']);
        let mut start = 0;
        for at in ends(content, &self.cuts) {
            self.out.extend_from_slice(content[start..at].trim().as_bytes());
            self.out.push(JOINT);
            start = at;
        }
        self.out.extend_from_slice(content[start..].trim().as_bytes());
        self.out.extend_from_slice(&line.as_bytes()[content.len()..]);
    }
}

/// Where the cells of a line end that others follow. A word that stands over a cut is not parted: it is of the cell on the
/// right where a gap stands before it, else of the one on the left, and the next cell begins with the next word.
fn ends(line: &str, cuts: &[usize]) -> Vec<usize> {
    let mut ends = Vec::with_capacity(cuts.len());
    let (mut place, mut blanks, mut late) = (0, 0, false);
    // Where the word begins, and how many blanks stand before it.
    let mut word = (0, 0);
    for (at, c) in line.char_indices() {
        if c != ' ' && blanks > 0 {
            word = (at, blanks);
        }
        if cuts.get(ends.len()).is_some_and(|cut| place >= *cut) {
            let begins = c != ' ' && word.0 == at;
            let gap = word.1 > 1 && ends.last().is_none_or(|end| word.0 > *end);
            match () {
                () if late && !begins => {}
                () if begins || c == ' ' => {
                    ends.push(at);
                    late = false;
                }
                () if gap => ends.push(word.0),
                () => late = true,
            }
        }
        blanks = if c == ' ' { blanks + 1 } else { 0 };
        place += c.width().unwrap_or(0);
    }
    ends
}

impl<R: Read> Read for Aligned<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.out.len() {
            self.refill()?;
        }
        Ok(give(&self.out, &mut self.given, into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_columns_are_cut_where_every_line_is_blank() {
        let text = "NAME       AGE  CITY\nAlice      30   New York\n张三       4    Rome\nChristina  101  Berlin\n";
        let cuts = cuts(text, b',');
        assert_eq!(cuts, [11, 16]);
        let mut joined = String::new();
        Aligned::new(text.as_bytes(), cuts, Rc::default()).read_to_string(&mut joined).expect("memory");
        let want = "NAME\u{1E}AGE\u{1E}CITY\nAlice\u{1E}30\u{1E}New York\n张三\u{1E}4\u{1E}Rome\nChristina\u{1E}101\u{1E}Berlin\n";
        assert_eq!(joined, want);
    }

    #[test]
    fn no_word_is_parted() {
        let joined = |line: &str| {
            let mut joined = String::new();
            Aligned::new(line.as_bytes(), vec![11, 16], Rc::default()).read_to_string(&mut joined).expect("memory");
            joined
        };
        for (line, want) in [
            ("Bob             Rome", "Bob||Rome"),
            ("Bob        30", "Bob|30"),
            ("Christinalonger 30   Rome", "Christinalonger|30|Rome"),
            ("Christina Smithson   30 Rome", "Christina Smithson|30|Rome"),
            ("Bob       1030  Rome", "Bob|1030|Rome"),
            ("名字名字名字名 30   Rome", "名字名字名字名|30|Rome"),
        ] {
            assert_eq!(joined(line), want.replace('|', "\u{1E}"), "{line}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_told() {
        let broken = Rc::new(Flag::new(false));
        let mut joined = String::new();
        let mut aligned = Aligned::new(&b"caf\xE9        30   Rome\n"[..], vec![11, 16], broken.clone());
        aligned.read_to_string(&mut joined).expect("memory");
        assert_eq!((joined.as_str(), broken.get()), ("caf\u{FFFD}\u{1E}30\u{1E}Rome\n", true));
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in
            ["a,  b\n1,  2\n3,  4\n", "one line\nand one more\nof prose that goes on\n", "a  b\n", "word\nword\nword\n"]
        {
            assert_eq!(cuts(text, b','), Vec::<usize>::new(), "{text}");
        }
    }
}
