//! Results as they stream by: a capped part is kept, all of it is counted.

use std::collections::{BTreeMap, BinaryHeap};

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt32Type, UInt64Type};
use datafusion::logical_expr::LogicalPlan;
use futures::StreamExt;

use super::{QueryError, Session, result_value};
use crate::sql::{Code, Refusal, SOURCES};
use crate::value::Value;

/// Rows of a statement: at most the cap of them, and how many there are.
#[derive(Debug, Default)]
pub struct Rows {
    pub rows: Vec<Vec<Value>>,
    pub total: u64,
    /// Bytes of the texts in `rows`.
    bytes: usize,
}

/// Where a row came from, as [`SOURCES`] give it. Ordered by document, sheet and row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceRow {
    pub doc_no: u32,
    pub sheet: String,
    pub row: u64,
    pub key: u64,
}

/// Cited rows, the number of all, and the number for each document.
#[derive(Debug, Default)]
pub struct SourceCount {
    pub rows: Vec<SourceRow>,
    pub total: u64,
    pub documents: BTreeMap<u32, u64>,
}

impl Session {
    /// Runs a plan and keeps its first `max_rows` rows.
    pub async fn rows(&self, plan: LogicalPlan, max_rows: usize) -> Result<Rows, QueryError> {
        let session = self.clone();
        Self::apart(async move {
            let mut stream = session.stream(&plan).await?;
            let mut kept = Rows::default();
            while let Some(batch) = stream.next().await {
                kept.take(batch?.columns(), max_rows, session.max_kept)?;
            }
            Ok(kept)
        })
        .await
    }

    /// Runs a plan whose last columns are [`SOURCES`], which are kept of its first `max_sources` rows.
    pub async fn plain(
        &self,
        plan: LogicalPlan,
        max_rows: usize,
        max_sources: usize,
    ) -> Result<(Rows, SourceCount), QueryError> {
        let session = self.clone();
        Self::apart(async move {
            let mut stream = session.stream(&plan).await?;
            let (mut kept, mut sources) = (Rows::default(), SourceCount::default());
            while let Some(batch) = stream.next().await {
                let batch = batch?;
                let split = batch.num_columns().saturating_sub(SOURCES.len());
                sources.take_in_order(&SourceColumns::of(&batch)?, max_sources);
                kept.take(&batch.columns()[..split], max_rows, session.max_kept)?;
            }
            Ok((kept, sources))
        })
        .await
    }

    /// Runs a plan that gives [`SOURCES`]; its least `max_sources` rows are kept, in order.
    pub async fn sources(&self, plan: LogicalPlan, max_sources: usize) -> Result<SourceCount, QueryError> {
        let session = self.clone();
        Self::apart(async move {
            let mut stream = session.stream(&plan).await?;
            let mut sources = SourceCount::default();
            let mut least = BinaryHeap::with_capacity(max_sources + 1);
            while let Some(batch) = stream.next().await {
                sources.take_least(&SourceColumns::of(&batch?)?, max_sources, &mut least);
            }
            sources.rows = least.into_sorted_vec();
            Ok(sources)
        })
        .await
    }
}

impl Rows {
    fn take(&mut self, columns: &[ArrayRef], max: usize, max_bytes: usize) -> Result<(), QueryError> {
        let rows = columns.first().map_or(0, |column| column.len());
        let wanted = rows.min(max.saturating_sub(self.rows.len()));
        self.total += rows as u64;
        for row in 0..wanted {
            let cells = columns.iter().map(|column| result_value(column.as_ref(), row));
            let cells = cells.collect::<Result<Vec<_>, _>>()?;
            self.bytes += cells.iter().map(text_bytes).sum::<usize>();
            if self.bytes > max_bytes {
                return Err(too_long().into());
            }
            self.rows.push(cells);
        }
        Ok(())
    }
}

fn text_bytes(value: &Value) -> usize {
    if let Value::Text(text) = value { text.len() } else { 0 }
}

fn too_long() -> Refusal {
    Refusal::new(
        Code::TooLarge,
        "the texts of the answer are too long together",
        "ask for fewer rows, or for less of each text",
    )
}

/// The source columns of one batch, in their plain types.
struct SourceColumns {
    key: ArrayRef,
    doc_no: ArrayRef,
    sheet: ArrayRef,
    row: ArrayRef,
}

impl SourceColumns {
    fn of(batch: &RecordBatch) -> Result<Self, QueryError> {
        let first = batch.num_columns().checked_sub(SOURCES.len());
        let first = first.ok_or_else(|| QueryError::Failed("a statement without source columns".to_owned()))?;
        let column = |at: usize, kind: &DataType| {
            cast(batch.column(first + at), kind).map_err(|error| QueryError::Failed(error.to_string()))
        };
        Ok(Self {
            key: column(0, &DataType::UInt64)?,
            doc_no: column(1, &DataType::UInt32)?,
            sheet: column(2, &DataType::Utf8View)?,
            row: column(3, &DataType::Int64)?,
        })
    }

    fn len(&self) -> usize {
        self.key.len()
    }

    fn doc_no(&self, at: usize) -> u32 {
        self.doc_no.as_primitive::<UInt32Type>().value(at)
    }

    fn get(&self, at: usize) -> SourceRow {
        SourceRow {
            doc_no: self.doc_no(at),
            sheet: self.sheet.as_string_view().value(at).to_owned(),
            row: u64::try_from(self.row.as_primitive::<Int64Type>().value(at)).unwrap_or_default(),
            key: self.key.as_primitive::<UInt64Type>().value(at),
        }
    }

    /// Before the row without copying its sheet's name.
    fn is_before(&self, at: usize, other: &SourceRow) -> bool {
        let row = self.row.as_primitive::<Int64Type>().value(at);
        let own = (self.doc_no(at), self.sheet.as_string_view().value(at), u64::try_from(row).unwrap_or_default());
        own < (other.doc_no, other.sheet.as_str(), other.row)
    }
}

impl SourceCount {
    fn count(&mut self, columns: &SourceColumns) {
        self.total += columns.len() as u64;
        for run in columns.doc_no.as_primitive::<UInt32Type>().values().chunk_by(|one, next| one == next) {
            *self.documents.entry(run[0]).or_default() += run.len() as u64;
        }
    }

    fn take_in_order(&mut self, columns: &SourceColumns, max: usize) {
        self.count(columns);
        let wanted = columns.len().min(max.saturating_sub(self.rows.len()));
        self.rows.extend((0..wanted).map(|at| columns.get(at)));
    }

    fn take_least(&mut self, columns: &SourceColumns, max: usize, least: &mut BinaryHeap<SourceRow>) {
        self.count(columns);
        for at in 0..columns.len() {
            if least.len() < max {
                least.push(columns.get(at));
            } else if least.peek().is_some_and(|greatest| columns.is_before(at, greatest)) {
                least.push(columns.get(at));
                least.pop();
            }
        }
    }
}
