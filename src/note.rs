//! Notes: what the reader should know about an answer or an upload.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that was not literal, with its place where it has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// A stable word for programs, snake_case, e.g. `value_read_as`, `cells_not_numbers`, `totals_row_kept_apart`.
    pub code: String,
    /// One sentence for people.
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
}

impl Note {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), place: None }
    }

    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(place.to_string());
        self
    }
}

/// A place in a file: `book.xlsx › 一月 › B7`, `book.xlsx › 一月 › row 12`.
#[derive(Debug, Clone, Default)]
pub struct Place<'a> {
    pub file: &'a str,
    pub sheet: &'a str,
    /// 1-based.
    pub row: Option<u64>,
    /// 0-based.
    pub column: Option<usize>,
    /// The table lies on its side: `row` counts columns of the sheet, and `column` its rows.
    pub turned: bool,
}

impl Place<'_> {
    /// Row and column of the sheet.
    fn upright(&self) -> (Option<u64>, Option<usize>) {
        if !self.turned {
            return (self.row, self.column);
        }
        let row = self.column.map(|column| column as u64 + 1);
        (row, self.row.map(|row| row.saturating_sub(1) as usize))
    }

    fn in_sheet(&self) -> Option<String> {
        match self.upright() {
            (Some(row), Some(column)) => Some(format!("{}{row}", column_letters(column))),
            (Some(row), None) => Some(format!("row {row}")),
            (None, Some(column)) => Some(format!("column {}", column_letters(column))),
            (None, None) => None,
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file)?;
        if !self.sheet.is_empty() {
            write!(f, " › {}", self.sheet)?;
        }
        match self.in_sheet() {
            Some(place) => write!(f, " › {place}"),
            None => Ok(()),
        }
    }
}

/// How a record is called by its 1-based number: `row 3`, or `column C` in a table on its side.
pub fn record_name(number: u64, turned: bool) -> String {
    Place { row: Some(number), turned, ..Place::default() }.in_sheet().unwrap_or_default()
}

/// How a field's 0-based column is called: `column C`, or `row 3` in a table on its side.
pub fn field_name(column: usize, turned: bool) -> String {
    Place { column: Some(column), turned, ..Place::default() }.in_sheet().unwrap_or_default()
}

/// The name of a table on its side, by its sheet and the columns of its records, `B:F`. No sheet of a workbook has a colon in
/// its name.
pub fn turned_sheet(sheet: &str, columns: &str) -> String {
    format!("{sheet}{TURNED}{columns})")
}

const TURNED: &str = " (columns ";

/// Sheet and column that a row of a table on its side is, `("Sheet1", "C")`; nothing for other tables.
pub fn turned_record(sheet: &str, row: u64) -> Option<(&str, String)> {
    let (sheet, columns) = sheet.strip_suffix(')')?.rsplit_once(TURNED)?;
    let is_letters = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let (first, last) = columns.split_once(':')?;
    let column = usize::try_from(row.checked_sub(1)?).ok()?;
    (is_letters(first) && is_letters(last)).then(|| (sheet, column_letters(column)))
}

/// `0` is `A`, `26` is `AA`.
pub fn column_letters(mut column: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(b'A' + (column % 26) as u8);
        if column < 26 {
            break;
        }
        column = column / 26 - 1;
    }
    letters.reverse();
    letters.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_table_on_its_side_are_those_of_the_sheet() {
        let place = Place { file: "f", sheet: "s", row: Some(3), column: Some(0), turned: false };
        assert_eq!(place.to_string(), "f › s › A3");
        assert_eq!(Place { turned: true, ..place.clone() }.to_string(), "f › s › C1");
        assert_eq!(Place { turned: true, column: None, ..place }.to_string(), "f › s › column C");
        assert_eq!((record_name(3, false), record_name(28, true)), ("row 3".to_owned(), "column AB".to_owned()));
        assert_eq!((field_name(2, false), field_name(2, true)), ("column C".to_owned(), "row 3".to_owned()));
        assert_eq!(turned_record(&turned_sheet("成绩", "B:F"), 3), Some(("成绩", "C".to_owned())));
        assert_eq!(turned_record("成绩 (B:F)", 3), None);
        assert_eq!(turned_record("x (columns 1:2)", 3), None);
    }
}
