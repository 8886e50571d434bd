//! `STRING_AGG` with a limit: a text of many rows is as long as they are many.

use datafusion::arrow::array::{ArrayRef, AsArray, BooleanArray};
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::functions_aggregate::string_agg::StringAgg;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature};

use crate::sql::{Code, Refusal};

/// What a text needs of memory for each of its bytes: its room to grow, and the copy that is given out.
const COPIES: usize = 3;

/// The function, whose results have at most so many bytes.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct JoinedText {
    inner: StringAgg,
    max_bytes: usize,
}

impl JoinedText {
    pub fn new(max_bytes: usize) -> Self {
        Self { inner: StringAgg::new(), max_bytes }
    }
}

impl AggregateUDFImpl for JoinedText {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arg_types)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OfAll { inner: self.inner.accumulator(args)?, max_bytes: self.max_bytes }))
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        let inner = self.inner.create_groups_accumulator(args)?;
        Ok(Box::new(OfGroups { inner, max_bytes: self.max_bytes }))
    }
}

/// The accumulator of one text.
#[derive(Debug)]
struct OfAll {
    inner: Box<dyn Accumulator>,
    max_bytes: usize,
}

impl Accumulator for OfAll {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.update_batch(values)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let text = self.inner.evaluate()?;
        let bytes = text.try_as_str().flatten().map_or(0, str::len);
        within(bytes, self.max_bytes).map(|()| text)
    }

    fn size(&self) -> usize {
        self.inner.size().saturating_mul(COPIES)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.inner.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.inner.merge_batch(states)
    }
}

/// The accumulator of one text for each group.
struct OfGroups {
    inner: Box<dyn GroupsAccumulator>,
    max_bytes: usize,
}

impl GroupsAccumulator for OfGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.inner.update_batch(values, group_indices, opt_filter, total_num_groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let texts = self.inner.evaluate(emit_to)?;
        let longest = texts.as_string_opt::<i64>().and_then(|texts| texts.iter().flatten().map(str::len).max());
        within(longest.unwrap_or(0), self.max_bytes).map(|()| texts)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        self.inner.state(emit_to)
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.inner.merge_batch(values, group_indices, total_num_groups)
    }

    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        self.inner.convert_to_state(values, opt_filter)
    }

    fn size(&self) -> usize {
        self.inner.size().saturating_mul(COPIES)
    }
}

fn within(bytes: usize, max: usize) -> Result<()> {
    if bytes <= max {
        return Ok(());
    }
    let message = format!("a text put together of rows has {bytes} bytes, {max} are allowed");
    let refusal = Refusal::new(Code::TooLarge, message, "add a filter, or group by more columns");
    Err(DataFusionError::External(Box::new(refusal)))
}
