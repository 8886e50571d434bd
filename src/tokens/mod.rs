//! Words of a text, the same for rows and questions.

use unicode_normalization::UnicodeNormalization;

/// The words of a text, folded, in order.
pub fn tokens(text: &str) -> Vec<String> {
    let folded = fold(text);
    let mut words = Vec::new();
    let mut word = String::new();
    for c in folded.chars() {
        let own = ('\u{3400}'..='\u{9fff}').contains(&c);
        if (own || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if own {
            words.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.push(c);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The text without differences of case, width and outer or repeated white space.
pub fn fold(text: &str) -> String {
    let wide: String = text.nfkc().flat_map(char::to_lowercase).collect();
    wide.split_whitespace().collect::<Vec<_>>().join(" ")
}
