//! Words handed to Tantivy as one text that is already split, so that no word is copied twice.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Stands between words.
pub(super) const BETWEEN: char = '\u{1}';
/// Stands between a column and a word of it.
pub(super) const OF_COLUMN: char = '\u{2}';
/// The tokenizer's name in an index.
pub(super) const SPLIT: &str = "split";

/// Splits at [`BETWEEN`].
#[derive(Clone, Default)]
pub(super) struct Split {
    token: Token,
}

pub(super) struct Words<'a> {
    rest: std::str::Split<'a, char>,
    token: &'a mut Token,
}

impl Tokenizer for Split {
    type TokenStream<'a> = Words<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Words<'a> {
        self.token.reset();
        Words { rest: text.split(BETWEEN), token: &mut self.token }
    }
}

impl TokenStream for Words<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.rest.find(|word| !word.is_empty()) else { return false };
        self.token.text.clear();
        self.token.text.push_str(word);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
