//! What users decided about the types of columns.

use super::IngestError;
use super::plan::{TablePlan, from_json};
use super::survey::Reading;
use crate::catalog::{DocumentRecord, PartRecord};
use crate::ids::Id;
use crate::note::Note;
use crate::schema::{Label, Override, Schema, fold};
use crate::sheet::ReadOptions;
use crate::value::FieldType;

/// Decisions `(label, type)` by the document they were made for.
pub struct Choices(Vec<(Id, Vec<(String, FieldType)>)>);

impl Choices {
    /// Those of the documents, and those of the readings in their place.
    pub fn of(documents: &[DocumentRecord], readings: &[&Reading]) -> Result<Self, IngestError> {
        let mut choices = Vec::new();
        for document in documents.iter().filter(|document| readings.iter().all(|r| r.document != document.id)) {
            let options: ReadOptions = from_json(&document.options)?;
            choices.push((document.id, options.types));
        }
        choices.extend(readings.iter().map(|reading| (reading.document, reading.upload.options.types.clone())));
        Ok(Self(choices))
    }

    /// What was decided about a column of a table; of two decisions the later document's.
    pub fn about(
        &self,
        label: &str,
        plan: &TablePlan,
        readings: &[&Reading],
        parts: &[PartRecord],
    ) -> Option<Override> {
        let concerns = |document: Id| {
            plan.members.iter().any(|&(r, _)| readings[r].document == document)
                || parts.iter().any(|part| part.document == document && part.table_id == plan.record.id)
        };
        let of_table = self.0.iter().rev().filter(|(document, types)| !types.is_empty() && concerns(*document));
        let found = of_table.flat_map(|(_, types)| types.iter().rev()).find(|(name, _)| names(name, label));
        found.map(|&(_, kind)| Override { kind })
    }
}

/// Whether a user's word for a column means the label: as written, or without brackets and what follows `/`.
fn names(word: &str, label: &str) -> bool {
    let word = fold(word);
    word == fold(label) || word == fold(&Label::parse(label).name)
}

/// Says which of a file's decisions meet no column of it.
pub fn unmet(reading: &mut Reading) {
    let labels: Vec<&String> = reading.surveys.iter().flat_map(|survey| &survey.labels).collect();
    let types = &reading.upload.options.types;
    let unmet = types.iter().filter(|(word, _)| !labels.iter().any(|label| names(word, label)));
    let notes: Vec<Note> = unmet
        .map(|(word, kind)| {
            let message = format!("no column is called {word:?}, so nothing is read as {}", kind.word());
            Note::new("no_such_column", message).at(&reading.upload.name)
        })
        .collect();
    reading.report.notes.extend(notes);
}

/// What is another table, field or type than before.
pub fn changes(before: &Schema, after: &Schema) -> Vec<Note> {
    let mut notes = Vec::new();
    for table in &after.tables {
        let Some(earlier) = before.table(&table.name) else {
            notes.push(Note::new("table_added", format!("table {} is new", table.name)));
            continue;
        };
        if earlier.rows != table.rows {
            let message = format!("table {} has {} rows; before it had {}", table.name, table.rows, earlier.rows);
            notes.push(Note::new("rows_changed", message));
        }
        for field in &table.fields {
            let known = earlier.fields.iter().find(|known| known.label == field.label);
            if let Some(known) = known.filter(|known| known.kind != field.kind) {
                let message =
                    format!("{} is {} now; before it was {}", field.label, field.kind.word(), known.kind.word());
                notes.push(Note::new("type_changed", message));
            }
        }
    }
    let gone = before.tables.iter().filter(|table| after.table(&table.name).is_none());
    notes.extend(gone.map(|table| Note::new("table_gone", format!("table {} is gone", table.name))));
    notes
}
