//! `GET /datasets/{id}/documents/{doc}`: the bytes as they were uploaded.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures::stream;
use tokio::io::AsyncReadExt;

use super::caller::Reader;
use super::envelope::Failure;
use super::fault::Fault;
use super::{Web, owned};
use crate::service::ServiceError;

/// Downloads a document.
#[utoipa::path(get, path = "/datasets/{dataset_id}/documents/{document_id}", tag = "documents",
    params(("dataset_id" = String, Path), ("document_id" = String, Path)),
    responses((status = 200, content((Vec<u8> = "application/octet-stream"), (Failure = "application/json"))),
              (status = 401, body = Failure)))]
pub async fn download_document(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    Path((dataset_id, id)): Path<(String, String)>,
) -> Result<Response, Fault> {
    let foreign = || format!("You do not own the dataset {dataset_id}.");
    let dataset = owned::dataset_or(&web, &caller, &dataset_id, foreign).await?;
    let unknown = || format!("The dataset not own the document {id}.");
    let document = owned::document_or(&web, &dataset, &id, unknown).await?.record;
    if document.size == 0 {
        return Err(Fault::data("This file is empty."));
    }
    let path = document.upload;
    let file = tokio::fs::File::open(&path).await;
    let file = file.map_err(|source| Fault::from(ServiceError::Io { path, source }))?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, document.size.to_string()),
        (header::CONTENT_DISPOSITION, attachment(&document.name)),
    ];
    Ok((headers, Body::from_stream(pieces(file))).into_response())
}

fn pieces(file: tokio::fs::File) -> impl futures::Stream<Item = std::io::Result<Bytes>> {
    stream::try_unfold(file, |mut file| async move {
        let mut piece = vec![0; 64 << 10];
        let read = file.read(&mut piece).await?;
        piece.truncate(read);
        Ok((read > 0).then(|| (Bytes::from(piece), file)))
    })
}

/// The name percent-encoded (RFC 8187).
pub fn attachment(name: &str) -> String {
    let encoded: String = name
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    format!("attachment; filename*=UTF-8''{encoded}")
}
