//! Chats and sessions as they are shown.

use serde_json::{Map, Value, json};

use super::chat_body::{self, SYSTEM};
use super::date;
use crate::catalog::SessionRecord;
use crate::service::{Chat, Dataset, OPENER};

/// What a chat says where nothing was found and its owner set no words for it.
pub const EMPTY: &str = "Sorry! No relevant content was found in the knowledge base!";

/// A chat; in a list its datasets stand for their ids.
pub fn chat(chat: &Chat, model: &str, datasets: Option<&[Dataset]>) -> Value {
    let (record, settings) = (&chat.record, &chat.settings);
    let mut shown = json!({
        "id": record.id, "name": record.name, "avatar": settings.avatar,
        "description": settings.description.as_deref().unwrap_or("A helpful Assistant"),
        "llm": llm(&settings.llm, model), "prompt": prompt(&settings.prompt), "language": "English", "prompt_type": "simple",
        "sql": settings.sql, "do_refer": "1", "meta_data_filter": {}, "top_k": 1024, "status": "1", "tenant_id": record.owner,
        "create_time": record.created, "create_date": date::http(record.created),
        "update_time": record.updated, "update_date": date::http(record.updated),
    });
    match datasets {
        None => shown["dataset_ids"] = json!(settings.dataset_ids),
        Some(datasets) => shown["datasets"] = datasets.iter().map(stored).collect(),
    }
    shown
}

/// A dataset under RAGFlow's stored names.
fn stored(dataset: &Dataset) -> Value {
    let (record, settings) = (&dataset.record, &dataset.settings);
    json!({
        "id": record.id, "name": record.name, "avatar": settings.avatar, "chunk_num": record.chunks(), "doc_num": record.documents,
        "parser_id": settings.chunk_method, "embd_id": settings.model(), "permission": settings.permission,
        "description": settings.description, "language": "English", "token_num": 0, "tenant_id": record.owner
    })
}

/// What was sent, else the defaults.
fn llm(sent: &Map<String, Value>, model: &str) -> Value {
    let mut shown = match sent.iter().any(|(name, _)| name != "model_name") {
        true => Value::Object(sent.clone()),
        false => {
            json!({"temperature": 0.1, "top_p": 0.3, "presence_penalty": 0.4, "frequency_penalty": 0.7, "max_tokens": 512})
        }
    };
    let named = sent.get("model_name").filter(|name| !name.is_null());
    shown["model_name"] = named.cloned().unwrap_or_else(|| Value::from(model));
    shown
}

fn prompt(sent: &Map<String, Value>) -> Value {
    let mut shown = json!({
        "similarity_threshold": 0.2, "keywords_similarity_weight": 0.7, "top_n": 6, "rerank_model": "",
        "variables": chat_body::variables(), "empty_response": EMPTY, "opener": OPENER,
        "show_quote": true, "prompt": SYSTEM, "tts": false, "refine_multiturn": true
    });
    for (name, value) in sent {
        match (name.as_str(), value.as_f64()) {
            ("top_k", _) => {}
            ("prompt", _) if value.as_str() == Some("") => {}
            ("keywords_similarity_weight", Some(weight)) => shown["keywords_similarity_weight"] = json!(1.0 - weight),
            _ => shown[name.as_str()] = value.clone(),
        }
    }
    shown
}

/// A session with what was said in it.
pub fn session(session: &SessionRecord) -> Value {
    let messages: Vec<Value> = session.messages.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
    json!({
        "id": session.id, "chat_id": session.chat, "name": session.name, "user_id": session.user_id, "messages": messages,
        "create_time": session.created, "create_date": date::http(session.created),
        "update_time": session.updated, "update_date": date::http(session.updated)
    })
}
