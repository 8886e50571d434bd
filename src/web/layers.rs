//! What holds for every request: a number, one log line, security headers, CORS, paths as RAGFlow reads them.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::uri::{PathAndQuery, Uri};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use tracing::Instrument;

use super::Web;
use super::fault::Fault;
use crate::ids::Id;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The routes with everything around them.
pub fn around(routes: Router, web: &Arc<Web>) -> Router {
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    Router::new()
        .fallback_service(routes)
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| panicked()))
        .layer(cors(web))
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(header::X_FRAME_OPTIONS, "DENY"))
        .layer(header(header::REFERRER_POLICY, "no-referrer"))
        .layer(header(header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"))
        .layer(header(header::CACHE_CONTROL, "no-store"))
        .layer(from_fn_with_state(web.clone(), numbered))
        .layer(from_fn(merged))
}

fn panicked() -> Response {
    let body = axum::Json(serde_json::json!({"code": 100, "data": null, "message": "internal error"}));
    (StatusCode::INTERNAL_SERVER_ERROR, body).into_response()
}

/// Pages of the allowed origins may call; none by default.
fn cors(web: &Web) -> CorsLayer {
    let allowed = web.service.app().config().serve.allowed_origins.clone();
    let origins = allowed.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    let origins: Vec<HeaderValue> = origins.filter_map(|origin| origin.parse().ok()).collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE])
}

/// Gives the request a number, which its log lines and its answer carry.
async fn numbered(State(web): State<Arc<Web>>, request: Request, next: Next) -> Response {
    let id = Id::new().to_string();
    let span = tracing::info_span!("request", id, method = %request.method(), path = request.uri().path());
    let started = Instant::now();
    async move {
        let mut response = next.run(request).await;
        web.metrics.count(response.status(), started.elapsed());
        tracing::info!(status = response.status().as_u16(), ms = started.elapsed().as_millis() as u64, "answered");
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        response
    }
    .instrument(span)
    .await
}

/// Repeated slashes count as one, and one at the end as none. What is no text is no path.
async fn merged(mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if !is_text(path) {
        return Fault::unexpected("<NotFound '404: Not Found'>").into_response();
    }
    if path.contains("//") || (path.len() > 1 && path.ends_with('/')) {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        if let Ok(merged) = PathAndQuery::try_from(format!("/{}{query}", parts.join("/"))) {
            *request.uri_mut() = Uri::from(merged);
        }
    }
    next.run(request).await
}

/// Whether the bytes that a percent-encoded path stands for are UTF-8.
fn is_text(path: &str) -> bool {
    let bytes = path.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(encoded) => {
                decoded.push(encoded);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    std::str::from_utf8(&decoded).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_text;

    #[test]
    fn a_path_is_text() {
        for path in ["/", "/a%20b", "/%E6%95%B0", "/100%", "/%zz", "/%e"] {
            assert!(is_text(path), "{path}");
        }
        for path in ["/%FF", "/%E6%95", "/a%C3/%28"] {
            assert!(!is_text(path), "{path}");
        }
    }
}
