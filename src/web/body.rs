//! Bodies and query strings: read strictly for datasets, leniently elsewhere, as RAGFlow does.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use serde_json::{Map, Value};

use super::Web;
use super::fault::Fault;

/// A JSON object; anything else is told.
pub struct Strict(pub Map<String, Value>);

/// A JSON object, or nothing where nothing was sent; what can't be read is never taken for nothing, which may mean all.
pub struct Lenient(pub Map<String, Value>);

const MALFORMED: &str = "Malformed JSON syntax: Missing commas/brackets or invalid encoding";

/// The query string in order; names may repeat.
pub struct Query(pub Vec<(String, String)>);

impl FromRequest<Arc<Web>> for Strict {
    type Rejection = Fault;

    async fn from_request(request: Request, web: &Arc<Web>) -> Result<Self, Fault> {
        let kind = content_type(request.headers());
        let bytes = whole(request, web).await?;
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            return Err(Fault::argument(format!("Unsupported content type: Expected application/json, got {kind}")));
        }
        match serde_json::from_slice(&bytes).map_err(|_| Fault::argument(MALFORMED))? {
            Value::Object(object) => Ok(Self(object)),
            other => {
                let kind = super::python::kind(&other);
                Err(Fault::argument(format!("Invalid request payload: expected object, got {kind}")))
            }
        }
    }
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or("None").to_owned()
}

impl FromRequest<Arc<Web>> for Lenient {
    type Rejection = Fault;

    async fn from_request(request: Request, web: &Arc<Web>) -> Result<Self, Fault> {
        let bytes = whole(request, web).await?;
        if bytes.trim_ascii().is_empty() {
            return Ok(Self(Map::new()));
        }
        match serde_json::from_slice(&bytes).map_err(|_| Fault::argument(MALFORMED))? {
            Value::Object(object) => Ok(Self(object)),
            Value::Null => Ok(Self(Map::new())),
            other => {
                let kind = super::python::kind(&other);
                Err(Fault::unexpected(format!("AttributeError(\"'{kind}' object has no attribute 'get'\")")))
            }
        }
    }
}

async fn whole(request: Request, web: &Web) -> Result<Bytes, Fault> {
    let most = web.service.app().config().serve.max_body_bytes;
    let fault =
        |_| Fault::too_large(format!("the body has more than {most} bytes (`serve.max_body_bytes`), or broke off"));
    axum::body::to_bytes(request.into_body(), most).await.map_err(fault)
}

impl FromRequestParts<Arc<Web>> for Query {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Web>) -> Result<Self, Fault> {
        let query = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        Ok(Self(query.map_err(|_| Fault::argument("the query string can't be read; write it percent-encoded"))?.0))
    }
}

impl Query {
    /// The value of a name; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// All values of a name that are not empty.
    pub fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// A number; one that is none is told.
    pub fn number(&self, name: &str, default: i64) -> Result<i64, Fault> {
        let Some(text) = self.get(name) else { return Ok(default) };
        text.trim().parse().map_err(|_| Fault::argument(format!("`{name}` should be an integer, got {text:?}")))
    }

    /// Only `false`, in any case, is false.
    pub fn descending(&self) -> bool {
        !self.get("desc").is_some_and(|desc| desc.eq_ignore_ascii_case("false"))
    }

    /// `(skip, take)` of a page; page 0 is page 1, `page_size` 0 is `at_zero` entries.
    pub fn page(&self, web: &Web, at_zero: u64) -> Result<(u64, u64), Fault> {
        let most = web.service.app().config().serve.max_page;
        let positive = |number: i64| u64::try_from(number).unwrap_or(0);
        let page = positive(self.number("page", 1)?).max(1);
        let size = match positive(self.number("page_size", 30)?) {
            0 => at_zero,
            size => size.min(most),
        };
        Ok(((page - 1).saturating_mul(size), size))
    }
}

/// Each entry once, in order, and those that came more than once.
pub fn apart<T: Clone + Eq + Hash>(entries: impl IntoIterator<Item = T>) -> (Vec<T>, Vec<T>) {
    let (mut seen, mut told) = (HashSet::new(), HashSet::new());
    let (mut once, mut twice) = (Vec::new(), Vec::new());
    for entry in entries {
        if seen.insert(entry.clone()) {
            once.push(entry);
        } else if told.insert(entry.clone()) {
            twice.push(entry);
        }
    }
    (once, twice)
}

/// Texts of a list in a lenient body; `None` where it is absent, null or empty.
pub fn texts(given: &Map<String, Value>, name: &str) -> Result<Option<Vec<String>>, Fault> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(list)) if list.is_empty() => Ok(None),
        Some(Value::Array(list)) => Ok(Some(list.iter().map(super::python::str).collect())),
        Some(_) => Err(Fault::argument(format!("`{name}` should be a list"))),
    }
}
