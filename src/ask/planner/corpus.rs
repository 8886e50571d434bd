//! Plans of the shared question sets, written as JSON lines for a checker; skips where the sets are absent.
//!
//! Cells are named here to the letter, without their brackets, or by their leading part.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use chrono::NaiveDate;
use serde_json::{Value as Json, json};

use super::labels::without_brackets;
use super::token::{Token, tokens};
use super::{Plan, Planner};
use crate::config::ReadLimits;
use crate::engine::{Likeness, Mention};
use crate::note::Note;
use crate::schema::{Decision, Label, Profile, Schema, Table, Typed, decide, name_fields};
use crate::sheet::{Book, Kept, ReadError, ReadOptions, RowSink};
use crate::value::Cell;

struct Sheet {
    schema: Schema,
    /// Of all tables' rows, those of each table in the fields' order, each with its row number behind.
    rows: Vec<Vec<Vec<Json>>>,
}

fn cases() -> Option<PathBuf> {
    let folder = std::env::var("SHEETWISE_CASES").unwrap_or_else(|_| "../shared/cases".to_owned());
    let folder = PathBuf::from(folder).join("questions");
    folder.is_dir().then_some(folder)
}

/// First the profiles, then the values.
#[derive(Default)]
struct Rows {
    profiles: Vec<Profile>,
    decisions: Vec<Decision>,
    rows: Vec<Vec<Json>>,
}

impl RowSink for Rows {
    fn row(&mut self, row: u64, cells: &[Cell<'_>]) -> Result<(), ReadError> {
        if self.decisions.is_empty() {
            self.profiles.iter_mut().zip(cells).for_each(|(profile, cell)| profile.observe(cell));
            return Ok(());
        }
        let mut values: Vec<Json> =
            self.decisions.iter().zip(cells).map(|(decision, cell)| json_of(&decision.convert(cell).value)).collect();
        values.push(row.into());
        self.rows.push(values);
        Ok(())
    }

    fn kept_apart(&mut self, _: u64, _: Kept, _: &str) -> Result<(), ReadError> {
        Ok(())
    }

    fn note(&mut self, _: Note) -> Result<(), ReadError> {
        Ok(())
    }
}

fn json_of(value: &Typed) -> Json {
    match value {
        Typed::Text(text) => text.as_ref().into(),
        Typed::Integer(n) => (*n).into(),
        Typed::Decimal(x) => (*x).into(),
        Typed::DateTime(at) => crate::value::datetime_text(at).into(),
        Typed::Flag(flag) => if *flag { "yes" } else { "no" }.into(),
        Typed::Null | Typed::Misfit => Json::Null,
    }
}

fn sheet(path: &std::path::Path) -> Option<Sheet> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let stem = path.file_stem()?.to_string_lossy().into_owned();
    let book = Book::open(path, &name, &ReadOptions::default(), &ReadLimits::default()).ok()?;
    let mut schema = Schema::default();
    let mut all = Vec::new();
    for (index, region) in book.regions.iter().enumerate() {
        let mut rows = Rows { profiles: vec![Profile::default(); region.columns.len()], ..Rows::default() };
        book.scan(index, &mut rows).ok()?;
        let labels: Vec<Label> = region.columns.iter().map(|column| Label::parse(&column.label)).collect();
        rows.decisions =
            rows.profiles.iter().zip(&labels).map(|(profile, label)| decide(profile, label, None)).collect();
        book.scan(index, &mut rows).ok()?;
        let fields = name_fields(&labels, &rows.decisions);
        let sheets = vec![(name.clone(), region.sheet.clone())];
        let count = rows.rows.len() as u64;
        schema.tables.push(Table {
            name: format!("t{index}"),
            label: stem.clone(),
            rows: count,
            fields,
            captions: region.titles.clone(),
            sheets,
        });
        all.push(rows.rows);
    }
    (!schema.tables.is_empty()).then_some(Sheet { schema, rows: all })
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

/// The cell itself, without its brackets, and what stands before the first mark.
fn forms(cell: &str) -> Vec<(String, Likeness)> {
    let leading = cell.split(['(', '（', '[', ',', '，', '/', ';', '；', '、']).next().unwrap_or_default();
    let mut forms = vec![(cell.to_owned(), Likeness::Folded)];
    for short in [without_brackets(cell), leading.trim().to_owned()] {
        let long = short.chars().count() >= if short.is_ascii() { 4 } else { 2 };
        if long && !forms.iter().any(|(form, _)| *form == short) {
            forms.push((short, Likeness::Partial));
        }
    }
    forms
}

fn mentions(question: &str, sheet: &Sheet) -> Vec<Mention> {
    let asked: Vec<Token> =
        tokens(question).into_iter().filter(|token| !matches!(token.text.as_str(), "\"" | "'")).collect();
    let mut found = Vec::new();
    for (table, rows) in sheet.schema.tables.iter().zip(&sheet.rows) {
        for (index, field) in table.fields.iter().enumerate().filter(|(_, field)| field.exact().is_some()) {
            let cells: BTreeSet<&str> = rows.iter().filter_map(|row| row[index].as_str()).collect();
            for cell in cells {
                for (form, how) in forms(cell) {
                    for (start, end) in find(&asked, &words(&form)) {
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
    let Some(folder) = cases() else { return };
    let today = NaiveDate::from_ymd_opt(2024, 6, 1).expect("a date");
    let mut sheets: BTreeMap<String, Option<Sheet>> = BTreeMap::new();
    let mut lines = Vec::new();
    let sets = ["wtq", "zh_retqa", "aitqa_en", "dabench_en"].map(|set| folder.join(format!("{set}.jsonl")));
    for set in sets.into_iter().chain(std::env::var("SHEETWISE_QUESTIONS").ok().map(PathBuf::from)) {
        let Ok(text) = fs::read_to_string(&set) else { continue };
        for case in text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()) {
            let (Some(file), Some(question)) = (case["files"][0].as_str(), case["question"].as_str()) else { continue };
            let sheet = sheets.entry(file.to_owned()).or_insert_with(|| sheet(&folder.join(file)));
            let Some(sheet) = sheet else { continue };
            let plan = Planner::default().plan(question, &sheet.schema, &mentions(question, sheet), today);
            let told = match &plan {
                Plan::Statement { sql, notes, score, .. } => {
                    json!({"sql": sql, "score": score, "read": notes[0].message})
                }
                Plan::Unsure { readings } => json!({"readings": readings}),
            };
            let tables: Vec<Json> =
                sheet.schema.tables.iter().zip(&sheet.rows).map(|(table, rows)| table_json(table, rows)).collect();
            let name = set.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            lines.push(json!({"set": name, "id": case["id"], "question": question, "answer": case["answer"], "plan": told, "tables": tables}).to_string());
        }
    }
    assert!(!lines.is_empty());
    if let Ok(report) = std::env::var("SHEETWISE_PLANS") {
        fs::write(report, lines.join("\n")).expect("the report can be written");
    }
}

fn table_json(table: &Table, rows: &[Vec<Json>]) -> Json {
    let columns: Vec<Json> = table
        .fields
        .iter()
        .map(|field| json!([field.column(), field.label, field.kind.word(), field.distinct]))
        .collect();
    json!({"name": table.name, "columns": columns, "rows": if rows.len() < 2000 { rows } else { &[] }})
}
