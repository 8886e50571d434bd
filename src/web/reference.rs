//! What an answer stands on, in RAGFlow's shape: cited rows, documents with counts, and the statement that was run.

use serde_json::{Value, json};

use super::chunk_view::{by_hand, content, url};
use crate::ask::{Answer, Chunk};

/// A cited row.
fn cited(chunk: &Chunk) -> Value {
    json!({
        "id": chunk.id, "content": content(chunk), "document_id": chunk.doc_id, "document_name": chunk.docnm_kwd,
        "docnm_kwd": chunk.docnm_kwd, "dataset_id": chunk.kb_id, "image_id": "", "positions": by_hand(chunk).positions,
        "url": url(chunk), "similarity": null, "vector_similarity": null, "term_similarity": null, "doc_type": null,
        "sheet": chunk.sheet, "row": chunk.row
    })
}

/// The whole reference; `SQL_RESULT` is the evidence of a computed answer.
pub fn of(answer: &Answer) -> Value {
    let mut reference = json!({
        "total": answer.reference.total,
        "chunks": answer.reference.chunks.iter().map(cited).collect::<Vec<_>>(),
        "doc_aggs": answer.reference.doc_aggs,
    });
    if let Some(sql) = &answer.sql {
        reference["SQL_RESULT"] = json!({
            "statement": sql.run, "asked": sql.asked, "columns": answer.columns, "rows": answer.rows, "total": answer.total
        });
    }
    reference
}

/// The answer's text with what its reader should know.
pub fn text(answer: &Answer) -> String {
    let mut text = answer.answer.clone();
    for note in &answer.notes {
        let place = note.place.as_deref().map(|place| format!(" ({place})")).unwrap_or_default();
        text.push_str(&format!("\n> {}{place}", note.message));
    }
    text
}
