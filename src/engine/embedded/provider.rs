//! A view as a table of a query.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

use super::coded::CodedColumns;
use super::filter::{self, Filter};
use super::reader::{Chunk, Reader};
use super::scan::Scan;
use super::scope::{self, Left};
use super::store::Store;
use super::view::{SegmentView, View};
use crate::engine::rowset::Bits;

#[derive(Debug)]
pub(super) struct Provider {
    store: Arc<Store>,
    pub view: Arc<View>,
    /// The filters asked for so far: the selects of a statement share what they work out.
    filters: Arc<Mutex<Vec<Arc<Filter>>>>,
}

#[async_trait]
impl TableProvider for Provider {
    fn schema(&self) -> SchemaRef {
        self.view.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match scope::is_of_scope(filter) || filter::is_of_rows(filter) {
            true => TableProviderFilterPushDown::Exact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.view.schema.project(columns)?),
            None => self.view.schema.clone(),
        };
        self.partitions(state, schema, CodedColumns::new(), filters, limit)
    }
}

impl Provider {
    pub(super) fn new(store: Arc<Store>, view: Arc<View>) -> Self {
        Self { store, view, filters: Arc::default() }
    }

    /// The same table, with what was worked out for it.
    pub(super) fn shared(&self) -> Self {
        Self { store: self.store.clone(), view: self.view.clone(), filters: self.filters.clone() }
    }

    /// Reads the columns that are not coded as they are.
    pub(super) fn reader(&self, coded: CodedColumns) -> Reader {
        let (store, documents) = (self.store.clone(), self.view.documents.clone());
        Reader { store, documents, table: self.view.name.as_str().into(), coded: Arc::new(coded) }
    }

    /// Scans with the columns of `schema`, some of them coded.
    pub(super) fn partitions(
        &self,
        state: &dyn Session,
        schema: SchemaRef,
        coded: CodedColumns,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (chunks, filter) = self.selection(filters, state)?;
        let reader = self.reader(coded);
        let partitions = dealt(chunks, state.config().target_partitions()).into_iter().map(|chunks| {
            let (reader, filter, schema) = (reader.clone(), filter.clone(), schema.clone());
            Arc::new(Scan { reader, schema, filter, chunks }) as Arc<dyn PartitionStream>
        });
        Ok(Arc::new(StreamingTableExec::try_new(schema.clone(), partitions.collect(), None, None, false, limit)?))
    }

    /// The row groups that conditions leave, and what is still to be asked of their rows.
    pub(super) fn selection(&self, filters: &[Expr], state: &dyn Session) -> Result<(Vec<Chunk>, Arc<Filter>)> {
        let conditions: Vec<Expr> = filters.iter().filter(|filter| !scope::is_of_scope(filter)).cloned().collect();
        let mut known = self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        let filter = match known.iter().find(|filter| filter.is_of(&conditions)) {
            Some(filter) => filter.clone(),
            None => {
                let filter = Arc::new(Filter::new(conditions, &self.view.schema, state)?);
                known.push(filter.clone());
                filter
            }
        };
        Ok((self.chunks(filters), filter))
    }

    /// The row groups that the scope conditions leave.
    fn chunks(&self, filters: &[Expr]) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        for part in &self.view.parts {
            let left = scope::left(filters, &self.view, part);
            for segment in part.segments.iter().filter_map(|segment| narrowed(segment, &left)) {
                let groups = 0..segment.footer.groups.len();
                chunks.extend(groups.map(|group| Chunk { kb: part.kb, segment: segment.clone(), group }));
            }
        }
        chunks
    }
}

fn narrowed(segment: &SegmentView, left: &Left) -> Option<SegmentView> {
    match left {
        Left::Nothing => None,
        Left::All => Some(segment.clone()),
        Left::Documents(documents) => {
            let mut docs = documents.clone();
            if let Some(live) = &segment.docs {
                docs.intersect(live);
            }
            (docs != Bits::default() && docs.len() > 0)
                .then(|| SegmentView { docs: Some(Arc::new(docs)), ..segment.clone() })
        }
    }
}

/// Runs of row groups for each partition, about the same number of rows in each, in order.
fn dealt(chunks: Vec<Chunk>, partitions: usize) -> Vec<Vec<Chunk>> {
    let total: usize = chunks.iter().map(Chunk::rows).sum();
    let share = total.div_ceil(partitions.max(1)).max(1);
    let mut dealt = vec![Vec::new()];
    let mut taken = 0;
    for chunk in chunks {
        if taken >= share * dealt.len() {
            dealt.push(Vec::new());
        }
        taken += chunk.rows();
        if let Some(last) = dealt.last_mut() {
            last.push(chunk);
        }
    }
    dealt
}
