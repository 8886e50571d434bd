//! `/chats`: make, list, change, delete.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde_json::{Map, Value};

use super::body::{Lenient, Query, apart, texts};
use super::caller::{Reader, Writer};
use super::envelope::{Answered, Done, Envelope, Failure};
use super::fault::Fault;
use super::{Web, chat_body, chat_view, owned};
use crate::catalog::PageQuery;
use crate::service::{Caller, Chat};

/// Makes a chat over datasets. Beside RAGFlow's fields, `sql` says how it may use statements: `allowed` (true), `mode`
/// (`auto`, `sql`, `search`), `repairs` of a refused statement, `statements` for fixed questions (`[{"question", "sql"}]`).
#[utoipa::path(post, path = "/chats", tag = "chats", request_body = Value,
    responses((status = 200, body = Envelope<Value>), (status = 401, body = Failure)))]
pub async fn create_chat(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Lenient(given): Lenient,
) -> Answered<Value> {
    let mut chat = Chat::new(&caller, "");
    chat_body::sources(&web, &caller, &mut chat, &given).await?;
    if caller.datasets.is_some() && chat.settings.dataset_ids.is_empty() {
        return Err(Fault::data("This API key is for some datasets only; name one of them in `dataset_ids`."));
    }
    let unnamed = "`name` is required.";
    chat.record.name = chat_body::name(&given, unnamed)?.ok_or_else(|| Fault::data(unnamed))?.to_owned();
    put(&web, &caller, &mut chat, &given, "Duplicated chat name in creating chat.").await?;
    Ok(Envelope::of(chat_view::chat(&chat, model(&web), None)))
}

/// Keeps the chat with the settings that were sent.
async fn put(
    web: &Web,
    caller: &Caller,
    chat: &mut Chat,
    given: &Map<String, Value>,
    taken: &str,
) -> Result<(), Fault> {
    chat_body::is_free(web, caller, chat, taken).await?;
    chat_body::settings(chat, given)?;
    if web.service.put_chat(chat).await? { Ok(()) } else { Err(Fault::data(taken)) }
}

fn model(web: &Web) -> &str {
    &web.service.app().config().llm.model
}

/// Changes a chat: what is not sent stays.
#[utoipa::path(put, path = "/chats/{chat_id}", tag = "chats", params(("chat_id" = String, Path)), request_body = Value,
    responses((status = 200, body = Done), (status = 401, body = Failure)))]
pub async fn update_chat(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(id): Path<String>,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let foreign = || "You do not own the chat".to_owned();
    let mut chat = owned::chat_or(&web, &caller, &id, foreign).await?;
    chat_body::sources(&web, &caller, &mut chat, &given).await?;
    if let Some(name) = chat_body::name(&given, "`name` cannot be empty.")? {
        chat.record.name = name.to_owned();
    }
    put(&web, &caller, &mut chat, &given, "Duplicated chat name in updating chat.").await?;
    Ok(Done::default())
}

/// Lists chats.
#[utoipa::path(get, path = "/chats", tag = "chats",
    params(("page" = Option<u64>, Query), ("page_size" = Option<u64>, Query), ("orderby" = Option<String>, Query),
           ("desc" = Option<String>, Query), ("id" = Option<String>, Query), ("name" = Option<String>, Query)),
    responses((status = 200, body = Envelope<Value>), (status = 401, body = Failure)))]
pub async fn list_chats(State(web): State<Arc<Web>>, Reader(caller): Reader, query: Query) -> Answered<Vec<Value>> {
    let unknown = || Fault::data("The chat doesn't exist");
    let page = page_query(&web, &query, &["name", "id"])?;
    let page = PageQuery { id: id(&query).map_err(|()| unknown())?, ..page };
    let chats = web.service.chats(&caller, &page).await?;
    if (page.id.is_some() || page.name.is_some()) && chats.is_empty() {
        return Err(unknown());
    }
    let mut shown = Vec::with_capacity(chats.len());
    for chat in &chats {
        let datasets = web.service.chat_datasets(&caller, chat).await?;
        shown.push(chat_view::chat(chat, model(&web), Some(&datasets)));
    }
    Ok(Envelope::of(shown))
}

/// The id that is asked for; an error where it can't be one.
pub fn id(query: &Query) -> Result<Option<crate::ids::Id>, ()> {
    query.get("id").map(str::parse).transpose().map_err(|_| ())
}

/// Page and order of a list of chats or sessions, by the time they were made or changed or by one of the other `columns`.
pub fn page_query(web: &Web, query: &Query, columns: &[&'static str]) -> Result<PageQuery, Fault> {
    let (skip, take) = query.page(web, 0)?;
    let order = match query.get("orderby") {
        None | Some("create_time" | "create_date") => "created",
        Some("update_time" | "update_date") => "updated",
        Some(field) => columns
            .iter()
            .find(|column| **column == field)
            .ok_or_else(|| Fault::argument(format!("`orderby` can't be {field}")))?,
    };
    Ok(PageQuery {
        name: query.get("name").map(str::to_owned),
        order: Some(order),
        ascending: !query.descending(),
        skip,
        take,
        ..PageQuery::default()
    })
}

/// Deletes chats: `ids`, all of them where there are none.
#[utoipa::path(delete, path = "/chats", tag = "chats", request_body = Value,
    responses((status = 200, body = Done), (status = 401, body = Failure)))]
pub async fn delete_chats(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let (chats, errors) = named(&web, &caller, texts(&given, "ids")?).await?;
    for chat in &chats {
        web.service.delete_chat(chat).await?;
    }
    if chats.is_empty() && !errors.is_empty() {
        return Err(Fault::data(errors.join("; ")));
    }
    Ok(Done::of(chats.len(), errors))
}

async fn named(web: &Web, caller: &Caller, ids: Option<Vec<String>>) -> Result<(Vec<Chat>, Vec<String>), Fault> {
    let Some(ids) = ids else { return Ok((web.service.chats(caller, &PageQuery::all()).await?, Vec::new())) };
    let (ids, twice) = apart(ids);
    let (mut chats, mut errors) = (Vec::new(), Vec::new());
    for id in ids {
        match owned::chat(web, caller, &id).await? {
            Some(chat) => chats.push(chat),
            None => errors.push(format!("Assistant({id}) not found.")),
        }
    }
    errors.extend(twice.iter().map(|id| format!("Duplicate assistant ids: {id}")));
    Ok((chats, errors))
}
