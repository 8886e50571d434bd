//! Questions and statements over datasets, in turns: more than may run at once wait a little and are then sent away.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::{Caller, Dataset, Service, ServiceError};
use crate::app::{AppError, Session};
use crate::ask::{Answer, Mode, Outcome};
use crate::catalog::UsageRecord;
use crate::ids::Id;
use crate::sql::Scope;

impl Service {
    /// What questions over these datasets see from now on; with `documents` only those.
    pub async fn session(&self, datasets: &[Dataset], documents: Option<Vec<Id>>) -> Result<Session, ServiceError> {
        let kbs = datasets.iter().map(|dataset| dataset.record.id).collect();
        Ok(self.app.session_in(Scope { kbs, docs: documents, ..Scope::default() }).await?)
    }

    /// Questions that could be begun now.
    pub fn free_turns(&self) -> usize {
        self.turns.available_permits()
    }

    /// Answers a question; it counts for the caller's owner.
    pub async fn ask(
        self: &Arc<Self>,
        caller: &Caller,
        session: Session,
        question: String,
        mode: Mode,
    ) -> Result<Answer, ServiceError> {
        let work = move |service: &Self, runtime: Handle| runtime.block_on(service.app.ask(&session, &question, mode));
        let answer = self.in_turn(work).await?;
        self.gathered.add(caller.owner.id, UsageRecord::question(&answer));
        Ok(answer)
    }

    /// Runs a statement as a model's reply would run; it counts for the caller's owner.
    pub async fn sql(
        self: &Arc<Self>,
        caller: &Caller,
        session: Session,
        statement: String,
    ) -> Result<Outcome, ServiceError> {
        let work = move |service: &Self, runtime: Handle| runtime.block_on(service.app.sql(&session, &statement));
        let outcome = self.in_turn(work).await?;
        self.gathered.add(caller.owner.id, UsageRecord::statement());
        Ok(outcome)
    }

    /// Runs work on a thread of its own when it is its turn; `Busy` where that takes too long.
    pub(super) async fn in_turn<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, Handle) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let wait = Duration::from_secs(self.app.config().serve.wait_seconds);
        let Ok(Ok(turn)) = tokio::time::timeout(wait, self.turns.clone().acquire_owned()).await else {
            return Err(ServiceError::Busy);
        };
        let (service, runtime) = (self.clone(), self.threads.handle());
        let work = move || {
            // A caller that goes away does not free the turn before the work has ended.
            let _turn = turn;
            work(&service, runtime)
        };
        let done = tokio::task::spawn_blocking(work).await;
        Ok(done.map_err(|error| ServiceError::Task(error.to_string()))??)
    }
}
