//! `POST /retrieval`: rows, and texts added by hand, by relevance.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use axum::extract::State;
use serde_json::{Map, Value, json};

use super::body::Lenient;
use super::caller::Reader;
use super::chunk_view::{by_hand, content, url};
use super::envelope::{Answered, Envelope, Failure};
use super::fault::Fault;
use super::{Web, metadata, owned, python};
use crate::ask::Chunk;
use crate::ids::Id;
use crate::service::{Caller, Dataset, ServiceError};
use crate::tokens::{share, tokens};

/// Finds rows, and texts added by hand: `dataset_ids`, `question`, `document_ids`, `page`, `page_size`, `similarity_threshold`, `vector_similarity_weight`,
/// `top_k`, `highlight`, `metadata_condition`.
#[utoipa::path(post, path = "/retrieval", tag = "chunks", request_body = Value,
    responses((status = 200, body = Envelope<Value>), (status = 401, body = Failure), (status = 429, body = Failure)))]
pub async fn retrieve(State(web): State<Arc<Web>>, Reader(caller): Reader, Lenient(given): Lenient) -> Answered<Value> {
    let datasets = datasets(&web, &caller, &given).await?;
    let question = given.get("question").filter(|question| !question.is_null());
    let question = python::str(question.ok_or_else(|| Fault::data("`question` is required."))?);
    let documents = documents(&web, &datasets, &given).await?;
    let asked = Asked::of(&given)?;
    let most = web.service.app().config().answer.max_question_chars;
    if question.chars().count() > most {
        return Err(Fault::data(format!("`question` has more than {most} characters (`answer.max_question_chars`)")));
    }
    let words: HashSet<String> = tokens(&question).into_iter().collect();
    let mut found = Vec::new();
    if !words.is_empty() {
        let session = web.service.session(&datasets, documents).await?;
        let rows = web.service.found(session, question, asked.top_k).await?;
        found = scored(rows, words.clone(), &asked).await?;
    }
    let page = found.iter().skip(asked.skip).take(asked.take).map(|found| found.shown(&words, asked.highlight));
    Ok(Envelope::of(json!({
        "total": found.len(), "chunks": page.collect::<Vec<_>>(), "doc_aggs": doc_aggs(&found)
    })))
}

/// Rows that are like the question, best first; counted away from the threads that answer.
async fn scored(rows: Vec<Chunk>, words: HashSet<String>, asked: &Asked) -> Result<Vec<Found>, Fault> {
    let (weight, threshold) = (1.0 - asked.vector_weight, asked.threshold);
    let work = move || {
        let of_row = |chunk: Chunk| {
            let term = share(&words, &chunk.searched());
            Found { chunk, term, similarity: weight * term }
        };
        let mut found: Vec<Found> =
            rows.into_iter().map(of_row).filter(|found| found.similarity >= threshold).collect();
        found.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
        found
    };
    let found = tokio::task::spawn_blocking(work).await;
    Ok(found.map_err(|error| ServiceError::Task(error.to_string()))?)
}

async fn datasets(web: &Web, caller: &Caller, given: &Map<String, Value>) -> Result<Vec<Dataset>, Fault> {
    let ids = match given.get("dataset_ids") {
        None | Some(Value::Null) => return Err(Fault::data("`dataset_ids` is required.")),
        Some(Value::Array(ids)) if ids.is_empty() => return Err(Fault::data("`dataset_ids` is required.")),
        Some(Value::Array(ids)) => ids.iter().map(python::str).collect::<Vec<_>>(),
        Some(_) => return Err(Fault::data("`dataset_ids` should be a list")),
    };
    let mut datasets: Vec<Dataset> = Vec::new();
    for id in &ids {
        let dataset = owned::own_dataset(web, caller, id).await?;
        if datasets.iter().all(|other| other.record.id != dataset.record.id) {
            datasets.push(dataset);
        }
    }
    let models: HashSet<&str> = datasets.iter().map(|dataset| dataset.settings.model()).collect();
    if models.len() > 1 {
        return Err(Fault::data("Datasets use different embedding models.\""));
    }
    Ok(datasets)
}

/// The documents in scope; `None` is all.
async fn documents(web: &Web, datasets: &[Dataset], given: &Map<String, Value>) -> Result<Option<Vec<Id>>, Fault> {
    let named = match given.get("document_ids") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(ids)) => ids.iter().map(python::str).collect(),
        Some(_) => return Err(Fault::data("`documents` should be a list")),
    };
    let mut documents = Vec::new();
    for id in &named {
        let mut owner = None;
        for dataset in datasets {
            owner = owned::document(web, dataset, id).await?.or(owner);
        }
        let document = owner.ok_or_else(|| Fault::data(format!("The datasets don't own the document {id}")))?;
        documents.push(document.record.id);
    }
    let named = (!named.is_empty()).then_some(documents);
    let Some(condition) = metadata::Condition::of(given)? else { return Ok(named) };
    let mut fitting = Vec::new();
    for dataset in datasets {
        let all = web.service.all_documents(dataset).await?.into_iter();
        let fits = all.filter(|document| condition.holds(&document.settings.meta_fields));
        fitting.extend(fits.map(|document| document.record.id));
    }
    fitting.retain(|id| named.as_ref().is_none_or(|named| named.contains(id)));
    Ok(Some(fitting))
}

/// How rows are asked for.
struct Asked {
    skip: usize,
    take: usize,
    threshold: f64,
    vector_weight: f64,
    top_k: usize,
    highlight: bool,
}

impl Asked {
    fn of(given: &Map<String, Value>) -> Result<Self, Fault> {
        let whole =
            |name, default: f64, most: f64| Ok::<_, Fault>(number(given, name, default)?.clamp(0.0, most) as usize);
        let (page, size) = (whole("page", 1.0, 1e9)?.max(1), whole("page_size", 30.0, 1e4)?);
        let off = |value: &Value| python::str(value).eq_ignore_ascii_case("false");
        Ok(Self {
            skip: (page - 1) * size,
            take: size,
            threshold: number(given, "similarity_threshold", 0.2)?,
            vector_weight: number(given, "vector_similarity_weight", 0.3)?,
            top_k: whole("top_k", 1_024.0, 1e4)?.max(1),
            highlight: !given.get("highlight").is_some_and(off),
        })
    }
}

/// A number, or a text of one.
fn number(given: &Map<String, Value>, name: &str, default: f64) -> Result<f64, Fault> {
    let fault = || Fault::argument(format!("`{name}` should be a number"));
    match given.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(value) => python::str(value).trim().parse().ok().filter(|n: &f64| n.is_finite()).ok_or_else(fault),
    }
}

struct Found {
    chunk: Chunk,
    term: f64,
    similarity: f64,
}

impl Found {
    fn shown(&self, words: &HashSet<String>, highlight: bool) -> Value {
        let chunk = &self.chunk;
        let (content, hand) = (content(chunk), by_hand(chunk));
        let mut shown = json!({
            "id": chunk.id, "content": content, "content_ltks": tokens(&content).join(" "), "document_id": chunk.doc_id,
            "document_keyword": chunk.docnm_kwd, "document_name": chunk.docnm_kwd, "docnm_kwd": chunk.docnm_kwd,
            "dataset_id": chunk.kb_id, "kb_id": chunk.kb_id, "important_keywords": hand.important_keywords, "questions": hand.questions, "image_id": "",
            "available": true, "similarity": self.similarity, "vector_similarity": 0.0, "term_similarity": self.term,
            "positions": hand.positions, "doc_type_kwd": "", "sheet": chunk.sheet, "row": chunk.row,
            "url": url(chunk)
        });
        if highlight {
            shown["highlight"] = Value::from(highlighted(&content, words));
        }
        shown
    }
}

/// The content with `<em>` around words of the question.
fn highlighted(content: &str, words: &HashSet<String>) -> String {
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(first) = rest.chars().next() {
        let found = words.iter().filter(|word| starts_with(rest, word)).max_by_key(|word| word.len());
        let length = found.map_or(first.len_utf8(), |word| word.len());
        let (head, tail) = rest.split_at(length);
        match found {
            Some(_) => out.push_str(&format!("<em>{head}</em>")),
            None => out.push_str(head),
        }
        rest = tail;
    }
    out
}

/// Up to the case of ASCII letters.
fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

fn doc_aggs(found: &[Found]) -> Value {
    let mut counts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for found in found {
        *counts.entry((&found.chunk.docnm_kwd, &found.chunk.doc_id)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().map(|((name, id), count)| json!({"doc_name": name, "doc_id": id, "count": count})).collect()
}
