//! The tables block of a prompt: which tables and columns are in it, and how much of each.
//!
//! Comes in: the schema and the question. Goes out: lines within the caps. Must never happen: a column that the question
//! names left out while one that it does not name is in.

use serde_json::{Map, Value, json};

use super::data::{block, json as line, short};
use super::relevance::{self, NAMED, Words};
use crate::config::LlmConfig;
use crate::engine::Mention;
use crate::schema::{Field, SOURCE_COLUMNS, Schema, Table};

/// Files, sheets and titles named for one table.
const NAMES: usize = 12;

/// Characters for the marks and the line that says what is left out.
const FRAME: usize = 100;

/// A table with its scores.
struct Ranked<'a> {
    table: &'a Table,
    score: f64,
    columns: Vec<f64>,
}

/// One line that may be shortened or dropped.
struct Line {
    /// Rank of its table.
    rank: usize,
    /// Number of the column in its table; `None` for the table's own line.
    column: Option<usize>,
    score: f64,
    full: String,
    brief: String,
    detail: Detail,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Full,
    Brief,
    Gone,
}

impl Line {
    fn text(&self) -> &str {
        match self.detail {
            Detail::Full => &self.full,
            Detail::Brief => &self.brief,
            Detail::Gone => "",
        }
    }

    fn chars(&self) -> usize {
        if self.detail == Detail::Gone { 0 } else { self.text().chars().count() + 1 }
    }
}

/// The block of tables and columns, at most `room` characters.
pub(super) fn outline(
    question: &str,
    schema: &Schema,
    mentions: &[Mention],
    limits: &LlmConfig,
    room: usize,
) -> String {
    let ranked = rank(question, schema, mentions, limits.max_tables);
    let mut lines = lines(&ranked, limits.max_columns);
    shrink(&mut lines, room.saturating_sub(FRAME));
    let left_out = left_out(schema, &lines);
    let kept = lines.iter().filter(|line| line.detail != Detail::Gone).map(|line| line.text().to_owned());
    let kept: Vec<_> = kept.chain(left_out).collect();
    block("tables", &kept)
}

fn rank<'a>(question: &str, schema: &'a Schema, mentions: &[Mention], max_tables: usize) -> Vec<Ranked<'a>> {
    let words = Words::new(question);
    let mentioned = relevance::mentioned(mentions);
    let mut ranked: Vec<_> = schema
        .tables
        .iter()
        .map(|table| {
            let is_mentioned = |field: &Field| mentioned.contains(&(table.name.as_str(), field.name.as_str()));
            let columns: Vec<_> =
                table.fields.iter().map(|field| relevance::field(&words, field, is_mentioned(field))).collect();
            let is_named = SOURCE_COLUMNS.iter().any(|source| mentioned.contains(&(table.name.as_str(), *source)));
            Ranked { table, score: relevance::table(&words, table, &columns, is_named), columns }
        })
        .collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranked.truncate(max_tables);
    ranked
}

/// Lines in the order of the prompt: tables by rank, columns as they stand in the table.
fn lines(ranked: &[Ranked<'_>], max_columns: usize) -> Vec<Line> {
    let mut columns: Vec<Line> = Vec::new();
    for (rank, entry) in ranked.iter().enumerate() {
        let fields = entry.table.fields.iter().zip(&entry.columns).enumerate();
        columns.extend(fields.map(|(column, (field, score))| column_line(rank, column, *score, field)));
    }
    columns.sort_by(|a, b| importance(b).total_cmp(&importance(a)));
    columns.truncate(max_columns);
    let heads = ranked.iter().enumerate().filter(|(rank, _)| columns.iter().any(|line| line.rank == *rank));
    let mut lines: Vec<_> = heads.map(|(rank, entry)| table_line(rank, entry)).collect();
    lines.extend(columns);
    lines.sort_by_key(|line| (line.rank, line.column));
    lines
}

/// Named columns by their score; the others keep their order.
fn importance(line: &Line) -> f64 {
    if line.score >= NAMED { line.score } else { 0.0 }
}

fn table_line(rank: usize, entry: &Ranked<'_>) -> Line {
    let table = entry.table;
    let brief = json!({"table": table.name, "label": short(&table.label), "rows": table.rows});
    let mut full = brief.clone();
    let titles = table.captions.iter().map(String::as_str).collect();
    let files = table.sheets.iter().map(|(file, _)| file.as_str()).collect();
    let sheets = table.sheets.iter().map(|(_, sheet)| sheet.as_str()).collect();
    for (key, names) in [("titles", titles), ("files", files), ("sheets", sheets)] {
        if let Some(names) = few(names) {
            full[key] = names;
        }
    }
    Line { rank, column: None, score: entry.score, full: line(&full), brief: line(&brief), detail: Detail::Full }
}

/// The first different names; `None` where there is none.
fn few(names: Vec<&str>) -> Option<Value> {
    let mut first: Vec<String> = Vec::new();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let name = short(name);
        if first.len() < NAMES && !first.contains(&name) {
            first.push(name);
        }
    }
    (!first.is_empty()).then(|| first.into())
}

fn column_line(rank: usize, column: usize, score: f64, field: &Field) -> Line {
    let mut brief = Map::new();
    brief.insert("column".to_owned(), field.name.as_str().into());
    brief.insert("label".to_owned(), short(&field.label).into());
    brief.insert("type".to_owned(), field.kind.word().into());
    if let Some(unit) = &field.unit {
        brief.insert("unit".to_owned(), short(unit).into());
    }
    let mut full = brief.clone();
    full.extend(details(field));
    Line { rank, column: Some(column), score, full: line(&full), brief: line(&brief), detail: Detail::Full }
}

fn details(field: &Field) -> Map<String, Value> {
    let shorts = |texts: &[String]| texts.iter().map(|text| short(text)).collect::<Vec<_>>();
    let mut details = Map::new();
    let mut list = |key: &str, texts: &[String]| {
        if !texts.is_empty() {
            details.insert(key.to_owned(), shorts(texts).into());
        }
    };
    list("synonyms", &field.synonyms);
    list("allowed", &field.allowed);
    list(if has_all_values(field) { "all_values" } else { "samples" }, &field.samples);
    if let Some((least, greatest)) = &field.range {
        details.insert("range".to_owned(), json!([short(least), short(greatest)]));
    }
    if field.nulls > 0 {
        details.insert("nulls".to_owned(), field.nulls.into());
    }
    if field.identifier {
        details.insert("names_things".to_owned(), true.into());
    }
    details
}

/// The samples are every value, none of them too long to be shown whole.
fn has_all_values(field: &Field) -> bool {
    field.distinct == Some(field.samples.len() as u64) && field.samples.iter().all(|text| short(text) == *text)
}

/// Shortens and drops lines until the rest is at most `room` characters, in the order that
/// [`write_sql`](super::write_sql) states.
fn shrink(lines: &mut [Line], room: usize) {
    let mut used: usize = lines.iter().map(Line::chars).sum();
    let mut columns = columns_of(lines);
    for (named, detail) in [(false, Detail::Brief), (false, Detail::Gone), (true, Detail::Brief), (true, Detail::Gone)]
    {
        for at in least_first(lines, named) {
            if used <= room {
                return;
            }
            let gone = detail == Detail::Gone;
            if lines[at].detail == Detail::Gone || gone && lines[at].column.is_none() {
                continue;
            }
            used -= set(&mut lines[at], detail);
            let rank = lines[at].rank;
            if gone {
                columns[rank] -= 1;
            }
            if columns[rank] == 0 {
                used -= drop_head(lines, rank);
            }
        }
    }
}

/// Lines to shorten, the least important first: the lowest table, from its last column up to its own line.
fn least_first(lines: &[Line], named: bool) -> Vec<usize> {
    let mut order: Vec<_> = (0..lines.len()).filter(|at| (lines[*at].score >= NAMED) == named).collect();
    order.reverse();
    if named {
        order.sort_by(|a, b| lines[*a].score.total_cmp(&lines[*b].score));
    }
    order
}

/// Columns still shown, by the rank of their table.
fn columns_of(lines: &[Line]) -> Vec<usize> {
    let mut columns = vec![0; lines.iter().map(|line| line.rank + 1).max().unwrap_or(0)];
    for line in lines.iter().filter(|line| line.column.is_some()) {
        columns[line.rank] += 1;
    }
    columns
}

/// Gives a line the detail; the characters that this saves.
fn set(line: &mut Line, detail: Detail) -> usize {
    let before = line.chars();
    line.detail = detail;
    before - line.chars()
}

fn drop_head(lines: &mut [Line], rank: usize) -> usize {
    let head = lines.iter_mut().find(|line| line.rank == rank && line.column.is_none());
    head.map_or(0, |head| set(head, Detail::Gone))
}

/// A line that says how much is not listed.
fn left_out(schema: &Schema, lines: &[Line]) -> Option<String> {
    let shown = lines.iter().filter(|line| line.detail != Detail::Gone);
    let (columns, tables): (Vec<_>, Vec<_>) = shown.partition(|line| line.column.is_some());
    let all: usize = schema.tables.iter().map(|table| table.fields.len()).sum();
    let (tables, columns) = (schema.tables.len() - tables.len(), all - columns.len());
    (columns > 0).then(|| line(&json!({"left_out": {"tables": tables, "columns": columns}})))
}
