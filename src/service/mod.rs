//! What the service does, apart from HTTP: callers, datasets, documents and their parses, questions within one owner's scope.
//!
//! Comes in: a [`Caller`] and what it wants. Goes out: records, answers, typed failures.
//! Must never happen: anything of another owner; a document that is done without all of its rows; a question that waits for an upload.

mod access;
mod asking;
mod chat;
mod chat_sql;
mod dataset;
mod document;
mod feedback;
mod incoming;
mod rows;
mod settings;
mod texts;
mod threads;
mod usage;
mod work;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::app::{App, AppError};
use crate::ask::AskError;
use crate::catalog::CatalogError;
use crate::config::Config;
use crate::engine::EngineError;
use crate::ingest::IngestError;

pub use access::{Caller, NewKey};
pub use chat::{Chat, ChatSettings, OPENER};
pub use chat_sql::{SetStatement, SqlSettings};
pub use dataset::Dataset;
pub use document::{Document, QueueFull};
pub use feedback::Opinion;
pub use incoming::{Incoming, IncomingError, Received};
pub use rows::RowPage;
pub use settings::{
    CHUNK_METHODS, DatasetSettings, DocumentSettings, EMBEDDING_MODEL, OptionsFault, default_parser_config,
};
pub use texts::Removed;
use threads::Threads;
pub use usage::Usage;
use work::Work;

/// Why the service can't do what was asked of it, where the caller is not to blame.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error(transparent)]
    App(#[from] AppError),
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("another service runs on {}; stop it, or give this one another folder with --data", .0.display())]
    Taken(PathBuf),
    #[error("too many questions are being worked on; ask again in a second")]
    Busy,
    #[error("a task stopped: {0}")]
    Task(String),
}

impl ServiceError {
    /// What the caller is told, where it is the caller's or will pass; `None` for a fault of ours.
    pub fn of_caller(&self) -> Option<String> {
        match self {
            Self::Busy => Some(self.to_string()),
            Self::App(AppError::Ask(AskError::Question(message))) => Some(message.clone()),
            Self::App(
                AppError::Engine(EngineError::Refused(refusal))
                | AppError::Ask(AskError::Engine(EngineError::Refused(refusal))),
            ) => Some(format!("{}; {}", refusal.message, refusal.hint)),
            Self::App(
                AppError::Catalog(CatalogError::Busy(_))
                | AppError::Ingest(IngestError::Catalog(CatalogError::Busy(_))),
            ) => Some("another process is writing; try again".to_owned()),
            _ => None,
        }
    }
}

impl From<CatalogError> for ServiceError {
    fn from(error: CatalogError) -> Self {
        Self::App(error.into())
    }
}

/// One data folder that is served.
pub struct Service {
    app: App,
    work: Work,
    /// Questions that may be worked on at once.
    turns: Arc<Semaphore>,
    threads: Threads,
    worker: Mutex<Option<JoinHandle<()>>>,
    /// Work done for owners that the catalog does not have yet.
    gathered: usage::Gathered,
    /// None where it only reads.
    _lock: Option<File>,
}

impl Service {
    /// Opens the data folder, removes what an ended service left half done, and goes on with its parses.
    pub async fn open(folder: &Path, config: Config) -> Result<Arc<Self>, ServiceError> {
        let app = App::open(folder, config).await?;
        let lock = lock(app.folder())?;
        incoming::sweep(app.folder(), &app.catalog().stored().await?)?;
        let service = Arc::new(Self::of(app, Some(lock))?);
        usage::start(&service);
        let worker = work::start(&service);
        *service.worker.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker);
        Ok(service)
    }

    /// Opens the data folder to read: another process may serve it, and this one parses nothing.
    pub async fn open_beside(folder: &Path, config: Config) -> Result<Arc<Self>, ServiceError> {
        let service = Arc::new(Self::of(App::open(folder, config).await?, None)?);
        usage::start(&service);
        Ok(service)
    }

    fn of(app: App, lock: Option<File>) -> Result<Self, ServiceError> {
        let turns = Arc::new(Semaphore::new(app.config().serve.max_questions.max(1)));
        let threads = Threads::new().map_err(|error| ServiceError::Task(error.to_string()))?;
        Ok(Self {
            app,
            work: Work::default(),
            turns,
            threads,
            worker: Mutex::default(),
            gathered: Default::default(),
            _lock: lock,
        })
    }

    /// Stops the parse that is under way, which begins anew when the folder is served again, and waits `serve.stop_seconds` at most:
    /// what is not committed then never is.
    pub async fn close(&self) {
        self.work.close();
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker {
            let patience = Duration::from_secs(self.app.config().serve.stop_seconds);
            if tokio::time::timeout(patience, worker).await.is_err() {
                tracing::warn!("the queue is left in the middle of its work");
            }
        }
        if let Err(error) = self.write_usage().await {
            tracing::warn!(%error, "the usage of the last second is lost");
        }
    }

    pub fn app(&self) -> &App {
        &self.app
    }
}

/// One service for each data folder: the queue has one reader.
fn lock(folder: &Path) -> Result<File, ServiceError> {
    let path = folder.join("service.lock");
    let file = File::create(&path).map_err(|source| ServiceError::Io { path: path.clone(), source })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ServiceError::Taken(folder.to_owned())),
        Err(TryLockError::Error(source)) => Err(ServiceError::Io { path, source }),
    }
}
