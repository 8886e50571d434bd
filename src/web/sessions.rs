//! `/chats/{id}/sessions`: make, list, rename, delete.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde_json::Value;

use super::body::{Lenient, Query, apart, texts};
use super::caller::{Reader, Writer};
use super::chats::{id, page_query};
use super::envelope::{Answered, Done, Envelope, Failure};
use super::fault::Fault;
use super::{Web, chat_body, chat_view, owned};
use crate::catalog::{PageQuery, SessionRecord};
use crate::service::Chat;

/// Begins a session.
#[utoipa::path(post, path = "/chats/{chat_id}/sessions", tag = "chats", params(("chat_id" = String, Path)),
    request_body = Value, responses((status = 200, body = Envelope<Value>), (status = 401, body = Failure)))]
pub async fn create_session(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(chat_id): Path<String>,
    Lenient(given): Lenient,
) -> Answered<Value> {
    let foreign = || "You do not own the assistant.".to_owned();
    let chat = owned::chat_or(&web, &caller, &chat_id, foreign).await?;
    let name = match given.get("name") {
        None => "New session",
        Some(_) => chat_body::name(&given, "`name` can not be empty.")?
            .ok_or_else(|| Fault::data("`name` can not be empty."))?,
    };
    let user_id = given.get("user_id").and_then(Value::as_str).unwrap_or_default();
    let session = web.service.begin_session(&chat, name, user_id).await?;
    Ok(Envelope::of(chat_view::session(&session)))
}

/// Renames a session.
#[utoipa::path(put, path = "/chats/{chat_id}/sessions/{session_id}", tag = "chats",
    params(("chat_id" = String, Path), ("session_id" = String, Path)), request_body = Value,
    responses((status = 200, body = Done), (status = 401, body = Failure)))]
pub async fn update_session(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path((chat_id, id)): Path<(String, String)>,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let chat = owned::chat_or(&web, &caller, &chat_id, || "Session does not exist".to_owned()).await?;
    let session = session(&web, &chat, &id).await?.ok_or_else(|| Fault::data("Session does not exist"))?;
    for fixed in ["message", "reference"] {
        if given.contains_key(fixed) || given.contains_key(&format!("{fixed}s")) {
            return Err(Fault::data(format!("`{fixed}` can not be change")));
        }
    }
    if given.get("name").is_some_and(Value::is_null) {
        return Err(Fault::data("`name` can not be empty."));
    }
    if let Some(name) = chat_body::name(&given, "`name` can not be empty.")? {
        web.service.rename_session(session.id, name).await?;
    }
    Ok(Done::default())
}

/// The chat's session of this id.
pub async fn session(web: &Web, chat: &Chat, id: &str) -> Result<Option<SessionRecord>, Fault> {
    let Ok(id) = id.parse() else { return Ok(None) };
    let query = PageQuery { id: Some(id), take: 1, ..PageQuery::default() };
    Ok(web.service.sessions(chat, &query).await?.pop())
}

/// Lists sessions with what was said in them.
#[utoipa::path(get, path = "/chats/{chat_id}/sessions", tag = "chats",
    params(("chat_id" = String, Path), ("page" = Option<u64>, Query), ("page_size" = Option<u64>, Query),
           ("orderby" = Option<String>, Query), ("desc" = Option<String>, Query), ("id" = Option<String>, Query),
           ("name" = Option<String>, Query), ("user_id" = Option<String>, Query)),
    responses((status = 200, body = Envelope<Value>), (status = 401, body = Failure)))]
pub async fn list_sessions(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    Path(chat_id): Path<String>,
    query: Query,
) -> Answered<Vec<Value>> {
    let foreign = || format!("You don't own the assistant {chat_id}.");
    let chat = owned::chat_or(&web, &caller, &chat_id, foreign).await?;
    let page = page_query(&web, &query, &["name", "id", "user_id"])?;
    let Ok(id) = id(&query) else { return Ok(Envelope::of(Vec::new())) };
    let page = PageQuery { id, user_id: query.get("user_id").map(str::to_owned), ..page };
    let sessions = web.service.sessions(&chat, &page).await?;
    Ok(Envelope::of(sessions.iter().map(chat_view::session).collect()))
}

/// Deletes sessions: `ids`, all of them where there are none.
#[utoipa::path(delete, path = "/chats/{chat_id}/sessions", tag = "chats", params(("chat_id" = String, Path)),
    request_body = Value, responses((status = 200, body = Done), (status = 401, body = Failure)))]
pub async fn delete_sessions(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(chat_id): Path<String>,
    Lenient(given): Lenient,
) -> Result<Done, Fault> {
    let chat = owned::chat_or(&web, &caller, &chat_id, || "You don't own the chat".to_owned()).await?;
    let (sessions, errors) = named(&web, &chat, texts(&given, "ids")?).await?;
    for session in &sessions {
        web.service.delete_session(session.id).await?;
    }
    if sessions.is_empty() && !errors.is_empty() {
        return Err(Fault::data(errors.join("; ")));
    }
    Ok(Done::of(sessions.len(), errors))
}

async fn named(web: &Web, chat: &Chat, ids: Option<Vec<String>>) -> Result<(Vec<SessionRecord>, Vec<String>), Fault> {
    let Some(ids) = ids else { return Ok((web.service.sessions(chat, &PageQuery::all()).await?, Vec::new())) };
    let (ids, twice) = apart(ids);
    let (mut sessions, mut errors) = (Vec::new(), Vec::new());
    for id in ids {
        match session(web, chat, &id).await? {
            Some(session) => sessions.push(session),
            None => errors.push(format!("The chat doesn't own the session {id}")),
        }
    }
    errors.extend(twice.iter().map(|id| format!("Duplicate session ids: {id}")));
    Ok((sessions, errors))
}
