//! An answer, in the shape that `--json` makes public.

use serde::Serialize;
use serde_json::Value as Json;

use crate::note::Note;
use crate::sql::{OutColumn, Refusal};

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Path {
    Planner,
    Model,
    /// The statement was the user's.
    Sql,
    Search,
    Declined,
}

/// One column of a result.
#[derive(Debug, Clone, Serialize)]
pub struct Column {
    pub name: String,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
}

impl From<&OutColumn> for Column {
    fn from(column: &OutColumn) -> Self {
        let kind = column.kind.map_or("text", |kind| kind.word());
        Self { name: column.name.clone(), label: column.label.clone(), kind }
    }
}

/// The statement as asked and as run.
#[derive(Debug, Clone, Serialize)]
pub struct Statement {
    pub asked: String,
    pub run: String,
}

/// One cited row.
#[derive(Debug, Clone, Serialize)]
pub struct Chunk {
    pub id: String,
    pub doc_id: String,
    pub docnm_kwd: String,
    pub kb_id: String,
    pub sheet: String,
    /// 1-based, as the user sees it.
    pub row: u64,
    /// The column that the row is, where its table lies on its side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// "label: value" lines with the original cell text.
    pub content: String,
}

/// How many rows of a document an answer stands on.
#[derive(Debug, Clone, Serialize)]
pub struct DocCount {
    pub doc_id: String,
    pub doc_name: String,
    pub count: u64,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Reference {
    pub chunks: Vec<Chunk>,
    pub doc_aggs: Vec<DocCount>,
    /// All rows that the answer stands on; `chunks` holds the first of them.
    pub total: u64,
}

#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    pub question: String,
    pub path: Path,
    /// Markdown.
    pub answer: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Json>>,
    /// Rows before our cap.
    pub total: u64,
    pub shown: u64,
    pub sql: Option<Statement>,
    pub notes: Vec<Note>,
    pub reference: Reference,
    /// Why the statement was not run, where one was refused and nothing answered instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

impl Answer {
    /// An answer that says why there is none.
    pub fn declined(question: &str, message: String, notes: Vec<Note>) -> Self {
        Self {
            question: question.to_owned(),
            path: Path::Declined,
            answer: message,
            columns: Vec::new(),
            rows: Vec::new(),
            total: 0,
            shown: 0,
            sql: None,
            notes,
            reference: Reference::default(),
            refusal: None,
        }
    }
}
