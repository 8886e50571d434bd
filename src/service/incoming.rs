//! Files on their way in: streamed to disk, hashed on the way, never whole in memory.
//!
//! `files/{id}.part` becomes `files/{id}` when its bytes are on the disk; what no document names is swept at the next start.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::ServiceError;
use crate::catalog::RECEIVED;
use crate::ids::Id;

/// Bytes gathered before they are written.
const CHUNK: usize = 1 << 20;

/// Why a file could not be received.
#[derive(Debug, thiserror::Error)]
pub enum IncomingError {
    #[error("the file has more than {0} bytes (`read.max_file_bytes`); split it")]
    TooLarge(u64),
    #[error(transparent)]
    Service(#[from] ServiceError),
}

/// A file that is being received; dropped before its end it leaves nothing behind.
pub struct Incoming {
    id: Id,
    path: PathBuf,
    gathered: Vec<u8>,
    /// Away while its bytes are written.
    sink: Option<Sink>,
    size: u64,
    most: u64,
}

/// A file that is whole on the disk; dropped before it is kept it is removed.
pub struct Received {
    pub id: Id,
    pub path: PathBuf,
    /// SHA-256, hex.
    pub hash: String,
    pub size: u64,
    kept: bool,
}

struct Sink {
    file: std::fs::File,
    hash: Sha256,
}

impl Incoming {
    /// Begins a file of at most so many bytes.
    pub fn begin(folder: &Path, most: u64) -> Result<Self, ServiceError> {
        let id = Id::new();
        let folder = folder.join(RECEIVED);
        let path = folder.join(format!("{id}.part"));
        let io = |source| ServiceError::Io { path: path.clone(), source };
        std::fs::create_dir_all(&folder).map_err(io)?;
        let file = std::fs::File::create_new(&path).map_err(io)?;
        let sink = Some(Sink { file, hash: Sha256::new() });
        Ok(Self { id, path, gathered: Vec::new(), sink, size: 0, most })
    }

    /// Takes the next bytes.
    pub async fn take(&mut self, bytes: &[u8]) -> Result<(), IncomingError> {
        self.size += bytes.len() as u64;
        if self.size > self.most {
            return Err(IncomingError::TooLarge(self.most));
        }
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= CHUNK {
            self.write(false).await?;
        }
        Ok(())
    }

    /// The file is whole: its bytes are on the disk when this is done, its name when [`settle`] is.
    pub async fn end(mut self) -> Result<Received, ServiceError> {
        let hash = self.write(true).await?.unwrap_or_default();
        let path = self.path.with_extension("");
        std::fs::rename(&self.path, &path).map_err(|source| ServiceError::Io { path: path.clone(), source })?;
        Ok(Received { id: self.id, path, hash, size: self.size, kept: false })
    }

    /// Writes what was gathered, away from the tasks that answer; the hash at the end.
    async fn write(&mut self, end: bool) -> Result<Option<String>, ServiceError> {
        let (bytes, sink) = (std::mem::take(&mut self.gathered), self.sink.take());
        let path = self.path.clone();
        let work = move || {
            let Some(mut sink) = sink else {
                return Err(ServiceError::Task("the file was left half written".to_owned()));
            };
            sink.put(&bytes, end).map_err(|source| ServiceError::Io { path, source })?;
            Ok(sink)
        };
        let done = tokio::task::spawn_blocking(work).await;
        let sink = done.map_err(|error| ServiceError::Task(error.to_string()))??;
        let hash = end.then(|| sink.hash.clone().finalize().iter().map(|b| format!("{b:02x}")).collect());
        self.sink = Some(sink);
        Ok(hash)
    }
}

impl Sink {
    fn put(&mut self, bytes: &[u8], end: bool) -> std::io::Result<()> {
        self.hash.update(bytes);
        self.file.write_all(bytes)?;
        if end { self.file.sync_all() } else { Ok(()) }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // Gone already where it was whole.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Received {
    /// Whether it stays when this is dropped: a document names it.
    pub fn keep(&mut self, kept: bool) {
        self.kept = kept;
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        if !self.kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The names of what was received are on the disk when this is done.
pub(super) async fn settle(folder: &Path) -> Result<(), ServiceError> {
    let path = folder.join(RECEIVED);
    let work = move || {
        let synced = std::fs::File::open(&path).and_then(|folder| folder.sync_all());
        synced.map_err(|source| ServiceError::Io { path, source })
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| ServiceError::Task(error.to_string()))?
}

/// Removes files whose names no document has; only while nothing is received.
pub(super) fn sweep(folder: &Path, named: &HashSet<OsString>) -> Result<(), ServiceError> {
    let Ok(entries) = std::fs::read_dir(folder.join(RECEIVED)) else { return Ok(()) };
    for entry in entries.filter_map(Result::ok).filter(|entry| !named.contains(&entry.file_name())) {
        let path = entry.path();
        std::fs::remove_file(&path).map_err(|source| ServiceError::Io { path, source })?;
    }
    Ok(())
}
