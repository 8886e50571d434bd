//! The tools with what goes in and out, as JSON schemas.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::schemas;

const DATASET: (&str, &str, &str) = ("dataset", "string", "name or id of a dataset, see list_datasets");

/// Every tool; all but `upload_file` only read.
pub fn all() -> Vec<Tool> {
    vec![
        tool(
            "list_datasets",
            "Lists the datasets: groups of spreadsheets that questions are asked over.",
            &[],
            0,
            schemas::datasets(),
        ),
        tool(
            "describe_tables",
            "Tables of a dataset with their fields: stored name, label as the user wrote it, type, unit.",
            &[DATASET],
            1,
            schemas::tables(),
        ),
        tool(
            "ask",
            "Answers a question in Chinese or English with the exact number and the rows it came from, or says that it can't.",
            &[DATASET, ("question", "string", "what to know"), ("mode", "string", "auto, sql or search")],
            2,
            schemas::answer(),
        ),
        tool(
            "query",
            "Runs one SELECT over the tables of a dataset, checked and limited to it, and gives rows with their sources.",
            &[DATASET, ("sql", "string", "a SELECT with names from describe_tables")],
            2,
            schemas::answer(),
        ),
        tool(
            "search_rows",
            "Finds rows by words, best first.",
            &[DATASET, ("words", "string", "what to look for"), ("limit", "integer", "rows at most, 10 if left out")],
            2,
            schemas::found_rows(),
        ),
        tool(
            "get_rows",
            "Rows of a document in the order of its sheets.",
            &[
                DATASET,
                ("document", "string", "id of a document, as in doc_id of a cited row"),
                ("skip", "integer", "rows to leave out first"),
                ("limit", "integer", "rows at most, 50 if left out"),
            ],
            2,
            schemas::page_of_rows(),
        ),
        tool(
            "upload_file",
            "Adds a spreadsheet to a dataset and reads it: on stdio by `path` in an allowed folder, over HTTP a text by `name` and \
             `content`. A file of the same name on stdio replaces the earlier one.",
            &[
                DATASET,
                ("path", "string", "path of the file on this machine"),
                ("name", "string", "name of the file, ending in .csv, .tsv or .txt"),
                ("content", "string", "the text of the file"),
            ],
            1,
            schemas::upload(),
        )
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(true).open_world(false)),
    ]
}

/// A tool whose first `required` fields must be given.
fn tool(
    name: &'static str,
    description: &'static str,
    fields: &[(&str, &str, &str)],
    required: usize,
    output: Value,
) -> Tool {
    let properties: JsonObject = fields
        .iter()
        .map(|(field, kind, text)| ((*field).to_owned(), json!({"type": kind, "description": text})))
        .collect();
    let named: Vec<&str> = fields.iter().take(required).map(|(field, ..)| *field).collect();
    let input = json!({"type": "object", "properties": properties, "required": named, "additionalProperties": false});
    Tool::new(name, description, object(input))
        .with_raw_output_schema(object(output))
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}
