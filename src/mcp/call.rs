//! One tool call: arguments in, a structured result or a sentence that says what was wrong.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::upload::Source;
use crate::ask::{Mode, Outcome};
use crate::catalog::DatasetQuery;
use crate::ingest::TableReport;
use crate::service::{Caller, Dataset, Service, ServiceError};

/// Rows given at most.
const MAX_ROWS: u64 = 1_000;

/// A call of one caller's.
pub struct Call<'a> {
    pub service: &'a Arc<Service>,
    pub caller: &'a Caller,
    pub arguments: JsonObject,
    pub source: Source,
}

impl Call<'_> {
    /// Runs the tool; `None` where there is none of this name.
    pub async fn run(&self, tool: &str) -> Option<Result<Value, String>> {
        Some(match tool {
            "list_datasets" => self.list_datasets().await,
            "describe_tables" => self.describe_tables().await,
            "ask" => self.ask().await,
            "query" => self.query().await,
            "search_rows" => self.search_rows().await,
            "get_rows" => self.get_rows().await,
            "upload_file" => self.upload_file().await,
            _ => return None,
        })
    }

    pub(super) fn text(&self, name: &str) -> Result<String, String> {
        let text = self.arguments.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if text.is_empty() { Err(format!("`{name}` is missing; give a text")) } else { Ok(text.to_owned()) }
    }

    fn count(&self, name: &str, default: u64) -> Result<u64, String> {
        match self.arguments.get(name).filter(|value| !value.is_null()) {
            None => Ok(default),
            Some(value) => value.as_u64().ok_or_else(|| format!("`{name}` should be a whole number")),
        }
    }

    /// The caller's dataset by id or name.
    pub(super) async fn dataset(&self) -> Result<Dataset, String> {
        let asked = self.text("dataset")?;
        if let Ok(id) = asked.parse()
            && let Some(dataset) = self.service.dataset(self.caller, id).await.map_err(told)?
        {
            return Ok(dataset);
        }
        let query = DatasetQuery { name: Some(asked.clone()), take: 1, ..DatasetQuery::default() };
        let (datasets, _) = self.service.datasets(self.caller, &query).await.map_err(told)?;
        datasets.into_iter().next().ok_or_else(|| format!("there is no dataset {asked:?}; list_datasets shows them"))
    }

    async fn list_datasets(&self) -> Result<Value, String> {
        let query = DatasetQuery { take: MAX_ROWS, ..DatasetQuery::default() };
        let (datasets, total) = self.service.datasets(self.caller, &query).await.map_err(told)?;
        let listed = datasets.iter().map(|dataset| {
            let record = &dataset.record;
            json!({"id": record.id, "name": record.name, "description": dataset.settings.description,
                   "documents": record.documents, "rows": record.rows})
        });
        Ok(json!({"datasets": listed.collect::<Vec<_>>(), "total": total}))
    }

    async fn describe_tables(&self) -> Result<Value, String> {
        let session = self.service.session(&[self.dataset().await?], None).await.map_err(told)?;
        let tables: Vec<TableReport> = session.schema().tables.iter().map(TableReport::from).collect();
        Ok(json!({"tables": tables}))
    }

    async fn ask(&self) -> Result<Value, String> {
        let session = self.service.session(&[self.dataset().await?], None).await.map_err(told)?;
        let mode = match self.arguments.get("mode").and_then(Value::as_str).unwrap_or("auto") {
            "auto" => Mode::Auto,
            "sql" => Mode::Sql,
            "search" => Mode::Search,
            _ => return Err("`mode` should be auto, sql or search".to_owned()),
        };
        let answer = self.service.ask(self.caller, session, self.text("question")?, mode).await.map_err(told)?;
        Ok(json!({"answer": answer}))
    }

    async fn query(&self) -> Result<Value, String> {
        let session = self.service.session(&[self.dataset().await?], None).await.map_err(told)?;
        match self.service.sql(self.caller, session, self.text("sql")?).await.map_err(told)? {
            Outcome::Answered(answer) => Ok(json!({"answer": answer})),
            Outcome::Refused(refusal) => Err(format!("{}; {}", refusal.message, refusal.hint)),
        }
    }

    async fn search_rows(&self) -> Result<Value, String> {
        let session = self.service.session(&[self.dataset().await?], None).await.map_err(told)?;
        let limit = usize::try_from(self.count("limit", 10)?.min(MAX_ROWS)).unwrap_or_default();
        let found = self.service.found(session, self.text("words")?, limit).await.map_err(told)?;
        Ok(json!({"rows": found}))
    }

    async fn get_rows(&self) -> Result<Value, String> {
        let (dataset, asked) = (self.dataset().await?, self.text("document")?);
        let document = match asked.parse() {
            Ok(id) => self.service.document(&dataset, id).await.map_err(told)?,
            Err(_) => None,
        };
        let document = document.ok_or_else(|| format!("there is no document {asked:?} in the dataset"))?;
        let (skip, limit) = (self.count("skip", 0)?, self.count("limit", 50)?.min(MAX_ROWS));
        let page = self.service.rows(&dataset, &document, skip, limit).await.map_err(told)?;
        Ok(json!({"rows": page.rows, "total": page.total}))
    }
}

/// What a caller is told; faults of ours are in the log.
pub(super) fn told(error: ServiceError) -> String {
    match error.of_caller() {
        Some(message) => message,
        None => {
            tracing::error!(%error, "a tool call failed");
            "internal error; the log has it".to_owned()
        }
    }
}
