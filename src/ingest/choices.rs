//! What users decided about the types of columns.

use super::IngestError;
use super::plan::{TablePlan, from_json, type_changed};
use super::survey::Reading;
use crate::catalog::{DocumentRecord, PartRecord};
use crate::ids::Id;
use crate::note::Note;
use crate::schema::{Label, Override, Schema, fold};
use crate::sheet::ReadOptions;
use crate::value::{FieldType, Role};

/// Decisions by the document they were made for.
pub struct Choices(Vec<(Id, Made)>);

/// `(label, type)` and `(label, role)`.
type Made = (Vec<(String, FieldType)>, Vec<(String, Role)>);

impl Choices {
    /// Those of the documents, and those of the readings in their place.
    pub fn of(documents: &[DocumentRecord], readings: &[&Reading]) -> Result<Self, IngestError> {
        let mut choices = Vec::new();
        for document in documents.iter().filter(|document| readings.iter().all(|r| r.document != document.id)) {
            let options: ReadOptions = from_json(&document.options)?;
            choices.push((document.id, (options.types, options.roles)));
        }
        let made = |reading: &&Reading| {
            let options = &reading.upload.options;
            (reading.document, (options.types.clone(), options.roles.clone()))
        };
        choices.extend(readings.iter().map(made));
        Ok(Self(choices))
    }

    /// What was decided about a column of a table; of two decisions the later document's.
    pub fn about(
        &self,
        label: &str,
        plan: &TablePlan,
        readings: &[&Reading],
        parts: &[PartRecord],
    ) -> (Option<Override>, Role) {
        let concerns = |document: Id| {
            plan.members.iter().any(|&(r, _)| readings[r].document == document)
                || parts.iter().any(|part| part.document == document && part.table_id == plan.record.id)
        };
        let of_table: Vec<&Made> =
            self.0.iter().rev().filter(|(document, _)| concerns(*document)).map(|(_, made)| made).collect();
        let kind = of_table.iter().find_map(|(types, _)| chosen(types, label));
        let role = of_table.iter().find_map(|(_, roles)| chosen(roles, label));
        (kind.map(|kind| Override { kind }), role.unwrap_or_default())
    }
}

/// The last choice about a column.
fn chosen<T: Copy>(choices: &[(String, T)], label: &str) -> Option<T> {
    choices.iter().rev().find(|(name, _)| names(name, label)).map(|(_, choice)| *choice)
}

/// Whether a user's word for a column means the label: as written, or without brackets and what follows `/`.
fn names(word: &str, label: &str) -> bool {
    let word = fold(word);
    word == fold(label) || word == fold(&Label::parse(label).name)
}

/// Says which of a file's decisions meet no column of it.
pub fn unmet(reading: &mut Reading) {
    let labels: Vec<&String> = reading.surveys.iter().flat_map(|survey| &survey.labels).collect();
    let options = &reading.upload.options;
    let types = options.types.iter().map(|(word, kind)| (word, kind.word()));
    let roles = options.roles.iter().map(|(word, role)| (word, role.word()));
    let unmet = types.chain(roles).filter(|(word, _)| !labels.iter().any(|label| names(word, label)));
    let notes: Vec<Note> = unmet
        .map(|(word, choice)| {
            let message = format!("no column is called {word:?}, so nothing is read as {choice}");
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
                notes.push(type_changed(known, field));
            }
            if let Some(known) = known.filter(|known| known.role() != field.role()) {
                let (role, before) = (field.role().word(), known.role().word());
                let message = format!("{} is for {role} now; before it was for {before}", field.label);
                notes.push(Note::new("role_changed", message));
            }
        }
    }
    let gone = before.tables.iter().filter(|table| after.table(&table.name).is_none());
    notes.extend(gone.map(|table| Note::new("table_gone", format!("table {} is gone", table.name))));
    notes
}
