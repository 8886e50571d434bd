//! What is left of a question beside a row and a column: function words, whose the table is, a year that it does not tell.
//!
//! Must never happen: a content word that is passed over.

use super::word::{Asked, year};
use super::{Claims, Grid, Pick, column};
use crate::ask::planner::labels::is_unique;
use crate::ask::planner::lexicon::{self, LONGEST, Role};
use crate::ask::planner::token::{Kind, Token, is_han, tokens};
use crate::schema::Table;

/// What the rest comes to.
pub(super) struct Rest {
    pub cost: f32,
    /// Names and years that the table says nothing of.
    pub outsiders: Vec<String>,
}

/// Words for a kind of firm: beside a name they belong to it.
const FIRMS: &[&str] = &[
    "airlines",
    "airline",
    "air",
    "group",
    "inc",
    "corp",
    "corporation",
    "company",
    "co",
    "ltd",
    "plc",
    "holdings",
    "bank",
];
const HAN_FIRMS: &[&str] = &["公司", "集团", "股份", "银行"];
/// Words of names that tell nothing of whom a table is about.
const PLAIN_NAMES: &[&str] =
    &["tab", "table", "sheet", "data", "csv", "xlsx", "xls", "ods", "report", "statement", "book", "file"];
const PLAIN_HAN_NAMES: &[&str] = &["表", "工作表", "数据", "报表", "利润表", "资产负债表", "现金流量表"];
/// Words about a figure that change nothing.
const SLIGHT: &[&str] =
    &["reported", "value", "amount", "figure", "year", "ended", "end", "fiscal", "of", "the", "by", "as"];
const OUTSIDER_COST: f32 = 0.1;
const SLIGHT_COST: f32 = 0.03;
const TOTAL_COST: f32 = 0.12;
const KIND_COST: f32 = 0.1;

/// Accounts for every token that is not claimed; `None` where one is left.
pub(super) fn rest(grid: &Grid, row: &[Pick], value: usize, asked: &Asked, claims: &Claims) -> Option<Rest> {
    let mut rest = Rest { cost: 0.0, outsiders: Vec::new() };
    let dated = !column::years(&grid.table.fields[value]).is_empty();
    let mut at = 0;
    while at < asked.tokens.len() {
        at = if claims.contains(&at) {
            at + 1
        } else if let Some(end) = remark(asked, at) {
            end
        } else if let Some((end, cost)) = phrase(grid, asked, claims, at, dated) {
            rest.cost += cost;
            end
        } else if let Some(end) = name(grid.table, asked, claims, at, &mut rest) {
            end
        } else if is_kind(grid, row, asked, at) {
            rest.cost += KIND_COST;
            at + 1
        } else {
            undated(grid, asked, at, &mut rest)?
        };
    }
    Some(rest)
}

/// `(in millions)`, `(cents)`: the unit, which the table has as it has it.
fn remark(asked: &Asked, at: usize) -> Option<usize> {
    const UNITS: &[&str] =
        &["in", "million", "millions", "thousand", "thousands", "dollars", "cents", "percent", "$", "years"];
    if asked.tokens[at].text != "(" {
        return None;
    }
    let close = (at + 1..asked.tokens.len()).find(|place| asked.tokens[*place].text == ")")?;
    asked.tokens[at + 1..close].iter().all(|token| UNITS.contains(&token.text.as_str())).then_some(close + 1)
}

/// A phrase that asks or joins, the longest first.
fn phrase(grid: &Grid, asked: &Asked, claims: &Claims, at: usize, dated: bool) -> Option<(usize, f32)> {
    let token = &asked.tokens[at];
    if token.kind == Kind::Mark && !matches!(token.text.as_str(), "%" | "#" | "+" | "/") {
        return Some((at + 1, 0.0));
    }
    for end in (at + 1..=(at + LONGEST).min(asked.tokens.len())).rev() {
        if (at..end).any(|place| claims.contains(&place)) {
            continue;
        }
        let span = &asked.tokens[at..end];
        let totals = span.iter().any(|token| token.text == "total");
        if totals && !(grid.labels.len() == 1 && is_unique(grid.table, &grid.table.fields[grid.labels[0]])) {
            continue;
        }
        let roles = lexicon::roles(&lexicon::key(span.iter().map(|token| token.text.as_str())));
        if roles.iter().any(|role| asks_otherwise(*role)) || matches!(token.text.as_str(), "cost" | "costs") {
            continue;
        }
        if let Some(cost) = roles.iter().filter_map(|role| free(*role, dated)).reduce(f32::min) {
            return Some((end, cost));
        }
    }
    let plain = dated && matches!(token.text.as_str(), "december" | "31" | "年" | "度" | "末" | "底");
    (plain || SLIGHT.contains(&token.text.as_str())).then_some((at + 1, SLIGHT_COST))
}

/// Asks for a person, a place, a time or rows: not for the figure of a cell.
fn asks_otherwise(role: Role) -> bool {
    matches!(role, Role::Who | Role::Where | Role::When | Role::Which | Role::WhichTime(_) | Role::YesNo)
}

/// What a role costs that says nothing of which cell is meant.
fn free(role: Role, dated: bool) -> Option<f32> {
    match role {
        Role::Filler | Role::What | Role::HowMuch | Role::HowMany | Role::NumberOf | Role::List | Role::And => {
            Some(0.0)
        }
        Role::Verb | Role::Trade | Role::Appear => Some(0.02),
        Role::Until if dated => Some(0.0),
        Role::Total => Some(TOTAL_COST),
        _ => None,
    }
}

/// A firm's name that no cell and no header has, where the table's own names tell nothing of whom it is about.
fn name(table: &Table, asked: &Asked, claims: &Claims, at: usize, rest: &mut Rest) -> Option<usize> {
    if asked.tokens[at].kind == Kind::Han {
        return han_name(table, asked, claims, at, rest);
    }
    let firm = |at: usize| FIRMS.contains(&asked.tokens[at].text.as_str());
    let before = at.checked_sub(1);
    if firm(at) && before.is_some_and(|before| is_capital(asked, before)) {
        rest.cost += SLIGHT_COST;
        return Some(at + 1);
    }
    let end = (at..asked.tokens.len())
        .find(|place| !is_capital(asked, *place) && !firm(*place))
        .unwrap_or(asked.tokens.len());
    let whole = end > at && is_capital(asked, at) && !(at..end).any(|place| claims.contains(&place));
    let owner = asked.tokens.get(end).is_some_and(|token| token.text.starts_with('\''));
    let acts =
        before.is_some_and(|before| matches!(asked.tokens[before].text.as_str(), "did" | "does" | "has" | "had"));
    let named = owner || acts || (at..end).any(firm);
    if !whole || !named || !is_nameless(table) {
        return None;
    }
    rest.cost += OUTSIDER_COST;
    let source = asked.question.get(asked.tokens[at].start..asked.tokens[end - 1].end)?;
    rest.outsiders.push(source.to_owned());
    Some(end)
}

/// Characters up to 公司, 集团 and the like.
fn han_name(table: &Table, asked: &Asked, claims: &Claims, at: usize, rest: &mut Rest) -> Option<usize> {
    let run = asked.tokens[at..]
        .iter()
        .enumerate()
        .take_while(|(step, token)| token.kind == Kind::Han && !claims.contains(&(at + step)) && *step < 20);
    let text: String = run.map(|(_, token)| token.text.as_str()).collect();
    let end = HAN_FIRMS.iter().filter_map(|firm| Some(text.find(firm)? + firm.len())).max()?;
    let name = text.get(..end)?;
    if !is_nameless(table) {
        return None;
    }
    rest.cost += OUTSIDER_COST;
    rest.outsiders.push(name.to_owned());
    Some(at + name.chars().count())
}

fn is_capital(asked: &Asked, at: usize) -> bool {
    asked.tokens[at].kind == Kind::Word && asked.source(at).starts_with(char::is_uppercase)
}

/// File, sheet and captions have no word that tells whom the table is about.
fn is_nameless(table: &Table) -> bool {
    let names = table.sheets.iter().flat_map(|(file, sheet)| [file.as_str(), sheet.as_str()]);
    let plain = |token: &Token| {
        token.kind != Kind::Word
            || PLAIN_NAMES.contains(&token.text.as_str())
            || token.text.trim_end_matches(|c: char| c.is_ascii_digit()).len() <= 1
            || PLAIN_NAMES.contains(&token.text.trim_end_matches(|c: char| c.is_ascii_digit()))
    };
    let nameless = |name: &str| {
        let bare: String = name.chars().filter(|c| is_han(*c)).collect();
        tokens(name).iter().all(plain) && (bare.is_empty() || PLAIN_HAN_NAMES.contains(&bare.as_str()))
    };
    table.captions.is_empty() && names.chain([table.label.as_str()]).all(nameless)
}

/// What kind of thing a row is, right beside its label, where the label column has no header to say it.
fn is_kind(grid: &Grid, row: &[Pick], asked: &Asked, at: usize) -> bool {
    let token = &asked.tokens[at];
    let noun = token.kind == Kind::Word
        && lexicon::roles(&token.text).is_empty()
        && token.text.chars().all(char::is_alphabetic);
    let beside = row.iter().any(|pick| {
        let digits = pick.cells.iter().flat_map(|cell| cell.chars()).any(|c| c.is_ascii_digit());
        let near =
            pick.claims.contains(&(at + 1)) || at.checked_sub(1).is_some_and(|before| pick.claims.contains(&before));
        near && digits && pick.cost == 0.0 && column::is_unheaded(&grid.table.fields[pick.column])
    });
    noun && beside
}

/// A year where nothing in the table is dated: it can't be checked, and that is said.
fn undated(grid: &Grid, asked: &Asked, at: usize, rest: &mut Rest) -> Option<usize> {
    let asked_year = year(&asked.tokens[at].text)?;
    let dated = |text: &str| tokens(text).iter().any(|token| year(&token.text).is_some());
    let tells = grid.table.fields.iter().any(|field| {
        field.kind == crate::value::FieldType::DateTime || super::super::labels::is_year(field) || dated(&field.label)
    }) || grid.labels.iter().any(|label| grid.table.fields[*label].samples.iter().any(|cell| dated(cell)));
    let table = grid.table;
    let named = table.sheets.iter().any(|(file, sheet)| dated(file) || dated(sheet))
        || table.captions.iter().any(|text| dated(text));
    let once = asked.years().count() == 1;
    if tells || named || !once || !is_nameless(table) {
        return None;
    }
    rest.cost += OUTSIDER_COST;
    rest.outsiders.push(asked_year.to_string());
    Some(at + 1)
}
