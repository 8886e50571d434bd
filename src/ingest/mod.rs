//! Files become live rows: survey → plan the tables → write → commit → report.
//!
//! Comes in: uploads for one knowledge base. Goes out: an [`IngestReport`]; the rows are live when it is given.
//! Must never happen: rows read ≠ rows stored + rows reported; a file that is half visible; a type that depends on the order of files.

mod choices;
mod columns;
mod job;
mod load;
mod notes;
mod plan;
mod repeats;
mod report;
mod survey;
mod upload;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;

use crate::catalog::{Catalog, CatalogError, DocumentRecord, UPLOADS, WriteLock};
use crate::config::Config;
use crate::engine::{Engine, EngineError};
use crate::ids::Id;
use crate::note::Note;
use crate::schema::Shape;
use crate::sheet::{Progress, ReadOptions};
use choices::Choices;
use plan::Present;
use survey::Reading;

pub use choices::changes;
pub use job::{Job, Parsed, Watch};
pub use report::{FieldReport, FileReport, IngestReport, SheetReport, TableReport};
pub use upload::{Upload, remove_received};

/// Why uploads could not be worked on at all. A single file that can't be read is in the report instead.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    Read(String),
    #[error("there is no file called {0:?} in it")]
    NoFile(String),
    #[error("the parse was stopped")]
    Stopped,
}

/// Everything that an upload needs.
pub struct Ingest<'a> {
    pub catalog: &'a Catalog,
    pub engine: Arc<dyn Engine>,
    pub config: &'a Config,
    /// The data folder.
    pub folder: PathBuf,
    /// Keep a copy of each file; without it a document can't be read anew.
    pub keep: bool,
    /// Writers of this process go in turn, however long one takes.
    pub turn: &'a Mutex<()>,
    /// Told how far long readings are.
    pub progress: &'a Progress<'static>,
}

impl Ingest<'_> {
    /// Adds the files to the knowledge base, the same name replacing a document. Waits for another writer.
    pub async fn add(&self, kb: Id, uploads: Vec<Upload>) -> Result<IngestReport, IngestError> {
        let started = Instant::now();
        let _lock = WriteLock::acquire(&self.folder).await?;
        self.sweep().await?;
        let documents = self.catalog.documents(kb).await?;
        let mut readings: Vec<Reading> = Vec::new();
        let mut files = Vec::with_capacity(uploads.len());
        for upload in uploads {
            let name = upload.name.clone();
            match self.read(upload, &documents, &readings) {
                Ok(reading) => readings.push(reading),
                Err(report) => files.push(*report),
            }
            tracing::info!(file = name, "read");
        }
        self.load(kb, &documents, &mut readings, None).await?;
        self.sweep_uploads().await?;
        files.extend(readings.into_iter().map(|reading| reading.report));
        let sql_ready_ms = Some(started.elapsed().as_millis() as u64);
        Ok(IngestReport { files, sql_ready_ms, ..IngestReport::default() })
    }

    /// Reads a stored document anew under other options. Waits for another writer.
    pub async fn set(
        &self,
        kb: Id,
        name: &str,
        change: impl FnOnce(ReadOptions) -> ReadOptions,
    ) -> Result<IngestReport, IngestError> {
        let started = Instant::now();
        let _lock = WriteLock::acquire(&self.folder).await?;
        self.sweep().await?;
        let documents = self.catalog.documents(kb).await?;
        let document = documents.iter().find(|document| document.name == name);
        let document = document.ok_or_else(|| IngestError::NoFile(name.to_owned()))?;
        let options = change(plan::from_json(&document.options)?);
        let mut readings = vec![self.anew(document, options, self.progress)?];
        self.load(kb, &documents, &mut readings, None).await?;
        self.sweep_uploads().await?;
        let files = readings.into_iter().map(|reading| reading.report).collect();
        Ok(IngestReport { files, sql_ready_ms: Some(started.elapsed().as_millis() as u64), ..IngestReport::default() })
    }

    /// Removes a document; the fields of its tables are counted over those that stay. Waits for another writer.
    pub async fn remove(&self, kb: Id, name: &str) -> Result<(), IngestError> {
        let _lock = WriteLock::acquire(&self.folder).await?;
        let documents = self.catalog.documents(kb).await?;
        let document = documents.iter().find(|document| document.name == name);
        let document = document.ok_or_else(|| IngestError::NoFile(name.to_owned()))?.id;
        self.unload(kb, &[document]).await?;
        self.sweep().await?;
        self.sweep_uploads().await
    }

    /// Removes documents with their bytes, and counts the fields of their tables anew. Only under the write lock.
    async fn unload(&self, kb: Id, documents: &[Id]) -> Result<(), IngestError> {
        let present = Present { tables: self.catalog.tables(kb).await?, parts: self.catalog.parts(kb).await? };
        self.catalog.remove_documents(documents, &plan::without(&present, documents)?).await?;
        documents.iter().for_each(|document| remove_received(&self.folder, *document));
        Ok(())
    }

    /// Removes a knowledge base. Waits for another writer.
    pub async fn remove_kb(&self, kb: Id) -> Result<(), IngestError> {
        let _lock = WriteLock::acquire(&self.folder).await?;
        self.catalog.remove_kb(kb).await?;
        self.sweep().await?;
        self.sweep_uploads().await
    }

    /// Removes stored files that no document names. Only under the write lock.
    async fn sweep_uploads(&self) -> Result<(), IngestError> {
        let named = self.catalog.uploads().await?;
        let folder = self.folder.join(UPLOADS);
        let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(()) };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let kept = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| named.contains(name));
            if !kept {
                std::fs::remove_file(&path).map_err(|source| IngestError::Io { path, source })?;
            }
        }
        Ok(())
    }

    /// Removes what a killed load left behind, and learns which segment numbers other writers took.
    async fn sweep(&self) -> Result<(), IngestError> {
        let live = self.catalog.sweep().await?;
        self.engine.sweep(&live)?;
        self.engine.number_segments_from(self.catalog.next_segment().await?);
        Ok(())
    }

    /// Surveys a file, or says why not. Bytes that are there already are not read again.
    fn read(
        &self,
        upload: Upload,
        documents: &[DocumentRecord],
        others: &[Reading],
    ) -> Result<Reading, Box<FileReport>> {
        let name = upload.name.clone();
        let refused =
            |error: String| Box::new(FileReport { file: name.clone(), error: Some(error), ..FileReport::default() });
        let folder = self.folder.join(UPLOADS);
        let taken = upload.take(self.keep.then_some(folder.as_path()));
        let mut taken = taken.map_err(|error| refused(unreadable(&upload, &error)))?;
        let same = |document: &&DocumentRecord| document.hash == taken.hash && document.answers;
        let present = documents.iter().find(same).map(|document| &document.name);
        if present.is_some() {
            // Its copy may be gone.
            taken.keep(&folder).map_err(|error| refused(error.to_string()))?;
        }
        let twin = others.iter().find(|other| other.hash == taken.hash).map(|other| &other.upload.name);
        if let Some(name) = present.or(twin) {
            let note = Note::new("same_bytes", format!("not added: its bytes are there already as {name}"));
            return Err(Box::new(FileReport { file: upload.name, notes: vec![note], ..FileReport::default() }));
        }
        if others.iter().any(|other| other.upload.name == upload.name) {
            return Err(refused(format!("{}: two files of this name are given; rename one", upload.name)));
        }
        let earlier = documents.iter().find(|document| document.name == upload.name);
        let document = earlier.map_or_else(Id::new, |earlier| earlier.id);
        let stored = taken.keep(&folder).map_err(|error| refused(error.to_string()))?;
        let stored = stored.unwrap_or_else(|| upload.path.clone());
        let print = (taken.hash, taken.size);
        let mut reading = Reading::survey(upload, print, stored, document, &self.config.read, self.progress)
            .map_err(|error| refused(error.to_string()))?;
        if earlier.is_some() {
            let message = format!("{} replaces the file of this name that was there, whose bytes were others", name);
            reading.report.notes.insert(0, Note::new("file_replaced", message));
        }
        Ok(reading)
    }

    /// Writes and commits the readings; documents of a table whose types change with them are read anew.
    async fn load(
        &self,
        kb: Id,
        documents: &[DocumentRecord],
        readings: &mut [Reading],
        job: Option<&Job>,
    ) -> Result<(), IngestError> {
        if readings.is_empty() {
            return Ok(());
        }
        let present = Present { tables: self.catalog.tables(kb).await?, parts: self.catalog.parts(kb).await? };
        let mut earlier: Vec<Reading> = Vec::new();
        let plans = loop {
            let all: Vec<&Reading> = readings.iter().chain(&earlier).collect();
            let plans = plan::tables(&all, &present, &Choices::of(documents, &all)?)?;
            let outdated = plan::outdated(&plans, &present, &all);
            // Documents that are read anew may have parts in further tables.
            if outdated.is_empty() {
                break plans;
            }
            earlier.extend(self.again(documents, &outdated)?);
        };
        let staying = plan::staying(&plans, &present, readings)?;
        near_misses(readings, &plans, &staying);
        widened(readings, &plans, self.config.read.max_places);
        repeats::note(readings, &plans, &present, documents);
        readings.iter_mut().for_each(choices::unmet);
        let numbers = self.catalog.begin(readings.len() + earlier.len()).await?;
        let asked = readings.len();
        let mut all: Vec<&mut Reading> = readings.iter_mut().chain(&mut earlier).collect();
        let limits = (self.config.embedded.batch_rows, self.config.read.max_places);
        let mut commit = load::write(&mut all, &plans, &numbers, (kb, self.engine.clone()), limits.0, limits.1)?;
        commit.loads.iter_mut().skip(asked).for_each(|load| load.again = true);
        commit.ended = job.map(Job::ended).transpose()?;
        self.catalog.commit(kb, &commit).await?;
        self.merge(kb).await
    }

    /// Small segments that piled up become one. Rows of documents that do not answer now are kept.
    async fn merge(&self, kb: Id) -> Result<(), IngestError> {
        for segments in self.catalog.stored_segments(kb).await? {
            for merged in self.engine.merge(&segments).await? {
                self.catalog.replace_segments(&merged.old, merged.new.as_ref()).await?;
            }
        }
        Ok(())
    }

    /// Stored uploads, surveyed once more.
    fn again(&self, documents: &[DocumentRecord], outdated: &[Id]) -> Result<Vec<Reading>, IngestError> {
        let again = documents.iter().filter(|document| outdated.contains(&document.id));
        again
            .map(|document| {
                tracing::info!(file = document.name, "reading anew: a column of its table changed its type");
                self.anew(document, plan::from_json(&document.options)?, self.progress)
            })
            .collect()
    }

    fn anew(
        &self,
        document: &DocumentRecord,
        options: ReadOptions,
        progress: &Progress<'static>,
    ) -> Result<Reading, IngestError> {
        if !document.upload.is_file() {
            let name = &document.name;
            let message = format!("{name}: it must be read anew and its stored copy is gone; add {name} again");
            return Err(IngestError::Read(message));
        }
        let upload = Upload { path: document.upload.clone(), name: document.name.clone(), options };
        let print = (document.hash.clone(), document.size);
        Reading::survey(upload, print, document.upload.clone(), document.id, &self.config.read, progress)
            .map_err(|error| IngestError::Read(error.to_string()))
    }
}

/// A file that can't be opened, with what to do.
fn unreadable(upload: &Upload, error: &std::io::Error) -> String {
    let step = match error.kind() {
        std::io::ErrorKind::NotFound => "check its path",
        std::io::ErrorKind::IsADirectory => "name the files in it",
        std::io::ErrorKind::InvalidInput => "copy what it gives into a file",
        std::io::ErrorKind::StorageFull => "make room on the disk",
        _ => "check that it can be read",
    };
    format!("{}: {error}; {step}", upload.path.display())
}

/// Says to the first file of a table what would make it one with another.
fn near_misses(readings: &mut [Reading], plans: &[plan::TablePlan], staying: &[(String, Shape)]) {
    for plan in plans {
        if let Some(&(r, _)) = plan.members.first()
            && let Some(reading) = readings.get_mut(r)
        {
            reading.report.notes.extend(plan.near_misses(plans, staying));
        }
    }
}

/// Says to each file which of its columns are of another type than it alone would make them, and which types of earlier
/// files change with it.
fn widened(readings: &mut [Reading], plans: &[plan::TablePlan], max_places: usize) {
    for (r, reading) in readings.iter_mut().enumerate() {
        let mut notes = notes::Notes::new(max_places);
        for plan in plans.iter().filter(|plan| plan.members.iter().any(|member| member.0 == r)) {
            plan.changed.iter().cloned().chain(plan.widened(r, reading)).for_each(|note| notes.push(note));
        }
        reading.report.notes.extend(notes.finish());
    }
}
