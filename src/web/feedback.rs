//! What askers think of answers: given on a question over a dataset or on a message of a session, read by the owner.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::body::{Lenient, Query};
use super::caller::{Overseer, Writer};
use super::envelope::{Answered, Envelope, Failure};
use super::fault::Fault;
use super::{Web, owned, sessions};
use crate::catalog::{FeedbackQuery, FeedbackRecord};
use crate::service::Opinion;

/// One opinion.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeedbackView {
    id: String,
    /// Where a dataset was asked.
    dataset_id: Option<String>,
    /// Where it was a session's message.
    session_id: Option<String>,
    message_id: Option<String>,
    thumbup: bool,
    feedback: String,
    question: String,
    answer: String,
    sql: String,
    /// Milliseconds since 1970.
    create_time: i64,
}

impl FeedbackView {
    fn of(record: FeedbackRecord) -> Self {
        let (session_id, message_id) = record.message.map(|(session, message)| (session.to_string(), message)).unzip();
        Self {
            id: record.id.to_string(),
            dataset_id: record.dataset.map(|dataset| dataset.to_string()),
            session_id,
            message_id,
            thumbup: record.thumbup,
            feedback: record.text,
            question: record.question,
            answer: record.answer,
            sql: record.sql,
            create_time: record.created,
        }
    }
}

/// A page of opinions.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeedbackList {
    /// On all pages.
    total: u64,
    feedback: Vec<FeedbackView>,
}

/// Keeps what the asker thinks of an answer: `thumbup`, `question`; `feedback` (words), `answer`, `sql`.
#[utoipa::path(post, path = "/datasets/{dataset_id}/feedback", tag = "feedback", params(("dataset_id" = String, Path)),
    request_body = Value, responses((status = 200, body = Envelope<FeedbackView>), (status = 401, body = Failure)))]
pub async fn judge_answer(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(id): Path<String>,
    Lenient(given): Lenient,
) -> Answered<FeedbackView> {
    let dataset = owned::own_dataset(&web, &caller, &id).await?;
    let opinion = opinion(&given)?;
    if opinion.question.trim().is_empty() {
        return Err(Fault::argument("`question` is required"));
    }
    Ok(Envelope::of(FeedbackView::of(web.service.judge(&caller, &dataset, opinion).await?)))
}

/// Keeps what the asker thinks of an answer in a session: `thumbup`, `feedback` (words). A later one takes its place.
#[utoipa::path(put, path = "/chats/{chat_id}/sessions/{session_id}/messages/{message_id}/feedback", tag = "feedback",
    params(("chat_id" = String, Path), ("session_id" = String, Path), ("message_id" = String, Path)), request_body = Value,
    responses((status = 200, body = Envelope<FeedbackView>), (status = 401, body = Failure)))]
pub async fn judge_message(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path((chat_id, session_id, message_id)): Path<(String, String, String)>,
    Lenient(given): Lenient,
) -> Answered<FeedbackView> {
    let foreign = || format!("You don't own the chat {chat_id}");
    let chat = owned::chat_or(&web, &caller, &chat_id, foreign).await?;
    let unknown = || Fault::data(format!("You don't own the session {session_id}"));
    let session = sessions::session(&web, &chat, &session_id).await?.ok_or_else(unknown)?;
    let judged = web.service.judge_message(&caller, &session, &message_id, opinion(&given)?).await?;
    let missing = || Fault::data(format!("The session has no answer {message_id}"));
    Ok(Envelope::of(FeedbackView::of(judged.ok_or_else(missing)?)))
}

/// Lists what askers thought of the owner's answers, newest first; `dataset_id` and `thumbup` narrow it.
#[utoipa::path(get, path = "/feedback", tag = "feedback",
    params(("page" = Option<u64>, Query), ("page_size" = Option<u64>, Query), ("dataset_id" = Option<String>, Query),
           ("thumbup" = Option<bool>, Query)),
    responses((status = 200, body = Envelope<FeedbackList>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn list_feedback(
    State(web): State<Arc<Web>>,
    Overseer(caller): Overseer,
    query: Query,
) -> Answered<FeedbackList> {
    let dataset = match query.get("dataset_id") {
        Some(id) => Some(owned::own_dataset(&web, &caller, id).await?.record.id),
        None => None,
    };
    let thumbup = match query.get("thumbup") {
        None => None,
        Some("true") => Some(true),
        Some("false") => Some(false),
        Some(_) => return Err(Fault::argument("`thumbup` should be true or false")),
    };
    let (skip, take) = query.page(&web, 0)?;
    let page = FeedbackQuery { dataset, thumbup, skip, take };
    let (feedback, total) = web.service.feedback(&caller, &page).await?;
    Ok(Envelope::of(FeedbackList { total, feedback: feedback.into_iter().map(FeedbackView::of).collect() }))
}

fn opinion(given: &Map<String, Value>) -> Result<Opinion, Fault> {
    let thumbup = given.get("thumbup").and_then(Value::as_bool);
    let thumbup = thumbup.ok_or_else(|| Fault::argument("`thumbup` is required: true or false"))?;
    let text = |name: &str| match given.get(name) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(Fault::argument(format!("`{name}` should be a text"))),
    };
    let (question, answer) = (text("question")?, text("answer")?);
    Ok(Opinion { thumbup, text: text("feedback")?, question, answer, sql: text("sql")? })
}
