//! Conditions that the scan itself answers: which rows of a row group pass, worked out once for a statement however often
//! its selects ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{Array, AsArray, BooleanArray, BooleanBufferBuilder, RecordBatch, StringViewArray};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::{DataType, Int32Type, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::{DFSchema, DataFusionError, Result, internal_datafusion_err};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::utils::conjunction;
use datafusion::physical_plan::PhysicalExpr;

use super::reader::{Chunk, Reader};
use crate::engine::rowset::{Bits, true_rows};

/// A row group with the documents that are live in it.
type Place = (u32, usize, Option<Arc<Bits>>);

/// All of some conditions, in their order.
#[derive(Debug)]
pub(super) struct Filter {
    conditions: Vec<Expr>,
    /// All of them as one; `None` where there are none.
    test: Option<Test>,
    /// Each of them alone.
    tests: Vec<Test>,
    passed: Mutex<HashMap<Place, BooleanArray>>,
}

/// One condition.
#[derive(Debug)]
struct Test {
    condition: Arc<dyn PhysicalExpr>,
    /// The columns that it reads.
    schema: SchemaRef,
    batch_rows: usize,
}

/// Whether a row group's rows pass can be told from its own columns, the same each time.
pub(super) fn is_of_rows(condition: &Expr) -> bool {
    let asks_elsewhere = |expr: &Expr| {
        matches!(
            expr,
            Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::SetComparison(_)
                | Expr::ScalarSubquery(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::Placeholder(_)
        )
    };
    let found = datafusion::common::tree_node::TreeNode::exists(condition, |expr| Ok(asks_elsewhere(expr)));
    !condition.is_volatile() && matches!(found, Ok(false))
}

impl Filter {
    pub(super) fn new(conditions: Vec<Expr>, schema: &SchemaRef, session: &dyn Session) -> Result<Self> {
        let test =
            conjunction(conditions.clone()).map(|condition| Test::new(condition, schema, session)).transpose()?;
        let tests = conditions.iter().map(|condition| Test::new(condition.clone(), schema, session));
        Ok(Self { tests: tests.collect::<Result<_>>()?, conditions, test, passed: Mutex::default() })
    }

    pub(super) fn is_of(&self, conditions: &[Expr]) -> bool {
        self.conditions == conditions
    }

    /// Which rows are live and pass; `None` where all do.
    pub(super) fn selected(&self, reader: &Reader, chunk: &Chunk) -> Result<Option<BooleanArray>> {
        let live = || chunk.live(&reader.store).map_err(|error| DataFusionError::External(Box::new(error)));
        let Some(test) = &self.test else { return live() };
        let place = (chunk.segment.footer.no, chunk.group, chunk.segment.docs.clone());
        if let Some(passed) = self.passed.lock().unwrap_or_else(PoisonError::into_inner).get(&place) {
            return Ok(Some(passed.clone()));
        }
        let reader = &Reader { coded: Arc::default(), ..reader.clone() };
        let live = live()?;
        let by_values = if live.is_none() { self.by_values(reader, chunk) } else { None };
        let passed = match by_values {
            Some(passed) => passed,
            None => test.passed(reader, chunk, live)?,
        };
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).insert(place, passed.clone());
        Ok(Some(passed))
    }
}

impl Filter {
    /// The rows that pass, where a condition over one text column can be asked of its few values. What goes wrong with one
    /// condition alone may not with all of them: then there is no answer.
    fn by_values(&self, reader: &Reader, chunk: &Chunk) -> Option<BooleanArray> {
        let is_coded = |test: &&Test| test.text().is_some_and(|name| chunk.segment.footer.is_coded(chunk.group, name));
        if !self.tests.iter().any(|test| is_coded(&test)) {
            return None;
        }
        let mut passed: Option<BooleanBuffer> = None;
        for test in &self.tests {
            let one = match is_coded(&test) {
                true => test.passed_by_value(reader, chunk)?,
                false => test.passed(reader, chunk, None).ok()?.values().clone(),
            };
            passed = Some(passed.map_or_else(|| one.clone(), |passed| &passed & &one));
        }
        passed.map(|passed| BooleanArray::new(passed, None))
    }
}

impl Test {
    /// The text column that it reads, if it reads nothing else.
    fn text(&self) -> Option<&str> {
        match &self.schema.fields()[..] {
            [only] if only.data_type() == &DataType::Utf8View => Some(only.name()),
            _ => None,
        }
    }

    fn passed_by_value(&self, reader: &Reader, chunk: &Chunk) -> Option<BooleanBuffer> {
        let coded = reader.store.coded(&chunk.segment.footer, chunk.group, self.text()?).ok()??;
        let coded = coded.as_dictionary_opt::<Int32Type>()?;
        let values = coded.values().as_string_opt::<i32>()?;
        let texts: StringViewArray = values.iter().chain([None]).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), vec![Arc::new(texts)]).ok()?;
        let passed = self.evaluated(&batch).ok()?;
        let keys = coded.keys();
        let of_null = passed.value(values.len());
        let of_row = |row: usize| match keys.is_null(row) {
            true => of_null,
            false => passed.value(keys.value(row) as usize),
        };
        Some(BooleanBuffer::collect_bool(keys.len(), of_row))
    }

    fn new(condition: Expr, schema: &SchemaRef, session: &dyn Session) -> Result<Self> {
        let named = condition.column_refs();
        let is_read = |name: &str| named.iter().any(|column| column.name == name);
        let read = (0..schema.fields().len()).filter(|&at| is_read(schema.field(at).name()));
        let schema: SchemaRef = Arc::new(schema.project(&read.collect::<Vec<_>>())?);
        let condition = session.create_physical_expr(condition, &DFSchema::try_from(schema.clone())?)?;
        Ok(Self { condition, schema, batch_rows: session.config().batch_size() })
    }

    /// Dead rows are not looked at: what is wrong with them is no one's business.
    fn passed(&self, reader: &Reader, chunk: &Chunk, live: Option<BooleanArray>) -> Result<BooleanArray> {
        if live.as_ref().is_some_and(|live| live.true_count() == 0) {
            return Ok(BooleanArray::new(BooleanBuffer::new_unset(chunk.rows()), None));
        }
        let batch = reader.batch(chunk, &self.schema).map_err(|error| DataFusionError::External(Box::new(error)))?;
        match live {
            None => self.evaluated(&batch),
            Some(live) => {
                let passed = self.evaluated(&filter_record_batch(&batch, &live)?)?;
                Ok(spread(&passed, &live))
            }
        }
    }

    fn evaluated(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        let mut passed = BooleanBufferBuilder::new(batch.num_rows());
        for start in (0..batch.num_rows()).step_by(self.batch_rows) {
            let slice = batch.slice(start, self.batch_rows.min(batch.num_rows() - start));
            let answer = self.condition.evaluate(&slice)?.into_array(slice.num_rows())?;
            let answer = answer.as_boolean_opt().ok_or_else(|| internal_datafusion_err!("a condition that is none"))?;
            passed.append_buffer(&true_rows(answer));
        }
        Ok(BooleanArray::new(passed.finish(), None))
    }
}

/// What holds for the live rows alone, in the places of all rows.
fn spread(passed: &BooleanArray, live: &BooleanArray) -> BooleanArray {
    let mut all = BooleanBufferBuilder::new(live.len());
    all.append_n(live.len(), false);
    for (at, row) in live.values().set_indices().enumerate() {
        all.set_bit(row, passed.value(at));
    }
    BooleanArray::new(all.finish(), None)
}
