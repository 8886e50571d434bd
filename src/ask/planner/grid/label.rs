//! Row labels that a question names, whole or in part.

use super::word::{Asked, Word, words, year};
use super::{Claims, Grid, Pick};
use crate::ask::planner::token::{Kind, is_han, tokens};
use crate::engine::{Likeness, Mention};
use crate::schema::Field;

/// Words of a label that make it another thing: the question must have them.
const TELLING: &[&str] = &[
    "excluding",
    "exclude",
    "except",
    "before",
    "after",
    "other",
    "net",
    "gross",
    "per",
    "less",
    "non",
    "deferred",
    "average",
    "adjusted",
    "diluted",
    "basic",
    "percent",
    "percentage",
    "%",
    "change",
    "increase",
    "decrease",
    "margin",
    "ratio",
    "rate",
    "1st",
    "2nd",
    "3rd",
    "4th",
];
/// Words that say little in a label.
const SLIGHT: &[&str] = &["end", "period", "year", "following", "component"];
/// The label's part that must be named at least, by words.
const LEAST_RECALL: f32 = 0.3;
const UNNAMED_COST: f32 = 0.6;
const INITIALS_COST: f32 = 0.04;
/// Choices read, those that account for the most words first.
const MOST_CHOICES: usize = 40;
/// Cells kept of each column.
const KEPT: usize = 6;
/// How a label begins that only numbers or joins it: 一、, 其中：.
const HEADS: &[&str] = &["其中", "减", "加", "其中:", "减:", "加:"];

/// Every choice of at most one cell of each label column, at least one in all.
pub(super) fn rows(grid: &Grid, asked: &Asked, mentions: &[Mention]) -> Vec<Vec<Pick>> {
    let mut rows: Vec<Vec<Pick>> = vec![Vec::new()];
    for column in &grid.labels {
        let picks = picks(grid, *column, asked, mentions);
        let disjoint = |row: &[Pick], pick: &Pick| row.iter().all(|other| other.claims.is_disjoint(&pick.claims));
        let with: Vec<Vec<Pick>> = rows
            .iter()
            .flat_map(|row| {
                picks
                    .iter()
                    .filter(|pick| disjoint(row, pick))
                    .map(|pick| [row.as_slice(), std::slice::from_ref(pick)].concat())
            })
            .collect();
        rows.extend(with);
    }
    rows.retain(|row| !row.is_empty());
    rows.sort_by_cached_key(|row| std::cmp::Reverse(row.iter().map(|pick| pick.claims.len()).sum::<usize>()));
    rows.truncate(MOST_CHOICES);
    rows
}

fn picks(grid: &Grid, column: usize, asked: &Asked, mentions: &[Mention]) -> Vec<Pick> {
    let Some(field) = grid.table.fields.get(column) else { return Vec::new() };
    let named = mentions.iter().filter(|mention| is_of(mention, field, &grid.table.name));
    let mut cells: Vec<&String> = named.map(|mention| &mention.cell).chain(&field.samples).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut picks: Vec<Pick> = cells.into_iter().filter_map(|cell| pick(column, cell, asked)).collect();
    picks.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(b.claims.len().cmp(&a.claims.len())));
    let mut picks = merged(picks);
    let best = picks.clone();
    picks.retain(|pick| !best.iter().any(|other| is_within(pick, other) || are_alike(pick, other)));
    picks.truncate(KEPT);
    picks
}

/// Both are named in part, by the same words: neither is meant more.
fn are_alike(pick: &Pick, other: &Pick) -> bool {
    let part = |pick: &Pick| pick.cost > INITIALS_COST;
    pick != other && part(pick) && part(other) && pick.claims.is_subset(&other.claims)
}

/// Cells that are one label but for what stands in brackets.
fn merged(picks: Vec<Pick>) -> Vec<Pick> {
    let bare = |pick: &Pick| pick.cells.first().map(|cell| plain_words(cell));
    let mut kept: Vec<Pick> = Vec::new();
    for pick in picks {
        match kept.iter_mut().find(|other| other.claims == pick.claims && bare(other) == bare(&pick)) {
            Some(other) => other.cells.extend(pick.cells),
            None => kept.push(pick),
        }
    }
    kept
}

fn plain_words(cell: &str) -> Vec<String> {
    words(cell).into_iter().filter(|word| !word.aside).map(|word| word.id).collect()
}

/// Another cell accounts for more words at no higher cost.
fn is_within(pick: &Pick, other: &Pick) -> bool {
    other.claims.len() > pick.claims.len() && pick.claims.is_subset(&other.claims) && other.cost <= pick.cost
}

fn is_of(mention: &Mention, field: &Field, table: &str) -> bool {
    mention.table == table && mention.field == field.name && mention.how != Likeness::Fuzzy
}

/// The cell, where the question names enough of it.
fn pick(column: usize, cell: &str, asked: &Asked) -> Option<Pick> {
    let (claims, cost) = if cell.chars().any(is_han) { han(cell, asked)? } else { latin(cell, asked)? };
    Some(Pick { column, cells: vec![cell.to_owned()], claims, cost })
}

/// Chinese labels are named to the letter, without numbering and brackets.
fn han(cell: &str, asked: &Asked) -> Option<(Claims, f32)> {
    let all = tokens(cell);
    let colon = all.iter().position(|token| matches!(token.text.as_str(), "、" | ":" | "."));
    let head = colon.filter(|at| {
        let text: String = all[..*at].iter().map(|token| token.text.as_str()).collect();
        *at <= 2
            && (HEADS.contains(&text.as_str()) || text.chars().all(|c| "一二三四五六七八九十0123456789()".contains(c)))
    });
    let rest = &all[head.map_or(0, |at| at + 1)..];
    let open = rest.iter().position(|token| token.text == "(").filter(|at| *at > 0).unwrap_or(rest.len());
    let wanted: Vec<&str> =
        rest[..open].iter().filter(|token| token.kind != Kind::Mark).map(|token| token.text.as_str()).collect();
    if wanted.len() < 2 {
        return None;
    }
    let at = asked.tokens.windows(wanted.len()).position(|span| span.iter().zip(&wanted).all(|(a, b)| a.text == *b))?;
    Some(((at..at + wanted.len()).collect(), 0.0))
}

fn latin(cell: &str, asked: &Asked) -> Option<(Claims, f32)> {
    if cell.chars().any(|c| c.is_ascii_digit()) && year_free(cell) {
        return code(cell, asked);
    }
    let label = words(cell);
    let mut claims = Claims::new();
    let mut open: Vec<&Word> = Vec::new();
    for word in &label {
        match asked.places(&word.id, &claims).or_else(|| asked.shared(&word.id, &claims)) {
            Some(at) => drop(claims.insert(at)),
            None if !word.aside && !SLIGHT.contains(&word.id.as_str()) => open.push(word),
            None => {}
        }
    }
    let mut cost = 0.0;
    if let Some((at, spelled)) = initials(&label, asked)
        && claims.insert(at)
    {
        cost += INITIALS_COST;
        open.retain(|word| !spelled.contains(&word.id));
    }
    let total = label.iter().filter(|word| !word.aside && !SLIGHT.contains(&word.id.as_str())).count().max(1);
    let recall = 1.0 - open.len() as f32 / total as f32;
    let head = head(cell);
    let told = open.iter().any(|word| TELLING.contains(&word.text.as_str()) || Some(&word.text) == head.as_ref());
    let strong = claims.iter().any(|at| asked.tokens[*at].text.chars().any(char::is_alphabetic));
    (recall >= LEAST_RECALL && !told && strong).then_some((claims, cost + (1.0 - recall) * UNNAMED_COST))
}

/// What the label is about: its last word before a mark or a word that only adds to it.
fn head(cell: &str) -> Option<String> {
    const ADDING: &[&str] = &[
        "of",
        "per",
        "at",
        "for",
        "in",
        "from",
        "to",
        "on",
        "by",
        "with",
        "including",
        "excluding",
        "before",
        "after",
        "net",
        "less",
        "as",
    ];
    let all = tokens(cell);
    let adds = |token: &crate::ask::planner::token::Token| {
        matches!(token.text.as_str(), "," | "(" | ":" | ";" | "[") || ADDING.contains(&token.text.as_str())
    };
    let first = all.iter().position(|token| token.kind == Kind::Word && !adds(token))?;
    let end = all[first..].iter().position(adds).map_or(all.len(), |end| first + end);
    all[first..end].iter().rfind(|token| token.kind == Kind::Word).map(|token| token.text.clone())
}

/// No year in it: its digits are a name's.
fn year_free(cell: &str) -> bool {
    let all = tokens(cell);
    let leads = all.first().is_some_and(|token| token.text.chars().any(|c| c.is_ascii_digit()));
    leads
        && !all.iter().any(|token| year(&token.text).is_some())
        && all.iter().filter(|token| token.kind == Kind::Word).count() <= 1
}

/// `737-800`, `1st quarter`: named to the letter, ordinals in their words.
fn code(cell: &str, asked: &Asked) -> Option<(Claims, f32)> {
    let wanted = tokens(cell);
    let same = |span: &[crate::ask::planner::token::Token]| span.iter().zip(&wanted).all(|(a, b)| a.text == b.text);
    if let Some(at) = asked.tokens.windows(wanted.len()).position(same) {
        return Some(((at..at + wanted.len()).collect(), 0.0));
    }
    let mut claims = Claims::new();
    for word in words(cell) {
        let shared = (0..asked.tokens.len()).find(|at| asked.ids[*at].contains(&word.id))?;
        claims.insert(shared);
    }
    let spoken = claims.iter().all(|at| asked.tokens[*at].kind == Kind::Word);
    (spoken && !claims.is_empty()).then_some((claims, 0.0))
}

/// `RPM` for Revenue passenger miles: capitals that words of the label begin with, one after the other.
fn initials(label: &[Word], asked: &Asked) -> Option<(usize, Vec<String>)> {
    let plain: Vec<&Word> = label.iter().filter(|word| !word.aside).collect();
    (0..asked.tokens.len()).find_map(|at| {
        let short = asked.source(at);
        let capital = (2..=5).contains(&short.len()) && short.bytes().all(|byte| byte.is_ascii_uppercase());
        let letters: Vec<char> = short.to_lowercase().chars().collect();
        let spelled = plain
            .windows(letters.len().max(1))
            .find(|span| span.iter().zip(&letters).all(|(word, letter)| word.text.starts_with(*letter)))?;
        capital.then(|| (at, spelled.iter().map(|word| word.id.clone()).collect()))
    })
}
