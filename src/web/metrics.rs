//! `/metrics`: counts for Prometheus.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Web;
use super::caller::Reader;
use super::envelope::Failure;
use super::fault::Fault;
use crate::service::ServiceError;

/// Answers counted by the hundred of their status, and the time they took.
#[derive(Debug, Default)]
pub struct Metrics {
    answers: [AtomicU64; 6],
    micros: AtomicU64,
}

impl Metrics {
    pub fn count(&self, status: StatusCode, took: Duration) {
        if let Some(answers) = self.answers.get(usize::from(status.as_u16() / 100)) {
            answers.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn text(&self, queued: u64, free_turns: usize) -> String {
        let mut text = String::from("# TYPE sheetwise_answers_total counter\n");
        for (hundred, answers) in self.answers.iter().enumerate().skip(1) {
            let count = answers.load(Ordering::Relaxed);
            text.push_str(&format!("sheetwise_answers_total{{status=\"{hundred}xx\"}} {count}\n"));
        }
        let seconds = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        text.push_str(&format!(
            "# TYPE sheetwise_answer_seconds_total counter\nsheetwise_answer_seconds_total {seconds}\n"
        ));
        text.push_str(&format!("# TYPE sheetwise_queued_documents gauge\nsheetwise_queued_documents {queued}\n"));
        text.push_str(&format!("# TYPE sheetwise_free_turns gauge\nsheetwise_free_turns {free_turns}\n"));
        text
    }
}

/// Counts for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "health",
    responses((status = 200, body = String, content_type = "text/plain"), (status = 401, body = Failure)))]
pub async fn metrics(State(web): State<Arc<Web>>, Reader(_): Reader) -> Result<Response, Fault> {
    let queued = web.service.app().catalog().queued().await.map_err(ServiceError::from)?;
    let text = web.metrics.text(queued, web.service.free_turns());
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}
