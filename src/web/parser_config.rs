//! `parser_config`: RAGFlow's settings, which are kept, and ours, which decide how a file is read.

use serde_json::{Map, Value};

use super::checked::Checked;

/// What is wrong with a config, one line each.
pub fn faults(config: &Map<String, Value>) -> Vec<String> {
    let mut fields = Checked::within(config, "parser_config");
    for (name, least, most) in [
        ("auto_keywords", 0, 32),
        ("auto_questions", 0, 10),
        ("chunk_token_num", 1, 2_048),
        ("task_page_size", 1, i64::MAX),
        ("topn_tags", 1, 10),
    ] {
        fields.integer(name, least, most);
    }
    for name in ["delimiter", "layout_recognize"] {
        fields.text(name, false, usize::from(name == "delimiter"), usize::MAX);
    }
    of_kind(&mut fields, &["html4excel", "keep_totals", "transposed"], "boolean", Value::is_boolean);
    of_kind(&mut fields, &["graphrag", "raptor", "types", "field_map"], "dictionary", Value::is_object);
    of_kind(&mut fields, &["tag_kb_ids", "pages", "sheets"], "list", Value::is_array);
    of_kind(&mut fields, &["filename_embd_weight"], "number", Value::is_number);
    let rows = |value: &Value| value.is_array() || value.is_u64();
    of_kind(&mut fields, &["header_rows"], "list", rows);
    fields.ended()
}

fn of_kind(fields: &mut Checked, names: &[&'static str], kind: &str, fits: impl Fn(&Value) -> bool) {
    for name in names {
        if let Some(value) = fields.field(name)
            && !value.is_null()
            && !fits(value)
        {
            fields.fault(name, &format!("Input should be a valid {kind}"), value);
        }
    }
}

/// `sent` over `before`, key by key.
pub fn merged(before: Option<Map<String, Value>>, sent: Map<String, Value>) -> Map<String, Value> {
    let mut config = before.unwrap_or_default();
    config.extend(sent);
    config
}
