//! Tables as resources, `sheetwise://datasets/{id}/tables/{name}`: each with its fields and its first rows.

use rmcp::model::{ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};

use super::call::{Call, told};
use crate::ask::Outcome;
use crate::catalog::DatasetQuery;
use crate::ingest::TableReport;
use crate::service::Dataset;

/// Datasets of one page.
const PAGE: u64 = 50;

/// Rows that show what a table holds.
const SAMPLES: usize = 5;

const JSON: &str = "application/json";

impl Call<'_> {
    /// A page of the tables that the caller sees; the cursor counts datasets.
    pub async fn list_resources(&self, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
        let unknown = |_| ErrorData::invalid_params("the cursor is none that was given", None);
        let skip: u64 = cursor.map(str::parse).transpose().map_err(unknown)?.unwrap_or(0);
        let query = DatasetQuery { ascending: true, skip, take: PAGE, ..DatasetQuery::default() };
        let (datasets, total) = self.service.datasets(self.caller, &query).await.map_err(failed)?;
        let mut resources = Vec::new();
        for dataset in &datasets {
            let session = self.service.session(std::slice::from_ref(dataset), None).await.map_err(failed)?;
            resources.extend(session.schema().tables.iter().map(|table| resource(dataset, &table.name, table.rows)));
        }
        let next = skip.saturating_add(PAGE);
        let next_cursor = (next < total).then(|| next.to_string());
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(resources) })
    }

    /// A table's fields and its first rows.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let unknown = || ErrorData::resource_not_found("there is no such table; resources/list shows them", None);
        let (id, name) = parts(uri).ok_or_else(unknown)?;
        let id = id.parse().map_err(|_| unknown())?;
        let dataset = self.service.dataset(self.caller, id).await.map_err(failed)?.ok_or_else(unknown)?;
        let session = self.service.session(&[dataset], None).await.map_err(failed)?;
        let table = session.schema().table(name).map(TableReport::from).ok_or_else(unknown)?;
        let sample = format!("SELECT * FROM {} LIMIT {SAMPLES}", table.name);
        let (columns, rows) = match self.service.sql(self.caller, session, sample).await.map_err(failed)? {
            Outcome::Answered(answer) => (json!(answer.columns), json!(answer.rows)),
            Outcome::Refused(refusal) => return Err(ErrorData::internal_error(refusal.message, None)),
        };
        let shown = json!({"table": table, "columns": columns, "rows": rows}).to_string();
        Ok(ReadResourceResult::new(vec![ResourceContents::text(shown, uri).with_mime_type(JSON)]))
    }
}

fn resource(dataset: &Dataset, table: &str, rows: u64) -> Resource {
    let record = &dataset.record;
    Resource::new(format!("sheetwise://datasets/{}/tables/{table}", record.id), table)
        .with_description(format!("{rows} rows in the dataset {:?}: fields and first rows", record.name))
        .with_mime_type(JSON)
}

/// The dataset's id and the table's name.
fn parts(uri: &str) -> Option<(&str, &str)> {
    uri.strip_prefix("sheetwise://datasets/")?.split_once("/tables/")
}

fn failed(error: crate::service::ServiceError) -> ErrorData {
    ErrorData::internal_error(told(error), None::<Value>)
}
