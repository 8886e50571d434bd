//! What was read: the report of a document, the tables and fields of a dataset.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde_json::Value;

use super::caller::Reader;
use super::envelope::{Answered, Envelope, Failure};
use super::fault::Fault;
use super::{Web, owned};
use crate::ingest::TableReport;

/// How a document was read: sheets, header rows, tables, and what was not literal, with its place.
#[utoipa::path(get, path = "/datasets/{dataset_id}/documents/{document_id}/report", tag = "documents",
    params(("dataset_id" = String, Path), ("document_id" = String, Path)),
    responses((status = 200, body = Envelope<Value>), (status = 401, body = Failure)))]
pub async fn document_report(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    Path((dataset_id, id)): Path<(String, String)>,
) -> Answered<Value> {
    let dataset = owned::own_dataset(&web, &caller, &dataset_id).await?;
    let unknown = || format!("You don't own the document {id}.");
    let document = owned::document_or(&web, &dataset, &id, unknown).await?;
    match web.service.report(&document).await? {
        Some(report) => Ok(Envelope::of(json(&report)?)),
        None => Err(Fault::data(format!("The document {id} is not parsed."))),
    }
}

/// The tables of a dataset with their fields: stored name, label, type, unit.
#[utoipa::path(get, path = "/datasets/{dataset_id}/tables", tag = "datasets", params(("dataset_id" = String, Path)),
    responses((status = 200, body = Envelope<Value>), (status = 401, body = Failure)))]
pub async fn dataset_tables(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    Path(id): Path<String>,
) -> Answered<Value> {
    let dataset = owned::own_dataset(&web, &caller, &id).await?;
    let session = web.service.session(std::slice::from_ref(&dataset), None).await?;
    let tables: Vec<TableReport> = session.schema().tables.iter().map(TableReport::from).collect();
    Ok(Envelope::of(json(&tables)?))
}

fn json(value: &impl serde::Serialize) -> Result<Value, Fault> {
    serde_json::to_value(value).map_err(|error| Fault::unexpected(error.to_string()))
}
