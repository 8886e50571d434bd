//! Rows as they are stored: typed Arrow batches.
//!
//! Comes in: rows of cells with the decisions of their columns. Goes out: batches with the columns of [`arrow_schema`].
//! Must never happen: a value without the cell's own text where the two differ; a cell lost without being counted.
//!
//! Columns, in order: `row_long` Int64, `doc_no` UInt32, `sheet_kwd` text; one column for each field, called [`Field::column`]
//! (text and flags Utf8View, Int64, Float64, Timestamp in seconds without zone); then, for each field that is no text, a text column
//! [`raw_column`] with the cell's own text where it is not the rendering of the value.

mod builder;
mod column;
mod content;

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef, TimeUnit};

use crate::schema::Field;
use crate::value::FieldType;

pub use builder::{Builder, Misfits};
pub use content::Contents;

/// The name of the column that keeps the cells' own text of a field that is no text.
pub fn raw_column(field: &Field) -> Option<String> {
    (field.kind != FieldType::Text).then(|| format!("{}__raw", field.name))
}

/// The column of whole numbers that a decimal column may be stored as: `price_long` for `price_flt`, where a knowledge base with
/// whole numbers alone is read together with one that has decimals.
pub fn whole_column(name: &str) -> Option<String> {
    let (stem, rest) = match name.strip_suffix("__raw") {
        Some(field) => (field.strip_suffix("_flt")?, "__raw"),
        None => (name.strip_suffix("_flt")?, ""),
    };
    Some(format!("{stem}_long{rest}"))
}

/// The columns of a stored batch of rows with these fields.
pub fn arrow_schema(fields: &[Field]) -> SchemaRef {
    let mut columns = vec![
        ArrowField::new("row_long", DataType::Int64, false),
        ArrowField::new("doc_no", DataType::UInt32, false),
        ArrowField::new("sheet_kwd", DataType::Utf8View, false),
    ];
    columns.extend(fields.iter().map(|field| ArrowField::new(field.column(), data_type(field.kind), true)));
    columns.extend(fields.iter().filter_map(raw_column).map(|name| ArrowField::new(name, DataType::Utf8View, true)));
    Arc::new(ArrowSchema::new(columns))
}

fn data_type(kind: FieldType) -> DataType {
    match kind {
        FieldType::Text | FieldType::Flag => DataType::Utf8View,
        FieldType::Integer => DataType::Int64,
        FieldType::Decimal => DataType::Float64,
        FieldType::DateTime => DataType::Timestamp(TimeUnit::Second, None),
    }
}

#[cfg(test)]
mod tests;
