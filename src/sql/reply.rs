//! The one statement of a model's reply.
//!
//! Comes in: think blocks, fences, prose, JSON. Goes out: the statement's text, unparsed.
//! Must never happen: an end found inside a literal; one of two statements chosen silently.

use super::parse::begins_other_statement;
use super::{Code, Refusal};

/// Words that can go on a statement after a blank line.
const CLAUSES: [&str; 28] = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "JOIN",
    "LEFT",
    "RIGHT",
    "INNER",
    "FULL",
    "CROSS",
    "ON",
    "AND",
    "OR",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CASE",
    "AS",
    "FETCH",
    "QUALIFY",
];

/// The statement of a reply.
pub fn statement(reply: &str) -> Result<String, Refusal> {
    let text = after_thoughts(reply).trim();
    if let Some(sql) = json_statement(text) {
        return statement(&sql);
    }
    match fenced(text)?.as_deref() {
        Some(block) => match json_statement(block) {
            Some(sql) => statement(&sql),
            None => one_of(block),
        },
        None => one_of(text),
    }
}

/// The reply without a think block at its start, closed or opened before it.
fn after_thoughts(reply: &str) -> &str {
    let Some((thoughts, rest)) = reply.split_once("</think>") else { return reply };
    if begins_select(thoughts.trim_start()) { reply } else { rest }
}

fn json_statement(text: &str) -> Option<String> {
    let object: serde_json::Value = text.starts_with('{').then(|| serde_json::from_str(text).ok())??;
    ["sql", "SQL", "query", "statement"].iter().find_map(|key| object.get(key)?.as_str()).map(str::to_owned)
}

/// The only fenced block that holds a statement.
fn fenced(text: &str) -> Result<Option<String>, Refusal> {
    if begins_select(text) {
        return Ok(None);
    }
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, tail)) = rest.split_once("```") {
        let body = tail.split_once('\n').filter(|(info, _)| !info.trim().contains(' ')).map_or(tail, |(_, body)| body);
        let end = unquoted(body, |at| body[at..].starts_with("```")).unwrap_or(body.len());
        let block = body[..end].trim();
        if begins_statement(block) || json_statement(block).is_some() {
            blocks.push(block.to_owned());
        }
        rest = body.get(end + 3..).unwrap_or_default();
    }
    if blocks.len() > 1 {
        return Err(many());
    }
    Ok(blocks.pop())
}

fn one_of(text: &str) -> Result<String, Refusal> {
    let start = begin(text)
        .ok_or_else(|| Refusal::new(Code::NoStatement, "the reply holds no statement", "reply with one SELECT"))?;
    let text = &text[start..];
    let end = unquoted(text, |at| {
        text[at..].starts_with(';') || text[at..].starts_with("```") || ends_paragraph(&text[at..])
    });
    let Some(end) = end else { return Ok(text.trim().to_owned()) };
    if text[end..].starts_with(';')
        && begins_statement(text[end + 1..].trim_start_matches(|c: char| c == ';' || c.is_whitespace()))
    {
        return Err(many());
    }
    Ok(text[..end].trim().to_owned())
}

fn many() -> Refusal {
    Refusal::new(Code::ManyStatements, "the reply holds more than one statement", "reply with one SELECT")
}

/// Byte at which the statement begins: at the start, else at the start of a line, else anywhere.
fn begin(text: &str) -> Option<usize> {
    if begins_statement(text) {
        return Some(0);
    }
    let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    line_starts
        .map(|at| at + (text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len()))
        .find(|&at| begins_select(&text[at..]))
        .or_else(|| {
            text.char_indices().map(|(at, _)| at).find(|&at| is_word_start(text, at) && begins_select(&text[at..]))
        })
}

fn is_word_start(text: &str, at: usize) -> bool {
    !text[..at].chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn begins_statement(text: &str) -> bool {
    begins_select(text) || begins_other_statement(first_word(text)) && !first_word(text).is_empty()
}

fn begins_select(text: &str) -> bool {
    let word = first_word(text);
    if word.eq_ignore_ascii_case("select") {
        return true;
    }
    // "With this query …" is prose; `WITH name AS (` is not.
    let mut words = text.split_whitespace().skip(1);
    word.eq_ignore_ascii_case("with")
        && (words.next().is_some_and(|name| name.eq_ignore_ascii_case("recursive") || name.contains('('))
            || words.next().is_some_and(|next| {
                next.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("as")) || next.starts_with('(')
            }))
}

/// The first word after brackets, white space and comments.
fn first_word(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
        if rest.starts_with("--") {
            rest = rest.split_once('\n').map_or("", |(_, tail)| tail);
        } else if rest.starts_with("/*") {
            rest = rest.split_once("*/").map_or("", |(_, tail)| tail);
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            return &rest[..end];
        }
    }
}

/// A blank line after which prose follows.
fn ends_paragraph(text: &str) -> bool {
    let Some(after) = text.strip_prefix('\n') else { return false };
    let line = after.split('\n').next().unwrap_or_default();
    if !line.trim().is_empty() {
        return false;
    }
    let next = after.trim_start();
    next.starts_with(|c: char| c.is_alphabetic() || c == '*' || c == '#')
        && !CLAUSES.iter().any(|clause| clause.eq_ignore_ascii_case(first_word(next)))
}

/// The first byte outside literals, quoted names and comments that passes the test.
fn unquoted(text: &str, test: impl Fn(usize) -> bool) -> Option<usize> {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let skip = match c {
            _ if test(at) => return Some(at),
            '\'' | '"' | '`' => rest[1..].find(c).map_or(rest.len(), |end| end + 2),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => c.len_utf8(),
        };
        at += skip.max(1);
    }
    None
}
