//! A dataset as it is shown.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::date;
use crate::service::Dataset;

#[derive(Debug, Serialize, ToSchema)]
pub struct DatasetView {
    pub id: String,
    pub name: String,
    pub avatar: Option<String>,
    pub description: Option<String>,
    pub language: &'static str,
    pub embedding_model: String,
    pub permission: String,
    pub chunk_method: String,
    pub parser_config: Option<Map<String, Value>>,
    pub pagerank: u32,
    pub document_count: u64,
    /// Rows, and texts added by hand: one added twice counts twice.
    pub chunk_count: u64,
    pub token_num: u64,
    pub similarity_threshold: f64,
    pub vector_similarity_weight: f64,
    pub tenant_id: String,
    pub created_by: String,
    /// `"1"`
    pub status: &'static str,
    /// Milliseconds since 1970.
    pub create_time: i64,
    pub create_date: String,
    pub update_time: i64,
    pub update_date: String,
    pub pipeline_id: Option<String>,
    pub graphrag_task_id: Option<String>,
    pub graphrag_task_finish_at: Option<String>,
    pub raptor_task_id: Option<String>,
    pub raptor_task_finish_at: Option<String>,
    pub mindmap_task_id: Option<String>,
    pub mindmap_task_finish_at: Option<String>,
}

impl DatasetView {
    /// With the labels of its fields, `field_map`, in the parser config.
    pub fn of(dataset: Dataset, field_map: Map<String, Value>) -> Self {
        let chunk_count = dataset.record.chunks();
        let (record, mut settings) = (dataset.record, dataset.settings);
        if !field_map.is_empty() {
            settings.parser_config.get_or_insert_default().insert("field_map".to_owned(), Value::Object(field_map));
        }
        let embedding_model = settings.model().to_owned();
        Self {
            id: record.id.to_string(),
            name: record.name,
            avatar: settings.avatar,
            description: settings.description,
            language: "English",
            embedding_model,
            permission: settings.permission,
            chunk_method: settings.chunk_method,
            parser_config: settings.parser_config,
            pagerank: settings.pagerank,
            document_count: record.documents,
            chunk_count,
            token_num: 0,
            similarity_threshold: 0.2,
            vector_similarity_weight: 0.3,
            tenant_id: record.owner.to_string(),
            created_by: record.owner.to_string(),
            status: "1",
            create_time: record.created,
            create_date: date::http(record.created),
            update_time: record.updated,
            update_date: date::http(record.updated),
            pipeline_id: None,
            graphrag_task_id: None,
            graphrag_task_finish_at: None,
            raptor_task_id: None,
            raptor_task_finish_at: None,
            mindmap_task_id: None,
            mindmap_task_finish_at: None,
        }
    }
}
