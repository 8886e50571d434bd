//! `POST`, `PUT` and `DELETE /datasets/{id}/documents/{doc}/chunks`: texts added to a document by hand.
//!
//! Search finds them; statements never see them. Rows are not changed here: their file says what they are.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::body::{Lenient, apart};
use super::caller::Writer;
use super::envelope::{Answered, Done, Envelope, Failure};
use super::fault::Fault;
use super::{Web, date, owned, python};
use crate::catalog::{NewText, TextRecord};

/// What a caller who wants to change rows is told.
const OF_FILE: &str = "the file is the source of its rows: change the file and upload it again, or delete or disable the document; \
                       add a chunk for what the file does not say";

/// A text that was added.
#[derive(Debug, Serialize, ToSchema)]
pub struct Added {
    chunk: AddedText,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AddedText {
    /// 16 hex digits.
    id: String,
    /// As it was sent.
    content: String,
    document_id: String,
    dataset_id: String,
    important_keywords: Vec<String>,
    questions: Vec<String>,
    /// `2025-03-11 13:37:23`, UTC.
    create_time: String,
    /// Seconds since 1970.
    create_timestamp: f64,
}

impl AddedText {
    fn of(text: TextRecord) -> Self {
        Self {
            id: text.id,
            content: text.content,
            document_id: text.document.to_string(),
            dataset_id: text.kb.to_string(),
            important_keywords: text.keywords,
            questions: text.questions,
            create_time: date::plain(text.created),
            create_timestamp: text.created as f64 / 1_000.0,
        }
    }
}

/// Adds a text to a document: `content`, `important_keywords`, `questions`. Search finds it and answers cite it; it is no row.
#[utoipa::path(post, path = "/datasets/{dataset_id}/documents/{document_id}/chunks", tag = "chunks",
    params(("dataset_id" = String, Path), ("document_id" = String, Path)), request_body = Value,
    responses((status = 200, body = Envelope<Added>), (status = 401, body = Failure)))]
pub async fn add_chunk(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path((dataset_id, id)): Path<(String, String)>,
    Lenient(given): Lenient,
) -> Answered<Added> {
    let foreign = || format!("You don't own the dataset {dataset_id}.");
    let dataset = owned::dataset_or(&web, &caller, &dataset_id, foreign).await?;
    let unknown = || format!("You don't own the document {id}.");
    let document = owned::document_or(&web, &dataset, &id, unknown).await?;
    let content = content(&given)?.ok_or_else(|| Fault::data("`content` is required"))?;
    let keywords = list(&given, "important_keywords", "is required to be")?.unwrap_or_default();
    let questions = questions(list(&given, "questions", "is required to be")?.unwrap_or_default());
    let added = web.service.add_text(&document, &NewText { content, keywords, questions }).await?;
    let text = added.ok_or_else(|| Fault::data(unknown()))?;
    Ok(Envelope::of(Added { chunk: AddedText::of(text) }))
}

/// Changes a text: `content`, `important_keywords`, `questions`, `available`, `positions`; what is not sent stays. A row is refused.
#[utoipa::path(put, path = "/datasets/{dataset_id}/documents/{document_id}/chunks/{chunk_id}", tag = "chunks",
    params(("dataset_id" = String, Path), ("document_id" = String, Path), ("chunk_id" = String, Path)), request_body = Value,
    responses((status = 200, body = Done), (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn update_chunk(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path((dataset_id, document_id, id)): Path<(String, String, String)>,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let missing = || Fault::data(format!("Can't find this chunk {id}"));
    let dataset = owned::dataset(&web, &caller, &dataset_id).await?;
    let document = match &dataset {
        Some(dataset) => owned::document(&web, dataset, &document_id).await?,
        None => None,
    };
    let is_row = match &document {
        Some(document) => web.service.is_row(document, &id).await?,
        None => false,
    };
    if !is_row && !web.service.has_text(&caller, &id).await? {
        return Err(missing());
    }
    dataset.ok_or_else(|| Fault::data(format!("You don't own the dataset {dataset_id}.")))?;
    let document = document.ok_or_else(|| Fault::data(format!("You don't own the document {document_id}.")))?;
    match web.service.text(&document, &id).await? {
        Some(text) => web.service.update_text(&change(text, &given)?).await?,
        None if !is_row => return Err(missing()),
        None if given.keys().any(|name| FIELDS.contains(&name.as_str())) => {
            return Err(Fault::data(format!("The chunk {id} is a row of {}; {OF_FILE}", document.record.name)));
        }
        None => {}
    }
    Ok(Done::default())
}

const FIELDS: [&str; 5] = ["content", "important_keywords", "questions", "available", "positions"];

fn change(mut text: TextRecord, given: &Map<String, Value>) -> Result<TextRecord, Fault> {
    if let Some(keywords) = list(given, "important_keywords", "should be")? {
        text.keywords = keywords;
    }
    if let Some(sent) = list(given, "questions", "should be")? {
        text.questions = questions(sent);
    }
    if let Some(positions) = given.get("positions") {
        let fault = || Fault::data("`positions` should be a list of lists of five integers");
        let sent = positions.as_array().ok_or_else(|| Fault::data("`positions` should be a list"))?;
        text.positions = serde_json::from_value(Value::Array(sent.clone())).map_err(|_| fault())?;
    }
    if let Some(available) = given.get("available") {
        text.available = match (available, available.as_i64()) {
            (Value::Bool(available), _) => *available,
            (_, Some(number @ (0 | 1))) => number == 1,
            _ => return Err(Fault::data("`available` should be true or false")),
        };
    }
    if given.contains_key("content") {
        text.content = content(given)?.ok_or_else(|| Fault::data("`content` is required"))?;
    }
    Ok(text)
}

/// Deletes texts, `chunk_ids`; an empty list is all of the document, whose rows then leave every answer until it is parsed again.
/// Rows that are named are refused.
#[utoipa::path(delete, path = "/datasets/{dataset_id}/documents/{document_id}/chunks", tag = "chunks",
    params(("dataset_id" = String, Path), ("document_id" = String, Path)), request_body = Value,
    responses((status = 200, body = Done), (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn delete_chunks(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path((dataset_id, id)): Path<(String, String)>,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let foreign = || format!("You don't own the dataset {dataset_id}.");
    let dataset = owned::dataset_or(&web, &caller, &dataset_id, foreign).await?;
    let unknown = || Fault::unexpected(format!("LookupError(\"Can't find the document with ID {id}!\")"));
    let document = owned::document(&web, &dataset, &id).await?.ok_or_else(unknown)?;
    let sent = given.get("chunk_ids").and_then(Value::as_array);
    let sent = sent.ok_or_else(|| Fault::data("`chunk_ids` is required to be a list; an empty one is all chunks"))?;
    if sent.is_empty() {
        web.service.empty(&document).await?;
        return Ok(Done::default());
    }
    let (ids, twice) = apart(sent.iter().map(python::str));
    let removed = web.service.remove_texts(&document, &ids).await?;
    if removed.texts < ids.len() {
        let mut message = format!("rm_chunk deleted chunks {}, expect {}", removed.texts, ids.len());
        if removed.rows > 0 {
            message.push_str(&format!("; {} of them are rows of {}; {OF_FILE}", removed.rows, document.record.name));
        }
        return Err(Fault::data(message));
    }
    let errors = twice.iter().map(|id| format!("Duplicate chunk ids: {id}")).collect();
    Ok(Done::of(removed.texts, errors))
}

/// The content as it was sent; `None` where it is missing or blank.
fn content(given: &Map<String, Value>) -> Result<Option<String>, Fault> {
    match given.get("content") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
        Some(_) => Err(Fault::data("`content` should be a text")),
    }
}

/// A list of texts; `None` where it is missing.
fn list(given: &Map<String, Value>, name: &str, should_be: &str) -> Result<Option<Vec<String>>, Fault> {
    let Some(value) = given.get(name) else { return Ok(None) };
    let items = value.as_array().ok_or_else(|| Fault::data(format!("`{name}` {should_be} a list")))?;
    let texts = items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
    texts.map(Some).ok_or_else(|| Fault::data(format!("`{name}` should hold texts only")))
}

/// Without blanks around them and without blank ones.
fn questions(sent: Vec<String>) -> Vec<String> {
    let trimmed = sent.into_iter().map(|question| question.trim().to_owned());
    trimmed.filter(|question| !question.is_empty()).collect()
}
