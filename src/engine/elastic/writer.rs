//! Takes the rows of one table's loads to its index.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::arrow::record_batch::RecordBatch;
use serde_json::json;

use super::Cluster;
use super::bulk::{self, Batch};
use super::net::Begun;
use super::row::RowWriter;
use super::server::Request;
use crate::engine::{Destination, EngineError, LoadWriter, SegmentRef};

/// Requests under way at the same time.
const IN_FLIGHT: usize = 2;

pub(super) struct IndexWriter {
    cluster: Arc<Cluster>,
    rows: RowWriter,
    to: Destination,
    open: Option<Open>,
    batch: Batch,
    under_way: VecDeque<Begun<Result<(), EngineError>>>,
}

/// The segment that is written.
struct Open {
    no: u32,
    index: String,
    rows: u64,
}

impl IndexWriter {
    pub(super) fn new(cluster: Arc<Cluster>, to: Destination) -> Self {
        let rows = RowWriter::new(to.clone());
        Self { cluster, rows, to, open: None, batch: Batch::default(), under_way: VecDeque::new() }
    }

    fn open(&self) -> Result<Open, EngineError> {
        let (cluster, kb, fields) = (self.cluster.clone(), self.to.kb, self.to.fields.clone());
        let max_fields = cluster.limits.max_fields;
        let prepared = self.cluster.net.begin(async move { cluster.prepare(kb, &fields, max_fields).await });
        Ok(Open { no: self.cluster.take_number(), index: prepared.wait()??, rows: 0 })
    }

    /// Sends what is there; waits where enough is under way.
    fn send(&mut self) -> Result<(), EngineError> {
        while self.under_way.len() >= IN_FLIGHT {
            self.settle()?;
        }
        let Some(open) = &self.open else { return Ok(()) };
        let batch = std::mem::take(&mut self.batch);
        let (cluster, index) = (self.cluster.clone(), open.index.clone());
        self.under_way.push_back(
            self.cluster
                .net
                .begin(async move { bulk::store(&cluster.server, &index, batch, cluster.patience()).await }),
        );
        Ok(())
    }

    /// Waits for the oldest request under way.
    fn settle(&mut self) -> Result<(), EngineError> {
        self.under_way.pop_front().map_or(Ok(()), |begun| begun.wait()?)
    }
}

impl LoadWriter for IndexWriter {
    fn push(&mut self, batch: RecordBatch) -> Result<(), EngineError> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        if self.open.is_none() {
            self.open = Some(self.open()?);
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let first = u64::from(open.no) << 32 | open.rows;
        open.rows += batch.num_rows() as u64;
        for (_, row, lines) in self.rows.lines(&batch, open.no, first)? {
            self.batch.push(row, &lines);
            if self.batch.text.len() >= self.cluster.limits.bulk_bytes {
                self.send()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<SegmentRef>, EngineError> {
        if !self.batch.is_empty() {
            self.send()?;
        }
        while !self.under_way.is_empty() {
            self.settle()?;
        }
        let Some(open) = self.open.take() else { return Ok(Vec::new()) };
        let (cluster, index, no) = (self.cluster.clone(), open.index, open.no);
        let counted = self.cluster.net.begin(async move { cluster.refreshed_count(&index, no).await }).wait()??;
        if counted != open.rows {
            let rows = open.rows;
            return Err(EngineError::Failed(format!("the server has {counted} of the {rows} rows it was given")));
        }
        Ok(vec![SegmentRef { no: open.no, table_id: self.to.table_id.clone(), rows: open.rows }])
    }
}

impl Cluster {
    /// Makes the rows searchable and counts those of a segment.
    async fn refreshed_count(&self, index: &str, segment: u32) -> Result<u64, EngineError> {
        self.server.json(&Request::act(format!("/{index}/_refresh"))).await?;
        let query = json!({ "query": { "term": { "segment_no": segment } } });
        self.count(index, &query).await
    }
}
