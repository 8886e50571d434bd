//! Text columns of few values as numbers, where a select does nothing with them but group: numbers are quicker to tell apart.
//!
//! Comes in: an optimized plan. Goes out: the same plan with the groups told apart by codes and named by their texts.
//! Must never happen: two texts with one code, or a text with two.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, AsArray, DictionaryArray, StringViewArray, UInt32Array, new_null_array};
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef, UInt32Type};
use datafusion::catalog::default_table_source::{provider_as_source, source_as_provider};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{
    Aggregate, ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TableProviderFilterPushDown, TableScan, TableType, Volatility,
};
use datafusion::physical_plan::ExecutionPlan;

use super::provider::Provider;
use super::reader::Chunk;
use super::store::Store;
use crate::engine::EngineError;
use crate::engine::layout::COMPUTED;
use crate::engine::overflow::Extent;

/// Below so many rows codes save nothing.
const MIN_ROWS: u64 = 50_000;

/// The codes of the columns that a scan gives as numbers.
pub(super) type CodedColumns = HashMap<String, Arc<Codes>>;

/// Numbers for the texts of one column, the same over all row groups of one statement.
#[derive(Debug, Default)]
pub(super) struct Codes(Mutex<Texts>);

#[derive(Debug, Default)]
struct Texts {
    numbers: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
}

impl Codes {
    /// The column of a row group as numbers; null where the segment has no such column.
    pub(super) fn column(&self, store: &Store, chunk: &Chunk, name: &str) -> Result<ArrayRef, EngineError> {
        let array = store.coded(&chunk.segment.footer, chunk.group, name)?;
        Ok(match array.as_ref().and_then(|array| array.as_dictionary_opt::<Int32Type>()) {
            Some(dictionary) => Arc::new(self.numbers(dictionary)),
            None => new_null_array(&DataType::UInt32, chunk.rows()),
        })
    }

    fn numbers(&self, dictionary: &DictionaryArray<Int32Type>) -> UInt32Array {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let values = dictionary.values().as_string::<i32>();
        let numbers: Vec<u32> = values.iter().map(|value| texts.number(value.unwrap_or_default())).collect();
        // A null has any key.
        dictionary.keys().unary(|key| numbers.get(key as usize).copied().unwrap_or_default())
    }

    fn texts(&self, numbers: &UInt32Array) -> StringViewArray {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().map(|number| texts.texts.get(number? as usize).map(|text| text.as_ref())).collect()
    }
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        number
    }
}

/// The plan with every aggregate over a scan of ours grouped by codes where it can be.
pub(super) fn grouped(plan: LogicalPlan) -> Result<LogicalPlan> {
    let replaced = plan.transform_down(|node| match &node {
        LogicalPlan::Aggregate(aggregate) => Ok(match by_codes(aggregate)? {
            Some(plan) => Transformed::new(plan, true, datafusion::common::tree_node::TreeNodeRecursion::Jump),
            None => Transformed::no(node),
        }),
        _ => Ok(Transformed::no(node)),
    })?;
    Ok(replaced.data)
}

fn by_codes(aggregate: &Aggregate) -> Result<Option<LogicalPlan>> {
    let (scan, alias) = match aggregate.input.as_ref() {
        LogicalPlan::TableScan(scan) => (scan, None),
        LogicalPlan::SubqueryAlias(alias) => match alias.input.as_ref() {
            LogicalPlan::TableScan(scan) => (scan, Some(alias.alias.clone())),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let provider = source_as_provider(&scan.source)?;
    let Some(provider) = provider.downcast_ref::<Provider>() else { return Ok(None) };
    let keys = keys(aggregate, provider);
    if keys.is_empty() {
        return Ok(None);
    }
    let columns: CodedColumns = keys.iter().map(|key| (key.name.clone(), Arc::default())).collect();
    let mut input = coded_scan(scan, provider, columns.clone())?;
    if let Some(alias) = alias {
        input = input.alias(alias)?;
    }
    let coded =
        Aggregate::try_new(Arc::new(input.build()?), aggregate.group_expr.clone(), aggregate.aggr_expr.clone())?;
    let items = aggregate.schema.iter().map(|(qualifier, field)| {
        let column = Column::new(qualifier.cloned(), field.name());
        match columns.get(field.name()).filter(|_| keys.contains(&column)) {
            Some(codes) => {
                let text = ScalarUDF::new_from_impl(TextOf::new(codes.clone())).call(vec![Expr::Column(column)]);
                text.alias_qualified(qualifier.cloned(), field.name())
            }
            None => Expr::Column(column),
        }
    });
    let items: Vec<Expr> = items.collect();
    LogicalPlanBuilder::from(LogicalPlan::Aggregate(coded)).project(items)?.build().map(Some)
}

/// Group keys that are columns of few texts and stand nowhere else in the aggregate.
fn keys(aggregate: &Aggregate, provider: &Provider) -> Vec<Column> {
    let is_read_elsewhere = |column: &Column| {
        let others = aggregate.group_expr.iter().filter(|key| !matches!(key, Expr::Column(_)));
        others.chain(&aggregate.aggr_expr).any(|expr| expr.column_refs().contains(column))
    };
    let keys = aggregate.group_expr.iter().filter_map(|key| match key {
        Expr::Column(column) => Some(column),
        _ => None,
    });
    keys.filter(|key| is_coded(provider, &key.name) && !is_read_elsewhere(key)).cloned().collect()
}

/// Whether every row group has the column's texts in a small dictionary.
fn is_coded(provider: &Provider, name: &str) -> bool {
    let view = &provider.view;
    let is_text = view.schema.field_with_name(name).is_ok_and(|field| field.data_type() == &DataType::Utf8View);
    let is_coded = |footer: &super::footer::Footer| {
        !footer.has(name) || (0..footer.groups.len()).all(|group| footer.is_coded(group, name))
    };
    is_text
        && !COMPUTED.contains(&name)
        && view.rows() >= MIN_ROWS
        && view.segments().all(|segment| is_coded(&segment.footer))
}

fn coded_scan(scan: &TableScan, provider: &Provider, columns: CodedColumns) -> Result<LogicalPlanBuilder> {
    let field = |field: &Arc<Field>| match columns.contains_key(field.name()) {
        true => Field::new(field.name(), DataType::UInt32, true),
        false => field.as_ref().clone(),
    };
    let schema = Arc::new(Schema::new(provider.view.schema.fields().iter().map(field).collect::<Vec<_>>()));
    let source = provider_as_source(Arc::new(Coded { provider: provider.shared(), schema, columns }));
    let (name, projection) = (scan.table_name.clone(), scan.projection.clone());
    LogicalPlanBuilder::scan_with_filters_fetch(name, source, projection, scan.filters.clone(), scan.fetch)
}

/// A table with some columns as numbers.
#[derive(Debug)]
struct Coded {
    provider: Provider,
    schema: SchemaRef,
    columns: CodedColumns,
}

#[async_trait]
impl TableProvider for Coded {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        self.provider.supports_filters_pushdown(filters)
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => self.schema.clone(),
        };
        self.provider.partitions(state, schema, self.columns.clone(), filters, limit)
    }
}

/// The texts that codes stand for.
#[derive(Debug)]
struct TextOf {
    codes: Arc<Codes>,
    signature: Signature,
}

impl TextOf {
    fn new(codes: Arc<Codes>) -> Self {
        Self { codes, signature: Signature::exact(vec![DataType::UInt32], Volatility::Immutable) }
    }
}

impl PartialEq for TextOf {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.codes, &other.codes)
    }
}

impl Eq for TextOf {}

impl Hash for TextOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.codes).hash(state);
    }
}

impl ScalarUDFImpl for TextOf {
    fn name(&self) -> &'static str {
        "sw_text"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let numbers = ColumnarValue::values_to_arrays(&args.args)?;
        let texts = numbers.first().and_then(|numbers| numbers.as_primitive_opt::<UInt32Type>());
        Ok(ColumnarValue::Array(Arc::new(
            texts
                .map(|numbers| self.codes.texts(numbers))
                .unwrap_or_else(|| StringViewArray::new_null(args.number_rows)),
        )))
    }
}
