//! `PUT /datasets/{id}/documents/{doc}`: name, settings, enabled or not.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde_json::{Map, Value};

use super::body::Lenient;
use super::caller::Writer;
use super::document_view::{DocumentView, suffix};
use super::envelope::{Answered, Envelope, Failure};
use super::fault::Fault;
use super::{Web, owned, parser_config, python};
use crate::service::{CHUNK_METHODS, Document, DocumentSettings, default_parser_config};

/// Changes a document: what is not sent stays. Another way of reading drops its rows until it is parsed anew.
#[utoipa::path(put, path = "/datasets/{dataset_id}/documents/{document_id}", tag = "documents",
    params(("dataset_id" = String, Path), ("document_id" = String, Path)), request_body = Value,
    responses((status = 200, body = Envelope<DocumentView>), (status = 401, body = Failure)))]
pub async fn update_document(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path((dataset_id, id)): Path<(String, String)>,
    Lenient(given): Lenient,
) -> Answered<DocumentView> {
    let foreign = || "You don't own the dataset.".to_owned();
    let dataset = owned::dataset_or(&web, &caller, &dataset_id, foreign).await?;
    let unknown = || "The dataset doesn't own the document.".to_owned();
    let mut document = owned::document_or(&web, &dataset, &id, unknown).await?;
    fixed(&given, &document)?;
    let before = document.clone();
    meta_fields(&given, &mut document)?;
    name(&given, &mut document)?;
    method(&given, &mut document)?;
    config(&given, &mut document)?;
    enabled(&given, &mut document)?;
    let unread = reads_otherwise(&before.settings, &document.settings)?;
    let updated = web.service.update_document(&mut document, unread).await?;
    if !updated.map_err(|fault| Fault::data(fault.to_string()))? {
        return Err(Fault::data("Duplicated document name in the same dataset."));
    }
    Ok(Envelope::of(DocumentView::of(owned::document_or(&web, &dataset, &id, unknown).await?)))
}

/// What parses alone change.
fn fixed(given: &Map<String, Value>, document: &Document) -> Result<(), Fault> {
    let record = &document.record;
    let stored = [
        ("chunk_count", Value::from(record.chunks())),
        ("token_count", Value::from(0)),
        ("progress", Value::from(record.progress)),
    ];
    for (field, stored) in stored {
        let same = |value: &Value| value.as_f64() == stored.as_f64();
        if given.get(field).is_some_and(|value| !same(value)) {
            return Err(Fault::data(format!("Can't change `{field}`.")));
        }
    }
    Ok(())
}

fn meta_fields(given: &Map<String, Value>, document: &mut Document) -> Result<(), Fault> {
    match given.get("meta_fields") {
        None => {}
        Some(Value::Object(fields)) => document.settings.meta_fields = fields.clone(),
        Some(_) => return Err(Fault::data("meta_fields must be a dictionary")),
    }
    Ok(())
}

fn name(given: &Map<String, Value>, document: &mut Document) -> Result<(), Fault> {
    let Some(name) = given.get("name").filter(|name| !name.is_null()) else { return Ok(()) };
    let Some(name) = name.as_str().filter(|name| !name.contains(char::is_control)) else {
        return Err(Fault::argument("`name` should be a text on one line"));
    };
    if name == document.record.name {
        return Ok(());
    }
    if name.len() > 255 {
        return Err(Fault::argument("File name must be 255 bytes or less."));
    }
    if !suffix(name).eq_ignore_ascii_case(suffix(&document.record.name)) {
        return Err(Fault::argument("The extension of file can't be changed"));
    }
    document.record.name = name.to_owned();
    Ok(())
}

fn method(given: &Map<String, Value>, document: &mut Document) -> Result<(), Fault> {
    let Some(method) = given.get("chunk_method").filter(|method| !method.is_null()) else { return Ok(()) };
    let known = method.as_str().filter(|name| CHUNK_METHODS.contains(name) || *name == "knowledge_graph");
    let Some(known) = known else {
        return Err(Fault::data(format!("`chunk_method` {} doesn't exist", python::str(method))));
    };
    if known != document.settings.chunk_method {
        document.settings.chunk_method = known.to_owned();
        document.settings.parser_config = default_parser_config(known);
    }
    Ok(())
}

fn config(given: &Map<String, Value>, document: &mut Document) -> Result<(), Fault> {
    match given.get("parser_config") {
        None | Some(Value::Null) => {}
        Some(Value::Object(sent)) => {
            let before = document.settings.parser_config.take();
            document.settings.parser_config = Some(parser_config::merged(before, sent.clone()));
        }
        Some(_) => return Err(Fault::data("parser_config must be a dictionary")),
    }
    Ok(())
}

fn enabled(given: &Map<String, Value>, document: &mut Document) -> Result<(), Fault> {
    match given.get("enabled") {
        None | Some(Value::Null) => {}
        Some(Value::Bool(enabled)) => document.record.enabled = *enabled,
        Some(Value::Number(number)) if [Some(0), Some(1)].contains(&number.as_i64()) => {
            document.record.enabled = number.as_i64() == Some(1);
        }
        Some(_) => return Err(Fault::data("enabled must be a boolean")),
    }
    Ok(())
}

/// Whether the file's rows would be others.
fn reads_otherwise(before: &DocumentSettings, after: &DocumentSettings) -> Result<bool, Fault> {
    let options = |settings: &DocumentSettings| {
        let options = settings.options().map_err(|fault| Fault::data(fault.to_string()))?;
        Ok::<_, Fault>(serde_json::to_value(options).unwrap_or_default())
    };
    Ok(before.chunk_method != after.chunk_method || options(before)? != options(after)?)
}
