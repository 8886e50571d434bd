//! A place as a table of a query.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::streaming::StreamingTableExec;
use serde_json::Value;

use super::condition;
use super::moment::Moment;
use super::place::Place;
use super::scan::Scan;

#[derive(Debug)]
pub(super) struct Provider {
    pub moment: Arc<Moment>,
    pub place: Arc<Place>,
    /// Only the first rows of an order are wanted.
    pub top: Option<Top>,
}

/// The first rows of an order, nulls last; rows that are equal in it by their keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Top {
    /// Columns, and whether they ascend.
    pub by: Vec<(String, bool)>,
    pub rows: usize,
}

#[async_trait]
impl TableProvider for Provider {
    fn schema(&self) -> SchemaRef {
        self.place.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match condition::pushed(filter, &self.place) {
            Some(_) => TableProviderFilterPushDown::Exact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.place.schema.project(columns)?),
            None => self.place.schema.clone(),
        };
        let conditions: Vec<Value> =
            filters.iter().filter_map(|filter| condition::pushed(filter, &self.place)).collect();
        let scan = Scan {
            moment: self.moment.clone(),
            place: self.place.clone(),
            schema: schema.clone(),
            query: self.place.within(conditions),
            limit,
            top: self.top.clone(),
        };
        Ok(Arc::new(StreamingTableExec::try_new(schema, vec![Arc::new(scan)], None, None, false, limit)?))
    }
}
