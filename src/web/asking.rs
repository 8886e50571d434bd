//! `/datasets/{id}/ask` and `/datasets/{id}/sql`: one question, one statement, over one dataset.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use super::body::{Lenient, texts};
use super::caller::Reader;
use super::chunk_view::url;
use super::envelope::{Envelope, Failure};
use super::fault::Fault;
use super::{Web, export, owned};
use crate::app::Session;
use crate::ask::{Answer, Mode, Outcome};
use crate::service::Dataset;

/// Answers a question over a dataset: `question`, `mode` (`auto`, `sql`, `search`), `document_ids`,
/// `format` (`json`, `csv`, `xlsx`).
#[utoipa::path(post, path = "/datasets/{dataset_id}/ask", tag = "ask", params(("dataset_id" = String, Path)),
    request_body = Value,
    responses((status = 200, content((Envelope<Value> = "application/json"), (String = "text/csv"),
               (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))),
              (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn ask_dataset(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    Path(id): Path<String>,
    Lenient(given): Lenient,
) -> Result<Response, Fault> {
    let dataset = owned::own_dataset(&web, &caller, &id).await?;
    let question = text(&given, "question")?;
    let mode = mode(&given)?;
    let session = session(&web, &dataset, &given).await?;
    let answer = web.service.ask(&caller, session, question, mode).await?;
    shown(&answer, &given)
}

/// Runs a SELECT over a dataset as a model's reply would run, `sql`: checked, limited to the dataset, cited; `format` as above.
#[utoipa::path(post, path = "/datasets/{dataset_id}/sql", tag = "ask", params(("dataset_id" = String, Path)),
    request_body = Value,
    responses((status = 200, content((Envelope<Value> = "application/json"), (String = "text/csv"),
               (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))),
              (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn query_dataset(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    Path(id): Path<String>,
    Lenient(given): Lenient,
) -> Result<Response, Fault> {
    let dataset = owned::own_dataset(&web, &caller, &id).await?;
    let statement = text(&given, "sql")?;
    let session = session(&web, &dataset, &given).await?;
    match web.service.sql(&caller, session, statement).await? {
        Outcome::Answered(answer) => shown(&answer, &given),
        Outcome::Refused(refusal) => Err(Fault::refusal(&refusal)),
    }
}

/// As JSON, or as the file of its rows where `format` is `csv` or `xlsx`.
fn shown(answer: &Answer, given: &Map<String, Value>) -> Result<Response, Fault> {
    match given.get("format").and_then(Value::as_str) {
        None | Some("json") => Ok(Envelope::of(document(answer)?).into_response()),
        Some("csv") => export::csv(answer),
        Some("xlsx") => export::xlsx(answer),
        Some(_) => Err(Fault::argument("`format` should be json, csv or xlsx")),
    }
}

fn text(given: &Map<String, Value>, name: &str) -> Result<String, Fault> {
    match given.get(name).and_then(Value::as_str).map(str::trim) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(Fault::argument(format!("`{name}` is required"))),
    }
}

fn mode(given: &Map<String, Value>) -> Result<Mode, Fault> {
    match given.get("mode").filter(|mode| !mode.is_null()) {
        None => Ok(Mode::Auto),
        Some(mode) => match mode.as_str() {
            Some("auto") => Ok(Mode::Auto),
            Some("sql") => Ok(Mode::Sql),
            Some("search") => Ok(Mode::Search),
            _ => Err(Fault::argument("`mode` should be auto, sql or search")),
        },
    }
}

/// The dataset, or only those of its documents that are named.
async fn session(web: &Web, dataset: &Dataset, given: &Map<String, Value>) -> Result<Session, Fault> {
    let documents = match texts(given, "document_ids")? {
        None => None,
        Some(ids) => {
            let (documents, unknown) = owned::documents(web, dataset, &ids).await?;
            if let Some(unknown) = unknown.first() {
                return Err(Fault::data(format!("You don't own the document {unknown}.")));
            }
            Some(documents.into_iter().map(|document| document.record.id).collect())
        }
    };
    Ok(web.service.session(std::slice::from_ref(dataset), documents).await?)
}

/// The answer as the README's reference describes it, each cited row with its address.
fn document(answer: &Answer) -> Result<Value, Fault> {
    let mut document = serde_json::to_value(answer).map_err(|error| Fault::unexpected(error.to_string()))?;
    let chunks = document.pointer_mut("/reference/chunks").and_then(Value::as_array_mut);
    for (shown, chunk) in chunks.into_iter().flatten().zip(&answer.reference.chunks) {
        shown["url"] = Value::from(url(chunk));
    }
    Ok(document)
}
