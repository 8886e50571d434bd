//! Shorter ways to say a cell.

use crate::tokens;

/// Letters of a shorter form at least: two where they are Chinese, four where they are Latin.
const SHORTEST_LATIN: usize = 4;

/// Folded forms of a folded cell that a question may have instead: without brackets and marks, or only its leading part.
pub(super) fn variants(whole: &str, is_file: bool) -> Vec<String> {
    let mut forms = vec![without_brackets(whole), without_marks(whole), leading(whole)];
    if is_file && let Some((stem, _)) = whole.rsplit_once('.') {
        forms.push(stem.to_owned());
    }
    forms.retain(|form| form != whole && is_long_enough(form));
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn is_long_enough(form: &str) -> bool {
    let letters = form.chars().count();
    letters >= if form.is_ascii() { SHORTEST_LATIN } else { 2 }
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0usize;
    let mut kept = String::new();
    for letter in text.chars() {
        match letter {
            '(' | '（' | '[' | '【' | '〔' => depth += 1,
            ')' | '）' | ']' | '】' | '〕' => depth = depth.saturating_sub(1),
            letter if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    tokens::fold(&kept)
}

/// Without the marks of a footnote at its end.
fn without_marks(text: &str) -> String {
    text.trim_end_matches(|letter: char| matches!(letter, '*' | '†' | '‡' | '§' | '#' | '^') || letter.is_whitespace())
        .to_owned()
}

/// What stands before the first bracket, comma or slash.
fn leading(text: &str) -> String {
    let end = text.find(['(', '（', '[', '【', ',', '，', '/', ';', '；', '、']).unwrap_or(text.len());
    text[..end].trim().to_owned()
}
