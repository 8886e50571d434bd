//! A document as it is shown.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::date;
use crate::catalog::Run;
use crate::service::Document;

#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentView {
    pub id: String,
    pub name: String,
    pub dataset_id: String,
    pub chunk_method: String,
    pub parser_config: Option<Map<String, Value>>,
    pub source_type: &'static str,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub suffix: String,
    pub location: String,
    pub size: u64,
    pub thumbnail: Option<String>,
    pub created_by: String,
    pub token_count: u64,
    /// Rows, and texts added by hand: one added twice counts twice.
    pub chunk_count: u64,
    /// 0 to 1; −1 failed.
    pub progress: f64,
    pub progress_msg: String,
    pub process_begin_at: Option<String>,
    /// Seconds.
    pub process_duration: f64,
    pub meta_fields: Map<String, Value>,
    /// `UNSTART`, `RUNNING`, `CANCEL`, `DONE` or `FAIL`.
    pub run: &'static str,
    /// `"1"` enabled, `"0"` not.
    pub status: &'static str,
    pub pipeline_id: Option<String>,
    /// Milliseconds since 1970.
    pub create_time: i64,
    pub create_date: String,
    pub update_time: i64,
    pub update_date: String,
}

/// The extension of a file name, without its dot.
pub fn suffix(name: &str) -> &str {
    name.rfind('.').filter(|&dot| dot > 0).map_or("", |dot| &name[dot + 1..])
}

impl DocumentView {
    pub fn of(document: Document) -> Self {
        let progress_msg = message(&document);
        let chunk_count = document.record.chunks();
        let (record, settings) = (document.record, document.settings);
        Self {
            id: record.id.to_string(),
            dataset_id: record.kb.to_string(),
            chunk_method: method(&settings.chunk_method).to_owned(),
            parser_config: settings.parser_config,
            source_type: "local",
            kind: "doc",
            suffix: suffix(&record.name).to_lowercase(),
            location: record.name.clone(),
            name: record.name,
            size: record.size,
            thumbnail: None,
            created_by: settings.created_by,
            token_count: 0,
            chunk_count,
            progress: record.progress,
            progress_msg,
            process_begin_at: record.began.map(date::http),
            process_duration: record.took as f64 / 1_000.0,
            meta_fields: settings.meta_fields,
            run: record.run.word(),
            status: if record.enabled { "1" } else { "0" },
            pipeline_id: None,
            create_time: record.made,
            create_date: date::http(record.made),
            update_time: record.updated,
            update_date: date::http(record.updated),
        }
    }
}

/// Documents that were added on the command line have none of their own.
fn method(given: &str) -> &str {
    if given.is_empty() { "table" } else { given }
}

fn message(document: &Document) -> String {
    let (message, given) = (&document.record.message, method(&document.settings.chunk_method));
    match document.record.run {
        Run::Done if given != "table" => format!("read as tables, though `chunk_method` is {given}\n{message}"),
        _ => message.clone(),
    }
}
