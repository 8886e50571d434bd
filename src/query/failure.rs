//! What went wrong in a query, without any cell in it.

use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, SchemaError};

use crate::sql::{Code, Refusal};

/// A statement that can't run, or an engine that can't go on.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{0}")]
    Failed(String),
}

impl From<DataFusionError> for QueryError {
    fn from(error: DataFusionError) -> Self {
        match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => refused(
                Code::TooLarge,
                "the statement needs more memory than it may use",
                "group by fewer columns, add a filter or a LIMIT",
            ),
            DataFusionError::ArrowError(error, _) => while_running(error),
            DataFusionError::External(error) => {
                match (error.downcast_ref::<Refusal>(), error.downcast_ref::<ArrowError>()) {
                    (Some(refusal), _) => Self::Refused(refusal.clone()),
                    (None, Some(error)) => while_running(error),
                    (None, None) => Self::Failed(error.to_string()),
                }
            }
            DataFusionError::Execution(_) => unsuited(),
            DataFusionError::IoError(error) => Self::Failed(error.to_string()),
            DataFusionError::Internal(text) => Self::Failed(first_line(text)),
            root => planning(root),
        }
    }
}

/// Errors of planning speak of names and types, never of rows.
fn planning(error: &DataFusionError) -> QueryError {
    let text = match error {
        DataFusionError::SchemaError(error, _) => schema_message(error),
        DataFusionError::Plan(text) | DataFusionError::NotImplemented(text) => first_line(text),
        DataFusionError::SQL(error, _) => first_line(&error.to_string()),
        other => first_line(&other.strip_backtrace()),
    };
    refused(Code::NotRunnable, &text, "write it with the fields, types and functions listed")
}

fn schema_message(error: &SchemaError) -> String {
    match error {
        SchemaError::FieldNotFound { field, .. } => format!("there is no field {}", field.name),
        SchemaError::AmbiguousReference { field } => format!("{} could be of two tables", field.name),
        other => first_line(&other.to_string()),
    }
}

/// Errors of running may quote a cell, so only their kind is told.
fn while_running(error: &ArrowError) -> QueryError {
    let (message, hint) = match error {
        ArrowError::DivideByZero => ("something is divided by zero", "divide by NULLIF(…, 0)"),
        ArrowError::ArithmeticOverflow(_) => ("a number grows too large", "calculate with decimals: CAST(… AS DOUBLE)"),
        ArrowError::CastError(_) | ArrowError::ParseError(_) => (
            "a cell does not convert to the type asked for",
            "compare a text field with a text, a date field with a date",
        ),
        _ => return unsuited(),
    };
    refused(Code::NotRunnable, message, hint)
}

fn unsuited() -> QueryError {
    refused(
        Code::NotRunnable,
        "a function or operator does not take the values it was given",
        "check the types of its arguments",
    )
}

fn refused(code: Code, message: &str, hint: &str) -> QueryError {
    QueryError::Refused(Refusal::new(code, message, hint))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
