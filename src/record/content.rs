//! A stored row as a person reads it.

use std::borrow::Cow;

use chrono::DateTime;
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, TimestampSecondType};
use datafusion::arrow::record_batch::RecordBatch;

use super::{raw_column, whole_column};
use crate::schema::Field;
use crate::value::{datetime_text, decimal_text};

/// The contents of the rows of one batch. Columns that the batch lacks are left out.
pub struct Contents<'a> {
    columns: Vec<Shown<'a>>,
}

struct Shown<'a> {
    label: &'a str,
    values: &'a dyn Array,
    raw: Option<&'a dyn Array>,
}

impl<'a> Contents<'a> {
    pub fn new(fields: &'a [Field], batch: &'a RecordBatch) -> Self {
        let named = |name: &str| batch.column_by_name(name).map(|array| array.as_ref() as &dyn Array);
        let column = |name: &str| named(name).or_else(|| named(&whole_column(name)?));
        let shown = |field: &'a Field| {
            let raw = raw_column(field).and_then(|name| column(&name));
            Some(Shown { label: &field.label, values: column(&field.column())?, raw })
        };
        Self { columns: fields.iter().filter_map(shown).collect() }
    }

    /// "label: value" lines with the cells' own text; empty cells are left out.
    pub fn of(&self, row: usize) -> String {
        let mut content = String::new();
        for column in &self.columns {
            if let Some(text) = column.text(row) {
                let gap = if content.is_empty() { "" } else { "\n" };
                content.extend([gap, column.label, ": ", &text]);
            }
        }
        content
    }
}

impl Shown<'_> {
    fn text(&self, row: usize) -> Option<Cow<'_, str>> {
        self.raw.and_then(|raw| text(raw, row)).or_else(|| text(self.values, row))
    }
}

/// The rendering of one stored value; `None` for null.
fn text(array: &dyn Array, row: usize) -> Option<Cow<'_, str>> {
    if row >= array.len() || array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8View => Cow::Borrowed(array.as_string_view().value(row)),
        DataType::Utf8 => Cow::Borrowed(array.as_string::<i32>().value(row)),
        DataType::Int64 => Cow::Owned(array.as_primitive::<Int64Type>().value(row).to_string()),
        DataType::Float64 => Cow::Owned(decimal_text(array.as_primitive::<Float64Type>().value(row))),
        DataType::Timestamp(_, _) => {
            let seconds = array.as_primitive_opt::<TimestampSecondType>()?.value(row);
            Cow::Owned(datetime_text(&DateTime::from_timestamp(seconds, 0)?.naive_utc()))
        }
        _ => return None,
    })
}
