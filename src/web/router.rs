//! The route table.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::fault::Fault;
use super::{
    Web, asking, chats, chunks, completions, datasets, description, document_update, documents, download, feedback,
    health, keys, layers, metrics, openai, parsing, reports, retrieval, sessions, texts, usage,
};

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
        .routes(routes!(chunks::list_chunks, texts::add_chunk, texts::delete_chunks))
        .routes(routes!(texts::update_chunk))
        .routes(routes!(asking::ask_dataset))
        .routes(routes!(asking::query_dataset))
        .routes(routes!(reports::document_report))
        .routes(routes!(reports::dataset_tables))
        .routes(routes!(retrieval::retrieve))
        .routes(routes!(feedback::judge_answer))
        .routes(routes!(feedback::judge_message))
        .routes(routes!(feedback::list_feedback))
        .routes(routes!(usage::usage))
        .routes(routes!(chats::create_chat, chats::list_chats, chats::delete_chats))
        .routes(routes!(chats::update_chat))
        .routes(routes!(sessions::create_session, sessions::list_sessions, sessions::delete_sessions))
        .routes(routes!(sessions::update_session))
        .routes(routes!(completions::complete))
        .routes(routes!(keys::create_key, keys::list_keys))
        .routes(routes!(keys::delete_key))
        .routes(routes!(openai::complete_by_default_streamed))
        .routes(routes!(openai::complete_whole))
}

/// The whole service, with routes of other protocols beside it.
pub fn router(web: Arc<Web>, beside: Router) -> Router {
    let (routes, document) = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openai::complete_by_model))
        .routes(routes!(openai::list_models))
        .nest("/api/v1", api())
        .split_for_parts();
    let described = description::of(&document).unwrap_or_default();
    let routes = routes
        .route("/openapi.json", get(move || async move { Json(described) }))
        .fallback(|| async { Fault::unexpected("<NotFound '404: Not Found'>").into_response() })
        .method_not_allowed_fallback(|| async {
            Fault::unexpected("<MethodNotAllowed '405: Method Not Allowed'>").into_response()
        })
        // Each body has a limit of its own.
        .layer(DefaultBodyLimit::disable())
        .with_state(web.clone())
        .merge(beside);
    layers::around(routes, &web)
}
