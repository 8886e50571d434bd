//! `GET /usage`: what is kept and done for the caller's owner.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::Web;
use super::body::Query;
use super::caller::Overseer;
use super::envelope::{Answered, Envelope, Failure};
use crate::catalog::UsageRecord;

/// Days listed where none are asked for, and at most.
const DAYS: i64 = 30;
const MOST_DAYS: u64 = 366;

/// What is kept now, and the work of the last days that had any.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageView {
    owner: String,
    datasets: u64,
    documents: u64,
    /// Of the uploaded files.
    bytes: u64,
    /// Rows that can be seen.
    rows: u64,
    /// Texts added by hand.
    texts: u64,
    /// Over the days listed.
    work: WorkView,
    /// Newest first.
    days: Vec<DayView>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct WorkView {
    questions: u64,
    /// Statements that callers wrote themselves.
    statements: u64,
    /// Replies of the model.
    model_calls: u64,
    /// As the model's server counts them.
    prompt_tokens: u64,
    completion_tokens: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct DayView {
    /// UTC, `2025-03-11`.
    day: String,
    #[serde(flatten)]
    work: WorkView,
}

impl From<UsageRecord> for WorkView {
    fn from(record: UsageRecord) -> Self {
        Self {
            questions: record.questions,
            statements: record.statements,
            model_calls: record.model_calls,
            prompt_tokens: record.prompt_tokens,
            completion_tokens: record.completion_tokens,
        }
    }
}

/// Says what is kept for the key's owner and what was done for it; `days` with work are listed.
#[utoipa::path(get, path = "/usage", tag = "usage", params(("days" = Option<u64>, Query)),
    responses((status = 200, body = Envelope<UsageView>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn usage(State(web): State<Arc<Web>>, Overseer(caller): Overseer, query: Query) -> Answered<UsageView> {
    let days = u64::try_from(query.number("days", DAYS)?).unwrap_or(0).min(MOST_DAYS);
    let usage = web.service.usage(&caller, days).await?;
    let work = usage.days.iter().fold(UsageRecord::default(), |sum, (_, work)| sum.plus(*work));
    let kept = usage.kept;
    Ok(Envelope::of(UsageView {
        owner: caller.owner.name,
        datasets: kept.datasets,
        documents: kept.documents,
        bytes: kept.bytes,
        rows: kept.rows,
        texts: kept.texts,
        work: work.into(),
        days: usage.days.into_iter().map(|(day, work)| DayView { day, work: work.into() }).collect(),
    }))
}
