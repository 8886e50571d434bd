//! The route table.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::response::IntoResponse;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::fault::Fault;
use super::{Web, asking, chunks, datasets, document_update, documents, download, health, layers, parsing, reports};

#[derive(OpenApi)]
#[openapi(info(
    title = "sheetwise",
    description = "Spreadsheets in, questions in Chinese or English, the exact number with the rows it came from."
))]
struct Document;

/// All routes under `/api/v1`.
fn api() -> OpenApiRouter<Arc<Web>> {
    OpenApiRouter::new()
        .routes(routes!(datasets::create_dataset, datasets::list_datasets, datasets::delete_datasets))
        .routes(routes!(datasets::update_dataset))
        .routes(routes!(documents::upload_documents, documents::list_documents, documents::delete_documents))
        .routes(routes!(download::download_document, document_update::update_document))
        .routes(routes!(parsing::parse_documents, parsing::stop_documents))
        .routes(routes!(chunks::list_chunks))
        .routes(routes!(asking::ask_dataset))
        .routes(routes!(asking::query_dataset))
        .routes(routes!(reports::document_report))
        .routes(routes!(reports::dataset_tables))
}

/// The whole service.
pub fn router(web: Arc<Web>) -> Router {
    let (routes, _document) = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .nest("/api/v1", api())
        .split_for_parts();
    let routes = routes
        .fallback(|| async { Fault::unexpected("<NotFound '404: Not Found'>").into_response() })
        .method_not_allowed_fallback(|| async {
            Fault::unexpected("<MethodNotAllowed '405: Method Not Allowed'>").into_response()
        })
        // Each body has a limit of its own.
        .layer(DefaultBodyLimit::disable())
        .with_state(web.clone());
    layers::around(routes, &web)
}
