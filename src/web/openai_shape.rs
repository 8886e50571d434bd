//! OpenAI's bodies: the question of a conversation, a completion whole and in pieces.

use axum::body::Bytes;
use axum::response::Response;
use futures::stream;
use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::frames;
use crate::tokens::tokens;

/// The last message of the conversation, which must be the user's.
pub fn question(given: &Map<String, Value>) -> Result<String, Fault> {
    let messages = given.get("messages").and_then(Value::as_array).filter(|messages| !messages.is_empty());
    let last = messages.and_then(|messages| messages.last());
    let last = last.ok_or_else(|| Fault::data("You have to provide messages."))?;
    if last["role"] != "user" {
        return Err(Fault::data("The last content of this conversation is not from user."));
    }
    match &last["content"] {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => Ok(parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")),
        _ => Err(Fault::data("The last content of this conversation is no text.")),
    }
}

/// One answer.
pub struct Completion {
    pub id: String,
    pub model: String,
    /// Seconds since 1970.
    pub created: i64,
    pub prompt: String,
    pub content: String,
    pub reference: Option<Value>,
}

impl Completion {
    /// Counted as search cuts words.
    fn usage(&self) -> Value {
        let (prompt, completion) = (tokens(&self.prompt).len(), tokens(&self.content).len());
        json!({
            "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
            "completion_tokens_details": {"reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}
        })
    }

    pub fn whole(&self) -> Value {
        let mut message = json!({"role": "assistant", "content": self.content});
        if let Some(reference) = &self.reference {
            message["reference"] = reference.clone();
        }
        json!({
            "id": self.id, "object": "chat.completion", "created": self.created, "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": null}], "usage": self.usage()
        })
    }

    /// The answer line by line, then usage and reference, then `[DONE]`.
    pub fn streamed(&self) -> Response {
        let mut pieces: Vec<Bytes> = Vec::new();
        for line in self.content.split_inclusive('\n') {
            pieces.push(frames::frame(&self.piece(json!({"role": "assistant", "content": line}), None)));
        }
        let mut last = json!({"role": "assistant", "content": null});
        if let Some(reference) = &self.reference {
            last["reference"] = reference.clone();
            last["final_content"] = Value::from(self.content.clone());
        }
        pieces.push(frames::frame(&self.piece(last, Some(self.usage()))));
        pieces.push(Bytes::from_static(b"data:[DONE]\n\n"));
        frames::response(stream::iter(pieces))
    }

    /// A difference; the last one with the usage.
    fn piece(&self, delta: Value, usage: Option<Value>) -> Value {
        let finish = usage.is_some().then_some("stop");
        json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "system_fingerprint": "", "choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null}],
            "usage": usage
        })
    }
}
