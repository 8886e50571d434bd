//! `/healthz`: the process answers. `/readyz`: so do its catalog, its engine and its queue.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::Web;

/// The process answers.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = String)))]
pub async fn healthz() -> &'static str {
    "ok"
}

/// What is ready.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    ready: bool,
    /// Documents that wait for their parse; `null` where the catalog does not answer.
    queued: Option<u64>,
    /// Whether a model is set up.
    model: bool,
    version: &'static str,
}

/// Whether the service can work.
#[utoipa::path(get, path = "/readyz", tag = "health",
    responses((status = 200, body = Readiness), (status = 503, body = Readiness)))]
pub async fn readyz(State(web): State<Arc<Web>>) -> (StatusCode, Json<Readiness>) {
    let app = web.service.app();
    let queued = app.catalog().queued().await.ok();
    let ready = queued.is_some();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, queued, model: app.model().is_some(), version: env!("CARGO_PKG_VERSION") }))
}
