//! `POST /chats/{id}/completions`: a question in a session, with and without stream.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use serde_json::{Map, Value, json};

use super::body::{Lenient, texts};
use super::caller::Writer;
use super::envelope::{Envelope, Failure};
use super::fault::Fault;
use super::{Web, chat_body, frames, owned, reference, sessions};
use crate::ask::{Answer, Path as Way};
use crate::catalog::SessionRecord;
use crate::ids::Id;
use crate::service::{Caller, Chat};

/// Answers a question in a session; without a session one is begun and the question is not asked, as RAGFlow does.
#[utoipa::path(post, path = "/chats/{chat_id}/completions", tag = "chats", params(("chat_id" = String, Path)),
    request_body = Value,
    responses((status = 200, content((Envelope<Value> = "application/json"), (String = "text/event-stream"))),
              (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn complete(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(chat_id): Path<String>,
    Lenient(given): Lenient,
) -> Result<Response, Fault> {
    let foreign = || format!("You don't own the chat {chat_id}");
    let chat = owned::chat_or(&web, &caller, &chat_id, foreign).await?;
    let streams = given.get("stream").and_then(Value::as_bool).unwrap_or(true);
    let session_id = given.get("session_id").and_then(Value::as_str).filter(|id| !id.is_empty());
    let Some(session_id) = session_id else {
        let user_id = given.get("user_id").and_then(Value::as_str).unwrap_or_default();
        let session = web.service.begin_session(&chat, &first_words(&given), user_id).await?;
        return Ok(begun(&session, streams));
    };
    let unknown = || Fault::data(format!("You don't own the session {session_id}"));
    let session = sessions::session(&web, &chat, session_id).await?.ok_or_else(unknown)?;
    let question = given.get("question").and_then(Value::as_str).map(str::trim).unwrap_or_default().to_owned();
    if question.is_empty() {
        return Err(Fault::data("`question` is required."));
    }
    let turn = Turn { web, caller, chat, session: session.id, question, documents: documents(&given)? };
    if !streams {
        return Ok(Envelope::of(turn.answered().await?).into_response());
    }
    let answered = stream::once(async move { framed(turn.answered().await) });
    let end = stream::once(async { json!({"code": 0, "data": true}) });
    Ok(frames::response(answered.chain(end).map(|value| frames::frame(&value))))
}

/// A session's name where its question has none.
fn first_words(given: &Map<String, Value>) -> String {
    let question = given.get("question").and_then(Value::as_str).unwrap_or_default();
    let words: String = question.chars().take(60).collect();
    if words.trim().is_empty() { "New session".to_owned() } else { words }
}

/// The documents in scope, with commas between them or as a list; `None` is all.
fn documents(given: &Map<String, Value>) -> Result<Option<Vec<Id>>, Fault> {
    let named = match given.get("doc_ids") {
        Some(Value::String(named)) if named.trim().is_empty() => None,
        Some(Value::String(named)) => Some(named.split(',').map(str::to_owned).collect()),
        _ => texts(given, "doc_ids")?,
    };
    // One that is no id stands for no document.
    Ok(named.map(|ids: Vec<String>| ids.iter().filter_map(|id| id.trim().parse().ok()).collect()))
}

/// The first words of a new session.
fn begun(session: &SessionRecord, streams: bool) -> Response {
    let first = session.messages.first().and_then(|text| serde_json::from_str::<Value>(text).ok()).unwrap_or_default();
    let data = json!({
        "answer": first["content"], "reference": {}, "audio_binary": null, "id": null, "session_id": session.id
    });
    if !streams {
        return Envelope::of(data).into_response();
    }
    let values = [json!({"code": 0, "message": "", "data": data}), json!({"code": 0, "message": "", "data": true})];
    frames::response(stream::iter(values).map(|value| frames::frame(&value)))
}

/// The answer's frame, or the one that says what went wrong.
fn framed(answered: Result<Value, Fault>) -> Value {
    match answered {
        Ok(data) => json!({"code": 0, "data": data}),
        Err(fault) => {
            let message = fault.message();
            let data = json!({"answer": format!("**ERROR**: {message}"), "reference": []});
            json!({"code": 500, "message": message, "data": data})
        }
    }
}

/// One question of a session.
struct Turn {
    web: Arc<Web>,
    caller: Caller,
    chat: Chat,
    session: Id,
    question: String,
    documents: Option<Vec<Id>>,
}

impl Turn {
    /// Asks, keeps question and answer, and gives the data of the last frame.
    async fn answered(self) -> Result<Value, Fault> {
        let service = &self.web.service;
        let answer = service.answer(&self.caller, &self.chat, self.question.clone(), self.documents).await?;
        let text = said(&self.chat, &answer);
        let reference = reference::of(&answer);
        let id = Id::new().to_string();
        let created_at = chrono::Utc::now().timestamp_millis() as f64 / 1_000.0;
        let user = json!({"role": "user", "content": self.question, "id": id});
        let assistant = json!({"role": "assistant", "content": text, "created_at": created_at, "id": id,
                               "reference": reference["chunks"]});
        service.say(self.session, &[user, assistant]).await?;
        Ok(json!({
            "answer": text, "reference": reference, "prompt": self.chat.prompt("prompt").unwrap_or(chat_body::SYSTEM),
            "created_at": created_at, "audio_binary": null, "id": id, "session_id": self.session
        }))
    }
}

/// The answer's text; where nothing was found, the words that the chat's owner set for that.
pub fn said(chat: &Chat, answer: &Answer) -> String {
    match chat.prompt("empty_response").filter(|text| !text.is_empty()) {
        Some(empty) if answer.path == Way::Declined => empty.to_owned(),
        _ => reference::text(answer),
    }
}
