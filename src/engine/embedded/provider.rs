//! A view as a table of a query.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

use super::scan::{Chunk, Scan};
use super::scope::{self, Left};
use super::store::Store;
use super::view::{SegmentView, View};
use crate::engine::rowset::Bits;

#[derive(Debug)]
pub(super) struct Provider {
    pub store: Arc<Store>,
    pub view: Arc<View>,
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
        let support = |filter: &&Expr| match scope::is_of_scope(filter) {
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
        let partitions = dealt(self.chunks(filters), state.config().target_partitions()).into_iter().map(|chunks| {
            Arc::new(Scan {
                store: self.store.clone(),
                documents: self.view.documents.clone(),
                table: self.view.name.as_str().into(),
                schema: schema.clone(),
                chunks,
            }) as Arc<dyn PartitionStream>
        });
        Ok(Arc::new(StreamingTableExec::try_new(schema.clone(), partitions.collect(), None, None, false, limit)?))
    }
}

impl Provider {
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
    let rows = |chunk: &Chunk| chunk.segment.footer.groups[chunk.group];
    let total: usize = chunks.iter().map(rows).sum();
    let share = total.div_ceil(partitions.max(1)).max(1);
    let mut dealt = vec![Vec::new()];
    let mut taken = 0;
    for chunk in chunks {
        if taken >= share * dealt.len() {
            dealt.push(Vec::new());
        }
        taken += rows(&chunk);
        if let Some(last) = dealt.last_mut() {
            last.push(chunk);
        }
    }
    dealt
}
