//! `parser_config`: RAGFlow's settings, which are kept, and ours, which decide how a file is read.

use serde_json::{Map, Value};

use super::checked::Checked;

/// Characters that a config may have as JSON.
const MAX_CHARS: usize = 65_535;

/// What is wrong with a config, one line each.
pub fn faults(config: &Map<String, Value>) -> Vec<String> {
    let mut fields = Checked::within(config, "parser_config");
    for (name, least, most) in
        [("auto_keywords", 0, 32), ("auto_questions", 0, 10), ("chunk_token_num", 1, 2_048), ("topn_tags", 1, 10)]
    {
        fields.integer(name, least, most);
    }
    if !fields.is_null("task_page_size") {
        fields.integer("task_page_size", 1, i64::MAX);
    }
    fields.text("delimiter", false, 1, usize::MAX);
    fields.text("layout_recognize", false, 0, usize::MAX);
    fields.number("filename_embd_weight", 0.0, 1.0);
    booleans(&mut fields, &["html4excel", "keep_totals", "transposed"]);
    texts(&mut fields, "tag_kb_ids");
    pages(&mut fields);
    inner(&mut fields, "raptor", raptor);
    inner(&mut fields, "graphrag", graphrag);
    of_kind(&mut fields, &["types", "field_map"], "dictionary", Value::is_object);
    of_kind(&mut fields, &["sheets"], "list", Value::is_array);
    of_kind(&mut fields, &["header_rows"], "list", |value| value.is_array() || value.is_u64());
    let mut faults = fields.ended();
    faults.extend(size(config));
    faults
}

fn size(config: &Map<String, Value>) -> Vec<String> {
    let whole = Value::Object(config.clone());
    let mut body = Checked::of(config);
    if whole.to_string().chars().count() > MAX_CHARS {
        body.fault("parser_config", "Parser config exceeds size limit (max 65,535 characters)", &whole);
    }
    body.told()
}

fn raptor(fields: &mut Checked) {
    booleans(fields, &["use_raptor"]);
    if let Some(prompt) = fields.text("prompt", false, 0, usize::MAX)
        && prompt.trim().is_empty()
    {
        fields.fault("prompt", "String should have at least 1 character", &Value::from(prompt.trim()));
    }
    for (name, least, most) in [("max_token", 1, 2_048), ("max_cluster", 1, 1_024), ("random_seed", 0, i64::MAX)] {
        fields.integer(name, least, most);
    }
    fields.number("threshold", 0.0, 1.0);
}

fn graphrag(fields: &mut Checked) {
    booleans(fields, &["use_graphrag", "community", "resolution"]);
    texts(fields, "entity_types");
    fields.word("method", &["light", "general"]);
}

/// The settings of an inner object.
fn inner(fields: &mut Checked, name: &'static str, check: fn(&mut Checked)) {
    match fields.field(name) {
        None | Some(Value::Null) => {}
        Some(Value::Object(object)) => {
            let mut inner = Checked::within(object, &format!("parser_config.{name}"));
            check(&mut inner);
            fields.faults(inner.ended());
        }
        Some(other) => fields.fault(name, "Input should be a valid dictionary", other),
    }
}

fn booleans(fields: &mut Checked, names: &[&'static str]) {
    of_kind(fields, names, "boolean", Value::is_boolean);
}

/// A list of texts.
fn texts(fields: &mut Checked, name: &'static str) {
    of_kind(fields, &[name], "list", Value::is_array);
    for (n, value) in fields.items(name).iter().enumerate().filter(|(_, value)| !value.is_string()) {
        fields.fault(&format!("{name}.{n}"), "Input should be a valid string", value);
    }
}

/// Lists of whole numbers.
fn pages(fields: &mut Checked) {
    of_kind(fields, &["pages"], "list", Value::is_array);
    for (n, range) in fields.items("pages").iter().enumerate() {
        let Some(ends) = range.as_array() else {
            fields.fault(&format!("pages.{n}"), "Input should be a valid list", range);
            continue;
        };
        for (m, value) in ends.iter().enumerate().filter(|(_, value)| value.as_i64().is_none()) {
            fields.fault(&format!("pages.{n}.{m}"), "Input should be a valid integer", value);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(config: &Value) -> String {
        faults(config.as_object().expect("an object")).join("\n")
    }

    #[test]
    fn what_ragflow_refuses_is_refused() {
        for (config, fault) in [
            (
                json!({"filename_embd_weight": 1.1}),
                "filename_embd_weight> - Message: <Input should be less than or equal to 1>",
            ),
            (json!({"filename_embd_weight": -1}), "Input should be greater than or equal to 0>"),
            (json!({"filename_embd_weight": "x"}), "Input should be a valid number"),
            (
                json!({"tag_kb_ids": [1]}),
                "Field: <parser_config.tag_kb_ids.0> - Message: <Input should be a valid string>",
            ),
            (json!({"tag_kb_ids": "1"}), "Input should be a valid list"),
            (json!({"pages": ["1"]}), "Field: <parser_config.pages.0> - Message: <Input should be a valid list>"),
            (
                json!({"pages": [[1, "2"]]}),
                "Field: <parser_config.pages.0.1> - Message: <Input should be a valid integer>",
            ),
            (json!({"task_page_size": 0}), "greater than or equal to 1"),
            (json!({"raptor": {"max_token": 0}}), "Field: <parser_config.raptor.max_token>"),
            (json!({"raptor": {"prompt": " "}}), "String should have at least 1 character"),
            (json!({"raptor": {"threshold": 1.1}}), "less than or equal to 1>"),
            (json!({"raptor": {"max_cluster": 1_025}}), "less than or equal to 1024"),
            (json!({"raptor": {"random_seed": -1}}), "greater than or equal to 0"),
            (json!({"raptor": {"use_raptor": "x"}}), "Input should be a valid boolean"),
            (
                json!({"raptor": {"x": 1}}),
                "Field: <parser_config.raptor.x> - Message: <Extra inputs are not permitted>",
            ),
            (json!({"graphrag": {"method": "x"}}), "Input should be 'light' or 'general'"),
            (json!({"graphrag": {"entity_types": [1]}}), "Field: <parser_config.graphrag.entity_types.0>"),
            (json!({"graphrag": {"community": "x"}}), "Input should be a valid boolean"),
            (
                json!({"delimiter": "a".repeat(65_536)}),
                "Field: <parser_config> - Message: <Parser config exceeds size limit (max 65,535 characters)>",
            ),
        ] {
            let told = told(&config);
            assert!(told.contains(fault), "{config}: {told}");
        }
    }

    #[test]
    fn what_ragflow_takes_is_taken() {
        for config in [
            json!({"task_page_size": null, "pages": null, "filename_embd_weight": null}),
            json!({"filename_embd_weight": 0, "pages": [[1, 100]], "tag_kb_ids": ["1"], "task_page_size": 1}),
            json!({"raptor": {"use_raptor": true, "prompt": "x", "max_token": 1, "threshold": 0.5, "max_cluster": 1, "random_seed": 0}}),
            json!({"graphrag": {"use_graphrag": true, "entity_types": ["x"], "method": "light", "community": true, "resolution": false}}),
        ] {
            assert_eq!(told(&config), "", "{config}");
        }
    }
}
