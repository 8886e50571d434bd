//! Sheets of one table that repeat the rows of others: read, and said at upload.

use std::collections::BTreeMap;

use super::plan::{Present, TablePlan};
use super::survey::Reading;
use crate::catalog::DocumentRecord;
use crate::note::Note;
use crate::schema::{self, Repeat, RowSet};

/// A sheet of a table: its file, its name, its rows, and the reading it is of.
struct Sheet {
    file: String,
    name: String,
    rows: RowSet,
    reading: Option<usize>,
}

/// Sheets named in one note.
const NAMED: usize = 5;

/// Notes the sheets of the readings whose rows the table has from another sheet already; one note for all that repeat one.
pub fn note(readings: &mut [Reading], plans: &[TablePlan], present: &Present, documents: &[DocumentRecord]) {
    for plan in plans {
        let sheets = sheets(readings, plan, present, documents);
        let rows: Vec<(&str, RowSet)> = sheets.iter().map(|sheet| (sheet.file.as_str(), sheet.rows)).collect();
        let mut found: BTreeMap<(usize, Option<usize>), Vec<&Sheet>> = BTreeMap::new();
        for (sheet, repeat) in sheets.iter().zip(schema::repeats(&rows)) {
            let of = repeat.map(|repeat| match repeat {
                Repeat::Copy(of) => Some(of),
                Repeat::Summary => None,
            });
            if let (Some(of), Some(reading)) = (of, sheet.reading) {
                found.entry((reading, of)).or_default().push(sheet);
            }
        }
        for ((reading, of), repeating) in found {
            let of = of.map(|of| format!("{} › {}", sheets[of].file, sheets[of].name));
            let message = sentence(&repeating, of.as_deref().unwrap_or("the other sheets together"));
            readings[reading].report.notes.push(Note::new("sheet_repeats", message).at(&repeating[0].file));
        }
    }
}

fn sentence(repeating: &[&Sheet], of: &str) -> String {
    let named: Vec<&str> = repeating.iter().take(NAMED).map(|sheet| sheet.name.as_str()).collect();
    let more = if repeating.len() > NAMED { ", …" } else { "" };
    let n = repeating.len();
    format!("{n} sheets repeat the rows of {of} and are counted with it: {}{more}", named.join(", "))
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
        let name = reading.book.regions[survey.region].name();
        Sheet { file: reading.upload.name.clone(), name, rows: survey.rows, reading: Some(r) }
    }));
    sheets
}
