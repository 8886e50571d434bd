//! Where the bytes of documents are. A data folder that was moved, or is named otherwise, keeps them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::database::{Catalog, CatalogError};

/// Copies that the command line makes, named by their SHA-256.
pub const UPLOADS: &str = "uploads";

/// What the service received, named by its document's id.
pub const RECEIVED: &str = "files";

impl Catalog {
    /// File names of what documents were read from.
    pub async fn stored(&self) -> Result<HashSet<OsString>, CatalogError> {
        let paths: Vec<String> = sqlx::query_scalar("SELECT upload FROM document").fetch_all(&self.pool).await?;
        Ok(paths.iter().filter_map(|path| Some(Path::new(path).file_name()?.to_owned())).collect())
    }
}

/// The file of a document's row: a copy within the data folder is found there, whatever the folder was called when it was made.
pub(super) fn upload(folder: &Path, row: &SqliteRow) -> PathBuf {
    let (id, hash) = (row.get::<&str, _>("id"), row.get::<&str, _>("hash"));
    found(folder, Path::new(row.get::<&str, _>("upload")), id, hash)
}

fn found(folder: &Path, path: &Path, id: &str, hash: &str) -> PathBuf {
    [(RECEIVED, id), (UPLOADS, hash)]
        .into_iter()
        .map(|(inner, name)| Path::new(inner).join(name))
        .find(|copy| path.ends_with(copy))
        .map_or_else(|| path.to_owned(), |copy| folder.join(copy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_move_with_the_folder_and_other_files_stay_where_they_are() {
        for (path, want) in [
            ("data/files/1a", "/new/files/1a"),
            ("/old/uploads/ff", "/new/uploads/ff"),
            ("/home/me/files/a.csv", "/home/me/files/a.csv"),
            ("uploads/1a", "uploads/1a"),
        ] {
            assert_eq!(found(Path::new("/new"), Path::new(path), "1a", "ff"), Path::new(want), "{path}");
        }
    }
}
