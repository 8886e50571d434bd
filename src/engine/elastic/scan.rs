//! Reads the rows of a query page by page as batches, in the order of their keys; the next page is fetched meanwhile.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, StringViewArray, UInt32Array, UInt64Array, new_null_array,
};
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::{DataType, Field, SchemaRef};
use datafusion::common::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::TryStreamExt;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::fault::Fault;
use super::moment::Moment;
use super::page::{KeyIn, Page};
use super::place::Place;
use super::provider::Top;
use crate::engine::EngineError;
use crate::engine::layout::COMPUTED;
use crate::record::whole_column;

#[derive(Debug, Clone)]
pub(super) struct Scan {
    pub moment: Arc<Moment>,
    pub place: Arc<Place>,
    /// The columns to give.
    pub schema: SchemaRef,
    pub query: Value,
    pub limit: Option<usize>,
    pub top: Option<Top>,
}

type Fetch = JoinHandle<Result<Vec<u8>, EngineError>>;

/// Where a scan is.
enum Step {
    Begin,
    Next { fetch: Fetch, size: usize, left: usize },
    End,
}

impl PartitionStream for Scan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let schema = self.schema.clone();
        let scan = Arc::new(self.clone());
        let first = if self.place.parts.is_empty() { Step::End } else { Step::Begin };
        let batches = futures::stream::try_unfold(first, move |step| {
            let scan = scan.clone();
            async move { scan.step(step).await }
        });
        let failed = |error: EngineError| DataFusionError::External(Box::new(error));
        Box::pin(RecordBatchStreamAdapter::new(schema, batches.map_err(failed)))
    }
}

impl Scan {
    async fn step(&self, step: Step) -> Result<Option<(RecordBatch, Step)>, EngineError> {
        match step {
            Step::End => Ok(None),
            Step::Begin if self.schema.fields().is_empty() => {
                let rows = usize::try_from(self.moment.count(&self.query).await?).unwrap_or(usize::MAX);
                let rows = rows.min(self.limit.unwrap_or(usize::MAX));
                Ok(Some((batch(&self.schema, Vec::new(), rows)?, Step::End)))
            }
            Step::Begin => {
                let left = self.top.as_ref().map(|top| top.rows).or(self.limit).unwrap_or(usize::MAX);
                let page = if self.top.is_some() { left } else { self.moment.page_rows() };
                let size = page.min(left);
                self.next(self.fetch(None, size), size, left).await
            }
            Step::Next { fetch, size, left } => self.next(fetch, size, left).await,
        }
    }

    /// The page under way, and the one after it begun.
    async fn next(&self, fetch: Fetch, size: usize, left: usize) -> Result<Option<(RecordBatch, Step)>, EngineError> {
        let stopped = |_| EngineError::Failed("reading the server stopped".to_owned());
        let key = if self.top.is_some() { KeyIn::Column } else { KeyIn::Sort };
        let page = Page::read(&fetch.await.map_err(stopped)??, self.stored_fields(), key)?;
        if page.rows == 0 {
            return Ok(None);
        }
        let left = left.saturating_sub(page.rows);
        let next = if page.rows < size || left == 0 {
            Step::End
        } else {
            let size = self.moment.page_rows().min(left);
            Step::Next { fetch: self.fetch(Some(page.key(page.rows - 1)?), size), size, left }
        };
        Ok(Some((self.batch(&page)?, next)))
    }

    fn fetch(&self, after: Option<u64>, size: usize) -> Fetch {
        let names: Vec<String> = self.stored_fields().iter().map(|field| field.name().clone()).collect();
        let mut body = json!({
            "size": size, "track_total_hits": false, "query": self.query,
            "sort": self.order(), "_source": names,
        });
        if let Some(after) = after {
            body["search_after"] = json!([after]);
        }
        let moment = self.moment.clone();
        tokio::spawn(async move { moment.search(body).await })
    }

    fn order(&self) -> Vec<Value> {
        let by = self.top.iter().flat_map(|top| &top.by);
        let by = by.map(|(column, ascends)| {
            let order = if *ascends { "asc" } else { "desc" };
            json!({ column: { "order": order, "missing": "_last" } })
        });
        by.chain([json!({ "row_key": "asc" })]).collect()
    }

    /// What is read of each row: the document, and the columns asked for that are stored.
    fn stored_fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::new("doc_no", DataType::UInt32, true)];
        fields.extend(self.top.is_some().then(|| Field::new("row_key", DataType::Int64, true)));
        let own = |field: &&Arc<Field>| field.name() != "doc_no" && !COMPUTED.contains(&field.name().as_str());
        for field in self.schema.fields().iter().filter(own) {
            let kind = match field.data_type() {
                DataType::Decimal128(_, _) => DataType::Int64,
                kind => kind.clone(),
            };
            fields.push(Field::new(field.name(), kind, true));
            // One knowledge base may have whole numbers where another has decimals.
            if let Some(whole) = whole_column(field.name()).filter(|_| self.place.parts.len() > 1) {
                fields.push(Field::new(whole, DataType::Int64, true));
            }
        }
        fields
    }

    fn batch(&self, page: &Page) -> Result<RecordBatch, EngineError> {
        let numbers = page.column("doc_no").ok_or_else(|| Fault::reply("a row without its document"))?;
        let places: Vec<u32> = self
            .place
            .documents
            .places(numbers)
            .and_then(|places| places.into_iter().collect())
            .ok_or_else(|| Fault::reply("a row of a document that is not in scope"))?;
        let places = UInt32Array::from(places);
        let columns = self.schema.fields().iter().map(|field| self.column(field, page, &places));
        batch(&self.schema, columns.collect::<Result<_, _>>()?, page.rows)
    }

    fn column(&self, field: &Field, page: &Page, places: &UInt32Array) -> Result<ArrayRef, EngineError> {
        let documents = &self.place.documents;
        let shared = |values: &dyn Array| take(values, places, None).map_err(failed);
        match field.name().as_str() {
            "row_key" => {
                let keys = (0..page.rows).map(|at| page.key(at)).collect::<Result<Vec<_>, _>>()?;
                Ok(Arc::new(UInt64Array::from(keys)))
            }
            "doc_id" => shared(&documents.ids),
            "docnm_kwd" => shared(&documents.names),
            "kb_id" => {
                let ids: StringViewArray = documents.all.iter().map(|document| Some(document.kb.to_string())).collect();
                shared(&ids)
            }
            "table_kwd" => {
                let name = StringViewArray::from(vec![self.place.name.as_str()]);
                take(&name, &UInt32Array::from(vec![0; page.rows]), None).map_err(failed)
            }
            name => {
                let stored = page.column(name).cloned();
                let whole = whole_column(name).and_then(|whole| page.column(&whole).cloned());
                filled(stored, whole, field.data_type(), page.rows)
            }
        }
    }
}

/// The stored values; where they are null, whole numbers in their place.
fn filled(
    stored: Option<ArrayRef>,
    whole: Option<ArrayRef>,
    kind: &DataType,
    rows: usize,
) -> Result<ArrayRef, EngineError> {
    let stored = stored.unwrap_or_else(|| new_null_array(kind, rows));
    let stored = if stored.data_type() == kind { stored } else { cast(&stored, kind).map_err(failed)? };
    let Some(whole) = whole.filter(|whole| whole.null_count() < rows) else { return Ok(stored) };
    let whole = cast(&whole, kind).map_err(failed)?;
    let absent = datafusion::arrow::compute::is_null(&stored).map_err(failed)?;
    datafusion::arrow::compute::kernels::zip::zip(&absent, &whole.as_ref(), &stored.as_ref()).map_err(failed)
}

fn batch(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, EngineError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(failed)
}

fn failed(error: datafusion::arrow::error::ArrowError) -> EngineError {
    EngineError::Failed(error.to_string())
}
