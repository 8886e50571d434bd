//! One field of a batch in the making.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Float64Builder, Int64Builder, StringViewBuilder, TimestampSecondBuilder, new_null_array,
};
use datafusion::arrow::datatypes::DataType;

use crate::schema::Typed;
use crate::value::FieldType;

pub(super) enum Column {
    Text(StringViewBuilder),
    Integer(Int64Builder),
    Decimal(Float64Builder),
    DateTime(TimestampSecondBuilder),
    Flag(StringViewBuilder),
}

impl Column {
    pub(super) fn new(kind: FieldType, rows: usize) -> Self {
        match kind {
            FieldType::Text => Self::Text(StringViewBuilder::with_capacity(rows)),
            FieldType::Integer => Self::Integer(Int64Builder::with_capacity(rows)),
            FieldType::Decimal => Self::Decimal(Float64Builder::with_capacity(rows)),
            FieldType::DateTime => Self::DateTime(TimestampSecondBuilder::with_capacity(rows)),
            FieldType::Flag => Self::Flag(StringViewBuilder::with_capacity(rows)),
        }
    }

    /// Appends a value of the column's type; anything else is null.
    pub(super) fn push(&mut self, value: &Typed<'_>) {
        match (self, value) {
            (Self::Text(texts), Typed::Text(text)) => texts.append_value(text),
            (Self::Integer(numbers), Typed::Integer(n)) => numbers.append_value(*n),
            (Self::Decimal(numbers), Typed::Decimal(x)) => numbers.append_value(*x),
            (Self::DateTime(times), Typed::DateTime(at)) => times.append_value(at.and_utc().timestamp()),
            (Self::Flag(flags), Typed::Flag(flag)) => flags.append_value(if *flag { "yes" } else { "no" }),
            (Self::Text(texts) | Self::Flag(texts), _) => texts.append_null(),
            (Self::Integer(numbers), _) => numbers.append_null(),
            (Self::Decimal(numbers), _) => numbers.append_null(),
            (Self::DateTime(times), _) => times.append_null(),
        }
    }

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(texts) | Self::Flag(texts) => Arc::new(texts.finish()),
            Self::Integer(numbers) => Arc::new(numbers.finish()),
            Self::Decimal(numbers) => Arc::new(numbers.finish()),
            Self::DateTime(times) => Arc::new(times.finish()),
        }
    }
}

/// The cells' own texts, of which there are few as a rule: rows without one cost nothing until the next.
#[derive(Default)]
pub(super) struct Raw {
    texts: StringViewBuilder,
    rows: usize,
}

impl Raw {
    /// The own text of the batch's row `row`, counted from 0; rows come in order.
    pub(super) fn push(&mut self, row: usize, text: &str) {
        self.catch_up(row);
        self.texts.append_value(text);
        self.rows += 1;
    }

    fn catch_up(&mut self, row: usize) {
        while self.rows < row {
            self.texts.append_null();
            self.rows += 1;
        }
    }

    /// The column, `rows` long.
    pub(super) fn finish(&mut self, rows: usize) -> ArrayRef {
        if self.rows == 0 {
            return new_null_array(&DataType::Utf8View, rows);
        }
        self.catch_up(rows);
        self.rows = 0;
        Arc::new(self.texts.finish())
    }
}
