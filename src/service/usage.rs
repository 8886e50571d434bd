//! Work counted for owners: gathered in memory, written to the catalog each second and when the service stops.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Caller, Service, ServiceError};
use crate::ask::Answer;
use crate::catalog::{KeptRecord, UsageRecord};
use crate::ids::Id;

/// What was not written yet.
#[derive(Default)]
pub struct Gathered(Mutex<HashMap<Id, UsageRecord>>);

/// What is kept and done for an owner.
#[derive(Debug, Clone)]
pub struct Usage {
    pub kept: KeptRecord,
    /// Days with work, newest first.
    pub days: Vec<(String, UsageRecord)>,
}

const EACH: Duration = Duration::from_secs(1);

impl Gathered {
    pub(super) fn add(&self, owner: Id, done: UsageRecord) {
        let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = gathered.entry(owner).or_default();
        *before = before.plus(done);
    }

    fn take(&self) -> Vec<(Id, UsageRecord)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain().collect()
    }
}

impl UsageRecord {
    /// One question with what a model did for it.
    pub(super) fn question(answer: &Answer) -> Self {
        let spent = answer.tokens.unwrap_or_default();
        Self {
            questions: 1,
            statements: 0,
            model_calls: spent.calls,
            prompt_tokens: spent.prompt,
            completion_tokens: spent.completion,
        }
    }

    /// One statement of the caller's own.
    pub(super) fn statement() -> Self {
        Self { statements: 1, ..Self::default() }
    }
}

/// Writes what is gathered as long as anyone holds the service.
pub(super) fn start(service: &Arc<Service>) {
    let weak = Arc::downgrade(service);
    tokio::spawn(async move {
        while let Some(service) = weak.upgrade() {
            if let Err(error) = service.write_usage().await {
                tracing::warn!(%error, "the usage is not written yet");
            }
            drop(service);
            tokio::time::sleep(EACH).await;
        }
    });
}

impl Service {
    /// Writes what is gathered; it stays gathered where that fails.
    pub(super) async fn write_usage(&self) -> Result<(), ServiceError> {
        let done = self.gathered.take();
        if done.is_empty() {
            return Ok(());
        }
        let day = chrono::Utc::now().date_naive().to_string();
        let written = self.app.catalog().add_work(&day, &done).await;
        if written.is_err() {
            done.into_iter().for_each(|(owner, work)| self.gathered.add(owner, work));
        }
        Ok(written?)
    }

    /// What is kept for the caller's owner, and what was done on its last days with work.
    pub async fn usage(&self, caller: &Caller, days: u64) -> Result<Usage, ServiceError> {
        self.write_usage().await?;
        let catalog = self.app.catalog();
        let (kept, days) = (catalog.kept(caller.owner.id).await?, catalog.work(caller.owner.id, days).await?);
        Ok(Usage { kept, days })
    }
}
