//! The columns of a table as statements see them.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::schema::Table;
use crate::value::FieldType;

/// Columns whose values the snapshot gives, or the place of a row.
pub(super) const COMPUTED: [&str; 5] = ["row_key", "kb_id", "table_kwd", "doc_id", "docnm_kwd"];

/// Stored names of the text fields of a table, `docnm_kwd` and `sheet_kwd` last.
pub(super) fn text_fields(table: &Table) -> Vec<String> {
    let texts = table.fields.iter().filter(|field| field.kind == FieldType::Text).map(|field| field.name.clone());
    texts.chain(["docnm_kwd", "sheet_kwd"].map(str::to_owned)).collect()
}

/// The columns of a table: sources, fields, scope.
pub(super) fn schema(table: &Table) -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8View, true);
    let mut fields = vec![
        Field::new("row_key", DataType::UInt64, false),
        Field::new("doc_no", DataType::UInt32, false),
        text("sheet_kwd"),
        Field::new("row_long", DataType::Int64, true),
    ];
    fields.extend(table.fields.iter().map(|field| Field::new(field.column(), arrow_type(field.kind), true)));
    fields.extend(["kb_id", "table_kwd", "doc_id", "docnm_kwd"].map(text));
    Arc::new(Schema::new(fields))
}

fn arrow_type(kind: FieldType) -> DataType {
    match kind {
        FieldType::Text | FieldType::Flag => DataType::Utf8View,
        FieldType::Integer => DataType::Int64,
        FieldType::Decimal => DataType::Float64,
        FieldType::DateTime => DataType::Timestamp(TimeUnit::Second, None),
    }
}
