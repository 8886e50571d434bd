//! Keeps a table at few segments: small ones become one, rows that are not live are left behind.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::{FieldRef, SchemaRef, UInt32Type};

use super::footer::Footer;
use super::mentions::MentionIndexes;
use super::search::Shards;
use super::store::{Store, damaged, io};
use super::writer::SegmentWriter;
use crate::engine::{EngineError, LiveSegment, LoadWriter, Merged, SegmentRef};

/// Segments of about one size that become one; a size is so many times the one before.
const FAN: usize = 8;

/// Merges segments of one physical table where enough small ones are there, and rewrites those that are mostly dead.
pub(super) fn merge(store: &Arc<Store>, segments: &[LiveSegment]) -> Result<Vec<Merged>, EngineError> {
    let mut runs = choose(segments, store.limits().max_segments);
    for live in segments {
        let is_chosen = runs.iter().flatten().any(|chosen| chosen.segment.no == live.segment.no);
        if !is_chosen && is_mostly_dead(store, live)? {
            runs.push(vec![live.clone()]);
        }
    }
    runs.iter().map(|run| merge_run(store, run)).collect()
}

/// Less than half of its rows are live.
fn is_mostly_dead(store: &Store, live: &LiveSegment) -> Result<bool, EngineError> {
    let Some(docs) = &live.docs else { return Ok(false) };
    let docs: HashSet<u32> = docs.iter().copied().collect();
    let footer = store.footer(live.segment.no)?;
    let mut rows = 0;
    for group in 0..footer.groups.len() {
        let numbers = store.column(&footer, group, "doc_no")?;
        let numbers = numbers.as_ref().and_then(|numbers| numbers.as_primitive_opt::<UInt32Type>());
        rows += numbers.map_or(0, |numbers| numbers.values().iter().filter(|no| docs.contains(no)).count());
    }
    Ok((rows as u64) * 2 < live.segment.rows)
}

/// Runs of segments to merge: each has at least [`FAN`] of one size, or is what is over the limit, smallest first.
fn choose(segments: &[LiveSegment], max: usize) -> Vec<Vec<LiveSegment>> {
    let mut by_size: Vec<&LiveSegment> = segments.iter().collect();
    by_size.sort_by_key(|live| (size(live), live.segment.no));
    let same_size = by_size.chunk_by(|one, other| size(one) == size(other));
    let (full, rest): (Vec<&[&LiveSegment]>, Vec<_>) = same_size.partition(|run| run.len() >= FAN);
    let left = full.len() + rest.iter().map(|run| run.len()).sum::<usize>();
    if left <= max.max(1) {
        return full.into_iter().map(owned).collect();
    }
    let over = by_size.len() - max.max(2) / 2;
    vec![owned(&by_size[..=over.min(by_size.len() - 1)])]
}

fn owned(run: &[&LiveSegment]) -> Vec<LiveSegment> {
    let mut run: Vec<LiveSegment> = run.iter().map(|live| (*live).clone()).collect();
    run.sort_by_key(|live| live.segment.no);
    run
}

/// Sizes are powers of [`FAN`].
fn size(live: &LiveSegment) -> u32 {
    live.segment.rows.max(1).ilog(FAN as u64)
}

fn merge_run(store: &Arc<Store>, segments: &[LiveSegment]) -> Result<Merged, EngineError> {
    let mut writer = SegmentWriter::new(store.clone(), &segments[0].segment.table_id);
    let mut first: Option<SchemaRef> = None;
    let mut old = Vec::new();
    for live in segments {
        let footer = store.footer(live.segment.no)?;
        if !same_columns(first.get_or_insert_with(|| footer.schema().clone()), &footer) {
            continue;
        }
        copy(&mut writer, store, live, &footer, first.as_ref())?;
        old.push(live.segment.no);
    }
    let new = Box::new(writer).finish()?.pop();
    Ok(Merged { old, new })
}

fn same_columns(schema: &SchemaRef, footer: &Footer) -> bool {
    let own = footer.schema();
    let same =
        |field: &FieldRef| own.field_with_name(field.name()).is_ok_and(|other| other.data_type() == field.data_type());
    schema.fields().len() == own.fields().len() && schema.fields().iter().all(same)
}

fn copy(
    writer: &mut SegmentWriter,
    store: &Store,
    live: &LiveSegment,
    footer: &Footer,
    schema: Option<&SchemaRef>,
) -> Result<(), EngineError> {
    let path = store.segment_path(footer.no);
    let docs: Option<HashSet<u32>> = live.docs.as_ref().map(|docs| docs.iter().copied().collect());
    for batch in footer.scan(store.limits().batch_rows)? {
        let batch = batch.map_err(|error| damaged(&path, error))?;
        let batch = in_order(&batch, schema).map_err(|error| damaged(&path, error))?;
        let batch = match &docs {
            Some(docs) => only(&batch, docs).map_err(|error| damaged(&path, error))?,
            None => batch,
        };
        writer.push(batch)?;
    }
    Ok(())
}

type ArrowResult<T> = Result<T, datafusion::arrow::error::ArrowError>;

fn in_order(batch: &RecordBatch, schema: Option<&SchemaRef>) -> ArrowResult<RecordBatch> {
    let Some(schema) = schema else { return Ok(batch.clone()) };
    let columns =
        schema.fields().iter().map(|field| batch.schema().index_of(field.name()).map(|at| batch.column(at).clone()));
    RecordBatch::try_new(schema.clone(), columns.collect::<ArrowResult<_>>()?)
}

fn only(batch: &RecordBatch, docs: &HashSet<u32>) -> ArrowResult<RecordBatch> {
    let numbers = batch.column_by_name("doc_no").and_then(|numbers| numbers.as_primitive_opt::<UInt32Type>());
    let keep: BooleanArray = match numbers {
        Some(numbers) => numbers.values().iter().map(|no| Some(docs.contains(no))).collect(),
        None => vec![false; batch.num_rows()].into(),
    };
    filter_record_batch(batch, &keep)
}

/// Removes files and indexes of segments that are not `live`, and what was left half written. Only under the writer's lock.
pub(super) fn sweep(
    store: &Store,
    shards: &Shards,
    mentions: &MentionIndexes,
    live: &[SegmentRef],
) -> Result<(), EngineError> {
    let numbers: HashSet<u32> = live.iter().map(|segment| segment.no).collect();
    let is_live = |no: u32| numbers.contains(&no);
    shards.forget(&is_live);
    mentions.forget(&is_live);
    store.forget(&is_live);
    remove_dead(&store.segments(), |name| {
        name.strip_suffix(".parquet").and_then(|no| no.parse().ok()).is_some_and(is_live)
    })?;
    let swept = store.not_building()?;
    for indexes in [store.search(), store.mentions()] {
        remove_dead(&indexes, |name| match name.parse() {
            Ok(no) => is_live(no),
            Err(_) => swept.is_none(),
        })?;
    }
    Ok(())
}

fn remove_dead(folder: &Path, is_live: impl Fn(&str) -> bool) -> Result<(), EngineError> {
    for entry in std::fs::read_dir(folder).map_err(|source| io(folder, source))? {
        let path = entry.map_err(|source| io(folder, source))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !is_live(name) {
            let removed = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            match removed {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io(&path, error)),
                _ => {}
            }
        }
    }
    Ok(())
}
