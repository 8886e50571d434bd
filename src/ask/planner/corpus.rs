//! Plans of the shared question sets, written as JSON lines for a checker; skips where the sets are absent.
//!
//! The reader of tables here is small and only for this: types by the share of cells that fit, cells named to the letter.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use chrono::{NaiveDate, NaiveDateTime};
use serde_json::{Value as Json, json};

use super::labels::without_brackets;
use super::token::{Token, tokens};
use super::{Plan, plan};
use crate::engine::{Likeness, Mention};
use crate::schema::{Field, Schema, Table};
use crate::value::FieldType;

struct Sheet {
    schema: Schema,
    rows: Vec<Vec<Json>>,
}

fn cases() -> Option<PathBuf> {
    let folder = std::env::var("SHEETWISE_CASES").unwrap_or_else(|_| "../shared/cases".to_owned());
    let folder = PathBuf::from(folder).join("questions");
    folder.is_dir().then_some(folder)
}

/// A number of a cell, and whether it is a percent.
fn number(cell: &str) -> Option<(f64, bool)> {
    let bare = cell.trim().trim_start_matches(['$', '€', '£', '¥', '+']).trim();
    let (bare, percent) = bare.strip_suffix('%').map_or((bare, false), |rest| (rest.trim(), true));
    let whole = bare.split('.').next().unwrap_or_default();
    if whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    let grouped = bare.split(',').skip(1).all(|part| part.split('.').next().is_some_and(|digits| digits.len() == 3));
    let value: f64 = bare.replace(',', "").replace('−', "-").parse().ok().filter(|_| grouped)?;
    value.is_finite().then_some((if percent { value / 100.0 } else { value }, percent))
}

fn day(cell: &str) -> Option<String> {
    let text = cell.trim();
    if let Ok(at) = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S") {
        return Some(at.format("%Y-%m-%dT%H:%M:%S").to_string());
    }
    let formats = ["%Y-%m-%d", "%Y年%m月%d日", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y"];
    if let Some(date) = formats.iter().find_map(|format| NaiveDate::parse_from_str(text, format).ok()) {
        return Some(date.to_string());
    }
    NaiveDate::parse_from_str(&format!("{text}1日"), "%Y年%m月%d日").ok().map(|date| date.to_string())
}

fn empty(cell: &str) -> bool {
    matches!(cell.trim(), "" | "-" | "—" | "–" | "N/A" | "n/a" | "无")
}

fn typed(label: &str, index: usize, cells: &[&str]) -> (Field, Vec<Json>) {
    let full: Vec<&&str> = cells.iter().filter(|cell| !empty(cell)).collect();
    let share = |fits: &dyn Fn(&str) -> bool| {
        !full.is_empty() && full.iter().filter(|cell| fits(cell)).count() as f64 >= 0.95 * full.len() as f64
    };
    let numbers = share(&|cell| number(cell).is_some());
    let whole =
        numbers && full.iter().filter_map(|cell| number(cell)).all(|(value, percent)| value.fract() == 0.0 && !percent);
    let kind = match (numbers, whole) {
        (true, true) => FieldType::Integer,
        (true, false) => FieldType::Decimal,
        _ if share(&|cell| day(cell).is_some()) => FieldType::DateTime,
        _ => FieldType::Text,
    };
    let values: Vec<Json> = cells
        .iter()
        .map(|cell| match kind {
            FieldType::Integer | FieldType::Decimal => number(cell).map_or(Json::Null, |(value, _)| json!(value)),
            FieldType::DateTime => day(cell).map_or(Json::Null, Json::from),
            _ => Some(cell.trim()).filter(|cell| !cell.is_empty()).map_or(Json::Null, Json::from),
        })
        .collect();
    let mut distinct: Vec<String> = values.iter().filter(|value| !value.is_null()).map(Json::to_string).collect();
    distinct.sort();
    distinct.dedup();
    let bounds = values.iter().filter_map(Json::as_f64).fold(None, |bounds: Option<(f64, f64)>, value| {
        Some(bounds.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    let lower = label.to_lowercase();
    let bracket = label.split_once(['(', '（']).map(|(_, rest)| rest.trim_end_matches([')', '）']).to_owned());
    let percent = full.iter().any(|cell| number(cell).is_some_and(|(_, percent)| percent));
    let field = Field {
        name: format!("f{index}_{}", kind.suffix()),
        label: label.to_owned(),
        kind,
        unit: if percent { Some("%".to_owned()) } else { bracket },
        synonyms: Vec::new(),
        allowed: Vec::new(),
        nulls: values.iter().filter(|value| value.is_null()).count() as u64,
        distinct: Some(distinct.len() as u64),
        samples: full.iter().take(20).map(|cell| cell.trim().to_owned()).collect(),
        decimals: 2,
        identifier: whole
            && ["year", "rank", "no", "no.", "#", "pos", "年份", "game", "week"].contains(&lower.as_str()),
        range: bounds.map(|(low, high)| (low.to_string(), high.to_string())),
    };
    (field, values)
}

/// Labels of several header rows, joined; a blank label is its number.
fn labels(header: &[Vec<String>]) -> Vec<String> {
    let width = header.iter().map(Vec::len).max().unwrap_or(0);
    (0..width)
        .map(|column| {
            let mut parts: Vec<&str> = header
                .iter()
                .filter_map(|row| row.get(column))
                .map(|part| part.trim())
                .filter(|part| !part.is_empty())
                .collect();
            parts.dedup();
            if parts.is_empty() { format!("column {}", column + 1) } else { parts.join(" ") }
        })
        .collect()
}

fn sheet(path: &std::path::Path, header_rows: usize) -> Option<Sheet> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let mut records: Vec<Vec<String>> =
        reader.records().flatten().map(|record| record.iter().map(str::to_owned).collect()).collect();
    let mut body = records.split_off(header_rows.min(records.len()));
    let totals = |row: &Vec<String>| row.iter().any(|cell| cell.trim().to_lowercase().starts_with("total"));
    body.pop_if(|row| totals(row));
    let labels = labels(&records);
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (index, label) in labels.iter().enumerate() {
        let cells: Vec<&str> = body.iter().map(|row| row.get(index).map_or("", String::as_str)).collect();
        let (field, values) = typed(label, index, &cells);
        fields.push(field);
        columns.push(values);
    }
    let rows = (0..body.len()).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect();
    let table = Table {
        name: "t".to_owned(),
        label: name.clone(),
        rows: body.len() as u64,
        fields,
        captions: Vec::new(),
        sheets: vec![(format!("{name}.csv"), String::new())],
    };
    Some(Sheet { schema: Schema { tables: vec![table] }, rows })
}

/// Words of a cell that must stand in the question, quotes and end marks left out.
fn words(cell: &str) -> Vec<String> {
    tokens(cell)
        .into_iter()
        .filter(|token| !matches!(token.text.as_str(), "\"" | "'"))
        .map(|token| token.text)
        .collect()
}

fn find(question: &[Token], wanted: &[String]) -> Vec<(usize, usize)> {
    if wanted.is_empty() || wanted.len() > question.len() {
        return Vec::new();
    }
    let spans = question
        .windows(wanted.len())
        .filter(|window| window.iter().zip(wanted).all(|(token, word)| token.text == *word));
    spans.filter_map(|window| Some((window.first()?.start, window.last()?.end))).collect()
}

fn mentions(question: &str, sheet: &Sheet) -> Vec<Mention> {
    let asked: Vec<Token> =
        tokens(question).into_iter().filter(|token| !matches!(token.text.as_str(), "\"" | "'")).collect();
    let mut found = Vec::new();
    for table in &sheet.schema.tables {
        for (index, field) in table.fields.iter().enumerate().filter(|(_, field)| field.exact().is_some()) {
            let mut cells: Vec<&str> = sheet.rows.iter().filter_map(|row| row[index].as_str()).collect();
            cells.sort_unstable();
            cells.dedup();
            for cell in cells {
                let bare = without_brackets(cell);
                for (form, how) in [(cell, Likeness::Folded), (bare.as_str(), Likeness::Partial)] {
                    if how == Likeness::Partial && form.trim() == cell {
                        continue;
                    }
                    for (start, end) in find(&asked, &words(form)) {
                        found.push(Mention {
                            table: table.name.clone(),
                            field: field.name.clone(),
                            cell: cell.to_owned(),
                            start,
                            end,
                            how,
                        });
                    }
                }
            }
        }
    }
    found
}

#[test]
fn plans_of_the_shared_questions() {
    let Some(folder) = cases() else {
        eprintln!("skipped: no shared cases");
        return;
    };
    let today = NaiveDate::from_ymd_opt(2024, 6, 1).expect("a date");
    let mut sheets: BTreeMap<(String, usize), Option<Sheet>> = BTreeMap::new();
    let mut lines = Vec::new();
    for set in ["wtq", "zh_retqa", "aitqa_en", "dabench_en"] {
        let Ok(text) = fs::read_to_string(folder.join(format!("{set}.jsonl"))) else { continue };
        for case in text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()) {
            let (Some(file), Some(question)) = (case["files"][0].as_str(), case["question"].as_str()) else { continue };
            let header = case["header_rows"].as_u64().unwrap_or(1) as usize;
            let sheet = sheets.entry((file.to_owned(), header)).or_insert_with(|| sheet(&folder.join(file), header));
            let Some(sheet) = sheet else { continue };
            let plan = plan(question, &sheet.schema, &mentions(question, sheet), today);
            let told = match &plan {
                Plan::Statement { sql, notes, score } => json!({"sql": sql, "score": score, "read": notes[0].message}),
                Plan::Unsure { readings } => json!({"readings": readings}),
            };
            let columns: Vec<Json> = sheet.schema.tables[0]
                .fields
                .iter()
                .map(|field| json!([field.column(), field.label, field.kind.word()]))
                .collect();
            lines.push(json!({"set": set, "id": case["id"], "question": question, "answer": case["answer"], "plan": told, "file": file, "header": header, "columns": columns, "rows": if sheet.rows.len() < 2000 { json!(sheet.rows) } else { json!([]) }}).to_string());
        }
    }
    assert!(!lines.is_empty());
    if let Ok(report) = std::env::var("SHEETWISE_PLANS") {
        fs::write(report, lines.join("\n")).expect("the report can be written");
    }
}
