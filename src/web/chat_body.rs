//! The body that makes or changes a chat, checked in RAGFlow's order.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::{Web, owned, python};
use crate::catalog::PageQuery;
use crate::service::{Caller, Chat, SqlSettings};

/// Rerankers that RAGFlow brings along. Rows are ranked by words, so none is run; chats that name one are not refused.
const RERANKERS: [&str; 2] = ["BAAI/bge-reranker-v2-m3", "maidalun1020/bce-reranker-base_v1"];

/// The prompt where none is set.
pub const SYSTEM: &str = "You are an intelligent assistant. Answer the question from the knowledge base alone, and say so where it has no answer.\n\
    Here is the knowledge base:\n{knowledge}\nThe above is the knowledge base.";

/// The datasets and models that were sent; what was not sent stays.
pub async fn sources(web: &Web, caller: &Caller, chat: &mut Chat, given: &Map<String, Value>) -> Result<(), Fault> {
    if let Some(ids) = given.get("dataset_ids").filter(|ids| !ids.is_null()) {
        chat.settings.dataset_ids = datasets(web, caller, ids).await?;
    }
    let llm = object(given, "llm")?;
    model(web, &llm)?;
    let prompt = object(given, "prompt")?;
    let reranker = prompt.get("rerank_model").and_then(Value::as_str).unwrap_or_default();
    if !reranker.is_empty() && !RERANKERS.contains(&reranker) {
        return Err(Fault::data(format!("`rerank_model` {reranker} doesn't exist")));
    }
    chat.settings.sql = sql(web, &chat.settings.sql, given)?;
    Ok(())
}

/// No other chat of the caller's is called so.
pub async fn is_free(web: &Web, caller: &Caller, chat: &Chat, taken: &str) -> Result<(), Fault> {
    let query = PageQuery { name: Some(chat.record.name.clone()), ..PageQuery::all() };
    let named = web.service.chats(caller, &query).await?;
    let free = named.iter().all(|other| other.record.id == chat.record.id);
    if free { Ok(()) } else { Err(Fault::data(taken)) }
}

/// The settings that were sent; what was not sent stays.
pub fn settings(chat: &mut Chat, given: &Map<String, Value>) -> Result<(), Fault> {
    let (llm, prompt) = (object(given, "llm")?, object(given, "prompt")?);
    if given.get("tenant_id").is_some_and(|id| !id.is_null()) {
        return Err(Fault::data("`tenant_id` must not be provided."));
    }
    chat.settings.llm.extend(llm);
    if !prompt.is_empty() {
        chat.settings.prompt.extend(prompt);
        parameters(&chat.settings.prompt)?;
    }
    if let Some(avatar) = given.get("avatar").and_then(Value::as_str) {
        chat.settings.avatar = avatar.to_owned();
    }
    if let Some(description) = given.get("description").and_then(Value::as_str) {
        chat.settings.description = Some(description.to_owned());
    }
    Ok(())
}

/// The name that was sent; `None` where none was.
pub fn name<'b>(given: &'b Map<String, Value>, empty: &str) -> Result<Option<&'b str>, Fault> {
    match given.get("name") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) if name.trim().is_empty() => Err(Fault::data(empty)),
        Some(Value::String(name)) if name.len() > 255 => Err(Fault::data("`name` should have 255 bytes or less.")),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(_) => Err(Fault::data("`name` should be a string.")),
    }
}

async fn datasets(web: &Web, caller: &Caller, given: &Value) -> Result<Vec<String>, Fault> {
    let named: Vec<String> = match given {
        Value::Array(ids) => ids.iter().map(python::str).collect(),
        // A text is walked by letters.
        Value::String(text) => text.chars().map(String::from).collect(),
        _ => return Err(Fault::data("`dataset_ids` should be a list")),
    };
    let (mut ids, mut models) = (Vec::with_capacity(named.len()), HashSet::new());
    for id in &named {
        let foreign = || format!("You don't own the dataset {id}");
        let dataset = owned::dataset_or(web, caller, id, foreign).await?;
        if dataset.record.chunks() == 0 {
            return Err(Fault::data(format!("The dataset {id} doesn't own parsed file")));
        }
        ids.push(dataset.record.id.to_string());
        models.insert(dataset.settings.model().to_owned());
    }
    if models.len() > 1 {
        return Err(Fault::authentication("Datasets use different embedding models.\""));
    }
    Ok(ids)
}

fn object(given: &Map<String, Value>, name: &str) -> Result<Map<String, Value>, Fault> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object.clone()),
        Some(_) => Err(Fault::data(format!("`{name}` should be an object"))),
    }
}

/// Only the model that is set up is there; a provider after `@` does not matter.
fn model(web: &Web, llm: &Map<String, Value>) -> Result<(), Fault> {
    let Some(asked) = llm.get("model_name").filter(|name| !name.is_null()).map(python::str) else { return Ok(()) };
    let ours = &web.service.app().config().llm.model;
    let named = asked.split('@').next().unwrap_or_default();
    if asked.is_empty() || (!ours.is_empty() && (asked == *ours || named == ours)) {
        return Ok(());
    }
    Err(Fault::data(format!("`model_name` {asked} doesn't exist")))
}

/// The chat's settings for SQL with what was sent over them, checked; `null` is the defaults.
fn sql(web: &Web, set: &SqlSettings, given: &Map<String, Value>) -> Result<SqlSettings, Fault> {
    let Some(sent) = given.get("sql") else { return Ok(set.clone()) };
    if sent.is_null() {
        return Ok(SqlSettings::default());
    }
    let fault = |text: String| Fault::data(format!("`sql`: {text}"));
    let mut settings = serde_json::to_value(set).map_err(|error| fault(error.to_string()))?;
    let (Some(settings_object), Some(sent)) = (settings.as_object_mut(), sent.as_object()) else {
        return Err(Fault::data("`sql` should be an object"));
    };
    settings_object.extend(sent.clone());
    let settings: SqlSettings = serde_json::from_value(settings).map_err(|error| fault(error.to_string()))?;
    let config = web.service.app().config();
    let (repairs, statements) = (config.serve.max_repairs, config.serve.max_statements);
    if settings.repairs.is_some_and(|asked| asked > repairs) {
        return Err(fault(format!("`repairs` may be {repairs} at most (`serve.max_repairs`)")));
    }
    if settings.statements.len() > statements {
        return Err(fault(format!("`statements` may be {statements} at most (`serve.max_statements`)")));
    }
    if settings.statements.iter().any(|set| set.question.trim().is_empty() || set.sql.trim().is_empty()) {
        return Err(fault("each of `statements` has a `question` and its `sql`".to_owned()));
    }
    Ok(settings)
}

/// The variables of a prompt where none are set.
pub fn variables() -> Value {
    json!([{"key": "knowledge", "optional": false}])
}

/// Each variable that is not optional stands in the prompt.
fn parameters(prompt: &Map<String, Value>) -> Result<(), Fault> {
    let text = prompt.get("prompt").and_then(Value::as_str).filter(|text| !text.is_empty()).unwrap_or(SYSTEM);
    let variables = prompt.get("variables").cloned().unwrap_or_else(variables);
    for variable in variables.as_array().into_iter().flatten() {
        let key = variable.get("key").map(python::str).unwrap_or_default();
        let optional = variable.get("optional").and_then(Value::as_bool).unwrap_or(false);
        if !optional && !text.contains(&format!("{{{key}}}")) {
            return Err(Fault::data(format!("Parameter '{key}' is not used")));
        }
    }
    Ok(())
}
