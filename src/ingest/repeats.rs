//! Sheets of one table that repeat the rows of others: read, and said at upload.

use super::plan::{Present, TablePlan};
use super::survey::Reading;
use crate::catalog::DocumentRecord;
use crate::note::{Note, Place};
use crate::schema::{self, Repeat, RowSet};

/// A sheet of a table: its file, its name, its rows, and the reading it is of.
struct Sheet {
    file: String,
    name: String,
    rows: RowSet,
    reading: Option<usize>,
}

/// Notes the sheets of the readings whose rows the table has from another sheet already.
pub fn note(readings: &mut [Reading], plans: &[TablePlan], present: &Present, documents: &[DocumentRecord]) {
    for plan in plans {
        let sheets = sheets(readings, plan, present, documents);
        let rows: Vec<(&str, RowSet)> = sheets.iter().map(|sheet| (sheet.file.as_str(), sheet.rows)).collect();
        for (sheet, repeat) in sheets.iter().zip(schema::repeats(&rows)) {
            if let (Some(repeat), Some(reading)) = (repeat, sheet.reading.and_then(|r| readings.get_mut(r))) {
                let of = match repeat {
                    Repeat::Copy(of) => format!("{} › {}", sheets[of].file, sheets[of].name),
                    Repeat::Summary => "the other sheets together".to_owned(),
                };
                let message = format!("its rows are those of {of}: an answer over all sheets counts them twice");
                let place = Place { file: &sheet.file, sheet: &sheet.name, row: None, column: None };
                reading.report.notes.push(Note::new("sheet_repeats", message).at(place));
            }
        }
    }
}

/// The table's sheets: those of documents that stay as they are, then those that are read.
fn sheets(readings: &[Reading], plan: &TablePlan, present: &Present, documents: &[DocumentRecord]) -> Vec<Sheet> {
    let read = |id| readings.iter().any(|reading| reading.document == id);
    let parts = present.parts.iter().filter(|part| part.table_id == plan.record.id && !read(part.document));
    let mut sheets = Vec::new();
    for part in parts {
        let file = documents.iter().find(|document| document.id == part.document).map(|document| &document.name);
        let file = file.cloned().unwrap_or_default();
        sheets.extend(part.sheets.iter().map(|sheet| Sheet {
            file: file.clone(),
            name: sheet.name.clone(),
            rows: sheet.rows,
            reading: None,
        }));
    }
    let members = plan.members.iter().filter_map(|&(r, s)| Some((r, readings.get(r)?, s)));
    sheets.extend(members.map(|(r, reading, s)| {
        let survey = &reading.surveys[s];
        let name = reading.book.regions[survey.region].sheet.clone();
        Sheet { file: reading.upload.name.clone(), name, rows: survey.rows, reading: Some(r) }
    }));
    sheets
}
