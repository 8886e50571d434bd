//! What owners set about datasets and documents, and what of it decides how a file is read.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::sheet::ReadOptions;
use crate::value::FieldType;

/// Methods that clients of RAGFlow know. Every file is read as tables.
pub const CHUNK_METHODS: [&str; 12] =
    ["naive", "book", "email", "laws", "manual", "one", "paper", "picture", "presentation", "qa", "table", "tag"];

/// What a dataset is said to be embedded with where its owner named no model. Tables are searched by words, so none is run.
pub const EMBEDDING_MODEL: &str = "BAAI/bge-small-en-v1.5@Builtin";

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct DatasetSettings {
    pub avatar: Option<String>,
    pub description: Option<String>,
    /// Empty in datasets of before: see [`DatasetSettings::model`].
    pub embedding_model: String,
    pub permission: String,
    pub chunk_method: String,
    pub parser_config: Option<Map<String, Value>>,
    pub pagerank: u32,
}

impl Default for DatasetSettings {
    fn default() -> Self {
        Self {
            avatar: None,
            description: None,
            embedding_model: EMBEDDING_MODEL.to_owned(),
            permission: "me".to_owned(),
            chunk_method: "table".to_owned(),
            parser_config: None,
            pagerank: 0,
        }
    }
}

impl DatasetSettings {
    /// The model that its owner named, or the default.
    pub fn model(&self) -> &str {
        if self.embedding_model.is_empty() { EMBEDDING_MODEL } else { &self.embedding_model }
    }
}

/// An empty method is the dataset's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentSettings {
    pub chunk_method: String,
    pub parser_config: Option<Map<String, Value>>,
    pub meta_fields: Map<String, Value>,
    pub created_by: String,
}

/// What clients of RAGFlow expect to find in a new dataset; none of it changes how a table is read.
pub fn default_parser_config(chunk_method: &str) -> Option<Map<String, Value>> {
    let config = match chunk_method {
        "naive" => json!({
            "auto_keywords": 0, "auto_questions": 0, "chunk_token_num": 512, "delimiter": "\n", "graphrag": {"use_graphrag": false},
            "html4excel": false, "layout_recognize": "DeepDOC", "raptor": {"use_raptor": false}, "topn_tags": 3
        }),
        "table" | "one" | "picture" | "email" | "tag" => return None,
        _ => json!({"graphrag": {"use_graphrag": false}, "raptor": {"use_raptor": false}}),
    };
    match config {
        Value::Object(config) => Some(config),
        _ => None,
    }
}

/// A setting of `parser_config` that decides how a file is read, and can't be used.
#[derive(Debug, thiserror::Error)]
#[error("`parser_config.{setting}`: {hint}")]
pub struct OptionsFault {
    setting: &'static str,
    hint: &'static str,
}

impl DocumentSettings {
    /// `header_rows`, `sheets`, `keep_totals`, `transposed` and `types` of the parser config.
    pub fn options(&self) -> Result<ReadOptions, OptionsFault> {
        let mut options = ReadOptions::default();
        let Some(config) = &self.parser_config else { return Ok(options) };
        if let Some(rows) = given(config, "header_rows") {
            options.header_rows = Some(header_rows(rows)?);
        }
        if let Some(sheets) = given(config, "sheets") {
            let fault = OptionsFault { setting: "sheets", hint: "write a list of sheet names" };
            options.sheets = Some(serde_json::from_value(sheets.clone()).map_err(|_| fault)?);
        }
        if let Some(keep) = given(config, "keep_totals") {
            let fault = OptionsFault { setting: "keep_totals", hint: "write true or false" };
            options.keep_totals = keep.as_bool().ok_or(fault)?;
        }
        if let Some(turned) = given(config, "transposed") {
            let fault =
                || OptionsFault { setting: "transposed", hint: "write true or false, and no header_rows with true" };
            options.transposed = Some(turned.as_bool().ok_or_else(fault)?);
            if options.transposed == Some(true) && options.header_rows.is_some() {
                return Err(fault());
            }
        }
        if let Some(types) = given(config, "types") {
            options.types = column_types(types)?;
        }
        Ok(options)
    }
}

fn given<'c>(config: &'c Map<String, Value>, setting: &str) -> Option<&'c Value> {
    config.get(setting).filter(|value| !value.is_null())
}

/// `3`, or `[3, 4]`.
fn header_rows(value: &Value) -> Result<(u64, u64), OptionsFault> {
    let fault =
        OptionsFault { setting: "header_rows", hint: "write a row, or the first and the last row: 3 or [3, 4]" };
    let (first, last) = match value {
        Value::Array(rows) if rows.len() == 2 => (rows[0].as_u64(), rows[1].as_u64()),
        row => (row.as_u64(), row.as_u64()),
    };
    match (first, last) {
        (Some(first), Some(last)) if 1 <= first && first <= last => Ok((first, last)),
        _ => Err(fault),
    }
}

/// `{"金额": "decimal"}`.
fn column_types(value: &Value) -> Result<Vec<(String, FieldType)>, OptionsFault> {
    let fault = || OptionsFault {
        setting: "types",
        hint: "write {\"label\": \"text\" | \"integer\" | \"decimal\" | \"datetime\" | \"flag\"}",
    };
    let types = value.as_object().ok_or_else(fault)?;
    let typed = types.iter().map(|(label, word)| {
        Ok((label.clone(), serde_json::from_value::<FieldType>(word.clone()).map_err(|_| fault())?))
    });
    typed.collect()
}
