//! An answer as a file that spreadsheet programs open: no cell of it is taken for a formula.

use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::download::attachment;
use super::fault::Fault;
use super::workbook::workbook;
use crate::ask::Answer;

/// A workbook with the rows and the notes.
pub fn xlsx(answer: &Answer) -> Result<Response, Fault> {
    let fault = |error| Fault::data(format!("a sheet can't hold this answer: {error}; ask for `format` csv"));
    let headers = [
        (header::CONTENT_TYPE, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet".to_owned()),
        (header::CONTENT_DISPOSITION, attachment("answer.xlsx")),
    ];
    Ok((headers, workbook(answer).map_err(fault)?).into_response())
}

/// The rows as CSV, labels first. Headers say how many rows there are and how many of them are in the file.
pub fn csv(answer: &Answer) -> Result<Response, Fault> {
    if answer.columns.is_empty() {
        return Err(Fault::data(answer.answer.clone()));
    }
    let text = table(answer).map_err(|error| Fault::unexpected(error.to_string()))?;
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, attachment("answer.csv")),
        (HeaderName::from_static("x-rows-total"), answer.total.to_string()),
        (HeaderName::from_static("x-rows-shown"), answer.shown.to_string()),
    ];
    Ok((headers, text).into_response())
}

fn table(answer: &Answer) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(answer.columns.iter().map(|column| harmless(&column.label)))?;
    for row in &answer.rows {
        writer.write_record(row.iter().map(cell))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => harmless(text),
        other => other.to_string(),
    }
}

/// A text that a spreadsheet program would run is quoted with an apostrophe.
fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for (value, written) in [
            (Value::from("=1+1"), "'=1+1"),
            (Value::from("@x"), "'@x"),
            (Value::from("-x"), "'-x"),
            (Value::from(-5), "-5"),
            (Value::from("a=1"), "a=1"),
            (Value::Null, ""),
        ] {
            assert_eq!(cell(&value), written);
        }
    }
}
