//! `GET /datasets/{id}/documents/{doc}/chunks`: rows of a document, and texts added to it by hand.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::body::Query;
use super::caller::Reader;
use super::chunk_view::ChunkView;
use super::document_view::DocumentView;
use super::envelope::{Answered, Envelope, Failure};
use super::fault::Fault;
use super::{Web, owned};
use crate::service::{Dataset, Document, RowPage};

/// A page of rows and texts, with their document.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChunkList {
    /// On all pages.
    total: u64,
    chunks: Vec<ChunkView>,
    doc: DocumentView,
}

/// Rows looked through for keywords.
const MAX_FOUND: usize = 10_000;

/// Lines shown above and below a row.
const MAX_LINES: u64 = 1_000;

/// Lists the rows of a document in the order of its sheets, then the texts that were added to it; `keywords` those that words find, best first; `id` one row, with `lines` of
/// its sheet above and below it.
#[utoipa::path(get, path = "/datasets/{dataset_id}/documents/{document_id}/chunks", tag = "chunks",
    params(("dataset_id" = String, Path), ("document_id" = String, Path), ("page" = Option<u64>, Query),
           ("page_size" = Option<u64>, Query), ("keywords" = Option<String>, Query), ("id" = Option<String>, Query),
           ("lines" = Option<u64>, Query)),
    responses((status = 200, body = Envelope<ChunkList>), (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn list_chunks(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    Path((dataset_id, id)): Path<(String, String)>,
    query: Query,
) -> Answered<ChunkList> {
    let foreign = || format!("You don't own the dataset {dataset_id}.");
    let dataset = owned::dataset_or(&web, &caller, &dataset_id, foreign).await?;
    let unknown = || format!("You don't own the document {id}.");
    let document = owned::document_or(&web, &dataset, &id, unknown).await?;
    let page = page(&web, &dataset, &document, &query).await?;
    let chunks = page.rows.into_iter().map(ChunkView::of).collect();
    Ok(Envelope::of(ChunkList { total: page.total, chunks, doc: DocumentView::of(document) }))
}

async fn page(web: &Web, dataset: &Dataset, document: &Document, query: &Query) -> Result<RowPage, Fault> {
    let (skip, take) = query.page(web, 10)?;
    if let Some(id) = query.get("id") {
        let lines = u64::try_from(query.number("lines", 0)?).unwrap_or(0).min(MAX_LINES);
        let rows = web.service.around(dataset, document, id, lines).await?;
        if rows.is_empty() {
            return Err(Fault::no_chunk(format!("Chunk not found: {}/{id}", dataset.record.id)));
        }
        return Ok(RowPage { total: rows.len() as u64, rows });
    }
    let Some(keywords) = query.get("keywords") else {
        return Ok(web.service.chunks(dataset, document, skip, take).await?);
    };
    let session = web.service.session(std::slice::from_ref(dataset), Some(vec![document.record.id])).await?;
    let found = web.service.found(session, keywords.to_owned(), MAX_FOUND).await?;
    let total = found.len() as u64;
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let rows = found.into_iter().skip(count(skip)).take(count(take)).collect();
    Ok(RowPage { rows, total })
}
