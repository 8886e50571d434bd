//! A parse that was asked for: it can be watched and stopped, and ends together with its rows' becoming live.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::{Ingest, IngestError, IngestReport, plan};
use crate::catalog::{CatalogError, DocumentRecord, Ended, Task, WriteLock};
use crate::ids::Id;
use crate::sheet::Progress;

/// How far a reading is, and whether it shall go on.
#[derive(Debug, Default)]
pub struct Watch {
    rows: AtomicU64,
    stopped: AtomicBool,
}

impl Watch {
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Between 0 and 1: rows are gone through more than once, and how many there are is not known before.
    pub fn progress(&self) -> f64 {
        const HALF_WAY: f64 = 100_000.0;
        let rows = self.rows.load(Ordering::Relaxed) as f64;
        rows / (rows + HALF_WAY)
    }

    /// What tells it of a reading, and ends that once it is stopped.
    fn teller(self: &Arc<Self>) -> Progress<'static> {
        let watch = self.clone();
        Progress::calling(move |_, _| {
            watch.rows.fetch_add(Progress::STEP, Ordering::Relaxed);
            !watch.is_stopped()
        })
    }
}

/// One parse of one document.
#[derive(Debug, Clone)]
pub struct Job {
    pub task: Task,
    pub watch: Arc<Watch>,
    pub started: Instant,
}

/// What a parse came to.
#[derive(Debug)]
pub enum Parsed {
    /// Its rows are live.
    Read(Box<IngestReport>),
    /// The document of the same bytes whose rows stand for it, by id and name.
    Same(Id, String),
}

impl Job {
    pub fn new(task: Task) -> Self {
        Self { task, watch: Arc::default(), started: Instant::now() }
    }

    /// Milliseconds so far.
    pub fn took(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// The last line of a document's progress; programs look for it.
    pub fn done_line(&self) -> String {
        format!("Task done ({:.2}s)", self.started.elapsed().as_secs_f64())
    }

    /// How the commit of its rows ends it.
    pub(super) fn ended(&self) -> Result<Ended, IngestError> {
        if self.watch.is_stopped() {
            return Err(IngestError::Stopped);
        }
        let Task { document, ticket, .. } = self.task;
        Ok(Ended { document, ticket, message: self.done_line(), took: self.took() })
    }
}

impl Ingest<'_> {
    /// Reads a stored document: its survey beside those of others, its rows in turn. Waits for another writer.
    pub async fn parse(&self, job: &Job) -> Result<Parsed, IngestError> {
        let kb = job.task.kb;
        let documents = self.catalog.documents(kb).await?;
        let document = it(&documents, job)?;
        if let Some(same) = twin(&documents, document) {
            return Ok(same);
        }
        let mut readings = vec![self.anew(document, plan::from_json(&document.options)?, &job.watch.teller())?];
        let _turn = self.turn.lock().await;
        let _lock = WriteLock::acquire(&self.folder).await?;
        self.unload_gone().await?;
        self.sweep().await?;
        // As they are now: what else was committed since counts. A parse that was asked for once more is overtaken.
        let documents = self.catalog.documents(kb).await?;
        if let Some(same) = twin(&documents, it(&documents, job)?) {
            return Ok(same);
        }
        match self.load(kb, &documents, &mut readings, Some(job)).await {
            Err(IngestError::Catalog(CatalogError::Overtaken)) => return Err(IngestError::Stopped),
            done => done?,
        }
        let files = readings.into_iter().map(|reading| reading.report).collect();
        Ok(Parsed::Read(Box::new(IngestReport { files, ..IngestReport::default() })))
    }

    /// Removes deleted documents and the files that nothing names. Waits for another writer.
    pub async fn tidy(&self) -> Result<(), IngestError> {
        let _turn = self.turn.lock().await;
        let _lock = WriteLock::acquire(&self.folder).await?;
        self.unload_gone().await?;
        self.sweep().await?;
        self.sweep_uploads().await
    }

    /// Removes the rows and the bytes of deleted documents. Only under the write lock.
    async fn unload_gone(&self) -> Result<(), IngestError> {
        let gone = self.catalog.gone().await?;
        for (kb, documents) in &gone {
            self.unload(*kb, documents).await?;
        }
        if gone.is_empty() { Ok(()) } else { self.sweep_uploads().await }
    }
}

/// The job's document.
fn it<'d>(documents: &'d [DocumentRecord], job: &Job) -> Result<&'d DocumentRecord, IngestError> {
    documents.iter().find(|document| document.id == job.task.document).ok_or(IngestError::Stopped)
}

/// The document of the same bytes whose rows are there already.
fn twin(documents: &[DocumentRecord], document: &DocumentRecord) -> Option<Parsed> {
    let is_twin = |other: &&DocumentRecord| other.hash == document.hash && other.id != document.id && other.answers;
    documents.iter().find(is_twin).map(|twin| Parsed::Same(twin.id, twin.name.clone()))
}
