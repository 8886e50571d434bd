//! A row as stored.

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::util::display::array_value_to_string;

use crate::schema::Field;

/// "label: value" lines of one row of a batch, with the original cell text.
pub fn content(fields: &[Field], batch: &RecordBatch, row: usize) -> String {
    let mut lines = Vec::new();
    for field in fields {
        let raw = batch.column_by_name(&format!("{}__raw", field.name)).filter(|raw| !raw.is_null(row));
        let cell = raw.or_else(|| batch.column_by_name(&field.column())).filter(|cell| !cell.is_null(row));
        if let Some(text) = cell.and_then(|cell| array_value_to_string(cell, row).ok()) {
            lines.push(format!("{}: {text}", field.label));
        }
    }
    lines.join("\n")
}
