//! Whether whole numbers could grow out of 64 bits in a statement. DataFusion wraps them silently, so where they could,
//! the statement sees them as decimals of 38 digits, which are slower and fail aloud. The same where they could grow out of
//! what a double holds and meet a decimal that is written out: beside decimals it is read as one.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};

/// Bits that a result may have for sure.
const SAFE_BITS: f64 = 62.0;
/// Bits of the whole numbers that a double holds.
const DOUBLE_BITS: f64 = 53.0;
/// The largest whole number.
const LARGEST: f64 = i64::MAX as f64;
/// Holds every `i64`.
const EXACT: DataType = DataType::Decimal128(19, 0);

/// How many rows a table has and how large its whole numbers grow.
pub(super) trait Extent {
    fn name(&self) -> &str;
    fn schema(&self) -> &SchemaRef;
    fn rows(&self) -> u64;
    /// No whole number of the column is further from zero than this.
    fn largest(&self, column: &str) -> f64;
}

/// Whether whole numbers of the statement must be decimals; `relations` has each table as often as it is named, `cast` says
/// that a value is cast to a whole number.
pub(super) fn may_overflow<T: Extent>(statement: &str, relations: &[String], views: &[Arc<T>], cast: bool) -> bool {
    let text = without_literals(statement);
    let mut largest = literals(&text).max(if cast { LARGEST } else { 0.0 });
    let mut rows = 0.0;
    for view in views {
        let times = relations.iter().filter(|name| *name == view.name()).count() as f64;
        rows += times * (view.rows().max(1) as f64).log2();
        largest = largest.max(largest_cell(&text, view.as_ref()));
    }
    let products = text.matches('*').count()
        - text.matches("(*)").count()
        - text.matches("SELECT *").count()
        - text.matches(".*").count();
    let sums = text.matches(['+', '-']).count() as f64;
    let bits = (products as f64 + 1.0) * largest.max(2.0).log2() + rows + sums;
    bits > if has_fraction(&text) && !has_doubles(statement) { DOUBLE_BITS } else { SAFE_BITS }
}

/// Whether something in the statement is a double: numbers written out beside it must be doubles too, as a comparison would
/// else make it a decimal of a few places.
pub(super) fn has_doubles(statement: &str) -> bool {
    const SIGNS: [&str; 8] = ["_flt", "DOUBLE", "SQRT", "POWER", "signum", "CEIL", "FLOOR", "CUME_DIST"];
    let text = without_literals(statement);
    text.contains("PERCENT_RANK") || SIGNS.iter().any(|sign| text.contains(sign))
}

/// The columns with whole numbers as decimals.
pub(super) fn exact(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Int64 if field.name() != "row_long" => Field::new(field.name(), EXACT, field.is_nullable()),
        _ => field.as_ref().clone(),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn largest_cell(text: &str, view: &impl Extent) -> f64 {
    let mut largest = 0.0f64;
    for field in view.schema().fields() {
        if field.data_type() == &DataType::Int64 && text.contains(field.name().as_str()) {
            largest = largest.max(view.largest(field.name()));
        }
    }
    largest
}

/// The statement without what stands in single quotes; one inside a quoted name is a letter of it.
fn without_literals(statement: &str) -> String {
    let (mut kept, mut open) = (String::with_capacity(statement.len()), None);
    for letter in statement.chars() {
        match open {
            Some(quote) if quote == letter => open = None,
            Some('\'') => continue,
            None if matches!(letter, '\'' | '"') => open = Some(letter),
            _ => {}
        }
        kept.push(letter);
    }
    kept
}

/// Whether a number is written out with a point or an exponent.
fn has_fraction(text: &str) -> bool {
    words(text).any(|word| word.parse::<f64>().is_ok() && word.parse::<u128>().is_err())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
}

/// The largest number written out.
fn literals(text: &str) -> f64 {
    words(text).filter_map(|number| number.parse::<f64>().ok()).filter(|n| n.is_finite()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_outside_quotes_and_names_count() {
        for (statement, largest) in [
            ("SELECT a_2 FROM t WHERE x = '999' AND n_2031_long > 12", 12.0),
            ("SELECT 3 * 1.5e3", 1500.0),
            ("SELECT a FROM t WHERE x = 'it''s 5' LIMIT 7", 7.0),
            ("SELECT 1 AS \"Men's n\", 9 AS n", 9.0),
        ] {
            assert_eq!(literals(&without_literals(statement)), largest, "{statement}");
        }
    }
}
