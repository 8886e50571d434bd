//! Conditions that the scan itself answers: which rows of a row group pass, worked out once for a statement however often
//! its selects ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{AsArray, BooleanArray, BooleanBufferBuilder, RecordBatch};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::SchemaRef;
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
    test: Option<Test>,
    passed: Mutex<HashMap<Place, BooleanArray>>,
}

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
        let test = match conjunction(conditions.clone()) {
            Some(condition) => Some(Test::new(condition, schema, session)?),
            None => None,
        };
        Ok(Self { conditions, test, passed: Mutex::default() })
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
        let passed = test.passed(reader, chunk, live()?)?;
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).insert(place, passed.clone());
        Ok(Some(passed))
    }
}

impl Test {
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
