//! The queue of parses: the catalog holds it, one task works it off, so it survives a killed process.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::{Service, ServiceError};
use crate::app::AppError;
use crate::catalog::{CatalogError, Task};
use crate::engine::EngineError;
use crate::ids::Id;
use crate::ingest::{IngestError, Job, Parsed};

/// What is being read now, and the bell that tells of more.
#[derive(Default)]
pub struct Work {
    now: Mutex<Option<Job>>,
    bell: Notify,
    /// Nothing is begun any more.
    closed: AtomicBool,
    /// A dataset was deleted: its rows are still there.
    untidy: AtomicBool,
}

/// How long the queue waits after a fault of the house (another writer, a full disk) before it tries once more.
const AFTER_FAULT: Duration = Duration::from_secs(2);

impl Work {
    /// There may be something to do.
    pub fn ring(&self) {
        self.bell.notify_one();
    }

    /// How far the parse of a document is, where it is being read now.
    pub fn progress(&self, document: Id) -> Option<f64> {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.as_ref().filter(|job| job.task.document == document).map(|job| job.watch.progress())
    }

    /// Stops the parse of a document that is being read now: what the catalog says of it counts already.
    pub fn stop(&self, document: Id) {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = now.as_ref().filter(|job| job.task.document == document) {
            job.watch.stop();
        }
    }

    /// Rows were left behind that nothing names.
    pub fn left_behind(&self) {
        self.untidy.store(true, Ordering::Relaxed);
        self.ring();
    }

    /// Begins nothing any more and stops what is being read now; the catalog goes on saying that it waits.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.ring();
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.iter().for_each(|job| job.watch.stop());
    }

    fn set(&self, job: Option<Job>) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have been closed since the task was taken.
        job.iter().filter(|_| self.closed.load(Ordering::Relaxed)).for_each(|job| job.watch.stop());
        *now = job;
    }
}

/// Works on the queue as long as anyone holds the service.
pub(super) fn start(service: &Arc<Service>) -> JoinHandle<()> {
    let weak = Arc::downgrade(service);
    tokio::spawn(async move {
        while let Some(service) = weak.upgrade().filter(|service| !service.work.closed.load(Ordering::Relaxed)) {
            match service.step().await {
                Ok(true) => continue,
                Ok(false) => drop(tokio::time::timeout(Duration::from_secs(1), service.work.bell.notified()).await),
                Err(error) => {
                    tracing::warn!(%error, "the queue waits");
                    tokio::time::sleep(AFTER_FAULT).await;
                }
            }
        }
    })
}

impl Service {
    /// One parse, or one tidying; `false` where there is nothing to do.
    async fn step(self: &Arc<Self>) -> Result<bool, ServiceError> {
        if let Some(task) = self.app.catalog().next_task().await? {
            let job = Job::new(task);
            self.work.set(Some(job.clone()));
            let done = self.parse(job).await;
            self.work.set(None);
            return done.map(|()| true);
        }
        let gone = self.app.catalog().gone().await?;
        let untidy = self.work.untidy.swap(false, Ordering::Relaxed);
        if gone.is_empty() && !untidy {
            return Ok(false);
        }
        self.tidy().await?;
        Ok(true)
    }

    /// Reads one document on a thread of its own: reading a file and writing its rows keep no question waiting.
    async fn parse(self: &Arc<Self>, job: Job) -> Result<(), ServiceError> {
        let (service, mine) = (self.clone(), job.clone());
        let runtime = self.threads.handle();
        let work = move || runtime.block_on(service.app.parse(&mine));
        let task = job.task;
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(Parsed::Read(_))) => tracing::info!(document = %task.document, ms = job.took(), "parsed"),
            Ok(Ok(Parsed::Same(twin, name))) => {
                let message = format!("not added: its bytes are there already as {name}\n{}", job.done_line());
                self.end(task, Some(twin), &message, job.took()).await?;
            }
            Ok(Err(AppError::Ingest(IngestError::Stopped))) => tracing::info!(document = %task.document, "stopped"),
            Ok(Err(error)) if is_house(&error) => return Err(error.into()),
            Ok(Err(_)) if job.watch.is_stopped() => tracing::info!(document = %task.document, "stopped"),
            Ok(Err(error)) => self.end(task, None, &error.to_string(), job.took()).await?,
            Err(error) => {
                tracing::error!(%error, document = %task.document, "a parse panicked");
                self.end(task, None, "the file could not be read: an internal error, see the log", job.took()).await?;
            }
        }
        Ok(())
    }

    async fn end(&self, task: Task, twin: Option<Id>, message: &str, took: i64) -> Result<(), ServiceError> {
        Ok(self.app.catalog().end_without_rows(task, twin, message, took).await?)
    }

    async fn tidy(self: &Arc<Self>) -> Result<(), ServiceError> {
        let service = self.clone();
        let runtime = self.threads.handle();
        let work = move || runtime.block_on(service.app.tidy());
        let done = tokio::task::spawn_blocking(work).await;
        Ok(done.map_err(|error| ServiceError::Task(error.to_string()))??)
    }
}

/// A fault that the document is not to blame for: another writer, the catalog, a server that is down, a full disk.
fn is_house(error: &AppError) -> bool {
    let full = |source: &std::io::Error| source.kind() == ErrorKind::StorageFull;
    match error {
        AppError::Catalog(error) | AppError::Ingest(IngestError::Catalog(error)) => {
            matches!(error, CatalogError::Busy(_) | CatalogError::Database(_) | CatalogError::Io { .. })
        }
        AppError::Engine(error) | AppError::Ingest(IngestError::Engine(error)) => match error {
            EngineError::Unavailable(_) => true,
            EngineError::Io { source, .. } => full(source),
            _ => false,
        },
        AppError::Ingest(IngestError::Io { source, .. }) => full(source),
        _ => false,
    }
}
