//! One reply becomes one answer: `reply → guard → ground → scope → select → citations`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::Duration;

use datafusion::sql::sqlparser::ast::visit_relations;

use super::answer::{Answer, Chunk, Column, DocCount, Path, Reference, Statement};
use super::language::Language;
use super::markdown;
use super::{AskError, Asker};
use crate::engine::{Document, EngineError, ResultSet, Snapshot, Source};
use crate::ids::row_id;
use crate::note::{Note, turned_record};
use crate::query::within;
use crate::schema::{Field, Schema, Table};
use crate::sql::{self, Refusal, ScopedSelect};
use crate::value::{MAX_EXACT, Value};

/// What a statement came to.
pub enum Outcome {
    Answered(Box<Answer>),
    Refused(Refusal),
}

impl Asker<'_> {
    /// Runs a reply as the answer to `question`, within the time limit: looking up its texts, building the index that it
    /// needs, running it and reading the cited rows.
    pub async fn statement(
        &self,
        question: &str,
        reply: &str,
        path: Path,
        notes: Vec<Note>,
    ) -> Result<Outcome, AskError> {
        let seconds = self.config.sql.timeout_seconds;
        let work = self.run(question, reply, path, notes);
        let done = within(Duration::from_secs(seconds), work).await;
        done.unwrap_or_else(|| Ok(Outcome::Refused(Refusal::timeout(seconds))))
    }

    async fn run(&self, question: &str, reply: &str, path: Path, notes: Vec<Note>) -> Result<Outcome, AskError> {
        let asked = match sql::statement(reply) {
            Ok(asked) => asked,
            Err(refusal) => return Ok(Outcome::Refused(refusal)),
        };
        let scoped = match self.admit(&asked).await? {
            Ok(scoped) => scoped,
            Err(refusal) => return Ok(Outcome::Refused(refusal)),
        };
        let limits = &self.config.answer;
        let result = match self.engine.select(&scoped, self.snapshot, limits.max_rows, limits.max_citations).await {
            Ok(result) => result,
            Err(EngineError::Refused(refusal)) => return Ok(Outcome::Refused(refusal)),
            Err(error) => return Err(error.into()),
        };
        let answer = self.answer(question, path, asked, &scoped, result, notes).await?;
        Ok(Outcome::Answered(Box::new(answer)))
    }

    async fn admit(&self, asked: &str) -> Result<Result<ScopedSelect, Refusal>, AskError> {
        let schema = self.scope.visible(&self.snapshot.schema);
        let guarded = match sql::guard(asked, &schema, &self.config.sql, Some(today())) {
            Ok(guarded) => guarded,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut found = Vec::new();
        for lookup in guarded.lookups() {
            found.push(self.engine.lookup(&lookup, self.snapshot).await?);
        }
        Ok(guarded.ground(&found).and_then(|grounded| sql::admit(grounded, self.scope, &schema)))
    }

    async fn answer(
        &self,
        question: &str,
        path: Path,
        asked: String,
        scoped: &ScopedSelect,
        result: ResultSet,
        mut notes: Vec<Note>,
    ) -> Result<Answer, AskError> {
        let language = Language::of(question);
        notes.extend(scoped.notes().iter().cloned());
        notes.extend(not_counted(scoped, &self.snapshot.schema));
        let shown = result.rows.len() as u64;
        if shown < result.total {
            notes.push(Note::new("rows_cut", language.shown_of(shown, result.total)));
        }
        notes.extend(self.repeated(&asked, language));
        notes.extend(spread(scoped, &self.snapshot.schema, language));
        notes.extend(left_out(scoped, &self.snapshot.schema, language));
        notes.extend(approximate(&result));
        let reference = self.reference(&result).await?;
        let empty = result.rows.iter().flatten().all(|value| *value == crate::value::Value::Null);
        if !scoped.is_plain() && reference.total == 0 && empty && !result.rows.is_empty() {
            notes.push(Note::new("no_rows_match", language.nothing_to_compute()));
        }
        Ok(Answer {
            question: question.to_owned(),
            path,
            answer: markdown::table(scoped.columns(), &result, scoped.is_plain(), language),
            columns: scoped.columns().iter().map(Column::from).collect(),
            rows: result.rows.iter().map(|row| row.iter().map(Value::to_json).collect()).collect(),
            total: result.total,
            shown,
            sql: Some(Statement { asked, run: sql::render::embedded(scoped.statement()).map_err(EngineError::from)? }),
            notes,
            reference,
            refusal: None,
            tokens: None,
        })
    }

    /// Says which sheets a statement counts twice; one that tells sheets or files apart may not.
    fn repeated(&self, asked: &str, language: Language) -> Vec<Note> {
        let words = words(asked);
        if words.contains("sheet_kwd") || words.contains("docnm_kwd") {
            return Vec::new();
        }
        let tables = self.snapshot.schema.tables.iter().zip(&self.snapshot.tables);
        let repeats = tables.filter(|(table, live)| words.contains(&table.name) && !live.repeats.is_empty());
        repeats.map(|(_, live)| Note::new("sheet_repeats", language.counted_twice(&live.repeats))).collect()
    }

    async fn reference(&self, result: &ResultSet) -> Result<Reference, AskError> {
        let by_no: HashMap<u32, &Document> =
            self.snapshot.documents.iter().map(|document| (document.no, document)).collect();
        let counts = result.documents.iter();
        let doc_aggs = counts.filter_map(|(no, count)| Some(doc_count(by_no.get(no)?, *count))).collect();
        Ok(Reference { chunks: self.chunks(&result.sources).await?, doc_aggs, total: result.sources_total })
    }

    /// The cited rows in full.
    pub(super) async fn chunks(&self, sources: &[Source]) -> Result<Vec<Chunk>, AskError> {
        let keys: Vec<_> = sources.iter().map(|source| source.key).collect();
        let rows = self.engine.rows(&keys, self.snapshot).await?;
        Ok(rows.into_iter().filter_map(|row| chunk(self.snapshot, row.source, row.content)).collect())
    }
}

/// The names and words of a statement, in lower case.
fn words(asked: &str) -> HashSet<String> {
    asked.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_ascii_lowercase).collect()
}

/// Functions whose value depends on how often a number stands in its field.
const COUNTING_EACH: [&str; 9] =
    ["sum", "avg", "median", "stddev_samp", "stddev_pop", "var_samp", "var_pop", "corr", "percentile_cont"];

/// The fields of a statement with the names and words in it; a text stands there as its cells.
fn named<'s>(schema: &'s Schema, words: &HashSet<String>) -> impl Iterator<Item = &'s Field> {
    let tables = schema.tables.iter().filter(|table| words.contains(&table.name));
    tables
        .flat_map(|table| &table.fields)
        .filter(|field| words.contains(&field.name) || words.contains(&field.column()))
}

/// Says which fields of a statement have cells that are no value of their type, so that it does not see them.
fn left_out(scoped: &ScopedSelect, schema: &Schema, language: Language) -> Vec<Note> {
    let words = words(&scoped.statement().to_string());
    let fields = named(schema, &words).filter(|field| field.unfit > 0);
    fields.map(|field| Note::new("cells_left_out", language.cells_left_out(&field.label, field.unfit))).collect()
}

/// Says which fields with merged numbers a statement adds up or averages.
fn spread(scoped: &ScopedSelect, schema: &Schema, language: Language) -> Vec<Note> {
    let words = words(&scoped.statement().to_string());
    if !COUNTING_EACH.iter().any(|function| words.contains(*function)) {
        return Vec::new();
    }
    let spread = named(schema, &words).filter(|field| field.spread > 0 && field.kind.is_number());
    spread
        .map(|field| Note::new("merged_number_repeated", language.merged_number(&field.label, field.spread)))
        .collect()
}

/// Says that the result has decimals too large to be exact to the unit.
fn approximate(result: &ResultSet) -> Option<Note> {
    let is_large = |value: &Value| matches!(value, Value::Decimal(x) if x.abs() >= MAX_EXACT);
    let message = format!("decimals from {MAX_EXACT} on are exact to about 16 digits only");
    result.rows.iter().flatten().any(is_large).then(|| Note::new("large_decimals", message))
}

/// Tables with the columns of one that was read, in other types: knowledge bases that could not be read as one.
fn not_counted(scoped: &ScopedSelect, schema: &Schema) -> Vec<Note> {
    let mut names = HashSet::new();
    let _: ControlFlow<()> = visit_relations(scoped.statement(), |name| {
        names.extend(name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.clone()));
        ControlFlow::Continue(())
    });
    let (read, others): (Vec<&Table>, Vec<&Table>) =
        schema.tables.iter().partition(|table| names.contains(&table.name));
    let read: Vec<_> = read.into_iter().map(labels).collect();
    let alike = others.into_iter().filter(|table| read.contains(&labels(table)));
    let note = |table: &Table| {
        let message = format!(
            "the {} rows of {} are not in this answer: the same columns, of other types",
            table.rows, table.name
        );
        Note::new("table_not_counted", message)
    };
    alike.map(note).collect()
}

fn labels(table: &Table) -> BTreeSet<&str> {
    table.fields.iter().map(|field| field.label.as_str()).collect()
}

fn today() -> chrono::NaiveDate {
    chrono::Local::now().date_naive()
}

fn chunk(snapshot: &Snapshot, source: Source, content: String) -> Option<Chunk> {
    let document = snapshot.document(source.doc_no)?;
    Some(Chunk {
        id: row_id(document.doc_id, &source.sheet, source.row),
        doc_id: document.doc_id.to_string(),
        docnm_kwd: document.name.clone(),
        kb_id: document.kb.to_string(),
        column: turned_record(&source.sheet, source.row).map(|(_, column)| column),
        sheet: source.sheet,
        row: source.row,
        content,
        by_hand: None,
    })
}

fn doc_count(document: &Document, count: u64) -> DocCount {
    DocCount { doc_id: document.doc_id.to_string(), doc_name: document.name.clone(), count }
}
