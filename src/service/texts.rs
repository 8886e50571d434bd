//! Texts that owners add to documents by hand, and what becomes of a wish to change rows.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Caller, Document, Service, ServiceError};
use crate::catalog::{NewText, TextRecord};
use crate::ids::{Id, row_id};
use crate::ingest::FileReport;

/// What deleting named chunks came to.
#[derive(Debug, Clone, Default)]
pub struct Removed {
    /// Texts that are gone.
    pub texts: usize,
    /// Named ones that are rows of the document: they stay.
    pub rows: usize,
}

impl Service {
    /// Adds a text to a document; `None` where the document is gone.
    pub async fn add_text(&self, document: &Document, text: &NewText) -> Result<Option<TextRecord>, ServiceError> {
        Ok(self.app.catalog().add_text(document.record.id, text).await?)
    }

    /// The document's text of this id.
    pub async fn text(&self, document: &Document, id: &str) -> Result<Option<TextRecord>, ServiceError> {
        Ok(self.app.catalog().text(document.record.id, id).await?)
    }

    /// Whether any document of the caller's has a text of this id.
    pub async fn has_text(&self, caller: &Caller, id: &str) -> Result<bool, ServiceError> {
        Ok(self.app.catalog().has_text(caller.owner.id, id).await?)
    }

    /// Keeps a text that was changed.
    pub async fn update_text(&self, text: &TextRecord) -> Result<(), ServiceError> {
        Ok(self.app.catalog().update_text(text).await?)
    }

    /// Deletes the named texts of a document.
    pub async fn remove_texts(self: &Arc<Self>, document: &Document, ids: &[String]) -> Result<Removed, ServiceError> {
        let gone = self.app.catalog().remove_texts(document.record.id, Some(ids)).await?;
        let gone: HashSet<String> = gone.into_iter().collect();
        let left = ids.iter().filter(|id| !gone.contains(*id)).cloned().collect();
        Ok(Removed { texts: gone.len(), rows: self.rows_among(document, left).await? })
    }

    /// Whether this is the id of a row of the document.
    pub async fn is_row(self: &Arc<Self>, document: &Document, id: &str) -> Result<bool, ServiceError> {
        Ok(self.rows_among(document, HashSet::from([id.to_owned()])).await? > 0)
    }

    /// Deletes the texts of a document and takes all of its rows out of every answer, until it is parsed anew.
    pub async fn empty(&self, document: &Document) -> Result<(), ServiceError> {
        self.app.catalog().remove_texts(document.record.id, None).await?;
        match document.record.rows {
            0 => Ok(()),
            _ => self.stop(std::slice::from_ref(document)).await,
        }
    }

    /// How many of these ids are rows of the document.
    async fn rows_among(self: &Arc<Self>, document: &Document, ids: HashSet<String>) -> Result<usize, ServiceError> {
        let Some(report) = self.report(document).await?.filter(|_| !ids.is_empty()) else { return Ok(0) };
        let document = document.record.id;
        self.in_turn(move |_, _| Ok(rows_among(&report, document, &ids))).await
    }
}

/// Ids of rows are made from their places, so no row is read.
fn rows_among(report: &FileReport, document: Id, ids: &HashSet<String>) -> usize {
    let stored = report.sheets.iter().filter(|sheet| sheet.rows_stored > 0);
    let rows =
        stored.flat_map(|sheet| (sheet.first_row..=sheet.last_row).map(|row| row_id(document, &sheet.name, row)));
    rows.filter(|id| ids.contains(id)).collect::<HashSet<_>>().len()
}
