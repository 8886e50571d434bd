//! An answer, in the shape that `--json` makes public.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value as Json;

use crate::catalog::TextRecord;
use crate::llm::Tokens;
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

/// One cited row, or a text that was added to a document by hand.
#[derive(Debug, Clone, Serialize)]
pub struct Chunk {
    pub id: String,
    pub doc_id: String,
    pub docnm_kwd: String,
    pub kb_id: String,
    /// Empty where it is no row.
    pub sheet: String,
    /// 1-based, as the user sees it; 0 where it is no row.
    pub row: u64,
    /// The column that the row is, where its table lies on its side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// "label: value" lines with the original cell text; a text as it was added.
    pub content: String,
    /// What came with a text that was added by hand; `None` for a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<ByHand>,
}

/// What comes with a text that was added by hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByHand {
    pub important_keywords: Vec<String>,
    pub questions: Vec<String>,
    /// Page, left, right, top, bottom.
    pub positions: Vec<[u64; 5]>,
    /// Search finds it.
    pub available: bool,
}

impl Chunk {
    /// Everything in it that search looks at.
    pub fn searched(&self) -> Cow<'_, str> {
        match &self.by_hand {
            None => Cow::Borrowed(&self.content),
            Some(hand) => {
                let parts = std::iter::once(&self.content).chain(&hand.important_keywords).chain(&hand.questions);
                Cow::Owned(parts.map(String::as_str).collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

impl From<TextRecord> for Chunk {
    fn from(text: TextRecord) -> Self {
        let (important_keywords, questions) = (text.keywords, text.questions);
        let hand = ByHand { important_keywords, questions, positions: text.positions, available: text.available };
        Self {
            id: text.id,
            doc_id: text.document.to_string(),
            docnm_kwd: text.document_name,
            kb_id: text.kb.to_string(),
            sheet: String::new(),
            row: 0,
            column: None,
            content: text.content,
            by_hand: Some(hand),
        }
    }
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
    /// What the model's replies cost; `None` where none replied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
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
            tokens: None,
        }
    }
}
