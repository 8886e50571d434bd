//! Columns of a grid: which hold labels, and what of the question a header accounts for.

use super::Claims;
use super::word::{Asked, Word, words, year};
use crate::schema::Field;
use crate::value::FieldType;

/// Words of a header that say how it is dated and nothing more.
const DATING: &[&str] = &[
    "year", "years", "ended", "ending", "twelve", "months", "month", "december", "31", "fiscal", "fy", "end", "as",
    "period", "年", "度", "末", "底", "止",
];
/// What an amount is counted in: a header may have it unasked.
const UNITS: &[&str] = &[
    "dollars",
    "dollar",
    "amount",
    "value",
    "number",
    "usd",
    "total",
    "approximate",
    "reported",
    "金",
    "额",
    "数",
    "值",
    "期",
];
/// Words that make another figure of the same: never left unread.
const TELLING: &[&str] = &[
    "change",
    "changes",
    "increase",
    "decrease",
    "variance",
    "growth",
    "percent",
    "%",
    "pct",
    "percentage",
    "per",
    "/",
    "high",
    "low",
    "open",
    "close",
    "three",
    "six",
    "nine",
    "quarter",
    "budget",
    "plan",
    "average",
    "增",
    "减",
    "变",
    "比",
    "率",
    "均",
    "1st",
    "2nd",
    "3rd",
    "4th",
];
/// An unread word of a header.
pub(super) const UNREAD_COST: f32 = 0.15;
const UNIT_COST: f32 = 0.03;

/// Text that labels rows: it has words, and no year in its header.
pub(super) fn is_label(field: &Field) -> bool {
    let figure = |sample: &&String| {
        let letters = sample.chars().filter(|c| c.is_alphabetic()).count();
        sample.chars().any(|c| c.is_ascii_digit()) && letters <= 3 || letters == 0
    };
    let figures = field.samples.iter().filter(figure).count();
    let mostly = figures * 2 > field.samples.len();
    field.kind == FieldType::Text && years(field).is_empty() && (!mostly || is_unheaded(field))
}

/// The header is blank: the reader named the column by its letter.
pub(super) fn is_unheaded(field: &Field) -> bool {
    let letters = field.label.strip_prefix("Column ").or_else(|| field.label.strip_suffix(" 列"));
    letters.is_some_and(|letters| letters.len() <= 3 && letters.chars().all(|c| c.is_ascii_uppercase()))
}

/// Years in the header.
pub(super) fn years(field: &Field) -> Vec<i32> {
    words(&field.label).iter().filter_map(|word| year(&word.text)).collect()
}

/// What the header accounts for, and what it costs; `None` where the question is not about it.
pub(super) fn claims(field: &Field, asked: &Asked, taken: &Claims) -> Option<(Claims, f32)> {
    let mut claims = Claims::new();
    let mut cost = 0.0;
    let ratio = field.label.contains('/');
    let header = words(&field.label);
    let mut unread = 0usize;
    for word in &header {
        let busy: Claims = taken.union(&claims).copied().collect();
        match asked.places(&word.id, &busy).or_else(|| shortened(word, asked, &busy)) {
            Some(at) => {
                claims.insert(at);
            }
            None if year(&word.text).is_some() || (TELLING.contains(&word.text.as_str()) && !word.aside) => {
                return None;
            }
            None if word.aside || DATING.contains(&word.text.as_str()) => {}
            None if UNITS.contains(&word.text.as_str()) => cost += UNIT_COST,
            None => {
                unread += 1;
                cost += UNREAD_COST;
            }
        }
    }
    let plain =
        |word: &&Word| !word.aside && !DATING.contains(&word.text.as_str()) && !UNITS.contains(&word.text.as_str());
    let content = header.iter().filter(plain).count();
    let per = (0..asked.tokens.len()).find(|at| asked.tokens[*at].text == "per").filter(|_| ratio);
    if unread > 1 && unread * 2 > content || ratio && unread > 0 && per.is_none() {
        return None;
    }
    claims.extend(per);
    let only_dates = claims.iter().all(|at| DATING.contains(&asked.tokens[*at].text.as_str()));
    if only_dates {
        claims.clear();
    }
    Some((claims, cost))
}

/// The header has every one of the tokens.
pub(super) fn has(field: &Field, tokens: &Claims, asked: &Asked) -> bool {
    let header = words(&field.label);
    tokens.iter().all(|at| header.iter().any(|word| asked.ids[*at].contains(&word.id)))
}

/// `gal` for gallon: a header's short word that a word of the question begins with.
fn shortened(word: &Word, asked: &Asked, taken: &Claims) -> Option<usize> {
    let short = (3..=4).contains(&word.text.len()) && word.text.chars().all(|c| c.is_ascii_lowercase());
    let begins = |at: &usize| {
        let text = asked.tokens[*at].text.as_str();
        !taken.contains(at) && text.len() >= word.text.len() + 2 && text.starts_with(&word.text)
    };
    (0..asked.tokens.len()).filter(|_| short).find(begins)
}
