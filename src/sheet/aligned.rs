//! Text whose columns are told by where they stand: cut at the places that are blank in every line.
//!
//! Comes in: lines. Goes out: the same lines with [`JOINT`] between their cells.
//! Must never happen: prose taken for a table; a character that is lost.

use std::io::Read;

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
    /// Text that is no whole line yet.
    rest: Vec<u8>,
    out: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Aligned<R> {
    pub fn new(source: R, cuts: Vec<usize>) -> Self {
        Self { source, cuts, rest: Vec::new(), out: Vec::new(), given: 0, ended: false }
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
            String::from_utf8_lossy(&lines).split_inclusive('\n').for_each(|line| self.line(line));
        }
        Ok(())
    }

    fn line(&mut self, line: &str) {
        let content = line.trim_end_matches(['\n', '\r']);
        let (mut place, mut start, mut next) = (0, 0, 0);
        for (at, c) in content.char_indices() {
            if self.cuts.get(next).is_some_and(|cut| place >= *cut) {
                self.out.extend_from_slice(content[start..at].trim().as_bytes());
                self.out.push(JOINT);
                (start, next) = (at, next + 1);
            }
            place += c.width().unwrap_or(0);
        }
        self.out.extend_from_slice(content[start..].trim().as_bytes());
        self.out.extend_from_slice(&line.as_bytes()[content.len()..]);
    }
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
        Aligned::new(text.as_bytes(), cuts).read_to_string(&mut joined).expect("memory");
        let want = "NAME\u{1E}AGE\u{1E}CITY\nAlice\u{1E}30\u{1E}New York\n张三\u{1E}4\u{1E}Rome\nChristina\u{1E}101\u{1E}Berlin\n";
        assert_eq!(joined, want);
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
