//! Arrow values as our own values.

use chrono::{DateTime, NaiveDateTime};
use datafusion::arrow::array::{Array, ArrayAccessor, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::*;
use datafusion::arrow::util::display::array_value_to_string;

use crate::sql::{Code, Refusal};
use crate::value::{MAX_EXACT, Value};

/// The value of one cell of a result. Counts are integers, exact decimals without places too: refused where they are out of
/// the range of 64 bits, as no double holds them.
pub fn result_value(array: &dyn Array, row: usize) -> Result<Value, Refusal> {
    match (array.is_null(row), array.data_type()) {
        (false, DataType::Decimal128(_, 0)) => {
            let n = array.as_primitive::<Decimal128Type>().value(row);
            i64::try_from(n).map(Value::Integer).map_err(|_| out_of_range())
        }
        (false, DataType::Decimal256(..)) => Err(out_of_range()),
        (false, DataType::UInt64) => {
            let n = array.as_primitive::<UInt64Type>().value(row);
            i64::try_from(n).map(Value::Integer).map_err(|_| out_of_range())
        }
        _ => Ok(value(array, row)),
    }
}

fn out_of_range() -> Refusal {
    Refusal::new(
        Code::NotRunnable,
        "a whole number of the result is out of range: larger than 64 bits hold",
        "calculate with decimals, which are not exact: CAST(… AS DOUBLE)",
    )
}

/// The value of one cell.
pub fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(row).to_owned()),
        DataType::Utf8View => Value::Text(array.as_string_view().value(row).to_owned()),
        DataType::Boolean => Value::Flag(array.as_boolean().value(row)),
        DataType::Float64 => Value::Decimal(array.as_primitive::<Float64Type>().value(row)),
        DataType::Float32 => Value::Decimal(f64::from(array.as_primitive::<Float32Type>().value(row))),
        DataType::UInt64 => unsigned(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Decimal128(_, scale) => decimal(array.as_primitive::<Decimal128Type>().value(row), *scale),
        kind if kind.is_integer() => Value::Integer(integer(array, row)),
        kind if kind.is_temporal() => temporal(array, row),
        DataType::Dictionary(_, _) => dictionary(array, row),
        _ => Value::Text(array_value_to_string(array, row).unwrap_or_default()),
    }
}

fn unsigned(n: u64) -> Value {
    i64::try_from(n).map_or(Value::Decimal(n as f64), Value::Integer)
}

fn integer(array: &dyn Array, row: usize) -> i64 {
    match array.data_type() {
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        _ => array.as_primitive::<Int64Type>().value(row),
    }
}

/// A whole number that no double holds stays one.
fn decimal(n: i128, scale: i8) -> Value {
    let x = n as f64 / 10f64.powi(scale.into());
    let unit = u32::try_from(scale).ok().and_then(|scale| 10i128.checked_pow(scale));
    let whole = unit.filter(|unit| n % unit == 0).and_then(|unit| i64::try_from(n / unit).ok());
    match whole {
        Some(whole) if scale == 0 || x.abs() >= MAX_EXACT => Value::Integer(whole),
        _ => Value::Decimal(x),
    }
}

fn dictionary(array: &dyn Array, row: usize) -> Value {
    let dictionary = array.as_any_dictionary();
    let key = dictionary.normalized_keys()[row];
    value(dictionary.values().as_ref(), key)
}

fn temporal(array: &dyn Array, row: usize) -> Value {
    let at = match array.data_type() {
        DataType::Timestamp(unit, _) => timestamp(array, row, *unit),
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row);
            moment(i64::from(days) * 86_400, 0)
        }
        DataType::Date64 => moment(array.as_primitive::<Date64Type>().value(row).div_euclid(1_000), 0),
        _ => None,
    };
    match at {
        Some(at) => Value::DateTime(at),
        None => {
            duration(array, row).unwrap_or_else(|| Value::Text(array_value_to_string(array, row).unwrap_or_default()))
        }
    }
}

fn timestamp(array: &dyn Array, row: usize, unit: TimeUnit) -> Option<NaiveDateTime> {
    let (n, per_second) = match unit {
        TimeUnit::Second => (array.as_primitive::<TimestampSecondType>().value(row), 1),
        TimeUnit::Millisecond => (array.as_primitive::<TimestampMillisecondType>().value(row), 1_000),
        TimeUnit::Microsecond => (array.as_primitive::<TimestampMicrosecondType>().value(row), 1_000_000),
        TimeUnit::Nanosecond => (array.as_primitive::<TimestampNanosecondType>().value(row), 1_000_000_000),
    };
    let nanos = n.rem_euclid(per_second) * (1_000_000_000 / per_second);
    moment(n.div_euclid(per_second), u32::try_from(nanos).ok()?)
}

fn moment(seconds: i64, nanos: u32) -> Option<NaiveDateTime> {
    DateTime::from_timestamp(seconds, nanos).map(|at| at.naive_utc())
}

/// A difference of dates: seconds.
fn duration(array: &dyn Array, row: usize) -> Option<Value> {
    let DataType::Duration(_) = array.data_type() else { return None };
    let seconds = cast(&array.slice(row, 1), &DataType::Duration(TimeUnit::Second)).ok()?;
    Some(Value::Integer((&seconds.as_primitive::<DurationSecondType>()).value(0)))
}
