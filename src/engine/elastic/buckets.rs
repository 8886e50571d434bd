//! Groups of an aggregation as Arrow arrays, numbers read from their digits.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StructArray};
use datafusion::arrow::datatypes::{DataType, Field, Fields};

use super::fault::Fault;
use super::grouped::Key;
use super::page::{decoded, group, list, nested};

/// The groups of the aggregation `g`: `key` with `k0` …, `doc_count`, and `a0`, `n0` … with their `value`.
pub(super) fn read(answer: &[u8], keys: &[Key], metrics: usize) -> Result<StructArray, Fault> {
    let key = |(at, key): (usize, &Key)| Field::new(format!("k{at}"), as_given(&key.kind), true);
    let mut bucket = vec![Field::new("doc_count", DataType::Int64, true)];
    if !keys.is_empty() {
        bucket.push(group("key", keys.iter().enumerate().map(key).collect()));
    }
    for at in 0..metrics {
        bucket.push(group(&format!("a{at}"), vec![Field::new("value", DataType::Float64, true)]));
        bucket.push(group(&format!("n{at}"), vec![Field::new("value", DataType::Int64, true)]));
    }
    let buckets = list("buckets", DataType::Struct(Fields::from(bucket)));
    let batch = decoded(answer, group("aggregations", vec![group("g", vec![buckets])]))?;
    let groups = nested(nested(batch.column_by_name("aggregations").cloned(), "g").ok(), "buckets")?;
    let groups = groups.as_list_opt::<i32>().filter(|list| !list.is_null(0)).map(|list| list.value(0));
    let groups = groups.and_then(|groups| groups.as_struct_opt().cloned());
    groups.ok_or_else(|| Fault::reply("it has no groups"))
}

/// Moments come in milliseconds.
fn as_given(kind: &DataType) -> DataType {
    match kind {
        DataType::Timestamp(_, _) => DataType::Int64,
        kind => kind.clone(),
    }
}

pub(super) fn key(buckets: &StructArray, at: usize) -> Result<ArrayRef, Fault> {
    nested(buckets.column_by_name("key").cloned(), &format!("k{at}"))
}

pub(super) fn member(buckets: &StructArray, name: &str) -> Result<ArrayRef, Fault> {
    buckets.column_by_name(name).cloned().ok_or_else(|| Fault::reply(format!("a group without {name}")))
}

/// The `value` of a metric.
pub(super) fn value(buckets: &StructArray, name: &str) -> Result<ArrayRef, Fault> {
    nested(Some(member(buckets, name)?), "value")
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::{Float64Type, Int64Type};

    use super::*;

    #[test]
    fn keys_and_values_of_groups() {
        let answer = r#"{"timed_out":false,"_shards":{"failed":0},"hits":{"hits":[]},"aggregations":{"g":{"after_key":{"k0":"b"},"buckets":[
            {"key":{"k0":null,"k1":1709251199000},"doc_count":2,"a0":{"value":0.0},"n0":{"value":0}},
            {"key":{"k0":"b","k1":null},"doc_count":3,"a0":{"value":0.30000000000000004},"n0":{"value":3}}]}}}"#;
        let text = Key { name: "a_kwd".into(), kind: DataType::Utf8View };
        let when = Key {
            name: "b_dt".into(),
            kind: DataType::Timestamp(datafusion::arrow::datatypes::TimeUnit::Second, None),
        };
        let groups = read(answer.as_bytes(), &[text, when], 1).expect("groups");
        assert_eq!(groups.len(), 2);
        assert!(key(&groups, 0).expect("keys").is_null(0));
        assert_eq!(key(&groups, 1).expect("keys").as_primitive::<Int64Type>().value(0), 1_709_251_199_000);
        assert_eq!(value(&groups, "a0").expect("sums").as_primitive::<Float64Type>().value(1), 0.1 + 0.2);
        assert_eq!(value(&groups, "n0").expect("counts").as_primitive::<Int64Type>().values()[..], [0, 3]);
    }
}
