//! OpenAI's chat API over chats: under RAGFlow's paths, and under `/v1` with the chat as the model.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::body::Lenient;
use super::caller::{Reader, caller};
use super::completions::said;
use super::envelope::Failure;
use super::fault::Fault;
use super::openai_shape::{Completion, question};
use super::{Web, owned, reference};
use crate::catalog::PageQuery;
use crate::service::Chat;

/// A fault in OpenAI's shape beside ours: its clients read the status.
pub struct OpenAiFault(Fault);

impl From<Fault> for OpenAiFault {
    fn from(fault: Fault) -> Self {
        Self(fault)
    }
}

impl IntoResponse for OpenAiFault {
    fn into_response(self) -> Response {
        let kind = match self.0.status() {
            StatusCode::UNAUTHORIZED => "authentication_error",
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            status if status.is_server_error() => "server_error",
            _ => "invalid_request_error",
        };
        let error = json!({"message": self.0.message(), "type": kind, "param": null, "code": null});
        self.0.with("error", error).as_client_error().into_response()
    }
}

/// OpenAI's chat completion over a chat; `stream` is on unless it is off, as in RAGFlow 0.22.
#[utoipa::path(post, path = "/chats_openai/{chat_id}/chat/completions", tag = "openai",
    params(("chat_id" = String, Path)), request_body = Value,
    responses((status = 200, content((Value = "application/json"), (String = "text/event-stream"))),
              (status = 400, body = Failure), (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn complete_by_default_streamed(
    State(web): State<Arc<Web>>,
    Path(chat_id): Path<String>,
    headers: HeaderMap,
    Lenient(given): Lenient,
) -> Result<Response, OpenAiFault> {
    required(&given)?;
    of_chat(&web, &headers, &chat_id, &given, true).await
}

/// OpenAI's chat completion over a chat; `stream` is off unless it is on.
#[utoipa::path(post, path = "/openai/{chat_id}/chat/completions", tag = "openai",
    params(("chat_id" = String, Path)), request_body = Value,
    responses((status = 200, content((Value = "application/json"), (String = "text/event-stream"))),
              (status = 400, body = Failure), (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn complete_whole(
    State(web): State<Arc<Web>>,
    Path(chat_id): Path<String>,
    headers: HeaderMap,
    Lenient(given): Lenient,
) -> Result<Response, OpenAiFault> {
    required(&given)?;
    of_chat(&web, &headers, &chat_id, &given, false).await
}

fn required(given: &Map<String, Value>) -> Result<(), Fault> {
    let missing: Vec<&str> = ["model", "messages"].into_iter().filter(|name| !given.contains_key(*name)).collect();
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(Fault::argument(format!("required argument are missing: {}; ", missing.join(",")))),
    }
}

async fn of_chat(
    web: &Arc<Web>,
    headers: &HeaderMap,
    chat_id: &str,
    given: &Map<String, Value>,
    streams: bool,
) -> Result<Response, OpenAiFault> {
    let caller = caller(headers, web).await?;
    let foreign = || format!("You don't own the chat {chat_id}");
    let chat = owned::chat_or(web, &caller, chat_id, foreign).await?;
    let extra = given.get("extra_body").and_then(|extra| extra.get("reference"));
    let cites = given.get("reference").or(extra).and_then(Value::as_bool).unwrap_or(false);
    answered(web, &caller, &chat, given, streams, cites).await
}

async fn answered(
    web: &Arc<Web>,
    caller: &crate::service::Caller,
    chat: &Chat,
    given: &Map<String, Value>,
    streams: bool,
    cites: bool,
) -> Result<Response, OpenAiFault> {
    let question = question(given)?;
    let streams = given.get("stream").and_then(Value::as_bool).unwrap_or(streams);
    let answer = web.service.answer(caller, chat, question.clone(), None).await.map_err(Fault::from)?;
    let model = given.get("model").and_then(Value::as_str).unwrap_or("model").to_owned();
    let completion = Completion {
        id: format!("chatcmpl-{}", chat.record.id),
        model,
        created: chrono::Utc::now().timestamp(),
        prompt: question,
        content: said(chat, &answer),
        reference: cites.then(|| reference::of(&answer)),
    };
    Ok(if streams { completion.streamed() } else { Json(completion.whole()).into_response() })
}

/// OpenAI's chat completion; the model is a chat, by name or id. The rows that the answer stands on are in `reference`.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "openai", request_body = Value,
    responses((status = 200, content((Value = "application/json"), (String = "text/event-stream"))),
              (status = 400, body = Failure), (status = 401, body = Failure), (status = 404, body = Failure),
              (status = 429, body = Failure)))]
pub async fn complete_by_model(
    State(web): State<Arc<Web>>,
    headers: HeaderMap,
    Lenient(given): Lenient,
) -> Result<Response, OpenAiFault> {
    let caller = caller(&headers, &web).await?;
    required(&given)?;
    let model = given.get("model").and_then(Value::as_str).unwrap_or_default();
    let chat = match owned::chat(&web, &caller, model).await? {
        Some(chat) => Some(chat),
        None => {
            let named = PageQuery { name: Some(model.to_owned()), take: 1, ..PageQuery::default() };
            web.service.chats(&caller, &named).await.map_err(Fault::from)?.pop()
        }
    };
    let unknown = || Fault::data(format!("The model `{model}` does not exist; make a chat of this name"));
    let chat = chat.ok_or_else(|| unknown().not_found())?;
    answered(&web, &caller, &chat, &given, false, true).await
}

/// The chats as OpenAI's models.
#[utoipa::path(get, path = "/v1/models", tag = "openai",
    responses((status = 200, body = Value), (status = 401, body = Failure)))]
pub async fn list_models(State(web): State<Arc<Web>>, Reader(caller): Reader) -> Result<Json<Value>, Fault> {
    let chats = web.service.chats(&caller, &PageQuery::all()).await?;
    let models = chats.iter().map(|chat| {
        json!({"id": chat.record.name, "object": "model", "created": chat.record.created / 1_000, "owned_by": "sheetwise"})
    });
    Ok(Json(json!({"object": "list", "data": models.collect::<Vec<_>>()})))
}
