//! `/keys`: API keys of the caller's owner. Only a key for all datasets may make others, and none outlives it.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::body::Strict;
use super::caller::Keeper;
use super::envelope::{Answered, Done, Envelope, Failure};
use super::fault::Fault;
use super::{Web, date, owned};
use crate::catalog::KeyRecord;
use crate::ids::Id;
use crate::service::{Caller, NewKey};

/// Characters of a key's name.
const MAX_NAME: usize = 128;

/// A key that is to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyBody {
    #[schema(min_length = 1, max_length = 128)]
    name: String,
    /// It may not change anything.
    #[serde(default)]
    read_only: bool,
    /// Datasets that it is for; all of its owner's, where it is left out.
    dataset_ids: Option<Vec<String>>,
    /// It ends after so many days.
    #[schema(maximum = 36500)]
    days: Option<u32>,
}

/// A key without its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyView {
    id: String,
    name: String,
    read_only: bool,
    /// `null` is all datasets of its owner.
    dataset_ids: Option<Vec<String>>,
    /// Milliseconds since 1970, as the times below.
    create_time: i64,
    create_date: String,
    /// `null` is never.
    expire_time: Option<i64>,
    expire_date: Option<String>,
    /// To the minute.
    last_used_time: Option<i64>,
    last_used_date: Option<String>,
}

/// A key with its text, which is not shown again.
#[derive(Debug, Serialize, ToSchema)]
pub struct MadeKey {
    key: String,
    #[serde(flatten)]
    view: KeyView,
}

impl From<&KeyRecord> for KeyView {
    fn from(key: &KeyRecord) -> Self {
        Self {
            id: key.id.to_string(),
            name: key.name.clone(),
            read_only: !key.may_write,
            dataset_ids: key.datasets.as_ref().map(|ids| ids.iter().map(Id::to_string).collect()),
            create_time: key.created,
            create_date: date::http(key.created),
            expire_time: key.expires,
            expire_date: key.expires.map(date::http),
            last_used_time: key.used,
            last_used_date: key.used.map(date::http),
        }
    }
}

/// Makes a key; its text is in `key`, this once.
#[utoipa::path(post, path = "/keys", tag = "keys", request_body = KeyBody,
    responses((status = 200, body = Envelope<MadeKey>), (status = 401, body = Failure)))]
pub async fn create_key(
    State(web): State<Arc<Web>>,
    Keeper(caller): Keeper,
    Strict(given): Strict,
) -> Answered<MadeKey> {
    let body: KeyBody =
        serde_json::from_value(Value::Object(given)).map_err(|error| Fault::argument(error.to_string()))?;
    let name = body.name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
        return Err(Fault::argument(format!("`name` should be one line of 1 to {MAX_NAME} characters")));
    }
    if body.days.is_some_and(|days| days > NewKey::MAX_DAYS) {
        return Err(Fault::argument(format!("`days` should be {} at most", NewKey::MAX_DAYS)));
    }
    let expires = [caller.expires, body.days.map(NewKey::in_days)].into_iter().flatten().min();
    let datasets = datasets(&web, &caller, body.dataset_ids.as_deref()).await?;
    let (name, owner) = (name.to_owned(), caller.owner.clone());
    let new = NewKey { name: name.clone(), owner, may_write: !body.read_only, datasets, expires };
    let made = web.service.create_key(new).await?;
    let (record, key) = made.ok_or_else(|| Fault::data(format!("There is a key called '{name}' already.")))?;
    Ok(Envelope::of(MadeKey { key, view: KeyView::from(&record) }))
}

async fn datasets(web: &Web, caller: &Caller, named: Option<&[String]>) -> Result<Option<Vec<Id>>, Fault> {
    let Some(named) = named else { return Ok(None) };
    if named.is_empty() {
        return Err(Fault::argument("`dataset_ids` names none; leave it out for all datasets"));
    }
    let mut ids = Vec::with_capacity(named.len());
    for id in named {
        ids.push(owned::own_dataset(web, caller, id).await?.record.id);
    }
    Ok(Some(ids))
}

/// Lists keys: scope, expiry, last use.
#[utoipa::path(get, path = "/keys", tag = "keys",
    responses((status = 200, body = Envelope<Vec<KeyView>>), (status = 401, body = Failure)))]
pub async fn list_keys(State(web): State<Arc<Web>>, Keeper(caller): Keeper) -> Answered<Vec<KeyView>> {
    Ok(Envelope::of(web.service.keys(&caller).await?.iter().map(KeyView::from).collect()))
}

/// Deletes a key: it opens nothing from then on.
#[utoipa::path(delete, path = "/keys/{key_id}", tag = "keys", params(("key_id" = String, Path)),
    responses((status = 200, body = Done), (status = 401, body = Failure)))]
pub async fn delete_key(
    State(web): State<Arc<Web>>,
    Keeper(caller): Keeper,
    Path(id): Path<String>,
) -> Result<Done, Fault> {
    let known = match id.parse() {
        Ok(id) => web.service.delete_key(&caller, id).await?,
        Err(_) => false,
    };
    if known { Ok(Done::default()) } else { Err(Fault::data(format!("You don't own the key {id}."))) }
}
