//! The sources of a select over one table, told by runs of rows of one sheet instead of row by row.
//!
//! Must never happen: another count or other cited rows than the select itself would give.

use std::collections::BinaryHeap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BooleanArray};
use datafusion::arrow::datatypes::{Int64Type, UInt32Type};
use datafusion::catalog::{Session, default_table_source::source_as_provider};
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::expr_rewriter::unnormalize_cols;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use futures::{StreamExt, TryStreamExt};

use super::coded::CodedColumns;
use super::filter::Filter;
use super::provider::Provider;
use super::reader::{Chunk, Reader};
use crate::engine::EngineError;
use crate::query::{SourceCount, SourceRow};
use crate::sql::SOURCES;

/// Rows of one sheet of one document, one behind the other in a row group.
struct Run {
    doc_no: u32,
    sheet: Arc<str>,
    /// No row of the run has a smaller number.
    least: i64,
    chunk: usize,
    rows: std::ops::Range<usize>,
}

/// The chunk's rows that count; `None` is all.
type Selected = Option<BooleanArray>;

/// The scan of one of our tables that a plan consists of, if it gives [`SOURCES`] and nothing else.
pub(super) fn only_scan(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::SubqueryAlias(alias) => only_scan(&alias.input),
        LogicalPlan::TableScan(scan) => {
            let fields = scan.projected_schema.fields();
            let names = fields.iter().map(|field| field.name().as_str());
            (scan.fetch.is_none() && fields.len() == SOURCES.len() && names.eq(SOURCES)).then_some(scan)
        }
        _ => None,
    }
}

/// Counts the rows of a scan and cites the least `max_sources` of them.
pub(super) async fn sources(scan: &TableScan, state: &dyn Session, max_sources: usize) -> Result<Option<SourceCount>> {
    let provider = source_as_provider(&scan.source)?;
    let Some(provider) = provider.downcast_ref::<Provider>() else { return Ok(None) };
    let (chunks, filter) = provider.selection(&unnormalize_cols(scan.filters.iter().cloned()), state)?;
    let (reader, threads) = (provider.reader(CodedColumns::new()), state.config().target_partitions().max(1));
    let chunks: Arc<[Chunk]> = chunks.into();
    let found =
        futures::stream::iter(0..chunks.len()).map(|at| {
            let (reader, filter, chunks) = (reader.clone(), filter.clone(), chunks.clone());
            let work = move || runs(&reader, &filter, &chunks[at], at);
            async move {
                tokio::task::spawn_blocking(work).await.map_err(|error| DataFusionError::External(Box::new(error)))?
            }
        });
    let found: Vec<(Selected, Vec<Run>)> = found.buffered(threads).try_collect().await?;
    let done = tokio::task::spawn_blocking(move || counted(&reader, &chunks, found, max_sources)).await;
    done.map_err(|error| DataFusionError::External(Box::new(error)))?.map(Some).map_err(external)
}

fn external(error: EngineError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

fn runs(reader: &Reader, filter: &Filter, chunk: &Chunk, at: usize) -> Result<(Selected, Vec<Run>)> {
    let selected = filter.selected(reader, chunk)?;
    if selected.as_ref().is_some_and(|selected| selected.true_count() == 0) {
        return Ok((selected, Vec::new()));
    }
    let footer = &chunk.segment.footer;
    let least = footer.least(chunk.group, "row_long");
    let run = |doc_no, sheet: &str, rows| Run { doc_no, sheet: sheet.into(), least, chunk: at, rows };
    if let (Some(doc_no), Some(sheet)) =
        (footer.only_number(chunk.group, "doc_no"), footer.only_text(chunk.group, "sheet_kwd"))
    {
        return Ok((selected, vec![run(doc_no, sheet, 0..chunk.rows())]));
    }
    let column = |name: &str| reader.store.column(footer, chunk.group, name).map_err(external);
    let (numbers, sheets) = (column("doc_no")?, column("sheet_kwd")?);
    let numbers = numbers.as_ref().and_then(|numbers| numbers.as_primitive_opt::<UInt32Type>());
    let sheets = sheets.as_ref().and_then(|sheets| sheets.as_string_view_opt());
    let (Some(numbers), Some(sheets)) = (numbers, sheets) else { return Ok((selected, Vec::new())) };
    let mut found = Vec::new();
    let mut start = 0;
    for end in 1..=chunk.rows() {
        let is_end = end == chunk.rows()
            || numbers.value(end) != numbers.value(start)
            || (sheets.views()[end] != sheets.views()[end - 1] && sheets.value(end) != sheets.value(start));
        if is_end {
            found.push(run(numbers.value(start), sheets.value(start), start..end));
            start = end;
        }
    }
    Ok((selected, found))
}

fn counted(
    reader: &Reader,
    chunks: &[Chunk],
    found: Vec<(Selected, Vec<Run>)>,
    max_sources: usize,
) -> std::result::Result<SourceCount, EngineError> {
    let mut count = SourceCount::default();
    let (selected, runs): (Vec<Selected>, Vec<Vec<Run>>) = found.into_iter().unzip();
    let mut runs: Vec<Run> = runs.into_iter().flatten().collect();
    runs.retain(|run| {
        let rows = selected_in(&selected[run.chunk], run);
        if rows > 0 {
            count.total += rows;
            *count.documents.entry(run.doc_no).or_default() += rows;
        }
        rows > 0
    });
    runs.sort_by(|one, other| {
        (one.doc_no, &one.sheet, one.least, one.chunk).cmp(&(other.doc_no, &other.sheet, other.least, other.chunk))
    });
    let mut least = BinaryHeap::with_capacity(max_sources + 1);
    for run in &runs {
        let is_beyond = |greatest: &SourceRow| {
            (run.doc_no, &*run.sheet, u64::try_from(run.least).unwrap_or_default())
                > (greatest.doc_no, greatest.sheet.as_str(), greatest.row)
        };
        if least.len() >= max_sources && least.peek().is_none_or(is_beyond) {
            break;
        }
        take(reader, &chunks[run.chunk], run, &selected[run.chunk], max_sources, &mut least)?;
    }
    count.rows = least.into_sorted_vec();
    Ok(count)
}

fn selected_in(selected: &Selected, run: &Run) -> u64 {
    let of_all = |selected: &BooleanArray| selected.values().slice(run.rows.start, run.rows.len()).count_set_bits();
    selected.as_ref().map_or(run.rows.len(), of_all) as u64
}

/// Keeps the least rows of a run.
fn take(
    reader: &Reader,
    chunk: &Chunk,
    run: &Run,
    selected: &Selected,
    max: usize,
    least: &mut BinaryHeap<SourceRow>,
) -> std::result::Result<(), EngineError> {
    let footer = &chunk.segment.footer;
    let numbers: Option<ArrayRef> = reader.store.column(footer, chunk.group, "row_long")?;
    let numbers = numbers.as_ref().and_then(|numbers| numbers.as_primitive_opt::<Int64Type>());
    let Some(numbers) = numbers else { return Ok(()) };
    let first = u64::from(footer.no) << 32 | footer.first_row(chunk.group) as u64;
    for at in run.rows.clone().filter(|&at| selected.as_ref().is_none_or(|selected| selected.value(at))) {
        let row = u64::try_from(numbers.value(at)).unwrap_or_default();
        let is_before = |greatest: &SourceRow| {
            (run.doc_no, &*run.sheet, row) < (greatest.doc_no, greatest.sheet.as_str(), greatest.row)
        };
        if least.len() < max || least.peek().is_some_and(is_before) {
            least.push(SourceRow { doc_no: run.doc_no, sheet: run.sheet.to_string(), row, key: first + at as u64 });
        }
        if least.len() > max {
            least.pop();
        }
    }
    Ok(())
}
