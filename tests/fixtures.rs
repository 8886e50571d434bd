//! What is laid beside the code: question sets that can be run, and an index template for every kind of field.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sheetwise::schema::RESERVED_COLUMNS;
use sheetwise::value::FieldType;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The cases of one set with its folder.
fn cases(set: &Path) -> Vec<Value> {
    let text = fs::read_to_string(set).expect("a question set is UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object on a line")).collect()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

#[test]
fn every_case_names_its_files_once_and_has_an_answer() {
    let folder = root().join("fixtures/cases");
    let mut ids = HashSet::new();
    for set in fs::read_dir(&folder).expect("fixtures/cases is there") {
        for case in cases(&set.expect("an entry of fixtures/cases").path()) {
            assert!(case["id"].as_str().is_some_and(|id| ids.insert(id.to_owned())), "{case}");
            assert!(case["question"].as_str().is_some_and(|question| !question.is_empty()), "{case}");
            assert!(case["answer"].as_array().is_some_and(|answer| !answer.is_empty()), "{case}");
            let files = texts(&case["files"]);
            assert!(!files.is_empty() && files.iter().all(|file| folder.join(file).is_file()), "{case}");
        }
    }
    assert!(ids.len() >= 30, "{} questions", ids.len());
}

#[test]
fn the_index_template_knows_every_field_type_and_reserved_column() {
    let text = fs::read_to_string(root().join("mappings/index.json")).expect("the template is there");
    let template: Value = serde_json::from_str(&text).expect("the template is JSON");
    let mappings = &template["template"]["mappings"];
    let dynamic = mappings["dynamic_templates"].as_array().expect("dynamic templates");
    let matched: Vec<_> =
        dynamic.iter().filter_map(|rule| rule.as_object()?.values().next()?["match"].as_str()).collect();
    for kind in [FieldType::Text, FieldType::Integer, FieldType::Decimal, FieldType::DateTime, FieldType::Flag] {
        assert!(matched.contains(&format!("*_{}", kind.suffix()).as_str()), "{}", kind.suffix());
    }
    for column in RESERVED_COLUMNS {
        assert!(mappings["properties"][column].is_object(), "{column}");
    }
    assert_eq!(mappings["date_detection"], false);
}
