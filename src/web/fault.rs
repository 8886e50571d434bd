//! What went wrong, as callers are told: an HTTP status, RAGFlow's code and its text.
//!
//! A fault of the caller's has status 200 as RAGFlow answers it, but where HTTP clients must know (401, 403, 413, 429, 5xx).

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::app::AppError;
use crate::ask::AskError;
use crate::catalog::CatalogError;
use crate::engine::EngineError;
use crate::ingest::IngestError;
use crate::service::{QueueFull, ServiceError};
use crate::sql::Refusal;

/// An answer that is a failure.
#[derive(Debug)]
pub struct Fault {
    status: StatusCode,
    code: i32,
    message: String,
    data: Option<Box<Value>>,
    /// Seconds after which the same request may do.
    retry: Option<u64>,
    /// A field that another API reads.
    more: Option<Box<(&'static str, Value)>>,
}

impl Fault {
    fn new(status: StatusCode, code: i32, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), data: None, retry: None, more: None }
    }

    /// Unexpected, or a route that is not there.
    pub fn unexpected(message: impl Into<String>) -> Self {
        Self { data: Some(Box::default()), ..Self::new(StatusCode::OK, 100, message) }
    }

    /// A field or parameter that can't be used.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, 101, message)
    }

    /// Not found, not owned, a duplicate, refused.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, 102, message)
    }

    /// A dataset of someone else, or none.
    pub fn permission(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, 108, message)
    }

    /// RAGFlow's code of a bad key, which it has for one more fault.
    pub fn authentication(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, 109, message)
    }

    pub fn no_chunk(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, 404, message)
    }

    /// An upload that is not taken.
    pub fn refused_upload(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, 500, message)
    }

    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, 413, message)
    }

    pub fn no_key(code: i32, message: &str) -> Self {
        Self { data: Some(Box::new(json!(false))), ..Self::new(StatusCode::UNAUTHORIZED, code, message) }
    }

    /// The key is good, but not for this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, 109, message)
    }

    /// The statement was refused, with what would make it good.
    pub fn refusal(refusal: &Refusal) -> Self {
        let message = format!("{}; {}", refusal.message, refusal.hint);
        Self { data: Some(Box::new(json!({"refusal": refusal}))), ..Self::data(message) }
    }

    /// What callers are told.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// With 404 as its status.
    pub fn not_found(self) -> Self {
        Self { status: StatusCode::NOT_FOUND, ..self }
    }

    /// With 400 where RAGFlow has 200.
    pub fn as_client_error(self) -> Self {
        let status = if self.status == StatusCode::OK { StatusCode::BAD_REQUEST } else { self.status };
        Self { status, ..self }
    }

    /// With one more field in its body.
    pub fn with(self, name: &'static str, value: Value) -> Self {
        Self { more: Some(Box::new((name, value))), ..self }
    }

    /// A fault of ours: the log has it, the caller only its number.
    fn internal(error: &ServiceError) -> Self {
        tracing::error!(%error, "a request failed");
        let message = "internal error; the log has it under the id in x-request-id";
        Self { data: Some(Box::default()), ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, 100, message) }
    }

    fn later(status: StatusCode, message: String, seconds: u64) -> Self {
        Self { retry: Some(seconds), ..Self::new(status, i32::from(status.as_u16()), message) }
    }
}

impl From<ServiceError> for Fault {
    fn from(error: ServiceError) -> Self {
        match &error {
            ServiceError::Busy => Self::later(StatusCode::TOO_MANY_REQUESTS, error.to_string(), 1),
            ServiceError::App(
                AppError::Engine(EngineError::Refused(refusal))
                | AppError::Ask(AskError::Engine(EngineError::Refused(refusal))),
            ) => Self::refusal(refusal),
            ServiceError::App(
                AppError::Catalog(CatalogError::Busy(_))
                | AppError::Ingest(IngestError::Catalog(CatalogError::Busy(_))),
            ) => Self::later(StatusCode::SERVICE_UNAVAILABLE, "another process is writing; try again".to_owned(), 5),
            error => error.of_caller().map_or_else(|| Self::internal(error), Self::data),
        }
    }
}

impl From<QueueFull> for Fault {
    fn from(full: QueueFull) -> Self {
        Self::later(StatusCode::TOO_MANY_REQUESTS, full.to_string(), 5)
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut body = match self.data {
            Some(data) => json!({"code": self.code, "data": data, "message": self.message}),
            None => json!({"code": self.code, "message": self.message}),
        };
        if let Some((name, value)) = self.more.map(|more| *more) {
            body[name] = value;
        }
        let mut response = (self.status, Json(body)).into_response();
        if let Some(seconds) = self.retry {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
