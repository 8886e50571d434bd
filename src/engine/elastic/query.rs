//! Pieces of the servers' query language.

use serde_json::{Value, json};

/// Rows that satisfy all; every row for none.
pub(super) fn all(mut queries: Vec<Value>) -> Value {
    match queries.len() {
        0 => json!({ "match_all": {} }),
        1 => queries.remove(0),
        _ => json!({ "bool": { "filter": queries } }),
    }
}

/// Rows that satisfy one or more; no row for none.
pub(super) fn any(mut queries: Vec<Value>) -> Value {
    match queries.len() {
        0 => nothing(),
        1 => queries.remove(0),
        _ => json!({ "bool": { "should": queries, "minimum_should_match": 1 } }),
    }
}

pub(super) fn nothing() -> Value {
    json!({ "match_none": {} })
}

/// Rows of the first that are not of the second.
pub(super) fn but(of: Value, without: Value) -> Value {
    json!({ "bool": { "filter": [of], "must_not": [without] } })
}

pub(super) fn not(without: Value) -> Value {
    json!({ "bool": { "must_not": [without] } })
}

pub(super) fn term(field: &str, value: impl Into<Value>) -> Value {
    json!({ "term": { field: { "value": value.into() } } })
}

pub(super) fn terms(field: &str, values: Vec<Value>) -> Value {
    json!({ "terms": { field: values } })
}

/// `op` is `gt`, `gte`, `lt` or `lte`.
pub(super) fn range(field: &str, op: &str, value: impl Into<Value>) -> Value {
    json!({ "range": { field: { op: value.into() } } })
}

/// Rows with a value, also one too long to be a term.
pub(super) fn exists(field: &str) -> Value {
    match field.ends_with("_kwd") {
        true => any(vec![json!({ "exists": { "field": field } }), too_long(field)]),
        false => json!({ "exists": { "field": field } }),
    }
}

/// Rows whose value is too long to be a term: each says so itself, as not every server notes it.
pub(super) fn too_long(field: &str) -> Value {
    term("too_long", field)
}

/// Rows whose text has enough of the words.
pub(super) fn having(tokens: &str, words: &[String], need: usize) -> Value {
    if words.is_empty() {
        return nothing();
    }
    let words: Vec<Value> = words.iter().map(|word| term(tokens, super::row::stored_word(word))).collect();
    json!({ "bool": { "should": words, "minimum_should_match": need } })
}
