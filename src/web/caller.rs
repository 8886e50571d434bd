//! Who calls: `Authorization: Bearer KEY`, or the local user on loopback where no key was ever made.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};

use super::Web;
use super::fault::Fault;
use crate::service::Caller;

/// A caller who may read.
pub struct Reader(pub Caller);

/// A caller who may write too.
pub struct Writer(pub Caller);

/// A caller who is for all datasets of its owner: it sees what is told of all of them together.
pub struct Overseer(pub Caller);

/// A caller who may write and is for all datasets of its owner: it makes datasets and keys.
pub struct Keeper(pub Caller);

impl FromRequestParts<Arc<Web>> for Reader {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Fault> {
        caller(&parts.headers, web).await.map(Self)
    }
}

impl FromRequestParts<Arc<Web>> for Writer {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Fault> {
        let caller = caller(&parts.headers, web).await?;
        if caller.may_write {
            Ok(Self(caller))
        } else {
            Err(Fault::forbidden("This API key may only read; make one that may write with `sheetwise keys create`."))
        }
    }
}

impl FromRequestParts<Arc<Web>> for Keeper {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Fault> {
        let Writer(caller) = Writer::from_request_parts(parts, web).await?;
        if caller.datasets.is_none() { Ok(Self(caller)) } else { Err(for_some()) }
    }
}

impl FromRequestParts<Arc<Web>> for Overseer {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Fault> {
        let Reader(caller) = Reader::from_request_parts(parts, web).await?;
        if caller.datasets.is_none() { Ok(Self(caller)) } else { Err(for_some()) }
    }
}

fn for_some() -> Fault {
    Fault::forbidden("This API key is for some datasets only; use one that is for all of them.")
}

/// Who calls, by the headers.
pub async fn caller(headers: &HeaderMap, web: &Web) -> Result<Caller, Fault> {
    if web.loopback
        && let Some(caller) = web.service.local_caller().await?
    {
        return if is_local(headers) { Ok(caller) } else { Err(elsewhere()) };
    }
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if value.trim().is_empty() {
        return Err(Fault::no_key(0, "`Authorization` can't be empty"));
    }
    let Some(key) = value.split_whitespace().nth(1) else {
        return Err(Fault::no_key(0, "Please check your authorization format."));
    };
    let known = web.service.caller(key).await?;
    known.ok_or_else(|| Fault::no_key(109, "Authentication error: API key is invalid!"))
}

fn elsewhere() -> Fault {
    Fault::forbidden(
        "without an API key only programs and pages of this machine may call; make one with `sheetwise keys create`",
    )
}

/// Whether a request without a key can't come from a page of another site: its host is this machine, and so is its page's.
fn is_local(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST);
    let of_page = text(header::ORIGIN).map(|origin| origin.split_once("://").map_or("", |(_, host)| host));
    host.is_none_or(is_loopback) && of_page.is_none_or(|page| Some(page) == host)
}

/// `localhost`, `127.0.0.1:9380`, `[::1]:9380`.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_another_site_is_not_local() {
        let headers = |host: &str, origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().expect("a value"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().expect("a value"));
            }
            headers
        };
        assert!(is_local(&headers("localhost:9380", None)));
        assert!(is_local(&headers("[::1]:9380", Some("http://[::1]:9380"))));
        assert!(!is_local(&headers("127.0.0.1:9380", Some("https://evil.example"))));
        assert!(!is_local(&headers("evil.example:9380", None)));
        assert!(!is_local(&headers("127.0.0.1.evil.example", None)));
        assert!(!is_local(&headers("127.0.0.1:9380", Some("null"))));
    }
}
