//! A question folded letter by letter, with the way back to its bytes.

use crate::tokens;

/// Letters of a text after folding, and where each came from.
pub(super) struct Folded {
    pub letters: Vec<char>,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Folded {
    pub(super) fn of(text: &str) -> Self {
        let mut folded = Self { letters: Vec::new(), starts: Vec::new(), ends: Vec::new() };
        for (start, letter) in text.char_indices() {
            let end = start + letter.len_utf8();
            let mut buffer = [0; 4];
            match tokens::fold(letter.encode_utf8(&mut buffer)) {
                blank if blank.is_empty() => folded.add_blank(start, end),
                piece => piece.chars().for_each(|letter| folded.add(letter, start, end)),
            }
        }
        folded
    }

    fn add(&mut self, letter: char, start: usize, end: usize) {
        self.letters.push(letter);
        self.starts.push(start);
        self.ends.push(end);
    }

    fn add_blank(&mut self, start: usize, end: usize) {
        if self.letters.last().is_some_and(|letter| *letter != ' ') {
            self.add(' ', start, end);
        }
    }

    /// Bytes of the text that letters `from..to` came from.
    pub(super) fn bytes(&self, from: usize, to: usize) -> (usize, usize) {
        (self.starts[from], self.ends[to - 1])
    }

    /// A cell may begin here: not within a Latin word or a number.
    pub(super) fn begins(&self, at: usize) -> bool {
        self.letters[at] != ' ' && (at == 0 || !joined(self.letters[at - 1], self.letters[at]))
    }

    /// A cell may end before this letter.
    pub(super) fn ends(&self, to: usize) -> bool {
        self.letters[to - 1] != ' ' && (to == self.letters.len() || !joined(self.letters[to - 1], self.letters[to]))
    }
}

/// Both belong to one word that is written without gaps.
fn joined(one: char, other: char) -> bool {
    is_spaced(one) && is_spaced(other)
}

/// Letters of scripts that put gaps between words, and digits.
pub(super) fn is_spaced(letter: char) -> bool {
    letter.is_alphanumeric()
        && !matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A hash that grows letter by letter.
#[derive(Clone, Copy, Default)]
pub(super) struct Rolling(pub u64);

impl Rolling {
    pub(super) fn add(self, letter: char) -> Self {
        Self((self.0.rotate_left(5) ^ u64::from(u32::from(letter))).wrapping_mul(0x517c_c1b7_2722_0a95))
    }

    pub(super) fn of(letters: impl IntoIterator<Item = char>) -> Self {
        letters.into_iter().fold(Self::default(), Self::add)
    }
}
