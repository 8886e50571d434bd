//! Documents of a dataset: received, listed, changed, parsed, stopped, deleted.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::dataset::damaged;
use super::{Caller, Dataset, DocumentSettings, OptionsFault, Received, Service, ServiceError, incoming};
use crate::catalog::{CatalogError, FileQuery, FileRecord, NewFile, Run};
use crate::ids::Id;
use crate::ingest::{FileReport, Upload};

/// A document with its state.
#[derive(Debug, Clone)]
pub struct Document {
    pub record: FileRecord,
    pub settings: DocumentSettings,
}

/// More documents wait than may.
#[derive(Debug, thiserror::Error)]
#[error("{waiting} documents wait for their parse, {most} may (`serve.max_queue`); try again when some are done")]
pub struct QueueFull {
    pub waiting: u64,
    pub most: u64,
}

impl Service {
    fn document_of(&self, mut record: FileRecord) -> Result<Document, ServiceError> {
        if record.run == Run::Running
            && let Some(progress) = self.work.progress(record.id)
        {
            record.progress = record.progress.max(progress);
        }
        let settings = serde_json::from_str(&record.details).map_err(damaged)?;
        Ok(Document { record, settings })
    }

    /// Makes documents of received files; names that are taken get `(1)`. None where the dataset is gone.
    pub async fn add_documents(
        &self,
        caller: &Caller,
        dataset: &Dataset,
        mut files: Vec<(String, Received)>,
    ) -> Result<Result<Vec<Document>, OptionsFault>, ServiceError> {
        let settings = DocumentSettings {
            chunk_method: dataset.settings.chunk_method.clone(),
            parser_config: dataset.settings.parser_config.clone(),
            created_by: caller.owner.id.to_string(),
            ..DocumentSettings::default()
        };
        let options = match settings.options() {
            Ok(options) => serde_json::to_string(&options).map_err(damaged)?,
            Err(fault) => return Ok(Err(fault)),
        };
        let details = serde_json::to_string(&settings).map_err(damaged)?;
        let new = files.iter().map(|(name, received)| NewFile {
            id: received.id,
            name: name.clone(),
            hash: received.hash.clone(),
            size: received.size,
            upload: received.path.clone(),
            options: options.clone(),
            details: details.clone(),
        });
        let new: Vec<NewFile> = new.collect();
        incoming::settle(self.app.folder()).await?;
        // The caller may hang up at any await: what no document came to name is swept at the next start.
        files.iter_mut().for_each(|(_, received)| received.keep(true));
        if !self.app.catalog().add_files(dataset.record.id, &new).await? {
            files.iter_mut().for_each(|(_, received)| received.keep(false));
            return Ok(Ok(Vec::new()));
        }
        let within = Some(files.iter().map(|(_, received)| received.id).collect());
        let made = FileQuery { within, order: Some("document.rowid"), ascending: true, ..FileQuery::all() };
        Ok(Ok(self.documents(dataset, &made).await?.0))
    }

    /// Reads a file of this machine into a dataset here and now, as another process may that serves the folder beside this
    /// one. Why it could not be read, where it could not.
    pub async fn add_file(
        self: &Arc<Self>,
        dataset: &Dataset,
        path: &Path,
    ) -> Result<Result<Document, String>, ServiceError> {
        let parser_config = dataset.settings.parser_config.clone();
        let settings = DocumentSettings { parser_config, ..DocumentSettings::default() };
        let upload = match settings.options() {
            Ok(options) => Upload::file(path, options),
            Err(fault) => return Ok(Err(fault.to_string())),
        };
        let (file, kb) = (upload.name.clone(), dataset.record.name.clone());
        let report = self.in_turn(move |service, runtime| runtime.block_on(service.app.add(&kb, vec![upload]))).await?;
        if let Some(error) = report.files.into_iter().find_map(|file| file.error) {
            return Ok(Err(error));
        }
        let query = FileQuery { name: Some(file.clone()), take: 1, ..FileQuery::default() };
        let document = self.documents(dataset, &query).await?.0.pop();
        Ok(document.ok_or_else(|| format!("{file:?} was not added: its rows are there already under another name")))
    }

    /// The dataset's document of this id.
    pub async fn document(&self, dataset: &Dataset, id: Id) -> Result<Option<Document>, ServiceError> {
        let record = self.app.catalog().file(dataset.record.id, id).await?;
        record.map(|record| self.document_of(record)).transpose()
    }

    /// A page of the dataset's documents, and how many there are on all pages.
    pub async fn documents(&self, dataset: &Dataset, query: &FileQuery) -> Result<(Vec<Document>, u64), ServiceError> {
        let (records, total) = self.app.catalog().files(dataset.record.id, query).await?;
        Ok((records.into_iter().map(|record| self.document_of(record)).collect::<Result<_, _>>()?, total))
    }

    /// All documents of the dataset.
    pub async fn all_documents(&self, dataset: &Dataset) -> Result<Vec<Document>, ServiceError> {
        let all = FileQuery { ascending: true, ..FileQuery::all() };
        Ok(self.documents(dataset, &all).await?.0)
    }

    /// What was read of a document; `None` where nothing was.
    pub async fn report(&self, document: &Document) -> Result<Option<FileReport>, ServiceError> {
        let report = self.app.catalog().file_report(document.record.id).await?;
        report.map(|report| serde_json::from_str(&report).map_err(damaged)).transpose()
    }

    /// Keeps name and settings; `false` where another document of the dataset is called so. With `unread` it must be parsed anew.
    pub async fn update_document(
        &self,
        document: &mut Document,
        unread: bool,
    ) -> Result<Result<bool, OptionsFault>, ServiceError> {
        document.record.details = serde_json::to_string(&document.settings).map_err(damaged)?;
        let options = match document.settings.options() {
            Ok(options) => serde_json::to_string(&options).map_err(damaged)?,
            Err(fault) => return Ok(Err(fault)),
        };
        match self.app.catalog().update_file(&document.record, &options, unread).await {
            Err(CatalogError::NameTaken(_)) => return Ok(Ok(false)),
            done => done?,
        }
        if unread {
            self.work.stop(document.record.id);
        }
        self.work.ring();
        Ok(Ok(true))
    }

    /// Asks for the parse of documents.
    pub async fn queue(&self, documents: &[Document]) -> Result<Result<(), QueueFull>, ServiceError> {
        let catalog = self.app.catalog();
        let (waiting, most) = (catalog.queued().await?, self.app.config().serve.max_queue);
        if waiting + documents.len() as u64 > most {
            return Ok(Err(QueueFull { waiting, most }));
        }
        catalog.queue(&ids(documents)).await?;
        self.work.ring();
        Ok(Ok(()))
    }

    /// Stops the parses of documents.
    pub async fn stop(&self, documents: &[Document]) -> Result<(), ServiceError> {
        self.app.catalog().cancel(&ids(documents)).await?;
        documents.iter().for_each(|document| self.work.stop(document.record.id));
        self.work.ring();
        Ok(())
    }

    /// Deletes documents: no reader sees them any more when this is done.
    pub async fn delete_documents(&self, documents: &[Document]) -> Result<(), ServiceError> {
        self.app.catalog().hide(&ids(documents)).await?;
        documents.iter().for_each(|document| self.work.stop(document.record.id));
        self.work.ring();
        Ok(())
    }
}

fn ids(documents: &[Document]) -> Vec<Id> {
    let mut seen = HashSet::new();
    documents.iter().map(|document| document.record.id).filter(|id| seen.insert(*id)).collect()
}
