//! `/datasets/{id}/documents`: upload, list, download, delete.

use std::sync::Arc;

use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use super::body::{Lenient, Query, apart, texts};
use super::caller::{Reader, Writer};
use super::document_view::DocumentView;
use super::envelope::{Answered, Done, Envelope, Failure};
use super::fault::Fault;
use super::{Web, owned, python, upload};
use crate::catalog::{FileQuery, Run};
use crate::service::Dataset;

/// Uploads files, parts called `file`. A name that is taken gets `(1)`.
#[utoipa::path(post, path = "/datasets/{dataset_id}/documents", tag = "documents", params(("dataset_id" = String, Path)),
    request_body(content = Vec<u8>, content_type = "multipart/form-data"),
    responses((status = 200, body = Envelope<Vec<DocumentView>>), (status = 401, body = Failure), (status = 413, body = Failure)))]
pub async fn upload_documents(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(id): Path<String>,
    parts: Result<Multipart, MultipartRejection>,
) -> Answered<Vec<DocumentView>> {
    let parts = parts.map_err(|_| Fault::argument("No file part!"))?;
    let dataset = owned::dataset(&web, &caller, &id).await?;
    let files = upload::files(&web, parts, dataset.is_some()).await?;
    let unknown = || Fault::unexpected(format!("LookupError(\"Can't find the dataset with ID {id}!\")"));
    let dataset = dataset.ok_or_else(unknown)?;
    let documents = web.service.add_documents(&caller, &dataset, files).await?;
    let documents = documents.map_err(|fault| Fault::data(fault.to_string()))?;
    if documents.is_empty() {
        return Err(unknown());
    }
    Ok(Envelope::of(documents.into_iter().map(DocumentView::of).collect()))
}

/// A page of documents.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentList {
    /// On all pages.
    total: u64,
    docs: Vec<DocumentView>,
}

/// Lists documents.
#[utoipa::path(get, path = "/datasets/{dataset_id}/documents", tag = "documents",
    params(("dataset_id" = String, Path), ("page" = Option<u64>, Query), ("page_size" = Option<u64>, Query),
           ("orderby" = Option<String>, Query), ("desc" = Option<String>, Query), ("keywords" = Option<String>, Query),
           ("id" = Option<String>, Query), ("name" = Option<String>, Query), ("suffix" = Option<Vec<String>>, Query),
           ("run" = Option<Vec<String>>, Query), ("create_time_from" = Option<i64>, Query), ("create_time_to" = Option<i64>, Query)),
    responses((status = 200, body = Envelope<DocumentList>), (status = 401, body = Failure)))]
pub async fn list_documents(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    Path(id): Path<String>,
    query: Query,
) -> Answered<DocumentList> {
    let dataset = owned::dataset_or(&web, &caller, &id, || format!("You don't own the dataset {id}. ")).await?;
    let query = file_query(&web, &dataset, &query).await?;
    let (documents, total) = web.service.documents(&dataset, &query).await?;
    Ok(Envelope::of(DocumentList { total, docs: documents.into_iter().map(DocumentView::of).collect() }))
}

async fn file_query(web: &Web, dataset: &Dataset, query: &Query) -> Result<FileQuery, Fault> {
    let not_in_it = |value: &str| Fault::data(format!("You don't own the document {value}."));
    let id = match query.get("id") {
        Some(id) => Some(owned::document(web, dataset, id).await?.ok_or_else(|| not_in_it(id))?.record.id),
        None => None,
    };
    let name = query.get("name").map(str::to_owned);
    if let Some(name) = &name {
        let named = FileQuery { name: Some(name.clone()), take: 1, ..FileQuery::default() };
        if web.service.documents(dataset, &named).await?.1 == 0 {
            return Err(not_in_it(name));
        }
    }
    let (skip, take) = query.page(web, 0)?;
    let time = |name| query.number(name, 0).map(|time| (time != 0).then_some(time));
    Ok(FileQuery {
        within: None,
        id,
        name,
        keywords: query.get("keywords").map(str::to_owned),
        suffixes: query.all("suffix").map(str::to_owned).collect(),
        runs: runs(query)?,
        made_from: time("create_time_from")?,
        made_to: time("create_time_to")?,
        order: query.get("orderby").map(order).transpose()?,
        ascending: !query.descending(),
        skip,
        take,
    })
}

/// States by word, or by RAGFlow's number.
fn runs(query: &Query) -> Result<Vec<Run>, Fault> {
    let run = |text: &str| {
        let number = text.parse::<usize>().ok();
        let mut all = Run::ALL.into_iter().enumerate();
        let found = all.find(|(n, run)| run.word().eq_ignore_ascii_case(text) || number == Some(*n));
        found.map(|(_, run)| run).ok_or_else(|| Fault::data(format!("Invalid filter run status conditions: {text}")))
    };
    query.all("run").map(run).collect()
}

/// The catalog's column of a field.
fn order(field: &str) -> Result<&'static str, Fault> {
    match field {
        "create_time" | "create_date" => Ok("document.made"),
        "update_time" | "update_date" => Ok("document.updated"),
        "name" | "location" => Ok("document.name"),
        "size" => Ok("document.size"),
        "run" => Ok("document.run"),
        "progress" => Ok("document.progress"),
        "id" => Ok("document.id"),
        "status" => Ok("document.enabled"),
        "process_begin_at" => Ok("document.began"),
        "process_duration" | "process_duation" => Ok("document.took"),
        "chunk_count" | "chunk_num" => Ok("rows"),
        _ => Err(Fault::argument(format!("`orderby` can't be {field}"))),
    }
}

/// Deletes documents: `ids`, all of them where there are none.
#[utoipa::path(delete, path = "/datasets/{dataset_id}/documents", tag = "documents", params(("dataset_id" = String, Path)),
    request_body = Value, responses((status = 200, body = Done), (status = 401, body = Failure)))]
pub async fn delete_documents(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(id): Path<String>,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let dataset = owned::dataset_or(&web, &caller, &id, || format!("You don't own the dataset {id}. ")).await?;
    let Some(ids) = texts(&given, "ids")? else {
        let all = web.service.all_documents(&dataset).await?;
        web.service.delete_documents(&all).await?;
        return Ok(Done::default());
    };
    let (ids, twice) = apart(ids);
    let (documents, unknown) = owned::documents(&web, &dataset, &ids).await?;
    web.service.delete_documents(&documents).await?;
    if !unknown.is_empty() {
        return Err(Fault::data(format!("Documents not found: {}", python::list(&unknown))));
    }
    let errors = twice.iter().map(|id| format!("Duplicate document ids: {id}")).collect();
    Ok(Done::of(documents.len(), errors))
}
