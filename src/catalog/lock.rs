//! One process writes to a data folder at a time.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::database::CatalogError;

/// Held while writing; the operating system gives it back when the process ends.
#[derive(Debug)]
pub struct WriteLock {
    _file: File,
}

const PATIENCE: Duration = Duration::from_secs(30);

impl WriteLock {
    /// Waits up to half a minute for another writer to finish.
    pub async fn acquire(folder: &Path) -> Result<Self, CatalogError> {
        let path = folder.join("write.lock");
        let file = File::create(&path).map_err(|source| CatalogError::Io { path: path.clone(), source })?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(source)) => return Err(CatalogError::Io { path, source }),
                Err(TryLockError::WouldBlock) if started.elapsed() > PATIENCE => {
                    return Err(CatalogError::Busy(folder.to_owned()));
                }
                Err(TryLockError::WouldBlock) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }
}
