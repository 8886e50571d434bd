//! `POST` and `DELETE /datasets/{id}/chunks`: parses asked for and stopped.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde_json::{Map, Value};

use super::body::{Lenient, apart, texts};
use super::caller::Writer;
use super::envelope::{Done, Failure};
use super::fault::Fault;
use super::{Web, owned, python};
use crate::catalog::Run;
use crate::service::{Caller, Document};

/// The documents that a body names.
struct Named {
    documents: Vec<Document>,
    /// Ids that are none of the dataset's.
    unknown: Vec<String>,
    /// Ids that came more than once.
    twice: Vec<String>,
}

async fn named(web: &Web, caller: &Caller, dataset: &str, given: &Map<String, Value>) -> Result<Named, Fault> {
    let dataset = owned::own_dataset(web, caller, dataset).await?;
    let ids = texts(given, "document_ids")?.ok_or_else(|| Fault::data("`document_ids` is required"))?;
    let (ids, twice) = apart(ids);
    let (documents, unknown) = owned::documents(web, &dataset, &ids).await?;
    Ok(Named { documents, unknown, twice })
}

/// Asks for the parse of documents, `document_ids`.
#[utoipa::path(post, path = "/datasets/{dataset_id}/chunks", tag = "documents", params(("dataset_id" = String, Path)),
    request_body = Value,
    responses((status = 200, body = Done), (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn parse_documents(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(id): Path<String>,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let Named { documents, unknown, twice } = named(&web, &caller, &id, &given).await?;
    if documents.iter().any(is_running) {
        return Err(Fault::data("Can't parse document that is currently being processed"));
    }
    web.service.queue(&documents).await??;
    if !unknown.is_empty() {
        return Err(Fault::data(format!("Documents not found: {}", python::list(&unknown))));
    }
    Ok(Done::of(documents.len(), duplicates(&twice)))
}

/// Stops the parse of documents, `document_ids`.
#[utoipa::path(delete, path = "/datasets/{dataset_id}/chunks", tag = "documents", params(("dataset_id" = String, Path)),
    request_body = Value, responses((status = 200, body = Done), (status = 401, body = Failure)))]
pub async fn stop_documents(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(id): Path<String>,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let Named { documents, unknown, twice } = named(&web, &caller, &id, &given).await?;
    if let Some(unknown) = unknown.first() {
        return Err(Fault::data(format!("You don't own the document {unknown}.")));
    }
    if !documents.iter().all(is_running) {
        return Err(Fault::data("Can't stop parsing document with progress at 0 or 1"));
    }
    web.service.stop(&documents).await?;
    Ok(Done::of(documents.len(), duplicates(&twice)))
}

fn is_running(document: &Document) -> bool {
    document.record.run == Run::Running
}

fn duplicates(twice: &[String]) -> Vec<String> {
    twice.iter().map(|id| format!("Duplicate document ids: {id}")).collect()
}
