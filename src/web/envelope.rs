//! RAGFlow's envelope: `{"code": 0, "data": …}`, without a message where all is well.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::fault::Fault;

/// What a handler gives.
pub type Answered<T> = Result<Envelope<T>, Fault>;

/// A success with its data.
#[derive(Debug, Serialize, ToSchema)]
pub struct Envelope<T> {
    /// 0
    code: i32,
    data: T,
}

impl<T> Envelope<T> {
    pub fn of(data: T) -> Self {
        Self { code: 0, data }
    }
}

impl<T: Serialize> IntoResponse for Envelope<T> {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

/// A success without data, or one that was partial.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Done {
    /// 0
    code: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Partial>,
}

/// How much was done, and what was not.
#[derive(Debug, Serialize, ToSchema)]
pub struct Partial {
    success_count: usize,
    errors: Vec<String>,
}

impl Done {
    /// All of it, or so much of it with these errors.
    pub fn of(success_count: usize, errors: Vec<String>) -> Self {
        let data = (!errors.is_empty()).then_some(Partial { success_count, errors });
        Self { code: 0, data }
    }
}

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

/// A failure: a code and its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct Failure {
    /// 100 unexpected, 101 argument, 102 data, 108 permission, 109 authentication, 404 chunk not found, 413, 429, 500 upload failed
    pub code: i32,
    pub message: String,
    /// `false` where the key is missing or unknown, `null` on unexpected errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}
