//! A file that is handed in, and its stored copy.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::catalog::RECEIVED;
use crate::ids::Id;
use crate::sheet::ReadOptions;

/// One file to read.
#[derive(Debug, Clone)]
pub struct Upload {
    pub path: PathBuf,
    /// The document's name, `docnm_kwd`.
    pub name: String,
    pub options: ReadOptions,
}

impl Upload {
    /// A file of the local disk, named by its file name.
    pub fn file(path: &Path, options: ReadOptions) -> Self {
        let name =
            path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        Self { path: path.to_owned(), name, options }
    }

    /// Reads the bytes once: their SHA-256 in hex, their number, and a copy in `folder` where one is given.
    pub fn take(&self, folder: Option<&Path>) -> std::io::Result<Taken> {
        let mut source = opened(&self.path)?;
        let mut copy = folder.map(copy_in).transpose()?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        let mut size = 0;
        loop {
            let read = source.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            hash.update(&buffer[..read]);
            copy.iter_mut().try_for_each(|copy| copy.write_all(&buffer[..read]))?;
            size += read as u64;
        }
        let hash = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
        Ok(Taken { hash, size, copy })
    }
}

/// The file, opened; what is none would be waited for or never end.
fn opened(path: &Path) -> std::io::Result<std::fs::File> {
    let kind = std::fs::metadata(path)?.file_type();
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => std::fs::File::open(path),
        (false, true) => Err(std::io::Error::new(ErrorKind::IsADirectory, "it is a folder")),
        (false, false) => Err(std::io::Error::new(ErrorKind::InvalidInput, "it is a pipe or a device")),
    }
}

/// The bytes of an upload at one moment.
pub struct Taken {
    pub hash: String,
    pub size: u64,
    copy: Option<NamedTempFile>,
}

impl Taken {
    /// Names the copy `folder/{hash}` unless that is there: it is whole or absent. `None` where no copy was made.
    pub fn keep(&mut self, folder: &Path) -> std::io::Result<Option<PathBuf>> {
        let Some(copy) = self.copy.take() else { return Ok(None) };
        let target = folder.join(&self.hash);
        if !target.is_file() {
            copy.as_file().sync_all()?;
            copy.persist(&target)?;
        }
        Ok(Some(target))
    }
}

/// Removes what the service received of a document. What can't be removed is swept when the folder is served again.
pub fn remove_received(folder: &Path, document: Id) {
    let _ = std::fs::remove_file(folder.join(RECEIVED).join(document.to_string()));
}

fn copy_in(folder: &Path) -> std::io::Result<NamedTempFile> {
    std::fs::create_dir_all(folder)?;
    NamedTempFile::new_in(folder)
}
