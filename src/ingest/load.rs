//! Second pass: typed rows stream to the engine, one segment for each table of the upload.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use datafusion::arrow::record_batch::RecordBatch;

use super::IngestError;
use super::columns::Columns;
use super::plan::{TablePlan, to_json};
use super::survey::Reading;
use crate::catalog::{Commit, DocumentRecord, NewLoad, PartRecord, SheetRecord};
use crate::engine::{Destination, Document, Engine, EngineError, LoadWriter, SegmentRef};
use crate::ids::Id;
use crate::note::Note;
use crate::record::Builder;
use crate::schema::Profile;
use crate::sheet::{Kept, Progress, ReadError, Region, RowSink};
use crate::value::Cell;

/// Batches under way between the reader and the writer.
const QUEUE: usize = 8;

/// Writes the rows of all readings and gives what the catalog must commit. `numbers` has a load number for each reading.
pub fn write(
    readings: &mut [&mut Reading],
    plans: &[TablePlan],
    numbers: &[u32],
    (kb, engine): (Id, Arc<dyn Engine>),
    batch_rows: usize,
    max_places: usize,
) -> Result<Commit, IngestError> {
    let tables = destinations(kb, readings, plans, numbers);
    let (sender, receiver) = sync_channel(QUEUE);
    let (loads, segments) = std::thread::scope(|scope| {
        let press = scope.spawn(move || press(&tables, engine, receiver));
        let loads = read_all(readings, plans, numbers, sender, batch_rows, max_places);
        let segments = press.join().unwrap_or_else(|_| Err(EngineError::Failed("the writer stopped".to_owned())));
        // A failed writer makes the reader fail too: its error is the cause.
        segments.map_err(IngestError::from).and_then(|segments| Ok((loads?, segments)))
    })?;
    let mut commit =
        Commit { tables: plans.iter().map(|plan| plan.record.clone()).collect(), loads, ..Commit::default() };
    commit.segments = segments.into_iter().map(|segment| with_loads(segment, &commit.loads)).collect();
    Ok(commit)
}

fn destinations(kb: Id, readings: &[&mut Reading], plans: &[TablePlan], numbers: &[u32]) -> Vec<Destination> {
    let document = |(reading, no): (&&mut Reading, &u32)| {
        let (doc_id, name) = (reading.document, reading.upload.name.clone());
        Document { no: *no, doc_id, name, kb }
    };
    let documents: Arc<[Document]> = readings.iter().zip(numbers).map(document).collect();
    let of_plan = |plan: &TablePlan| {
        let (table_id, fields) = (plan.record.id.clone(), plan.record.fields.clone());
        Destination { kb, table_id, fields, documents: documents.clone() }
    };
    plans.iter().map(of_plan).collect()
}

fn with_loads(segment: SegmentRef, loads: &[NewLoad]) -> (SegmentRef, Vec<u32>) {
    let has_rows = |load: &&NewLoad| load.parts.iter().any(|part| part.table_id == segment.table_id && part.rows > 0);
    let numbers = loads.iter().filter(has_rows).map(|load| load.no).collect();
    (segment, numbers)
}

type Batches = SyncSender<(usize, RecordBatch)>;

/// Writes the batches of every table as they come.
fn press(
    tables: &[Destination],
    engine: Arc<dyn Engine>,
    batches: Receiver<(usize, RecordBatch)>,
) -> Result<Vec<SegmentRef>, EngineError> {
    let mut writers: HashMap<usize, Box<dyn LoadWriter>> = HashMap::new();
    for (table, batch) in batches {
        let writer = match writers.entry(table) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(engine.writer(&tables[table])?),
        };
        writer.push(batch)?;
    }
    let mut segments = Vec::new();
    for writer in writers.into_values() {
        segments.extend(writer.finish()?);
    }
    Ok(segments)
}

fn read_all(
    readings: &mut [&mut Reading],
    plans: &[TablePlan],
    numbers: &[u32],
    batches: Batches,
    batch_rows: usize,
    max_places: usize,
) -> Result<Vec<NewLoad>, IngestError> {
    let mut loads = Vec::with_capacity(readings.len());
    for (r, (reading, no)) in readings.iter_mut().zip(numbers).enumerate() {
        let mut notes = Vec::new();
        let mut parts = Vec::new();
        for (t, plan) in plans.iter().enumerate() {
            let members: Vec<usize> =
                plan.members.iter().filter(|member| member.0 == r).map(|member| member.1).collect();
            if !members.is_empty() {
                let writing = Writing { plan, table: t, batches: &batches, batch_rows, max_places, notes: &mut notes };
                parts.push(writing.part(reading, &members, *no)?);
            }
        }
        reading.report.notes.append(&mut notes);
        let document = DocumentRecord {
            id: reading.document,
            name: reading.upload.name.clone(),
            hash: reading.hash.clone(),
            size: reading.size,
            upload: reading.stored.clone(),
            options: to_json(&reading.upload.options)?,
            answers: true,
        };
        let report = to_json(&reading.report)?;
        loads.push(NewLoad { no: *no, document, report, parts, again: false });
    }
    Ok(loads)
}

/// The rows of one document on their way to one table.
struct Writing<'a> {
    plan: &'a TablePlan,
    table: usize,
    batches: &'a Batches,
    batch_rows: usize,
    max_places: usize,
    notes: &'a mut Vec<Note>,
}

impl Writing<'_> {
    fn part(mut self, reading: &mut Reading, members: &[usize], no: u32) -> Result<PartRecord, IngestError> {
        let mut profiles: Vec<Profile> = vec![Profile::default(); self.plan.labels.len()];
        let mut sheets = Vec::new();
        let mut rows = 0;
        for &s in members {
            let survey = &reading.surveys[s];
            let region = &reading.book.regions[survey.region];
            for (whole, part) in profiles.iter_mut().zip(self.plan.ordered(&survey.labels, &survey.profiles)) {
                whole.merge(&part);
            }
            let (name, titles) = (region.name(), region.titles.clone());
            sheets.push(SheetRecord { name, titles, rows: survey.rows });
            rows += survey.rows.rows;
            self.region(reading, s, no)?;
            reading.report.sheets[reading.surveys[s].region].table = Some(self.plan.record.name.clone());
        }
        self.assumptions(reading, &profiles);
        let (document, table_id) = (reading.document, self.plan.record.id.clone());
        Ok(PartRecord { document, table_id, rows, profiles: to_json(&profiles)?, sheets })
    }

    fn region(&mut self, reading: &Reading, s: usize, no: u32) -> Result<(), IngestError> {
        let survey = &reading.surveys[s];
        let region = &reading.book.regions[survey.region];
        let columns = self.plan.columns(&survey.labels);
        let builder =
            Builder::new(&self.plan.record.fields, &self.plan.decisions, no, self.batch_rows, self.max_places);
        let (name, progress) = (region.name(), &reading.progress);
        let (table, batches) = (self.table, self.batches);
        let mut sink = Sink { builder, sheet: &name, columns: &columns, table, batches, progress, rows: 0 };
        reading.book.scan(survey.region, &mut sink).map_err(|error| IngestError::Read(error.to_string()))?;
        if let Some(batch) = sink.builder.finish().map_err(|error| IngestError::Read(error.to_string()))? {
            sink.send(batch).map_err(|error| IngestError::Read(error.to_string()))?;
        }
        self.told(&sink.builder, reading, region, &columns);
        Ok(())
    }

    fn told(&mut self, builder: &Builder, reading: &Reading, region: &Region, columns: &[Option<usize>]) {
        let mut told = Columns { file: &reading.upload.name, notes: self.notes };
        for ((misfits, field), column) in builder.misfits().iter().zip(&self.plan.record.fields).zip(columns) {
            let column = column.map(|n| region.columns[n].index);
            told.cells(field, misfits, region, column);
        }
    }

    fn assumptions(&mut self, reading: &Reading, profiles: &[Profile]) {
        let mut told = Columns { file: &reading.upload.name, notes: self.notes };
        for ((field, decision), profile) in self.plan.record.fields.iter().zip(&self.plan.decisions).zip(profiles) {
            told.assumptions(field, decision, profile);
        }
    }
}

/// Takes the rows of the second pass.
struct Sink<'a> {
    builder: Builder<'a>,
    sheet: &'a str,
    columns: &'a [Option<usize>],
    table: usize,
    batches: &'a Batches,
    progress: &'a Progress<'static>,
    rows: u64,
}

impl Sink<'_> {
    fn send(&self, batch: RecordBatch) -> Result<(), ReadError> {
        self.batches.send((self.table, batch)).map_err(|_| ReadError::Stopped("the writer stopped".to_owned()))
    }
}

impl RowSink for Sink<'_> {
    fn row(&mut self, row: u64, cells: &[Cell<'_>]) -> Result<(), ReadError> {
        self.rows += 1;
        self.progress.step(self.sheet, self.rows)?;
        let full = self.builder.push(self.sheet, row, cells, self.columns);
        match full.map_err(|error| ReadError::Stopped(error.to_string()))? {
            Some(batch) => self.send(batch),
            None => Ok(()),
        }
    }

    /// Told by the first pass.
    fn kept_apart(&mut self, _: u64, _: Kept, _: &str) -> Result<(), ReadError> {
        Ok(())
    }

    /// Told by the first pass.
    fn note(&mut self, _: Note) -> Result<(), ReadError> {
        Ok(())
    }
}
