//! `/datasets`: create, list, update, delete.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Web;
use super::body::{Query, Strict, apart};
use super::caller::{Keeper, Reader, Writer};
use super::checked::Checked;
use super::dataset_body::DatasetBody;
use super::dataset_view::DatasetView;
use super::envelope::{Answered, Done, Envelope, Failure};
use super::fault::Fault;
use super::parser_config::merged;
use crate::catalog::DatasetQuery;
use crate::ids::Id;
use crate::service::{Caller, Dataset, DatasetSettings, EMBEDDING_MODEL, default_parser_config};

/// Makes a dataset. A name that is taken gets `(1)`.
#[utoipa::path(post, path = "/datasets", tag = "datasets", request_body = Value,
    responses((status = 200, body = Envelope<DatasetView>), (status = 401, body = Failure)))]
pub async fn create_dataset(
    State(web): State<Arc<Web>>,
    Keeper(caller): Keeper,
    Strict(given): Strict,
) -> Answered<DatasetView> {
    let body = DatasetBody::create(&given)?;
    let chunk_method = body.chunk_method.unwrap_or("naive");
    let default = default_parser_config(chunk_method);
    let settings = DatasetSettings {
        avatar: body.avatar.flatten(),
        description: body.description.flatten(),
        embedding_model: body.embedding_model.unwrap_or_else(|| EMBEDDING_MODEL.to_owned()),
        permission: body.permission.unwrap_or("me").to_owned(),
        chunk_method: chunk_method.to_owned(),
        parser_config: match body.parser_config {
            Some(sent) => Some(merged(default, sent)),
            None => default,
        },
        pagerank: 0,
    };
    let made = web.service.create_dataset(&caller, &body.name.unwrap_or_default(), &settings).await?;
    let too_long = |name: String| {
        let characters = name.chars().count();
        Fault::data(format!("Dataset name length is {characters} which is larger than 128"))
    };
    Ok(Envelope::of(DatasetView::of(made.map_err(too_long)?, Map::new())))
}

/// A page of datasets.
#[derive(Debug, Serialize, ToSchema)]
pub struct DatasetList {
    /// 0
    code: i32,
    data: Vec<DatasetView>,
    /// On all pages.
    total_datasets: u64,
}

/// Lists datasets.
#[utoipa::path(get, path = "/datasets", tag = "datasets",
    params(("page" = Option<u64>, Query), ("page_size" = Option<u64>, Query), ("orderby" = Option<String>, Query),
           ("desc" = Option<String>, Query), ("id" = Option<String>, Query), ("name" = Option<String>, Query)),
    responses((status = 200, body = DatasetList), (status = 401, body = Failure)))]
pub async fn list_datasets(
    State(web): State<Arc<Web>>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Json<DatasetList>, Fault> {
    let query = dataset_query(&query, web.service.app().config().serve.max_page)?;
    let lacking = |value: &str| lacks(&caller, &format!("dataset '{value}'"));
    if let Some(id) = query.id
        && web.service.dataset(&caller, id).await?.is_none()
    {
        return Err(lacking(&id.to_string()));
    }
    if let Some(name) = &query.name {
        let named = DatasetQuery { id: None, take: 1, ..query.clone() };
        if web.service.datasets(&caller, &named).await?.1 == 0 {
            return Err(lacking(name));
        }
    }
    let (datasets, total_datasets) = web.service.datasets(&caller, &query).await?;
    let mut data = Vec::with_capacity(datasets.len());
    for dataset in datasets {
        let field_map = web.service.field_map(&dataset).await?;
        data.push(DatasetView::of(dataset, field_map));
    }
    Ok(Json(DatasetList { code: 0, data, total_datasets }))
}

fn lacks(caller: &Caller, what: &str) -> Fault {
    Fault::permission(format!("User '{}' lacks permission for {what}", caller.owner.id))
}

/// The query string of the list, checked as strictly as a body.
fn dataset_query(query: &Query, max_page: u64) -> Result<DatasetQuery, Fault> {
    let given: Map<String, Value> = query.0.iter().map(|(name, value)| (name.clone(), typed(name, value))).collect();
    let mut fields = Checked::of(&given);
    let page = number(&mut fields, "page", 1);
    let size = number(&mut fields, "page_size", 30).min(max_page);
    let by_update = fields.word("orderby", &["create_time", "update_time"]) == Some("update_time");
    let ascending = !flag(&mut fields, "desc", true);
    let id = fields.field("id").and_then(|value| fields.id("id", value));
    let name = fields.text("name", false, 0, usize::MAX).filter(|name| !name.is_empty()).map(str::to_owned);
    fields.end()?;
    let skip = (page - 1).saturating_mul(size);
    Ok(DatasetQuery { within: None, id, name, by_update, ascending, skip, take: size })
}

/// Numbers of a query string are numbers.
fn typed(name: &str, value: &str) -> Value {
    match value.trim().parse::<i64>() {
        Ok(number) if name.starts_with("page") => Value::from(number),
        _ => Value::from(value),
    }
}

fn number(fields: &mut Checked, name: &'static str, default: u64) -> u64 {
    match fields.field(name) {
        None => default,
        Some(value @ Value::String(_)) => {
            fields.fault(name, "Input should be a valid integer, unable to parse string as an integer", value);
            default
        }
        Some(_) => fields.integer(name, 1, i64::MAX).and_then(|number| u64::try_from(number).ok()).unwrap_or(default),
    }
}

fn flag(fields: &mut Checked, name: &'static str, default: bool) -> bool {
    let Some(value) = fields.field(name) else { return default };
    match value.as_str().unwrap_or_default().to_lowercase().as_str() {
        "true" | "1" | "yes" | "y" | "t" | "on" => true,
        "false" | "0" | "no" | "n" | "f" | "off" => false,
        _ => {
            fields.fault(name, "Input should be a valid boolean, unable to interpret input", value);
            default
        }
    }
}

/// The dataset of a path, whose id is checked.
async fn strictly(web: &Web, caller: &Caller, id: &str) -> Result<Dataset, Fault> {
    let given = Map::new();
    let mut fields = Checked::of(&given);
    let found = fields.id("dataset_id", &Value::from(id));
    fields.end()?;
    let lacking = |id: Id| lacks(caller, &format!("dataset '{id}'"));
    let id = found.unwrap_or_default();
    web.service.dataset(caller, id).await?.ok_or_else(|| lacking(id))
}

/// Changes a dataset: what is not sent stays.
#[utoipa::path(put, path = "/datasets/{dataset_id}", tag = "datasets", params(("dataset_id" = String, Path)),
    request_body = Value, responses((status = 200, body = Envelope<DatasetView>), (status = 401, body = Failure)))]
pub async fn update_dataset(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Path(id): Path<String>,
    Strict(given): Strict,
) -> Answered<DatasetView> {
    let body = DatasetBody::update(&given)?;
    if given.is_empty() {
        return Err(Fault::argument("No properties were modified"));
    }
    let mut dataset = strictly(&web, &caller, &id).await?;
    let (chunks, before) = (dataset.record.chunks(), dataset.settings.model().to_owned());
    if body.embedding_model.as_ref().is_some_and(|model| *model != before) && chunks > 0 {
        return Err(Fault::data(format!("When chunk_num ({chunks}) > 0, embedding_model must remain {before}")));
    }
    change(&mut dataset, body);
    if !web.service.update_dataset(&mut dataset).await? {
        return Err(Fault::data(format!("Dataset name '{}' already exists", dataset.record.name)));
    }
    let dataset = strictly(&web, &caller, &id).await?;
    let field_map = web.service.field_map(&dataset).await?;
    Ok(Envelope::of(DatasetView::of(dataset, field_map)))
}

fn change(dataset: &mut Dataset, body: DatasetBody) {
    let settings = &mut dataset.settings;
    dataset.record.name = body.name.unwrap_or_else(|| dataset.record.name.clone());
    settings.avatar = body.avatar.unwrap_or_else(|| settings.avatar.take());
    settings.description = body.description.unwrap_or_else(|| settings.description.take());
    settings.embedding_model = body.embedding_model.unwrap_or_else(|| settings.embedding_model.clone());
    settings.permission = body.permission.map_or_else(|| settings.permission.clone(), str::to_owned);
    settings.pagerank = body.pagerank.unwrap_or(settings.pagerank);
    if let Some(method) = body.chunk_method.filter(|method| *method != settings.chunk_method) {
        settings.chunk_method = method.to_owned();
        if body.parser_config.is_none() {
            settings.parser_config = default_parser_config(method);
        }
    }
    if let Some(sent) = body.parser_config {
        settings.parser_config = Some(merged(settings.parser_config.take(), sent));
    }
}

/// Deletes datasets: `ids`, all of them where it is `null`.
#[utoipa::path(delete, path = "/datasets", tag = "datasets", request_body = Value,
    responses((status = 200, body = Done), (status = 401, body = Failure)))]
pub async fn delete_datasets(
    State(web): State<Arc<Web>>,
    Writer(caller): Writer,
    Strict(given): Strict,
) -> Result<Done, Fault> {
    let datasets = match ids(&given)? {
        Some(ids) => owned(&web, &caller, &ids).await?,
        None => web.service.datasets(&caller, &DatasetQuery { take: u64::MAX, ..DatasetQuery::default() }).await?.0,
    };
    web.service.delete_datasets(&datasets).await?;
    Ok(Done::default())
}

/// The ids of the body; `None` is all.
fn ids(given: &Map<String, Value>) -> Result<Option<Vec<Id>>, Fault> {
    let mut fields = Checked::of(given);
    let mut ids = None;
    match fields.field("ids") {
        None => fields.missing("ids"),
        Some(Value::Null) => {}
        Some(Value::Array(items)) => {
            let found = items.iter().enumerate().filter_map(|(n, item)| fields.id(&format!("ids.{n}"), item));
            ids = Some(found.collect::<Vec<_>>());
        }
        Some(other) => fields.fault("ids", "Input should be a valid list", other),
    }
    fields.end()?;
    let (once, twice) = apart(ids.iter().flatten().copied());
    match twice.as_slice() {
        [] => Ok(ids.map(|_| once)),
        twice => {
            let twice: Vec<String> = twice.iter().map(Id::to_string).collect();
            Err(Fault::argument(format!("Duplicate ids: '{}'", twice.join(", "))))
        }
    }
}

/// All of them, or none.
async fn owned(web: &Web, caller: &Caller, ids: &[Id]) -> Result<Vec<Dataset>, Fault> {
    let mut datasets = Vec::with_capacity(ids.len());
    let mut foreign = Vec::new();
    for id in ids {
        match web.service.dataset(caller, *id).await? {
            Some(dataset) => datasets.push(dataset),
            None => foreign.push(id.to_string()),
        }
    }
    if foreign.is_empty() { Ok(datasets) } else { Err(lacks(caller, &format!("datasets: '{}'", foreign.join(", ")))) }
}
