//! Which tables the regions are, and what each column's type is over all of its documents.

use std::collections::HashSet;

use super::IngestError;
use super::choices::Choices;
use super::survey::Reading;
use crate::catalog::{CatalogError, PartRecord, TableRecord};
use crate::ids::Id;
use crate::note::Note;
use crate::schema::{self, Decision, Label, Override, Profile, Shape};
use crate::value::Role;

/// One table that regions of the upload go to.
pub struct TablePlan {
    pub record: TableRecord,
    pub labels: Vec<String>,
    pub decisions: Vec<Decision>,
    /// `(reading, survey)` of each region.
    pub members: Vec<(usize, usize)>,
    /// Fields of the catalog's table that are of another type now.
    pub changed: Vec<Note>,
    /// It is in the catalog already, with other types or conversions: its earlier documents must be read anew.
    pub retyped: bool,
    shape: Shape,
    profiles: Vec<Profile>,
}

/// The knowledge base as it is.
pub struct Present {
    pub tables: Vec<TableRecord>,
    pub parts: Vec<PartRecord>,
}

/// Plans the tables of `readings`; a document that is read anew does not count as it is.
pub fn tables(readings: &[&Reading], present: &Present, choices: &Choices) -> Result<Vec<TablePlan>, IngestError> {
    let mut plans = grouped(readings, present)?;
    let anew: HashSet<Id> = readings.iter().map(|reading| reading.document).collect();
    for part in present.parts.iter().filter(|part| !anew.contains(&part.document)) {
        if let Some(plan) = plans.iter_mut().find(|plan| plan.record.id == part.table_id) {
            plan.merge(&from_json::<Vec<Profile>>(&part.profiles)?);
        }
    }
    for plan in &mut plans {
        let about = |label: &String| choices.about(label, plan, readings, &present.parts);
        let chosen: Vec<(Option<Override>, Role)> = plan.labels.iter().map(about).collect();
        plan.decide(&chosen);
    }
    Ok(plans)
}

/// The tables that documents are in, their fields counted over the other documents.
pub fn without(present: &Present, documents: &[Id]) -> Result<Vec<TableRecord>, IngestError> {
    let documents: HashSet<Id> = documents.iter().copied().collect();
    let (go, stay): (Vec<_>, Vec<_>) = present.parts.iter().partition(|part| documents.contains(&part.document));
    let touched: HashSet<&str> = go.iter().map(|part| part.table_id.as_str()).collect();
    let mut tables = Vec::new();
    for table in present.tables.iter().filter(|table| touched.contains(table.id.as_str())) {
        let mut profiles = vec![Profile::default(); table.fields.len()];
        for other in stay.iter().filter(|other| other.table_id == table.id) {
            let others = from_json::<Vec<Profile>>(&other.profiles)?;
            profiles.iter_mut().zip(&others).for_each(|(whole, part)| whole.merge(part));
        }
        let fields = table.fields.iter().zip(&profiles).map(|(field, profile)| schema::recounted(field, profile));
        tables.push(TableRecord { fields: fields.collect(), ..table.clone() });
    }
    Ok(tables)
}

/// Documents other than the readings' whose rows are stored under types or conversions that changed.
pub fn outdated(plans: &[TablePlan], present: &Present, readings: &[&Reading]) -> Vec<Id> {
    let read: HashSet<Id> = readings.iter().map(|reading| reading.document).collect();
    let mut documents: Vec<Id> = Vec::new();
    for part in &present.parts {
        let retyped = plans.iter().any(|plan| plan.retyped && plan.record.id == part.table_id);
        if retyped && !read.contains(&part.document) && !documents.contains(&part.document) {
            documents.push(part.document);
        }
    }
    documents
}

/// Names of the tables that stay: those with rows of other documents, and those that the readings go to.
fn taken(readings: &[&Reading], present: &Present) -> Result<HashSet<String>, IngestError> {
    let anew: HashSet<Id> = readings.iter().map(|reading| reading.document).collect();
    let mut stay: HashSet<String> =
        present.parts.iter().filter(|part| !anew.contains(&part.document)).map(|part| part.table_id.clone()).collect();
    let shapes = readings.iter().flat_map(|reading| &reading.surveys).map(|survey| to_json(&survey.shape));
    let shapes = shapes.collect::<Result<HashSet<String>, _>>()?;
    stay.extend(present.tables.iter().filter(|table| shapes.contains(&table.key)).map(|table| table.id.clone()));
    Ok(present.tables.iter().filter(|table| stay.contains(&table.id)).map(|table| table.name.clone()).collect())
}

/// Labels and shapes of the tables that no reading goes to and that have rows of other documents.
pub fn staying(
    plans: &[TablePlan],
    present: &Present,
    readings: &[Reading],
) -> Result<Vec<(String, Shape)>, IngestError> {
    let anew: HashSet<Id> = readings.iter().map(|reading| reading.document).collect();
    let has_others = |table: &&TableRecord| {
        present.parts.iter().any(|part| part.table_id == table.id && !anew.contains(&part.document))
    };
    let planned = |table: &&TableRecord| plans.iter().all(|plan| plan.record.id != table.id);
    let tables = present.tables.iter().filter(planned).filter(has_others);
    tables.map(|table| Ok((table.label.clone(), from_json(&table.key)?))).collect()
}

/// Sheets of one shape are one table, the catalog's where it has one.
fn grouped(readings: &[&Reading], present: &Present) -> Result<Vec<TablePlan>, IngestError> {
    let mut plans: Vec<TablePlan> = Vec::new();
    let mut names = taken(readings, present)?;
    for (r, reading) in readings.iter().enumerate() {
        for (s, survey) in reading.surveys.iter().enumerate() {
            let at = match plans.iter().position(|plan| plan.shape == survey.shape) {
                Some(at) => at,
                None => {
                    plans.push(TablePlan::of(reading, s, present, &mut names)?);
                    plans.len() - 1
                }
            };
            let plan = &mut plans[at];
            plan.members.push((r, s));
            let profiles = plan.ordered(&survey.labels, &survey.profiles);
            plan.merge(&profiles);
        }
    }
    Ok(plans)
}

impl TablePlan {
    fn of(reading: &Reading, s: usize, present: &Present, names: &mut HashSet<String>) -> Result<Self, IngestError> {
        let survey = &reading.surveys[s];
        let key = to_json(&survey.shape)?;
        let record = match present.tables.iter().find(|table| table.key == key) {
            Some(table) => table.clone(),
            None => {
                let label = table_label(reading, s);
                let name = schema::table_name(&label, names);
                names.insert(name.clone());
                TableRecord { id: Id::new().to_string(), name, label, key, fields: Vec::new() }
            }
        };
        let labels = match record.fields.is_empty() {
            true => survey.labels.clone(),
            false => record.fields.iter().map(|field| field.label.clone()).collect(),
        };
        let profiles = vec![Profile::default(); labels.len()];
        let shape = survey.shape.clone();
        let (decisions, members, changed) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { record, labels, decisions, members, changed, retyped: false, shape, profiles })
    }

    /// The columns of a sheet in the order of the table's fields.
    pub fn columns(&self, labels: &[String]) -> Vec<Option<usize>> {
        let table: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        let sheet: Vec<&str> = labels.iter().map(String::as_str).collect();
        schema::column_map(&table, &sheet)
    }

    /// Profiles of a sheet in the order of the table's fields.
    pub fn ordered(&self, labels: &[String], profiles: &[Profile]) -> Vec<Profile> {
        let columns = self.columns(labels);
        columns.into_iter().map(|column| column.map(|n| profiles[n].clone()).unwrap_or_default()).collect()
    }

    fn merge(&mut self, profiles: &[Profile]) {
        for (whole, part) in self.profiles.iter_mut().zip(profiles) {
            whole.merge(part);
        }
    }

    fn decide(&mut self, chosen: &[(Option<Override>, Role)]) {
        let labels: Vec<Label> = self.labels.iter().map(|label| Label::parse(label)).collect();
        let columns = self.profiles.iter().zip(&labels).zip(chosen);
        let decide = |((profile, label), (kind, role)): ((&Profile, &Label), &(Option<Override>, Role))| {
            schema::decide(profile, label, kind.as_ref()).serving(*role)
        };
        self.decisions = columns.map(decide).collect();
        let fields = schema::name_fields(&labels, &self.decisions);
        let converted = |fields: &[schema::Field]| {
            fields.iter().map(|field| (field.name.clone(), field.conversion.clone())).collect::<Vec<_>>()
        };
        self.retyped = !self.record.fields.is_empty() && converted(&self.record.fields) != converted(&fields);
        let pairs = self.record.fields.iter().zip(&fields).filter(|(before, after)| before.kind != after.kind);
        self.changed = pairs.map(|(before, after)| type_changed(before, after)).collect();
        self.record.fields = fields;
    }

    /// Columns that are of another type than the cells of one reading alone would make them.
    pub fn widened(&self, r: usize, reading: &Reading) -> Vec<Note> {
        let mut alone = vec![Profile::default(); self.labels.len()];
        for survey in self.members.iter().filter(|member| member.0 == r).map(|member| &reading.surveys[member.1]) {
            let profiles = self.ordered(&survey.labels, &survey.profiles);
            alone.iter_mut().zip(&profiles).for_each(|(whole, part)| whole.merge(part));
        }
        let columns = alone.iter().zip(&self.profiles).zip(&self.record.fields);
        columns
            .filter(|((alone, all), _)| alone.cells() < all.cells())
            .filter_map(|((alone, _), field)| self.widened_field(alone, field))
            .collect()
    }

    fn widened_field(&self, alone: &Profile, field: &schema::Field) -> Option<Note> {
        let decision = schema::decide(alone, &Label::parse(&field.label), None);
        let forced = field.conversion.as_ref().is_some_and(schema::Conversion::is_forced);
        if forced || !alone.is_telling() || decision.kind == field.kind {
            return None;
        }
        let (label, kind, alone) = (&field.label, field.kind.word(), decision.kind.word());
        let table = &self.record.name;
        let message = format!("{label} is {kind} in table {table}; in this file alone it would be {alone}");
        Some(Note::new("type_widened", message))
    }

    /// How sheets of the upload, and tables that stay as they are, nearly are this table.
    pub fn near_misses(&self, plans: &[TablePlan], staying: &[(String, Shape)]) -> Vec<Note> {
        let others = plans.iter().filter(|other| other.record.id != self.record.id);
        let others = others.map(|other| (&other.record.label, &other.shape));
        others
            .chain(staying.iter().map(|(label, shape)| (label, shape)))
            .filter_map(|(label, shape)| {
                let miss = self.shape.near(shape)?;
                let message = format!("{} looks like {label}, a table of its own: {miss}", self.record.label);
                Some(Note::new("looks_like_another_table", message))
            })
            .collect()
    }
}

/// Says that a field is of another type than before.
pub fn type_changed(before: &schema::Field, after: &schema::Field) -> Note {
    let message = format!("{} is {} now; before it was {}", after.label, after.kind.word(), before.kind.word());
    Note::new("type_changed", message)
}

/// The sheet's name where a book has several sheets with tables of different shapes, else the file's without its extension.
fn table_label(reading: &Reading, s: usize) -> String {
    let several = reading.surveys.iter().any(|survey| survey.shape != reading.surveys[s].shape);
    let region = &reading.book.regions[reading.surveys[s].region];
    let name = &reading.upload.name;
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    if several && !region.sheet.trim().is_empty() { region.sheet.clone() } else { stem.to_owned() }
}

pub fn to_json(value: &impl serde::Serialize) -> Result<String, IngestError> {
    serde_json::to_string(value).map_err(|error| CatalogError::Damaged(error.to_string()).into())
}

pub fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, IngestError> {
    serde_json::from_str(text).map_err(|error| CatalogError::Damaged(error.to_string()).into())
}
