//! What is pushed down, case by case: a query, or nothing.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::logical_expr::{col, in_list, lit, not};
use datafusion::prelude::cast;
use serde_json::{Value, json};

use super::*;
use crate::engine::documents::LastDocuments;
use crate::engine::elastic::place::PartPlace;
use crate::engine::layout::{schema, text_fields};
use crate::engine::{Document, Snapshot};
use crate::ids::Id;
use crate::schema::{Field, Table};

fn field(name: &str, kind: FieldType) -> Field {
    Field::for_test(name, name, kind)
}

fn place(parts: usize) -> Place {
    let fields = vec![
        field("city_tks", FieldType::Text),
        field("qty_long", FieldType::Integer),
        field("price_flt", FieldType::Decimal),
        field("day_dt", FieldType::DateTime),
        field("paid_kwd", FieldType::Flag),
    ];
    let table = Table {
        name: "t".to_owned(),
        label: "t".to_owned(),
        rows: 9,
        fields: fields.clone(),
        captions: Vec::new(),
        sheets: Vec::new(),
    };
    let kb = Id::new();
    let document = |no, name: &str| Document { no, doc_id: Id::new(), name: name.to_owned(), kb };
    let snapshot = Snapshot { documents: vec![document(4, "a.csv"), document(5, "b.csv")], ..Snapshot::default() };
    let part =
        PartPlace { kb, index: "i".to_owned(), table_id: "x".to_owned(), docs: vec![4, 5], segments: Vec::new() };
    Place {
        name: table.name.clone(),
        schema: schema(&table),
        text_fields: text_fields(&table),
        fields,
        parts: vec![part; parts],
        documents: LastDocuments::default().of(&snapshot),
        files: Arc::default(),
        rows: table.rows,
        too_long: HashSet::new(),
    }
}

/// A term of a field, as [`term`] writes it.
fn is(field: &str, value: impl Into<Value>) -> Value {
    json!({ "term": { field: { "value": value.into() } } })
}

fn has(field: &str) -> Value {
    exists(field)
}

#[test]
fn a_condition_is_pushed_exactly_or_not_at_all() {
    let moment = lit(ScalarValue::TimestampSecond(Some(1_709_251_199), None));
    let cases: Vec<(Expr, Option<Value>)> = vec![
        (col("city_kwd").eq(lit("Oslo")), Some(is("city_kwd", "Oslo"))),
        (col("city_kwd").not_eq(lit("Oslo")), Some(but(has("city_kwd"), is("city_kwd", "Oslo")))),
        (not(col("city_kwd").eq(lit("Oslo"))), Some(but(has("city_kwd"), is("city_kwd", "Oslo")))),
        (lit("Oslo").eq(col("city_kwd")), Some(is("city_kwd", "Oslo"))),
        (col("paid_kwd").eq(lit("yes")), Some(is("paid_kwd", "yes"))),
        (col("qty_long").gt(lit(3i64)), Some(json!({ "range": { "qty_long": { "gt": 3 } } }))),
        (lit(3i64).gt(col("qty_long")), Some(json!({ "range": { "qty_long": { "lt": 3 } } }))),
        (not(col("qty_long").gt(lit(3i64))), Some(json!({ "range": { "qty_long": { "lte": 3 } } }))),
        (col("qty_long").eq(lit(i64::MAX)), Some(is("qty_long", i64::MAX))),
        (col("qty_long").eq(lit(ScalarValue::Decimal128(Some(7), 19, 0))), Some(is("qty_long", 7))),
        (col("price_flt").lt_eq(lit(0.1 + 0.2)), Some(json!({ "range": { "price_flt": { "lte": 0.1 + 0.2 } } }))),
        (col("day_dt").gt_eq(moment.clone()), Some(json!({ "range": { "day_dt": { "gte": "2024-02-29T23:59:59" } } }))),
        (col("qty_long").is_null(), Some(super::super::query::not(has("qty_long")))),
        (col("city_kwd").is_not_null(), Some(has("city_kwd"))),
        (col("docnm_kwd").is_null(), Some(nothing())),
        (in_list(col("qty_long"), vec![lit(1i64), lit(2i64)], false), Some(json!({ "terms": { "qty_long": [1, 2] } }))),
        (
            in_list(col("qty_long"), vec![lit(1i64), lit(2i64)], true),
            Some(but(has("qty_long"), json!({ "terms": { "qty_long": [1, 2] } }))),
        ),
        (col("docnm_kwd").eq(lit("b.csv")), Some(json!({ "terms": { "doc_no": [5] } }))),
        (col("docnm_kwd").not_eq(lit("b.csv")), Some(json!({ "terms": { "doc_no": [4] } }))),
        (col("table_kwd").eq(lit("t")), Some(all(Vec::new()))),
        (col("table_kwd").eq(lit("u")), Some(nothing())),
        (
            col("qty_long").gt(lit(1i64)).and(col("city_kwd").eq(lit("a"))),
            Some(json!({ "bool": { "filter": [
                { "range": { "qty_long": { "gt": 1 } } }, is("city_kwd", "a") ] } })),
        ),
        (
            not(col("qty_long").gt(lit(1i64)).and(col("city_kwd").eq(lit("a")))),
            Some(json!({ "bool": { "should": [
                { "range": { "qty_long": { "lte": 1 } } }, but(has("city_kwd"), is("city_kwd", "a")) ],
                "minimum_should_match": 1 } })),
        ),
        // Text in order, half seconds, other types, columns with columns, nulls in a list, arithmetic.
        (col("city_kwd").gt(lit("a")), None),
        (col("day_dt").gt(lit(ScalarValue::TimestampNanosecond(Some(1), None))), None),
        (col("qty_long").gt(lit(1.5)), None),
        (cast(col("qty_long"), datafusion::arrow::datatypes::DataType::Float64).gt(lit(1.5)), None),
        (col("price_flt").gt(lit(f64::NAN)), None),
        (col("qty_long").gt(col("row_long")), None),
        (in_list(col("qty_long"), vec![lit(1i64), lit(ScalarValue::Int64(None))], false), None),
        ((col("qty_long") + lit(1i64)).gt(lit(2i64)), None),
        (col("city_kwd").like(lit("a%")), None),
        (col("city_kwd").eq(lit("x".repeat(11_000))), None),
        (col("qty_long").gt(lit(1i64)).or(col("city_kwd").like(lit("a%"))), None),
    ];
    for (condition, query) in cases {
        assert_eq!(pushed(&condition, &place(1)), query, "{condition}");
    }
}

#[test]
fn decimals_of_several_knowledge_bases_may_be_whole_numbers_and_are_not_pushed() {
    assert_eq!(pushed(&col("price_flt").gt(lit(1.0)), &place(2)), None);
    assert!(pushed(&col("qty_long").gt(lit(1i64)), &place(2)).is_some());
}

#[test]
fn queries_that_a_server_would_refuse_are_not_pushed() {
    let one = |n: i64| col("qty_long").eq(lit(n));
    let many = (1..400).map(one).reduce(Expr::or).expect("a chain");
    assert_eq!(pushed(&many, &place(1)), None);
    let deep = (1..20).fold(one(0), |inner, n| if n % 2 == 0 { inner.and(one(n)) } else { inner.or(one(n)) });
    assert_eq!(pushed(&deep, &place(1)), None);
}

#[test]
fn the_scope_is_the_outermost_filter() {
    let within = place(1).within([is("city_kwd", "x")]);
    let filters = within["bool"]["filter"].as_array().expect("filters");
    assert_eq!(filters.len(), 2);
    assert_eq!(filters[0]["bool"]["filter"][1], json!({ "terms": { "table_id": ["x"] } }));
}
