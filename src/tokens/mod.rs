//! Cutting text into the words that MATCH and search compare.
//!
//! Comes in: a cell, a row's content or a question. Goes out: its tokens, the same for stored text and for what is asked.
//! Must never happen: two ways to cut; a letter or digit that is in no token.
//!
//! Chinese is cut by the dictionary, in search mode: long words give their shorter words as well. Characters that no word takes
//! (unknown names) stand as tokens of their own, so any part of an unknown name is found by the tokens it shares.

mod segmenter;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use jieba_rs::Jieba;
use unicode_normalization::UnicodeNormalization;

pub use crate::schema::fold;
pub use segmenter::Segmenter;

/// Loaded when the first Chinese character is met.
fn dictionary() -> &'static Jieba {
    static DICTIONARY: OnceLock<Jieba> = OnceLock::new();
    DICTIONARY.get_or_init(Jieba::new)
}

/// The tokens of a text, in order, repeats included.
pub fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each(text, |token| found.push(token.to_owned()));
    found
}

/// The share of the words that a text has, 0 to 1: one measure for all that search finds, wherever it is kept.
pub fn share(words: &HashSet<String>, text: &str) -> f64 {
    let of_text: HashSet<String> = tokens(text).into_iter().collect();
    words.intersection(&of_text).count() as f64 / words.len().max(1) as f64
}

/// Gives the tokens of a text one by one, as [`tokens`] has them.
pub fn each(text: &str, mut take: impl FnMut(&str)) {
    if text.is_ascii() && !text.bytes().any(|b| b.is_ascii_uppercase()) {
        cut_ascii(text, &mut take);
    } else if text.is_ascii() {
        cut_ascii(&text.to_ascii_lowercase(), &mut take);
    } else {
        cut(&text.nfkc().flat_map(char::to_lowercase).collect::<String>(), &mut take);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Script {
    Han,
    Other,
    None,
}

fn script(c: char) -> Script {
    match c {
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => {
            Script::Han
        }
        c if c.is_alphanumeric() => Script::Other,
        _ => Script::None,
    }
}

/// Cuts folded text at every change of script.
fn cut(text: &str, take: &mut impl FnMut(&str)) {
    let mut start = 0;
    let mut current = Script::None;
    for (at, c) in text.char_indices() {
        let next = script(c);
        if next != current {
            run(&text[start..at], current, take);
            (start, current) = (at, next);
        }
    }
    run(&text[start..], current, take);
}

/// The same where letters and digits are of one script.
fn cut_ascii(text: &str, take: &mut impl FnMut(&str)) {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.for_each(|word| run(word, Script::Other, take));
}

fn run(text: &str, script: Script, take: &mut impl FnMut(&str)) {
    match script {
        Script::None => {}
        Script::Other => take(&singular(text)),
        Script::Han => dictionary().cut_for_search(text, false).iter().for_each(|token| take(token.word)),
    }
}

/// English plurals lose their ending: `orders` is `order`, `cities` is `city`.
fn singular(word: &str) -> Cow<'_, str> {
    let is_word = word.len() > 3 && word.ends_with('s') && word.bytes().all(|b| b.is_ascii_lowercase());
    let kept = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    if !is_word || kept {
        return Cow::Borrowed(word);
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return Cow::Owned(format!("{stem}y"));
    }
    let sibilant = ["ses", "xes", "zes", "ches", "shes"].iter().any(|ending| word.ends_with(ending));
    let ending = if sibilant { "es" } else { "s" };
    Cow::Borrowed(word.strip_suffix(ending).unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn words_of_a_text() {
        for (text, words) in [
            ("Red CARS, 2 boxes", &["red", "car", "2", "box"] as &[&str]),
            ("O'Brien", &["o", "brien"]),
            ("ＡＢＣ１２", &["abc12"]),
            ("cities buses bus class", &["city", "bus", "bus", "class"]),
            ("行政管理", &["行政", "管理"]),
            ("共和国", &["共和", "共和国"]),
            ("iPhone15手机", &["iphone15", "手机"]),
            ("", &[]),
            ("——！", &[]),
            ("Привет мир", &["привет", "мир"]),
        ] {
            assert_eq!(tokens(text), words, "{text}");
        }
    }

    #[test]
    fn a_part_of_an_unknown_name_shares_its_tokens() {
        let whole = tokens("璟昱阁");
        assert!(tokens("璟昱").iter().all(|token| whole.contains(token)), "{whole:?}");
    }
}
