//! The routes described (OpenAPI 3.1), with what holds for all of them: keys, and how failures look.

use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

/// Failures that any route of the API may give.
const FAILURES: [(&str, &str); 6] = [
    ("401", "no key, or an unknown one"),
    ("403", "the key may not do this, or a page of another site calls without one"),
    ("413", "the body, the file or the number of files is over its limit"),
    ("429", "too much at once: `Retry-After` says when to try again"),
    ("500", "a fault of ours; the log has it under `x-request-id`"),
    ("503", "another process is writing"),
];

/// The document that is served.
pub fn of(document: &OpenApi) -> Result<Value, serde_json::Error> {
    let mut document = serde_json::to_value(document)?;
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (_, operation) in paths.filter_map(|(_, methods)| methods.as_object_mut()).flatten() {
        if operation["tags"] == json!(["health"]) {
            continue;
        }
        operation["security"] = json!([{"key": []}, {}]);
        if let Some(responses) = operation["responses"].as_object_mut() {
            complete(responses);
        }
    }
    document["components"]["securitySchemes"] = json!({"key": {"type": "http", "scheme": "bearer"}});
    Ok(document)
}

/// RAGFlow's failures have status 200 too.
fn complete(responses: &mut Map<String, Value>) {
    let failure = json!({"$ref": "#/components/schemas/Failure"});
    if let Some(schema) =
        responses.get_mut("200").and_then(|found| found.pointer_mut("/content/application~1json/schema"))
    {
        *schema = json!({"anyOf": [schema.take(), failure]});
    }
    // A stream is described by what one of its events is.
    if let Some(schema) =
        responses.get_mut("200").and_then(|found| found.pointer_mut("/content/text~1event-stream/schema"))
    {
        let data =
            json!({"type": "string", "description": "JSON on one line, or `[DONE]` at the end of OpenAI's streams"});
        *schema = json!({"type": "object", "properties": {"data": data}, "required": ["data"]});
    }
    for (status, text) in FAILURES {
        let content = json!({"application/json": {"schema": failure}});
        responses.entry(status).or_insert_with(|| json!({"description": text, "content": content}));
    }
}
