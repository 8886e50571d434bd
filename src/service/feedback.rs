//! What askers think of answers.

use serde_json::Value;

use super::{Caller, Dataset, Service, ServiceError};
use crate::catalog::{FeedbackQuery, FeedbackRecord, SessionRecord};
use crate::ids::Id;

/// An opinion that is to be kept.
#[derive(Debug, Clone, Default)]
pub struct Opinion {
    pub thumbup: bool,
    pub text: String,
    pub question: String,
    pub answer: String,
    pub sql: String,
}

impl Service {
    /// Keeps an opinion on an answer over a dataset.
    pub async fn judge(
        &self,
        caller: &Caller,
        dataset: &Dataset,
        opinion: Opinion,
    ) -> Result<FeedbackRecord, ServiceError> {
        self.keep(FeedbackRecord { dataset: Some(dataset.record.id), ..record(caller, opinion) }).await
    }

    /// Keeps an opinion on a message of a session, with the question before it; `None` where the session has no such answer.
    pub async fn judge_message(
        &self,
        caller: &Caller,
        session: &SessionRecord,
        message: &str,
        opinion: Opinion,
    ) -> Result<Option<FeedbackRecord>, ServiceError> {
        let said: Vec<Value> = session.messages.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
        let of = |role: &str| {
            let found = said.iter().find(|turn| turn["id"] == message && turn["role"] == role)?;
            found["content"].as_str().map(str::to_owned)
        };
        let Some(answer) = of("assistant") else { return Ok(None) };
        let opinion = Opinion { question: of("user").unwrap_or_default(), answer, ..opinion };
        let message = Some((session.id, message.to_owned()));
        self.keep(FeedbackRecord { message, ..record(caller, opinion) }).await.map(Some)
    }

    async fn keep(&self, feedback: FeedbackRecord) -> Result<FeedbackRecord, ServiceError> {
        self.app.catalog().put_feedback(&feedback).await?;
        Ok(feedback)
    }

    /// A page of the opinions that the caller's owner was given, newest first, and how many there are on all pages.
    pub async fn feedback(
        &self,
        caller: &Caller,
        query: &FeedbackQuery,
    ) -> Result<(Vec<FeedbackRecord>, u64), ServiceError> {
        Ok(self.app.catalog().feedback(caller.owner.id, query).await?)
    }
}

fn record(caller: &Caller, opinion: Opinion) -> FeedbackRecord {
    let Opinion { thumbup, text, question, answer, sql } = opinion;
    let (id, owner, created) = (Id::new(), caller.owner.id, chrono::Utc::now().timestamp_millis());
    FeedbackRecord { id, owner, dataset: None, message: None, thumbup, text, question, answer, sql, created }
}
