//! What went wrong in the catalog.

use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("there is already a knowledge base called {0:?}; choose another name or add to it")]
    NameTaken(String),
    #[error("another process is writing to {folder}; it was waited for {seconds} s: try again when it is done")]
    Busy { folder: String, seconds: u64 },
    #[error("the catalog in {folder} was made by a newer version ({found}); this one knows {known}")]
    Newer { folder: String, found: i64, known: i64 },
    #[error("the catalog holds {what} that can't be read: {detail}")]
    Damaged { what: &'static str, detail: String },
    #[error("{path}: {source}")]
    Io { path: String, source: std::io::Error },
    #[error("the catalog failed: {0}")]
    Database(#[from] sqlx::Error),
}

impl CatalogError {
    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.display().to_string(), source }
    }

    pub(super) fn damaged(what: &'static str, detail: impl std::fmt::Display) -> Self {
        Self::Damaged { what, detail: detail.to_string() }
    }
}
