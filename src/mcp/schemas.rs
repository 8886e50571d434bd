//! What goes out of the tools, as JSON schemas. Fields may be added to a result, so no schema is closed.

use serde_json::{Value, json};

/// An object with these fields; those in `required` are always there.
fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn or_null(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// `list_datasets`.
pub fn datasets() -> Value {
    let dataset = object(
        json!({"id": text(), "name": text(), "description": or_null(text()), "documents": count(), "rows": count()}),
        &["id", "name", "documents", "rows"],
    );
    object(json!({"datasets": list(dataset), "total": count()}), &["datasets", "total"])
}

fn table() -> Value {
    let field = object(
        json!({"name": text(), "exact": text(), "label": text(), "type": text(), "unit": text(), "synonyms": list(text()),
               "allowed": list(text()), "nulls": count(), "role": text(), "distinct": count()}),
        &["name", "label", "type", "synonyms", "allowed", "nulls"],
    );
    object(json!({"name": text(), "rows": count(), "fields": list(field)}), &["name", "rows", "fields"])
}

/// `describe_tables`.
pub fn tables() -> Value {
    object(json!({"tables": list(table())}), &["tables"])
}

fn row() -> Value {
    object(
        json!({"id": text(), "doc_id": text(), "docnm_kwd": text(), "kb_id": text(), "sheet": text(), "row": count(),
               "content": text()}),
        &["id", "doc_id", "docnm_kwd", "kb_id", "sheet", "row", "content"],
    )
}

fn note() -> Value {
    object(json!({"code": text(), "message": text(), "place": text()}), &["code", "message"])
}

/// `ask` and `query`.
pub fn answer() -> Value {
    let column = object(json!({"name": text(), "label": text(), "type": text()}), &["name", "label", "type"]);
    let document =
        object(json!({"doc_id": text(), "doc_name": text(), "count": count()}), &["doc_id", "doc_name", "count"]);
    let reference = object(
        json!({"chunks": list(row()), "doc_aggs": list(document), "total": count()}),
        &["chunks", "doc_aggs", "total"],
    );
    let answer = object(
        json!({
            "question": text(), "path": {"enum": ["planner", "model", "sql", "search", "declined"]}, "answer": text(),
            "columns": list(column), "rows": list(json!({"type": "array"})), "total": count(), "shown": count(),
            "sql": or_null(object(json!({"asked": text(), "run": text()}), &["asked", "run"])), "notes": list(note()),
            "reference": reference, "refusal": {"type": "object"}
        }),
        &["question", "path", "answer", "columns", "rows", "total", "shown", "sql", "notes", "reference"],
    );
    object(json!({"answer": answer}), &["answer"])
}

/// `search_rows`.
pub fn found_rows() -> Value {
    object(json!({"rows": list(row())}), &["rows"])
}

/// `get_rows`.
pub fn page_of_rows() -> Value {
    object(json!({"rows": list(row()), "total": count()}), &["rows", "total"])
}

/// `upload_file`.
pub fn upload() -> Value {
    let run = json!({"enum": ["UNSTART", "RUNNING", "CANCEL", "DONE", "FAIL"]});
    let document = object(
        json!({"id": text(), "name": text(), "run": run, "rows": count(), "message": text()}),
        &["id", "name", "run", "rows", "message"],
    );
    object(json!({"document": document, "notes": list(note())}), &["document", "notes"])
}
