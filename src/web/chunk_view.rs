//! A row as it is shown: RAGFlow's chunk, and where it stands.

use serde::Serialize;
use utoipa::ToSchema;

use crate::ask::{ByHand, Chunk};

#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChunkView {
    pub id: String,
    /// `label:value; label:value`; a text that was added by hand as it was sent.
    pub content: String,
    pub document_id: String,
    pub docnm_kwd: String,
    pub document_name: String,
    pub dataset_id: String,
    pub important_keywords: Vec<String>,
    pub questions: Vec<String>,
    pub image_id: String,
    pub available: bool,
    pub positions: Vec<[u64; 5]>,
    /// Empty where it is no row.
    pub sheet: String,
    /// As the sheet numbers it; 0 where it is no row.
    pub row: u64,
    /// Opens the row.
    pub url: String,
}

impl ChunkView {
    pub fn of(chunk: Chunk) -> Self {
        let hand = by_hand(&chunk);
        Self {
            url: url(&chunk),
            content: content(&chunk),
            id: chunk.id,
            document_id: chunk.doc_id,
            document_name: chunk.docnm_kwd.clone(),
            docnm_kwd: chunk.docnm_kwd,
            dataset_id: chunk.kb_id,
            image_id: String::new(),
            available: hand.available,
            important_keywords: hand.important_keywords,
            questions: hand.questions,
            positions: hand.positions,
            sheet: chunk.sheet,
            row: chunk.row,
        }
    }
}

/// What came with a text; a row has but its number: page, left, right, top, bottom.
pub fn by_hand(chunk: &Chunk) -> ByHand {
    chunk.by_hand.clone().unwrap_or_else(|| ByHand {
        important_keywords: Vec::new(),
        questions: Vec::new(),
        positions: vec![[1, 0, 0, chunk.row, chunk.row]],
        available: true,
    })
}

/// A text as it was added, a row in RAGFlow's form.
pub fn content(chunk: &Chunk) -> String {
    match chunk.by_hand {
        Some(_) => chunk.content.clone(),
        None => one_line(&chunk.content),
    }
}

/// Where a row can be read.
pub fn url(chunk: &Chunk) -> String {
    format!("/api/v1/datasets/{}/documents/{}/chunks?id={}", chunk.kb_id, chunk.doc_id, chunk.id)
}

/// RAGFlow's form of a row of a table.
fn one_line(content: &str) -> String {
    let cells = content.lines().map(|line| match line.split_once(": ") {
        Some((label, value)) => format!("{label}:{value}"),
        None => line.to_owned(),
    });
    cells.collect::<Vec<_>>().join("; ")
}
