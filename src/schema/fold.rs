//! Texts that differ only in case, width and white space, made equal.

use unicode_normalization::UnicodeNormalization;

/// NFKC, lower case, trimmed, inner white space collapsed to one space.
pub fn fold(text: &str) -> String {
    if text.is_ascii() { squeeze(text.to_ascii_lowercase().chars()) } else { squeeze(lowered(text)) }
}

fn lowered(text: &str) -> impl Iterator<Item = char> {
    text.nfkc().flat_map(char::to_lowercase)
}

fn squeeze(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in chars {
        if c.is_whitespace() {
            gap = !out.is_empty();
        } else {
            if std::mem::take(&mut gap) {
                out.push(' ');
            }
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn case_width_and_white_space_are_folded() {
        for (text, folded) in [
            ("  Red   CAR ", "red car"),
            ("ＡＢＣ　１２", "abc 12"),
            ("行政\u{a0}部", "行政 部"),
            ("É", "é"),
            ("", ""),
            ("\t", ""),
        ] {
            assert_eq!(fold(text), folded, "{text:?}");
        }
    }
}
