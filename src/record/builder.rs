//! Rows of cells become batches.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Builder, StringViewBuilder, UInt32Array};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::record_batch::RecordBatch;

use super::arrow_schema;
use super::column::{Column, Raw};
use crate::schema::{Decision, Field, Typed};
use crate::value::{Cell, FieldType, UNCALCULATED};

/// Cells of one field that are no value of its type: null in the field, whole in the row's content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Misfits {
    pub count: u64,
    /// The first of them, `(row, text)`.
    pub first: Vec<(u64, String)>,
    /// Error cells such as `#DIV/0!`.
    pub errors: u64,
    pub first_errors: Vec<(u64, String)>,
    /// Formulas without a stored value.
    pub uncalculated: u64,
    pub first_uncalculated: Vec<(u64, String)>,
    /// Words and signs for nothing, such as `N/A`.
    pub markers: u64,
    pub first_markers: Vec<(u64, String)>,
    /// Number cells of more digits than a spreadsheet keeps.
    pub long: u64,
    pub first_long: Vec<(u64, String)>,
}

/// Numbers from here on have more than 15 digits.
const LONG: f64 = 1e15;

/// Bytes of text in a batch; one that has more is full however few its rows are.
const BATCH_BYTES: usize = 32 << 20;

/// Builds the batches of one document's rows.
pub struct Builder<'a> {
    decisions: &'a [Decision],
    schema: SchemaRef,
    doc_no: u32,
    batch_rows: usize,
    max_places: usize,
    rows: usize,
    /// Bytes of the texts in the batch.
    bytes: usize,
    row_numbers: Int64Builder,
    sheets: StringViewBuilder,
    columns: Vec<Column>,
    raws: Vec<Option<Raw>>,
    misfits: Vec<Misfits>,
}

impl<'a> Builder<'a> {
    /// `fields` and `decisions` go together; a batch has at most `batch_rows` rows; `max_places` misfits of a field keep their place.
    pub fn new(fields: &[Field], decisions: &'a [Decision], doc_no: u32, batch_rows: usize, max_places: usize) -> Self {
        Self {
            decisions,
            schema: arrow_schema(fields),
            doc_no,
            batch_rows: batch_rows.max(1),
            max_places,
            rows: 0,
            bytes: 0,
            row_numbers: Int64Builder::with_capacity(batch_rows),
            sheets: StringViewBuilder::with_capacity(batch_rows),
            columns: fields.iter().zip(decisions).map(|(field, _)| Column::new(field.kind, batch_rows)).collect(),
            raws: fields.iter().map(|field| (field.kind != FieldType::Text).then(Raw::default)).collect(),
            misfits: vec![Misfits::default(); fields.len()],
        }
    }

    /// Takes one row; `column_map` gives for each field the index of its cell in `cells`, `None` where the sheet lacks it.
    /// Gives a batch whenever one is full.
    pub fn push(
        &mut self,
        sheet: &str,
        row: u64,
        cells: &[Cell<'_>],
        column_map: &[Option<usize>],
    ) -> Result<Option<RecordBatch>, ArrowError> {
        for field in 0..self.columns.len() {
            let at = column_map.get(field).copied().flatten();
            self.push_cell(field, row, at.and_then(|at| cells.get(at)).unwrap_or(&Cell::Empty));
        }
        self.row_numbers.append_value(i64::try_from(row).unwrap_or(i64::MAX));
        self.sheets.append_value(sheet);
        self.rows += 1;
        let full = self.rows >= self.batch_rows || self.bytes >= BATCH_BYTES;
        if full { self.batch().map(Some) } else { Ok(None) }
    }

    fn push_cell(&mut self, field: usize, row: u64, cell: &Cell<'_>) {
        if is_long(cell) {
            let misfits = &mut self.misfits[field];
            count(&mut misfits.long, &mut misfits.first_long, row, &cell.text(), self.max_places);
        }
        let converted = self.decisions[field].convert(cell);
        self.columns[field].push(&converted.value);
        if let Typed::Text(text) = &converted.value {
            self.bytes += text.len();
        }
        if converted.literal {
            return;
        }
        let text = cell.text();
        if let Some(raw) = &mut self.raws[field] {
            raw.push(self.rows, &text);
            self.bytes += text.len();
        }
        self.misfits[field].note(&converted.value, cell, row, &text, self.max_places);
    }

    fn batch(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let mut arrays: Vec<ArrayRef> = vec![
            Arc::new(self.row_numbers.finish()),
            Arc::new(UInt32Array::from_value(self.doc_no, rows)),
            Arc::new(self.sheets.finish()),
        ];
        arrays.extend(self.columns.iter_mut().map(Column::finish));
        arrays.extend(self.raws.iter_mut().flatten().map(|raw| raw.finish(rows)));
        RecordBatch::try_new(self.schema.clone(), arrays)
    }

    /// The last batch, if there are rows left.
    pub fn finish(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if self.rows == 0 { Ok(None) } else { self.batch().map(Some) }
    }

    /// What did not fit so far, field by field.
    pub fn misfits(&self) -> &[Misfits] {
        &self.misfits
    }
}

impl Misfits {
    fn note(&mut self, value: &Typed<'_>, cell: &Cell<'_>, row: u64, text: &str, most: usize) {
        match (value, cell) {
            (Typed::Misfit, _) => count(&mut self.count, &mut self.first, row, text, most),
            (_, Cell::Error(UNCALCULATED)) => {
                count(&mut self.uncalculated, &mut self.first_uncalculated, row, text, most);
            }
            (_, Cell::Error(_)) => count(&mut self.errors, &mut self.first_errors, row, text, most),
            (Typed::Null, Cell::Text(_)) => count(&mut self.markers, &mut self.first_markers, row, text, most),
            _ => {}
        }
    }
}

fn count(all: &mut u64, first: &mut Vec<(u64, String)>, row: u64, text: &str, most: usize) {
    *all += 1;
    if first.len() < most {
        first.push((row, text.to_owned()));
    }
}

/// A number cell of more than 15 digits.
fn is_long(cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Integer(n) => n.unsigned_abs() >= LONG as u64,
        Cell::Decimal(x) => x.abs() >= LONG && x.is_finite(),
        _ => false,
    }
}
