//! `upload_file`: a file of an allowed folder where the caller started this process, text over HTTP.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::call::{Call, told};
use crate::catalog::Run;
use crate::service::{Dataset, Document, Incoming, IncomingError};

/// Where files may come from.
#[derive(Clone)]
pub enum Source {
    /// Files in these folders.
    Folders(Vec<PathBuf>),
    /// The call carries the file.
    Content,
}

/// Files whose bytes are text.
const TEXTS: [&str; 3] = ["csv", "tsv", "txt"];

/// Bytes of a file name.
const MAX_NAME: usize = 255;

/// How long a parse is left alone before it is looked at again.
const PAUSE: Duration = Duration::from_millis(50);

impl Call<'_> {
    pub(super) async fn upload_file(&self) -> Result<Value, String> {
        if !self.caller.may_write {
            return Err("this may only read; over HTTP use a key that may write, on stdio name a folder with \
                        `sheetwise mcp --allow DIR`"
                .to_owned());
        }
        let dataset = self.dataset().await?;
        let document = match &self.source {
            Source::Folders(folders) => self.of_folder(&dataset, folders).await?,
            Source::Content => self.of_content(&dataset).await?,
        };
        let report = self.service.report(&document).await.map_err(told)?;
        let record = &document.record;
        let shown = json!({"id": record.id, "name": record.name, "run": record.run.word(), "rows": record.rows,
                           "message": record.message});
        Ok(json!({"document": shown, "notes": report.map(|report| report.notes).unwrap_or_default()}))
    }

    async fn of_folder(&self, dataset: &Dataset, folders: &[PathBuf]) -> Result<Document, String> {
        let path = allowed(&self.text("path")?, folders)?;
        self.service.add_file(dataset, &path).await.map_err(told)?
    }

    async fn of_content(&self, dataset: &Dataset) -> Result<Document, String> {
        if self.arguments.contains_key("path") {
            return Err("files of the caller's machine can't be read from here; give `name` and `content`".to_owned());
        }
        let (name, content) = (named(&self.text("name")?)?, self.text("content")?);
        let app = self.service.app();
        let mut incoming = Incoming::begin(app.folder(), app.config().read.max_file_bytes).map_err(told)?;
        incoming.take(content.as_bytes()).await.map_err(|error| match error {
            IncomingError::TooLarge(_) => error.to_string(),
            IncomingError::Service(error) => told(error),
        })?;
        let received = incoming.end().await.map_err(told)?;
        let added = self.service.add_documents(self.caller, dataset, vec![(name, received)]).await.map_err(told)?;
        let documents = added.map_err(|fault| fault.to_string())?;
        self.service.queue(&documents).await.map_err(told)?.map_err(|full| full.to_string())?;
        let document = documents.into_iter().next().ok_or("the dataset was deleted meanwhile")?;
        self.parsed(dataset, document).await
    }

    /// The document when its parse has ended, or as it is after a while.
    async fn parsed(&self, dataset: &Dataset, mut document: Document) -> Result<Document, String> {
        let wait = Duration::from_secs(self.service.app().config().serve.upload_wait_seconds);
        let started = Instant::now();
        loop {
            let now = self.service.document(dataset, document.record.id).await.map_err(told)?;
            document = now.ok_or("the document was deleted meanwhile")?;
            if document.record.run != Run::Running || started.elapsed() > wait {
                return Ok(document);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// The file, where it lies in one of the folders when all links are followed.
fn allowed(path: &str, folders: &[PathBuf]) -> Result<PathBuf, String> {
    let inside = |real: &Path| {
        folders.iter().filter_map(|folder| folder.canonicalize().ok()).any(|folder| real.starts_with(folder))
    };
    // What is elsewhere and what is not there are told alike.
    let real = Path::new(path).canonicalize().ok().filter(|real| inside(real));
    real.ok_or_else(|| format!("{path:?} is no file in a folder that `sheetwise mcp --allow DIR` names"))
}

/// A name of a text file.
fn named(name: &str) -> Result<String, String> {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if name.len() > MAX_NAME || name.contains(['/', '\\']) || name.contains(char::is_control) {
        return Err(format!("`name` should be one line of {MAX_NAME} bytes at most, without folders"));
    }
    match TEXTS.contains(&extension.to_lowercase().as_str()) {
        true => Ok(name.to_owned()),
        false => Err("`name` should end in .csv, .tsv or .txt, `content` is its text; send a workbook with \
                      `POST /api/v1/datasets/{id}/documents`"
            .to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_outside_the_folders_is_not_there() {
        let (inside, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (fine, secret) = (inside.path().join("a.csv"), outside.path().join("b.csv"));
        for file in [&fine, &secret] {
            std::fs::write(file, "a,b\n1,2\n").expect("it is written");
        }
        let folders = [inside.path().to_owned()];
        let asked = |path: &Path| allowed(&path.display().to_string(), &folders);
        assert!(asked(&fine).is_ok());
        assert!(asked(&secret).is_err());
        assert!(asked(&inside.path().join("none.csv")).is_err());
        let around = inside.path().join("..").join(outside.path().file_name().expect("a name")).join("b.csv");
        assert!(asked(&around).is_err());
        assert!(allowed(&fine.display().to_string(), &[]).is_err());
        #[cfg(unix)]
        {
            let link = inside.path().join("link.csv");
            std::os::unix::fs::symlink(&secret, &link).expect("a link");
            assert!(asked(&link).is_err());
        }
    }

    #[test]
    fn only_texts_are_taken_by_content() {
        assert!(named("orders.CSV").is_ok());
        for name in ["a.xlsx", "csv", "../a.csv", "a\n.csv", "b\\a.csv"] {
            assert!(named(name).is_err(), "{name}");
        }
    }
}
