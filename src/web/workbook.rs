//! An answer as a workbook: typed cells on the first sheet, what the reader should know on the second.
//!
//! Must never happen: a text that a spreadsheet program runs; a number, date or text that is not the answer's to the letter.

use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use serde_json::Value;

use crate::ask::{Answer, Column};

/// Whole numbers up to here are exact in a cell; larger ones are written as text.
const MAX_EXACT: i64 = 999_999_999_999_999;

/// Formats of the typed cells.
struct Formats {
    head: Format,
    whole: Format,
    day: Format,
    moment: Format,
}

/// The bytes of the workbook; an error where a sheet can't hold the answer (a very long text, too many rows).
pub fn workbook(answer: &Answer) -> Result<Vec<u8>, XlsxError> {
    let formats = Formats {
        head: Format::new().set_bold(),
        whole: Format::new().set_num_format("0"),
        day: Format::new().set_num_format("yyyy-mm-dd"),
        moment: Format::new().set_num_format("yyyy-mm-dd hh:mm:ss"),
    };
    let mut book = Workbook::new();
    rows(book.add_worksheet(), answer, &formats)?;
    told(book.add_worksheet(), answer)?;
    book.save_to_buffer()
}

fn rows(sheet: &mut Worksheet, answer: &Answer, formats: &Formats) -> Result<(), XlsxError> {
    sheet.set_name("answer")?;
    for (column, n) in answer.columns.iter().zip(0..) {
        sheet.write_string_with_format(0, n, &column.label, &formats.head)?;
    }
    for (row, line) in answer.rows.iter().zip(1..) {
        for ((value, column), n) in row.iter().zip(&answer.columns).zip(0..) {
            cell(sheet, (line, n), value, column, formats)?;
        }
    }
    Ok(())
}

fn cell(
    sheet: &mut Worksheet,
    (row, n): (u32, u16),
    value: &Value,
    column: &Column,
    formats: &Formats,
) -> Result<(), XlsxError> {
    match value {
        Value::Null => {}
        Value::Bool(flag) => {
            sheet.write_boolean(row, n, *flag)?;
        }
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) if whole.abs() <= MAX_EXACT => {
                sheet.write_number_with_format(row, n, whole as f64, &formats.whole)?;
            }
            (None, Some(decimal)) => {
                sheet.write_number(row, n, decimal)?;
            }
            _ => {
                sheet.write_string(row, n, number.to_string())?;
            }
        },
        Value::String(text) => match moment(text, column) {
            Some(at) => {
                let format = if text.contains('T') { &formats.moment } else { &formats.day };
                sheet.write_datetime_with_format(row, n, &at, format)?;
            }
            None => {
                sheet.write_string(row, n, text)?;
            }
        },
        other => {
            sheet.write_string(row, n, other.to_string())?;
        }
    }
    Ok(())
}

/// A date or time that a cell can hold: from 1900 on, without fractions of a second.
fn moment(text: &str, column: &Column) -> Option<ExcelDateTime> {
    let is_plain = column.kind == "datetime" && !text.contains('.');
    is_plain.then(|| ExcelDateTime::parse_from_str(text).ok()).flatten()
}

/// The question, the statement, how much of the whole is shown, and the notes.
fn told(sheet: &mut Worksheet, answer: &Answer) -> Result<(), XlsxError> {
    sheet.set_name("notes")?;
    let mut lines = vec![("question".to_owned(), answer.question.clone())];
    lines.extend(answer.sql.iter().map(|sql| ("sql".to_owned(), sql.run.clone())));
    lines.push(("rows".to_owned(), format!("{} of {}", answer.shown, answer.total)));
    lines.extend(answer.notes.iter().map(|note| (note.code.clone(), note.message.clone())));
    for ((name, text), row) in lines.iter().zip(0..) {
        sheet.write_string(row, 0, name)?;
        sheet.write_string(row, 1, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use calamine::{Data, Reader, Xlsx};

    use super::*;
    use crate::ask::{Answer, Column};
    use crate::note::Note;

    fn answer(rows: Vec<Vec<Value>>, kinds: &[&'static str]) -> Answer {
        let column = |kind: &&'static str| Column { name: "=x".into(), label: "=label".into(), kind };
        let notes = vec![Note::new("rows_cut", "=cut")];
        let mut answer = Answer::declined("=question", String::new(), notes);
        (answer.columns, answer.rows, answer.total) = (kinds.iter().map(column).collect(), rows, 9);
        answer
    }

    #[test]
    fn cells_have_their_types_and_no_text_is_a_formula() {
        let row = [
            Value::from("=1+1"),
            Value::from("+x"),
            Value::from(-5),
            Value::from(0.1),
            Value::from(9_007_199_254_740_993_i64),
            Value::from("2024-02-29"),
            Value::from("2024-02-29T13:05:07"),
            Value::from("1850-01-01"),
            Value::Bool(true),
            Value::Null,
        ];
        let kinds =
            ["text", "text", "integer", "decimal", "integer", "datetime", "datetime", "datetime", "flag", "text"];
        let bytes = workbook(&answer(vec![row.to_vec()], &kinds)).expect("a workbook");
        let mut book: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(bytes)).expect("it opens");
        let sheet = book.worksheet_range("answer").expect("a sheet");
        let cell = |n: u32| sheet.get_value((1, n)).cloned().unwrap_or(Data::Empty);
        assert_eq!(sheet.get_value((0, 0)), Some(&Data::String("=label".into())));
        for (n, text) in [(0, "=1+1"), (1, "+x"), (4, "9007199254740993"), (7, "1850-01-01")] {
            assert_eq!(cell(n), Data::String(text.into()));
        }
        assert_eq!(
            (cell(2), cell(3), cell(8), cell(9)),
            (Data::Float(-5.0), Data::Float(0.1), Data::Bool(true), Data::Empty)
        );
        for (n, serial) in [(5, 45_351.0), (6, 45_351.0 + 47_107.0 / 86_400.0)] {
            let Data::DateTime(at) = cell(n) else { panic!("no date: {:?}", cell(n)) };
            assert!((at.as_f64() - serial).abs() < 1e-9, "{}", at.as_f64());
        }
        assert!(book.worksheet_formula("answer").is_ok_and(|formulas| formulas.used_cells().next().is_none()));
        let notes = book.worksheet_range("notes").expect("a sheet");
        let text = |row, n| notes.get_value((row, n)).map(ToString::to_string).unwrap_or_default();
        assert_eq!((text(0, 1), text(1, 1), text(2, 1)), ("=question".into(), "0 of 9".into(), "=cut".into()));
        let long = answer(vec![vec![Value::from("x".repeat(40_000))]], &["text"]);
        assert!(workbook(&long).is_err());
    }
}
