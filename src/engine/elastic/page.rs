//! Hits of a search as Arrow batches. Numbers are read from their digits, so that every value is to the bit what was stored.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, ListArray, RecordBatch, StructArray};
use datafusion::arrow::datatypes::{DataType, Field, Fields, Int64Type, Schema};
use datafusion::arrow::json::ReaderBuilder;

use super::fault::Fault;

/// One page of hits.
pub(super) struct Page {
    pub rows: usize,
    /// The fields asked for; null where a hit has none.
    columns: Option<StructArray>,
    /// Sort values of each hit, the key first; some servers add a second. `None` where the keys are a column.
    keys: Option<ListArray>,
}

/// Where a hit has its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyIn {
    /// It is sorted by it.
    Sort,
    /// The column `row_key`.
    Column,
}

impl Page {
    /// Reads an answer whose hits have these fields in `_source`.
    pub(super) fn read(answer: &[u8], fields: Vec<Field>, key: KeyIn) -> Result<Self, Fault> {
        // An empty struct has no length to read.
        let fields = if fields.is_empty() { vec![Field::new("doc_no", DataType::Int64, true)] } else { fields };
        let mut hit = vec![group("_source", fields)];
        hit.extend((key == KeyIn::Sort).then(|| list("sort", DataType::Int64)));
        let hits = group("hits", vec![list("hits", DataType::Struct(Fields::from(hit)))]);
        let hits = nested(decoded(answer, hits)?.column_by_name("hits").cloned(), "hits")?;
        let hits = hits.as_list_opt::<i32>().filter(|list| !list.is_null(0)).map(|list| list.value(0));
        let hits = hits.and_then(|hits| hits.as_struct_opt().cloned()).ok_or_else(|| Fault::reply("it has no hits"))?;
        Ok(Self {
            rows: hits.len(),
            columns: hits.column_by_name("_source").and_then(|source| source.as_struct_opt()).cloned(),
            keys: hits.column_by_name("sort").and_then(|sort| sort.as_list_opt::<i32>()).cloned(),
        })
    }

    pub(super) fn column(&self, name: &str) -> Option<&ArrayRef> {
        self.columns.as_ref()?.column_by_name(name)
    }

    /// The key of a hit; every hit has one.
    pub(super) fn key(&self, at: usize) -> Result<u64, Fault> {
        let key = match &self.keys {
            Some(keys) => {
                let first = usize::try_from(keys.value_offsets()[at]).ok().filter(|_| keys.value_length(at) > 0);
                number(keys.values(), first)
            }
            None => self.column("row_key").and_then(|keys| number(keys, Some(at))),
        };
        key.ok_or_else(|| Fault::reply("a row without a key"))
    }
}

pub(super) fn group(name: &str, fields: Vec<Field>) -> Field {
    Field::new(name, DataType::Struct(Fields::from(fields)), true)
}

pub(super) fn list(name: &str, item: DataType) -> Field {
    Field::new(name, DataType::List(Arc::new(Field::new("item", item, true))), true)
}

fn number(keys: &ArrayRef, at: Option<usize>) -> Option<u64> {
    let keys = keys.as_primitive_opt::<Int64Type>()?;
    at.filter(|&at| keys.is_valid(at)).and_then(|at| u64::try_from(keys.value(at)).ok())
}

/// One member of an answer of all shards, to the end.
pub(super) fn decoded(answer: &[u8], member: Field) -> Result<RecordBatch, Fault> {
    let shards = group("_shards", vec![Field::new("failed", DataType::Int64, true)]);
    let schema = Schema::new(vec![Field::new("timed_out", DataType::Boolean, true), shards, member]);
    let mut decoder = ReaderBuilder::new(Arc::new(schema)).with_batch_size(2).build_decoder().map_err(unreadable)?;
    decoder.decode(answer).map_err(unreadable)?;
    let batch = decoder.flush().map_err(unreadable)?;
    let batch = batch.filter(|batch| batch.num_rows() == 1).ok_or_else(|| Fault::reply("it is not one object"))?;
    let timed_out = batch.column_by_name("timed_out").and_then(|column| column.as_boolean_opt());
    let failed = nested(batch.column_by_name("_shards").cloned(), "failed")?;
    let failed = failed.as_primitive_opt::<Int64Type>().is_none_or(|failed| failed.is_null(0) || failed.value(0) != 0);
    match timed_out.is_none_or(|out| out.is_null(0) || out.value(0)) || failed {
        true => Err(Fault::reply("it is of some shards only")),
        false => Ok(batch),
    }
}

/// A member of a group.
pub(super) fn nested(of: Option<ArrayRef>, name: &str) -> Result<ArrayRef, Fault> {
    let inner = of.as_ref().and_then(|of| of.as_struct_opt()?.column_by_name(name).cloned());
    inner.ok_or_else(|| Fault::reply(format!("it has no {name}")))
}

/// Its own words quote cells.
fn unreadable(_: datafusion::arrow::error::ArrowError) -> Fault {
    Fault::reply("its rows are not as they were stored")
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::{Float64Type, TimeUnit, TimestampSecondType};

    use super::*;

    fn answer(hits: &str, failed: u32) -> String {
        format!(
            r#"{{"took":1,"timed_out":false,"_shards":{{"total":1,"failed":{failed}}},"hits":{{"total":null,"hits":[{hits}]}}}}"#
        )
    }

    #[test]
    fn numbers_are_to_the_bit_and_missing_fields_are_null() {
        let hits = r#"{"_source":{"a_long":9007199254740993,"b_flt":0.30000000000000004,"c_dt":"2024-02-29T23:59:59"},"sort":[4294967297,0]},
                      {"_index":"x","_source":{"b_flt":5e-324},"sort":[4294967298,1]}"#;
        let fields = vec![
            Field::new("a_long", DataType::Int64, true),
            Field::new("b_flt", DataType::Float64, true),
            Field::new("c_dt", DataType::Timestamp(TimeUnit::Second, None), true),
            Field::new("d_kwd", DataType::Utf8View, true),
        ];
        let page = Page::read(answer(hits, 0).as_bytes(), fields, KeyIn::Sort).expect("a page");
        let column = |name: &str| page.column(name).expect("a column").clone();
        assert_eq!(column("a_long").as_primitive::<Int64Type>().value(0), 9_007_199_254_740_993);
        assert_eq!(column("b_flt").as_primitive::<Float64Type>().values()[..], [0.1 + 0.2, 5e-324]);
        assert_eq!(column("c_dt").as_primitive::<TimestampSecondType>().value(0), 1_709_251_199);
        assert!(column("a_long").is_null(1) && column("d_kwd").is_null(0));
        assert_eq!((page.rows, page.key(1)), (2, Ok(4_294_967_298)));
    }

    #[test]
    fn an_answer_of_some_shards_is_no_answer() {
        assert!(Page::read(answer("", 1).as_bytes(), Vec::new(), KeyIn::Sort).is_err());
        assert_eq!(Page::read(answer("", 0).as_bytes(), Vec::new(), KeyIn::Sort).map(|page| page.rows).ok(), Some(0));
        assert!(Page::read(b"<html>", Vec::new(), KeyIn::Sort).is_err());
    }
}
