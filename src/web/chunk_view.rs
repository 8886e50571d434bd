//! A row as it is shown: RAGFlow's chunk, and where it stands.

use serde::Serialize;
use utoipa::ToSchema;

use crate::ask::Chunk;

#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChunkView {
    pub id: String,
    /// `label:value; label:value`
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
    pub sheet: String,
    /// As the sheet numbers it.
    pub row: u64,
    /// Opens the row.
    pub url: String,
}

impl ChunkView {
    pub fn of(chunk: Chunk) -> Self {
        Self {
            url: url(&chunk),
            content: one_line(&chunk.content),
            id: chunk.id,
            document_id: chunk.doc_id,
            document_name: chunk.docnm_kwd.clone(),
            docnm_kwd: chunk.docnm_kwd,
            dataset_id: chunk.kb_id,
            important_keywords: Vec::new(),
            questions: Vec::new(),
            image_id: String::new(),
            available: true,
            // Page, left, right, top, bottom: a row has but its number.
            positions: vec![[1, 0, 0, chunk.row, chunk.row]],
            sheet: chunk.sheet,
            row: chunk.row,
        }
    }
}

/// Where a row can be read.
pub fn url(chunk: &Chunk) -> String {
    format!("/api/v1/datasets/{}/documents/{}/chunks?id={}", chunk.kb_id, chunk.doc_id, chunk.id)
}

/// RAGFlow's form of a row of a table.
pub fn one_line(content: &str) -> String {
    let cells = content.lines().map(|line| match line.split_once(": ") {
        Some((label, value)) => format!("{label}:{value}"),
        None => line.to_owned(),
    });
    cells.collect::<Vec<_>>().join("; ")
}
