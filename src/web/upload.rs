//! Multipart uploads: each file streams to the disk; they become documents together or not at all.

use std::time::Duration;

use axum::extract::Multipart;
use axum::extract::multipart::Field;

use super::Web;
use super::document_view::suffix;
use super::fault::Fault;
use crate::service::{Incoming, IncomingError, Received};

/// Extensions of files that can hold tables; what is in them decides how they are read.
const EXTENSIONS: [&str; 8] = ["csv", "tsv", "txt", "xlsx", "xlsm", "xlsb", "xls", "ods"];

/// Bytes of a file name.
const MAX_NAME: usize = 255;

/// The files of an upload by name; `stored` is whether they are wanted at all.
pub async fn files(web: &Web, mut parts: Multipart, stored: bool) -> Result<Vec<(String, Received)>, Fault> {
    let most = web.service.app().config().serve.max_files;
    let (mut files, mut refused, mut seen) = (Vec::new(), Vec::new(), 0);
    while let Some(part) = within(web, parts.next_field()).await? {
        if part.name() != Some("file") {
            skip(web, part).await?;
            continue;
        }
        seen += 1;
        if seen > most {
            return Err(Fault::too_large(format!("more than {most} files in one upload (`serve.max_files`)")));
        }
        let name = name(&part)?;
        if !EXTENSIONS.contains(&suffix(&name).to_lowercase().as_str()) {
            refused.push(format!("{name}: This type of file has not been supported yet!"));
            skip(web, part).await?;
        } else if stored && refused.is_empty() {
            let received = receive(web, part).await?;
            files.push((name, received));
        } else {
            skip(web, part).await?;
        }
    }
    match (seen, refused.as_slice()) {
        (0, _) => Err(Fault::argument("No file part!")),
        (_, []) => Ok(files),
        (_, refused) => Err(Fault::refused_upload(refused.join("\n"))),
    }
}

/// The file's name without folders.
fn name(part: &Field<'_>) -> Result<String, Fault> {
    let given = part.file_name().unwrap_or_default();
    let name = given.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    if name.is_empty() {
        return Err(Fault::argument("No file selected!"));
    }
    if name.len() > MAX_NAME {
        return Err(Fault::argument("File name must be 255 bytes or less."));
    }
    if name.contains(char::is_control) {
        return Err(Fault::argument("File name must be on one line."));
    }
    Ok(name.to_owned())
}

async fn receive(web: &Web, mut part: Field<'_>) -> Result<Received, Fault> {
    let app = web.service.app();
    let mut incoming = Incoming::begin(app.folder(), app.config().read.max_file_bytes)?;
    while let Some(bytes) = within(web, part.chunk()).await? {
        incoming.take(&bytes).await.map_err(|error| match error {
            IncomingError::TooLarge(_) => Fault::too_large(error.to_string()),
            IncomingError::Service(error) => error.into(),
        })?;
    }
    Ok(incoming.end().await?)
}

/// Reads over a part: as long as its bytes come the sender does not stand still.
async fn skip(web: &Web, mut part: Field<'_>) -> Result<(), Fault> {
    while within(web, part.chunk()).await?.is_some() {}
    Ok(())
}

/// The next piece, unless the sender stands still or breaks off.
async fn within<T>(
    web: &Web,
    next: impl Future<Output = Result<T, axum::extract::multipart::MultipartError>>,
) -> Result<T, Fault> {
    let seconds = web.service.app().config().serve.upload_idle_seconds;
    match tokio::time::timeout(Duration::from_secs(seconds), next).await {
        Ok(next) => next.map_err(|error| Fault::argument(format!("the upload can't be read: {}", error.body_text()))),
        Err(_) => Err(Fault::argument(format!("the upload stood still for {seconds} s; send it again"))),
    }
}
