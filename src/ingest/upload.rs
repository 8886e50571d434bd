//! A file that is handed in, and its stored copy.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

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

    /// SHA-256 of the bytes, in hex, and their number. Streams.
    pub fn fingerprint(&self) -> std::io::Result<(String, u64)> {
        let mut hash = Sha256::new();
        let size = stream(&self.path, |bytes| {
            hash.update(bytes);
            Ok(())
        })?;
        Ok((hash.finalize().iter().map(|b| format!("{b:02x}")).collect(), size))
    }

    /// Copies the file to `folder/{hash}` unless it is there; written under another name first, so that it is whole or absent.
    pub fn store(&self, folder: &Path, hash: &str) -> std::io::Result<PathBuf> {
        let target = folder.join(hash);
        if target.is_file() {
            return Ok(target);
        }
        std::fs::create_dir_all(folder)?;
        let mut copy = tempfile::NamedTempFile::new_in(folder)?;
        stream(&self.path, |bytes| copy.write_all(bytes))?;
        copy.as_file().sync_all()?;
        copy.persist(&target)?;
        Ok(target)
    }
}

fn stream(path: &Path, mut take: impl FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<u64> {
    let mut file = std::fs::File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    let mut size = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(size);
        }
        take(&buffer[..read])?;
        size += read as u64;
    }
}
