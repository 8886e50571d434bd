//! The body that makes or changes a dataset, checked as strictly as RAGFlow checks it.

use serde_json::{Map, Value};

use super::checked::Checked;
use super::fault::Fault;
use super::parser_config;
use crate::service::CHUNK_METHODS;

/// Models that RAGFlow brings along. Tables are searched by words, so none is run; clients that name one are not sent away.
const MODELS: [&str; 5] = [
    "BAAI/bge-large-zh-v1.5@BAAI",
    "BAAI/bge-small-en-v1.5@Builtin",
    "BAAI/bge-m3@Builtin",
    "Qwen/Qwen3-Embedding-0.6B@Builtin",
    "maidalun1020/bce-embedding-base_v1@Youdao",
];

/// What is to be set; a field that was not sent is `None`.
#[derive(Debug, Default)]
pub struct DatasetBody {
    pub name: Option<String>,
    pub avatar: Option<Option<String>>,
    pub description: Option<Option<String>>,
    pub embedding_model: Option<String>,
    pub permission: Option<&'static str>,
    pub chunk_method: Option<&'static str>,
    pub parser_config: Option<Map<String, Value>>,
    pub pagerank: Option<u32>,
}

impl DatasetBody {
    /// A body that makes a dataset.
    pub fn create(given: &Map<String, Value>) -> Result<Self, Fault> {
        Self::read(given, true)
    }

    /// A body that changes one: every field may be left out.
    pub fn update(given: &Map<String, Value>) -> Result<Self, Fault> {
        Self::read(given, false)
    }

    fn read(given: &Map<String, Value>, create: bool) -> Result<Self, Fault> {
        let mut fields = Checked::of(given);
        let body = Self {
            name: name(&mut fields, create),
            avatar: avatar(&mut fields),
            description: nullable(&mut fields, "description"),
            embedding_model: embedding_model(&mut fields),
            permission: fields.word("permission", &["me", "team"]),
            chunk_method: fields.word("chunk_method", &CHUNK_METHODS),
            parser_config: config(&mut fields),
            pagerank: if create {
                None
            } else {
                fields.integer("pagerank", 0, 100).and_then(|n| u32::try_from(n).ok())
            },
        };
        fields.end()?;
        match &body.embedding_model {
            Some(model) if !MODELS.contains(&model.as_str()) => {
                Err(Fault::argument(format!("Unsupported model: <{model}>")))
            }
            _ => Ok(body),
        }
    }
}

const NAME: usize = 128;
const LONG: usize = 65_535;

fn name(fields: &mut Checked, required: bool) -> Option<String> {
    match fields.field("name") {
        None if required => {
            fields.missing("name");
            None
        }
        None => None,
        Some(Value::String(text)) => {
            let trimmed = Map::from_iter([("name".to_owned(), Value::from(text.trim()))]);
            let mut inner = Checked::of(&trimmed);
            let name = inner.text("name", false, 1, NAME).map(str::to_owned);
            fields.faults(inner.ended());
            name
        }
        Some(other) => {
            fields.fault("name", "Input should be a valid string", other);
            None
        }
    }
}

fn nullable(fields: &mut Checked, name: &'static str) -> Option<Option<String>> {
    let text = fields.text(name, true, 0, LONG).map(str::to_owned);
    fields.field(name).map(|_| text)
}

fn avatar(fields: &mut Checked) -> Option<Option<String>> {
    let avatar = nullable(fields, "avatar")?;
    let fault = match avatar.as_deref().map(|text| text.split_once(',').ok_or(text)) {
        None => None,
        Some(Err(_)) => Some("Missing MIME prefix. Expected format: data:<mime>;base64,<data>"),
        Some(Ok((prefix, _))) => match prefix.strip_prefix("data:") {
            None => Some("Invalid MIME prefix format. Must start with 'data:'"),
            Some(kind) => (!["image/jpeg", "image/png"].contains(&kind.split(';').next().unwrap_or_default()))
                .then_some("Unsupported MIME type. Allowed: ['image/jpeg', 'image/png']"),
        },
    };
    if let Some(fault) = fault {
        fields.fault("avatar", fault, &Value::from(avatar.clone()));
    }
    Some(avatar)
}

fn embedding_model(fields: &mut Checked) -> Option<String> {
    let model = fields.text("embedding_model", true, 0, 255)?.trim().to_owned();
    let fault = match model.split_once('@') {
        None => Some("Embedding model identifier must follow <model_name>@<provider> format"),
        Some((name, provider)) if name.trim().is_empty() || provider.trim().is_empty() => {
            Some("Both model_name and provider must be non-empty strings")
        }
        Some(_) => None,
    };
    if let Some(fault) = fault {
        fields.fault("embedding_model", fault, &Value::from(model.clone()));
    }
    Some(model)
}

/// An empty config is none.
fn config(fields: &mut Checked) -> Option<Map<String, Value>> {
    match fields.field("parser_config")? {
        Value::Null => None,
        Value::Object(config) => {
            fields.faults(parser_config::faults(config));
            (!config.is_empty()).then(|| config.clone())
        }
        other => {
            let text = "Input should be a valid dictionary or instance of ParserConfig";
            fields.fault("parser_config", text, other);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(body: &Value) -> String {
        let body = body.as_object().cloned().unwrap_or_default();
        DatasetBody::create(&body).map_or_else(|fault| format!("{fault:?}"), |_| String::new())
    }

    #[test]
    fn each_fault_is_named() {
        for (body, fault) in [
            (json!({}), "Field: <name> - Message: <Field required> - Value: <{}>"),
            (json!({"name": " "}), "Field: <name> - Message: <String should have at least 1 character> - Value: <>"),
            (json!({"name": 1}), "Field: <name> - Message: <Input should be a valid string> - Value: <1>"),
            (json!({"name": "a", "x": null}), "Field: <x> - Message: <Extra inputs are not permitted> - Value: <None>"),
            (json!({"name": "a", "avatar": "x"}), "Missing MIME prefix. Expected format: data:<mime>;base64,<data>"),
            (json!({"name": "a", "avatar": "data:image/gif;base64,x"}), "Unsupported MIME type."),
            (json!({"name": "a", "permission": "ME"}), "Input should be 'me' or 'team'"),
            (json!({"name": "a", "embedding_model": "@x"}), "Both model_name and provider"),
            (json!({"name": "a", "embedding_model": "x@y"}), "Unsupported model: <x@y>"),
            (json!({"name": "a", "chunk_method": null}), "'table' or 'tag'"),
            (json!({"name": "a", "parser_config": {"chunk_token_num": 0}}), "greater than or equal to 1"),
        ] {
            let told = told(&body);
            assert!(told.contains(fault), "{body}: {told}");
        }
        assert_eq!(told(&json!({"name": "a", "avatar": null, "parser_config": {}, "chunk_method": "table"})), "");
    }
}
