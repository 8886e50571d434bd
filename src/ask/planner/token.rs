//! A question as tokens: words, Han characters, numbers and marks, each with its bytes.

use unicode_normalization::UnicodeNormalization;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A run of letters and digits that is not a number.
    Word,
    /// One Han character.
    Han,
    /// Digits, with thousands separators and a decimal point.
    Number,
    /// Anything else that is not white space.
    Mark,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// Folded to NFKC and lower case, apostrophes straight.
    pub text: String,
    /// Bytes of the source text.
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// NFKC, lower case, straight quotes and dashes; one white space for many.
pub fn fold(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.chars().map(|c| plain_mark(c.to_ascii_lowercase())).collect();
    }
    let folded: String = text.nfkc().flat_map(char::to_lowercase).map(plain_mark).collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn plain_mark(c: char) -> char {
    match c {
        '’' | '‘' | '`' | '´' => '\'',
        '“' | '”' => '"',
        '–' | '—' | '−' | '‐' | '‑' => '-',
        other => other,
    }
}

pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '〇')
}

pub fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at].1;
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        let (kind, next) = if is_han(c) {
            (Kind::Han, at + 1)
        } else if let Some(next) = number_end(&chars, at) {
            (Kind::Number, next)
        } else if c.is_alphanumeric() {
            (Kind::Word, word_end(&chars, at))
        } else {
            (Kind::Mark, mark_end(&chars, at))
        };
        let start = chars[at].0;
        let end = chars.get(next).map_or(text.len(), |(byte, _)| *byte);
        found.push(Token { text: fold(&text[start..end]), start, end, kind });
        at = next;
    }
    found
}

/// `'s`, `n't` and the like stay whole so that they can be told from a quote.
fn mark_end(chars: &[(usize, char)], at: usize) -> usize {
    let quote = plain_mark(chars[at].1) == '\'';
    let letter = |index: usize| chars.get(index).is_some_and(|(_, c)| c.is_alphabetic() && !is_han(*c));
    if quote && at > 0 && letter(at - 1) && letter(at + 1) && !letter(at + 2) { at + 2 } else { at + 1 }
}

fn word_end(chars: &[(usize, char)], at: usize) -> usize {
    let mut next = at;
    while chars.get(next).is_some_and(|(_, c)| (c.is_alphanumeric() && !is_han(*c)) || is_combining(*c)) {
        next += 1;
    }
    next
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// The end of a number that begins here and is not the head of a word.
fn number_end(chars: &[(usize, char)], at: usize) -> Option<usize> {
    let digit = |index: usize| chars.get(index).is_some_and(|(_, c)| c.is_ascii_digit() || matches!(c, '０'..='９'));
    if !digit(at) {
        return None;
    }
    let mut next = at;
    while digit(next) {
        next += 1;
    }
    let comma = |index: usize| chars.get(index).is_some_and(|(_, c)| matches!(c, ',' | '，'));
    while next - at <= 15 && comma(next) && (1..=3).all(|step| digit(next + step)) && !digit(next + 4) {
        next += 4;
    }
    if chars.get(next).is_some_and(|(_, c)| *c == '.') && digit(next + 1) {
        next += 1;
        while digit(next) {
            next += 1;
        }
    }
    let glued =
        chars.get(next).is_some_and(|(_, c)| c.is_alphabetic() && !is_han(*c)) && word_end(chars, next) - next > 0;
    (!glued || is_scale(chars, next)).then_some(next)
}

/// `5k`, `3m`, `2bn`: the letters are a scale, not a part of a name.
fn is_scale(chars: &[(usize, char)], at: usize) -> bool {
    let word: String = chars[at..word_end(chars, at)].iter().map(|(_, c)| c.to_ascii_lowercase()).collect();
    matches!(word.as_str(), "k" | "m" | "bn" | "km" | "kg" | "mi" | "million" | "billion" | "thousand")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_numbers_and_han_are_told_apart() {
        assert_eq!(texts("7CAE's 1,764,948 in 2022年"), ["7cae", "'s", "1,764,948", "in", "2022", "年"]);
        assert_eq!(texts("20000-30000元"), ["20000", "-", "30000", "元"]);
        assert_eq!(texts("mpg (US gallons)?"), ["mpg", "(", "us", "gallons", ")", "?"]);
        assert_eq!(texts("over 5.5% 24/7"), ["over", "5.5", "%", "24", "/", "7"]);
    }

    #[test]
    fn bytes_point_into_the_source() {
        let text = "销量前３的Ａ店";
        for token in tokens(text) {
            assert_eq!(fold(&text[token.start..token.end]), token.text);
        }
    }
}
