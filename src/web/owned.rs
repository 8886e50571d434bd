//! What a path or a body names, where it is the caller's; another owner's is not there.

use std::collections::HashMap;

use super::Web;
use super::fault::Fault;
use crate::catalog::FileQuery;
use crate::ids::Id;
use crate::service::{Caller, Chat, Dataset, Document};

/// The caller's dataset of this id.
pub async fn dataset(web: &Web, caller: &Caller, id: &str) -> Result<Option<Dataset>, Fault> {
    let Ok(id) = id.parse() else { return Ok(None) };
    Ok(web.service.dataset(caller, id).await?)
}

/// The dataset, or the fault that says it is not the caller's.
pub async fn dataset_or(
    web: &Web,
    caller: &Caller,
    id: &str,
    fault: impl FnOnce() -> String,
) -> Result<Dataset, Fault> {
    dataset(web, caller, id).await?.ok_or_else(|| Fault::data(fault()))
}

/// The dataset of our own routes.
pub async fn own_dataset(web: &Web, caller: &Caller, id: &str) -> Result<Dataset, Fault> {
    dataset_or(web, caller, id, || format!("You don't own the dataset {id}.")).await
}

/// The dataset's document of this id.
pub async fn document(web: &Web, dataset: &Dataset, id: &str) -> Result<Option<Document>, Fault> {
    let Ok(id) = id.parse() else { return Ok(None) };
    Ok(web.service.document(dataset, id).await?)
}

/// The document, or the fault that says it is not the dataset's.
pub async fn document_or(
    web: &Web,
    dataset: &Dataset,
    id: &str,
    fault: impl FnOnce() -> String,
) -> Result<Document, Fault> {
    document(web, dataset, id).await?.ok_or_else(|| Fault::data(fault()))
}

/// The dataset's documents of these ids, and the ids that are none.
pub async fn documents(web: &Web, dataset: &Dataset, ids: &[String]) -> Result<(Vec<Document>, Vec<String>), Fault> {
    let named: Vec<Option<Id>> = ids.iter().map(|id| id.parse().ok()).collect();
    let query = FileQuery { within: Some(named.iter().flatten().copied().collect()), ..FileQuery::all() };
    let there = web.service.documents(dataset, &query).await?.0.into_iter();
    let there: HashMap<Id, Document> = there.map(|document| (document.record.id, document)).collect();
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for (id, named) in ids.iter().zip(named) {
        match named.and_then(|named| there.get(&named)) {
            Some(document) => found.push(document.clone()),
            None => unknown.push(id.clone()),
        }
    }
    Ok((found, unknown))
}

/// The caller's chat of this id.
pub async fn chat(web: &Web, caller: &Caller, id: &str) -> Result<Option<Chat>, Fault> {
    let Ok(id) = id.parse() else { return Ok(None) };
    Ok(web.service.chat(caller, id).await?)
}

/// The chat, or the fault that says it is not the caller's.
pub async fn chat_or(web: &Web, caller: &Caller, id: &str, fault: impl FnOnce() -> String) -> Result<Chat, Fault> {
    chat(web, caller, id).await?.ok_or_else(|| Fault::data(fault()))
}
