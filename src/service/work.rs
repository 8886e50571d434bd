//! The queue of parses: the catalog holds it, one task works it off, so it survives a killed process.
//!
//! A few documents are read side by side; their rows are written and become live in turn.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

use super::{Service, ServiceError};
use crate::app::AppError;
use crate::catalog::{CatalogError, Task};
use crate::engine::EngineError;
use crate::ids::Id;
use crate::ingest::{IngestError, Job, Parsed};

/// What is being read now, and the bell that tells of more.
#[derive(Default)]
pub struct Work {
    now: Mutex<Vec<Job>>,
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
        now.iter().find(|job| job.task.document == document).map(|job| job.watch.progress())
    }

    /// Stops the parse of a document that is being read now: what the catalog says of it counts already.
    pub fn stop(&self, document: Id) {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.iter().filter(|job| job.task.document == document).for_each(|job| job.watch.stop());
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

    /// The first of these that is of no document being read is being read from now on.
    fn begin(&self, tasks: Vec<Task>) -> Option<Job> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let free = |task: &Task| now.iter().all(|job| job.task.document != task.document);
        let job = Job::new(tasks.into_iter().find(free)?);
        // It may have been closed since the task was taken.
        if self.closed.load(Ordering::Relaxed) {
            return None;
        }
        now.push(job.clone());
        Some(job)
    }

    fn end(&self, task: Task) {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).retain(|job| job.task != task);
    }
}

/// Works on the queue as long as anyone holds the service.
pub(super) fn start(service: &Arc<Service>) -> JoinHandle<()> {
    let weak = Arc::downgrade(service);
    tokio::spawn(async move {
        let mut parses = JoinSet::new();
        while let Some(service) = weak.upgrade().filter(|service| !service.work.closed.load(Ordering::Relaxed)) {
            match service.step(&mut parses).await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, "the queue waits");
                    tokio::time::sleep(AFTER_FAULT).await;
                }
            }
        }
        // Those under way end: they were told to stop.
        while parses.join_next().await.is_some() {}
    })
}

/// Parses under way.
type Parses = JoinSet<Result<(), ServiceError>>;

impl Service {
    /// Begins a parse, tidies, or waits until there may be something to do; `false` where it has waited.
    async fn step(self: &Arc<Self>, parses: &mut Parses) -> Result<bool, ServiceError> {
        let most = self.app.config().serve.max_parses.max(1);
        if parses.len() < most
            && let Some(job) = self.work.begin(self.app.catalog().next_tasks(parses.len() + 1).await?)
        {
            let service = self.clone();
            parses.spawn(async move {
                let task = job.task;
                let done = service.parse(job).await;
                service.work.end(task);
                done
            });
            return Ok(true);
        }
        if parses.is_empty() && self.tidied().await? {
            return Ok(true);
        }
        self.wait(parses).await.map(|()| false)
    }

    /// Waits for the end of a parse, the bell, or a second.
    async fn wait(&self, parses: &mut Parses) -> Result<(), ServiceError> {
        let rung = tokio::time::timeout(Duration::from_secs(1), self.work.bell.notified());
        tokio::select! {
            Some(ended) = parses.join_next() => ended.map_err(|error| ServiceError::Task(error.to_string()))?,
            _ = rung => Ok(()),
        }
    }

    /// Removes what deleted documents left behind; `false` where there is nothing.
    async fn tidied(self: &Arc<Self>) -> Result<bool, ServiceError> {
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
