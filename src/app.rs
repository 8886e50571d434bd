//! The application: one data folder, its engine, its model.
//!
//! Comes in: files, questions, statements. Goes out: reports and answers. The command line and the service stand on it.
//! Must never happen: an answer from anything but one snapshot and its scope.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Mutex;

use crate::ask::{Answer, AskError, Asker, Chunk, Mode, Outcome, Path as Way, Planner, Spent};
use crate::catalog::{Catalog, CatalogError, KbRecord};
use crate::config::Config;
use crate::engine::elastic::Elastic;
use crate::engine::embedded::Embedded;
use crate::engine::{Engine, EngineError, Health, Snapshot};
use crate::ids::Id;
use crate::ingest::{FileReport, Ingest, IngestError, IngestReport, Job, Parsed, TableReport, Upload};
use crate::llm::{Client, LlmError};
use crate::schema::Schema;
use crate::sheet::{Progress, ReadOptions};
use crate::sql::Scope;

/// Why the application can't do its work.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Ingest(#[from] IngestError),
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error(transparent)]
    Llm(#[from] LlmError),
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("there is no knowledge base called {0:?}; `sheetwise kb list` shows them")]
    NoKb(String),
    #[error("{0:?} can't name a knowledge base; use letters, digits or words on one line")]
    KbName(String),
    #[error("the name has {chars} characters, {max} are allowed (`read.max_name_chars`); choose a shorter one")]
    KbNameLong { chars: usize, max: usize },
    #[error("there is no file called {file:?} in {kb:?}; `sheetwise kb show {kb}` lists them")]
    NoFile { kb: String, file: String },
}

/// A data folder that is open.
pub struct App {
    config: Config,
    folder: PathBuf,
    catalog: Catalog,
    engine: Arc<dyn Engine>,
    llm: Option<Client>,
    planner: Planner,
    /// The folder goes with the application.
    temporary: Option<tempfile::TempDir>,
    progress: Progress<'static>,
    /// One writer of this process at a time.
    turn: Mutex<()>,
}

/// What one question sees: knowledge bases at one moment.
pub struct Session {
    scope: Scope,
    snapshot: Arc<Snapshot>,
    /// Other than configured.
    repairs: Option<usize>,
}

impl Session {
    /// With so many repairs of a refused statement; as configured where there is none.
    pub fn repairing(self, repairs: Option<usize>) -> Self {
        Self { repairs, ..self }
    }

    /// The tables and fields that a question sees.
    pub fn schema(&self) -> &Schema {
        &self.snapshot.schema
    }
}

/// Name of the knowledge base that files without one are read into.
const FILES: &str = "files";

/// Times that one question follows writers who swept what it read.
const MAX_MOVES: usize = 5;

impl App {
    /// Opens the data folder, making it where it is not there.
    pub async fn open(folder: &Path, config: Config) -> Result<Self, AppError> {
        let io = |source| AppError::Io { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        Self::start(std::path::absolute(folder).map_err(io)?, config, None).await
    }

    /// An application whose data goes with it.
    pub async fn temporary(config: Config) -> Result<Self, AppError> {
        let folder = tempfile::Builder::new()
            .prefix("sheetwise-")
            .tempdir()
            .map_err(|source| AppError::Io { path: std::env::temp_dir(), source })?;
        Self::start(folder.path().to_owned(), config, Some(folder)).await
    }

    async fn start(folder: PathBuf, config: Config, temporary: Option<tempfile::TempDir>) -> Result<Self, AppError> {
        let lasting = temporary.is_none();
        let catalog = Catalog::open(&folder, lasting).await?;
        // What goes with the application needs no server.
        let engine: Arc<dyn Engine> = match lasting && !config.engine.is_embedded() {
            true => Arc::new(Elastic::open(&folder, &config.engine, &config.sql)?),
            false => Arc::new(Embedded::open(&folder, &config.embedded, &config.sql, lasting)?),
        };
        let llm = Client::new(&config.llm)?;
        Ok(Self {
            config,
            folder,
            catalog,
            engine,
            llm,
            planner: Planner::default(),
            temporary,
            progress: Progress::default(),
            turn: Mutex::default(),
        })
    }

    /// The same application; readings tell how far they are.
    pub fn watched(mut self, progress: Progress<'static>) -> Self {
        self.progress = progress;
        self
    }

    /// Whether the engine can work, and with what.
    pub async fn health(&self) -> Result<Health, AppError> {
        Ok(self.engine.health().await?)
    }

    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn model(&self) -> Option<&Client> {
        self.llm.as_ref()
    }

    pub async fn create_kb(&self, name: &str) -> Result<Id, AppError> {
        if name.trim().is_empty() || name.contains(char::is_control) {
            return Err(AppError::KbName(name.to_owned()));
        }
        let (chars, max) = (name.chars().count(), self.config.read.max_name_chars);
        if chars > max {
            return Err(AppError::KbNameLong { chars, max });
        }
        Ok(self.catalog.create_kb(name).await?)
    }

    pub async fn kbs(&self) -> Result<Vec<KbRecord>, AppError> {
        Ok(self.catalog.kbs().await?)
    }

    async fn kb(&self, name: &str) -> Result<Id, AppError> {
        self.catalog.kb(name).await?.ok_or_else(|| AppError::NoKb(name.to_owned()))
    }

    /// Adds files to a knowledge base and makes them searchable.
    pub async fn add(&self, name: &str, uploads: Vec<Upload>) -> Result<IngestReport, AppError> {
        let started = std::time::Instant::now();
        let kb = self.kb(name).await?;
        let mut report = self.ingest().add(kb, uploads).await?;
        let session = self.session_of(vec![kb]).await?;
        self.engine.index(&session.snapshot).await?;
        report.search_ready_ms = Some(started.elapsed().as_millis() as u64);
        report.tables = session.snapshot.schema.tables.iter().map(TableReport::from).collect();
        Ok(report)
    }

    /// Reads a stored file anew under other options; the report says what changed.
    pub async fn set(
        &self,
        name: &str,
        file: &str,
        change: impl FnOnce(ReadOptions) -> ReadOptions,
    ) -> Result<IngestReport, AppError> {
        let kb = self.kb(name).await?;
        let before = self.session_of(vec![kb]).await?;
        let mut report = match self.ingest().set(kb, file, change).await {
            Err(IngestError::NoFile(file)) => return Err(AppError::NoFile { kb: name.to_owned(), file }),
            other => other?,
        };
        let session = self.session_of(vec![kb]).await?;
        self.engine.index(&session.snapshot).await?;
        report.tables = session.snapshot.schema.tables.iter().map(TableReport::from).collect();
        let changes = crate::ingest::changes(before.schema(), &session.snapshot.schema);
        for file in report.files.iter_mut().take(1) {
            let new: Vec<_> = changes.iter().filter(|change| !file.notes.contains(change)).cloned().collect();
            file.notes.extend(new);
        }
        Ok(report)
    }

    /// Reads files into a knowledge base of their own.
    pub async fn read(&self, uploads: Vec<Upload>) -> Result<(Session, IngestReport), AppError> {
        let kb = self.catalog.create_kb(FILES).await?;
        let mut report = self.ingest().add(kb, uploads).await?;
        let session = self.session_of(vec![kb]).await?;
        report.tables = session.snapshot.schema.tables.iter().map(TableReport::from).collect();
        Ok((session, report))
    }

    /// Reads a stored document and makes it searchable.
    pub async fn parse(&self, job: &Job) -> Result<Parsed, AppError> {
        let parsed = self.ingest().parse(job).await?;
        self.make_searchable(job.task.kb).await?;
        Ok(parsed)
    }

    /// Follows the writers that come meanwhile.
    async fn make_searchable(&self, kb: Id) -> Result<(), AppError> {
        let mut session = self.session_of(vec![kb]).await?;
        for _ in 0..MAX_MOVES {
            match self.engine.index(&session.snapshot).await {
                Err(error) => session = self.moved_on(&session, error).await?,
                done => return Ok(done?),
            }
        }
        Ok(self.engine.index(&session.snapshot).await?)
    }

    /// Removes what deleted documents left behind.
    pub async fn tidy(&self) -> Result<(), AppError> {
        Ok(self.ingest().tidy().await?)
    }

    fn ingest(&self) -> Ingest<'_> {
        Ingest {
            catalog: &self.catalog,
            engine: self.engine.clone(),
            config: &self.config,
            folder: self.folder.clone(),
            keep: self.temporary.is_none(),
            turn: &self.turn,
            progress: &self.progress,
        }
    }

    /// The files, tables and fields of a knowledge base.
    pub async fn show(&self, name: &str) -> Result<IngestReport, AppError> {
        let kb = self.kb(name).await?;
        let session = self.session_of(vec![kb]).await?;
        let reports = self.catalog.reports(kb).await?;
        let files = reports.iter().map(|report| serde_json::from_str::<FileReport>(report));
        Ok(IngestReport {
            files: files.collect::<Result<_, _>>().map_err(|error| CatalogError::Damaged(error.to_string()))?,
            tables: session.snapshot.schema.tables.iter().map(TableReport::from).collect(),
            ..IngestReport::default()
        })
    }

    /// Removes a document, or the whole knowledge base.
    pub async fn remove(&self, name: &str, file: Option<&str>) -> Result<(), AppError> {
        let kb = self.kb(name).await?;
        match self.removed(kb, file).await {
            Err(IngestError::NoFile(file)) => Err(AppError::NoFile { kb: name.to_owned(), file }),
            other => Ok(other?),
        }
    }

    async fn removed(&self, kb: Id, file: Option<&str>) -> Result<(), IngestError> {
        match file {
            None => self.ingest().remove_kb(kb).await,
            Some(file) => self.ingest().remove(kb, file).await,
        }
    }

    /// What questions over these knowledge bases see from now on.
    pub async fn session(&self, names: &[String]) -> Result<Session, AppError> {
        let mut kbs = Vec::with_capacity(names.len());
        for name in names {
            let kb = self.kb(name).await?;
            if !kbs.contains(&kb) {
                kbs.push(kb);
            }
        }
        self.session_of(kbs).await
    }

    async fn session_of(&self, kbs: Vec<Id>) -> Result<Session, AppError> {
        self.session_in(Scope { kbs, ..Scope::default() }).await
    }

    /// What questions within the scope see from now on.
    pub async fn session_in(&self, scope: Scope) -> Result<Session, AppError> {
        let snapshot = self.catalog.snapshot(&scope).await?;
        Ok(Session { scope, snapshot, repairs: None })
    }

    fn asker<'a>(&'a self, session: &'a Session) -> Asker<'a> {
        Asker {
            engine: self.engine.as_ref(),
            catalog: &self.catalog,
            snapshot: &session.snapshot,
            scope: &session.scope,
            config: &self.config,
            llm: self.llm.as_ref(),
            planner: &self.planner,
            spent: Spent::default(),
            repairs: session.repairs.unwrap_or(self.config.answer.repairs),
        }
    }

    /// Answers a question.
    pub async fn ask(&self, session: &Session, question: &str, mode: Mode) -> Result<Answer, AppError> {
        let mut moved = None;
        for _ in 0..MAX_MOVES {
            let seen = moved.as_ref().unwrap_or(session);
            match self.asker(seen).ask(question, mode).await {
                Err(AskError::Engine(error)) => moved = Some(self.moved_on(seen, error).await?),
                done => return Ok(done?),
            }
        }
        Ok(self.asker(moved.as_ref().unwrap_or(session)).ask(question, mode).await?)
    }

    /// Runs a statement as a model's reply would run.
    pub async fn sql(&self, session: &Session, statement: &str) -> Result<Outcome, AppError> {
        self.statement(session, statement, statement).await
    }

    /// Runs a statement as the answer to a question.
    pub async fn statement(&self, session: &Session, question: &str, statement: &str) -> Result<Outcome, AppError> {
        let mut moved = None;
        for _ in 0..MAX_MOVES {
            let seen = moved.as_ref().unwrap_or(session);
            match self.asker(seen).statement(question, statement, Way::Sql, Vec::new()).await {
                Err(AskError::Engine(error)) => moved = Some(self.moved_on(seen, error).await?),
                done => return Ok(done?),
            }
        }
        let asker = self.asker(moved.as_ref().unwrap_or(session));
        Ok(asker.statement(question, statement, Way::Sql, Vec::new()).await?)
    }

    /// The rows that a plain statement gives, at most so many.
    pub async fn cited(&self, session: &Session, statement: &str, most: usize) -> Result<Vec<Chunk>, AppError> {
        let mut config = self.config.clone();
        (config.answer.max_rows, config.answer.max_citations) = (most, most);
        let asker = Asker { config: &config, ..self.asker(session) };
        match asker.statement(statement, statement, Way::Sql, Vec::new()).await? {
            Outcome::Answered(answer) => Ok(answer.reference.chunks),
            Outcome::Refused(refusal) => Err(AppError::Engine(EngineError::Refused(refusal))),
        }
    }

    /// The rows, and texts added by hand, that words find, best first.
    pub async fn found(&self, session: &Session, words: &str, top: usize) -> Result<Vec<Chunk>, AppError> {
        Ok(self.asker(session).found(words, top).await?)
    }

    /// The session as it is now, where an engine failed because a writer has swept what the old one names.
    async fn moved_on(&self, session: &Session, error: EngineError) -> Result<Session, AppError> {
        let now = self.session_in(session.scope.clone()).await?;
        if now.snapshot.tables == session.snapshot.tables {
            Err(error.into())
        } else {
            Ok(now.repairing(session.repairs))
        }
    }
}
