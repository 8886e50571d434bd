//! Requests to the server: several hosts, one deadline for all tries, secrets in headers alone.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::Utc;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Method, Response, Url};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::address::{hosts, is_loopback, named, setting};
use super::fault::Fault;
use crate::backoff;
use crate::config::EngineConfig;
use crate::engine::EngineError;

/// Bytes of one answer.
const MAX_REPLY_BYTES: usize = 512 << 20;
/// Connections that stay open to one host.
const IDLE: usize = 8;

/// One request; every one of ours may be sent again without harm.
#[derive(Debug, Clone)]
pub(super) struct Request {
    method: Method,
    path: String,
    body: Option<(&'static str, Vec<u8>)>,
}

impl Request {
    pub(super) fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None }
    }

    /// Nothing but its address.
    pub(super) fn act(path: impl Into<String>) -> Self {
        Self { method: Method::POST, path: path.into(), body: None }
    }

    pub(super) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::with(Method::POST, path, body)
    }

    pub(super) fn put(path: impl Into<String>, body: &Value) -> Self {
        Self::with(Method::PUT, path, body)
    }

    pub(super) fn delete(path: impl Into<String>, body: Option<&Value>) -> Self {
        let body = body.map(|body| (JSON, body.to_string().into_bytes()));
        Self { method: Method::DELETE, path: path.into(), body }
    }

    /// Lines of JSON.
    pub(super) fn lines(path: impl Into<String>, lines: Vec<u8>) -> Self {
        Self { method: Method::POST, path: path.into(), body: Some((NDJSON, lines)) }
    }

    fn with(method: Method, path: impl Into<String>, body: &Value) -> Self {
        Self { method, path: path.into(), body: Some((JSON, body.to_string().into_bytes())) }
    }
}

const JSON: &str = "application/json";
const NDJSON: &str = "application/x-ndjson";

/// The hosts of one cluster.
pub(super) struct Server {
    http: Client,
    hosts: Vec<Url>,
    /// The host that answered last.
    first: AtomicUsize,
    /// User and password; without, those of the host's address.
    user: Option<(String, String)>,
    patience: Duration,
}

/// One failed try, and whether another one may do better.
struct Failure {
    fault: Fault,
    again: bool,
    /// The server's `Retry-After`.
    asked: Option<Duration>,
}

impl Server {
    /// No request is made.
    pub(super) fn new(config: &EngineConfig) -> Result<Self, EngineError> {
        let hosts = hosts(&config.url)?;
        // Only the first client of a process installs it; that there is one already is no error.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .default_headers(headers(config.api_key.trim())?)
            .redirect(Policy::none())
            .timeout(Duration::from_secs(config.timeout_seconds.max(1)))
            .connect_timeout(Duration::from_secs(config.timeout_seconds.clamp(1, 10)))
            .pool_max_idle_per_host(IDLE);
        if hosts.iter().all(is_loopback) {
            builder = builder.no_proxy();
        }
        if !config.ca_file.trim().is_empty() {
            builder = builder.tls_certs_only(certificates(config.ca_file.trim())?);
        }
        let http = builder.build().map_err(|error| setting("url", cause(&error.without_url())))?;
        let patience = Duration::from_secs(config.patience_seconds);
        let by_user = !config.user.is_empty() && config.api_key.trim().is_empty();
        let user = by_user.then(|| (config.user.clone(), config.password.clone()));
        Ok(Self { http, hosts, first: AtomicUsize::new(0), user, patience })
    }

    /// The body of a success. Failed connections and 429, 502, 503, 504 are tried again until patience ends.
    pub(super) async fn send(&self, request: &Request) -> Result<Vec<u8>, Fault> {
        let deadline = Instant::now() + self.patience;
        let mut failed = 0;
        loop {
            let failure = match self.try_once(request).await {
                Ok(body) => return Ok(body),
                Err(failure) => failure,
            };
            failed += 1;
            let wait = backoff::wait(failed, failure.asked);
            if !failure.again || wait >= deadline.saturating_duration_since(Instant::now()) {
                return Err(failure.fault);
            }
            tracing::warn!(fault = ?failure.fault, wait_ms = wait.as_millis() as u64, "a request failed, trying again");
            sleep(wait).await;
        }
    }

    /// The same as JSON.
    pub(super) async fn json(&self, request: &Request) -> Result<Value, Fault> {
        let body = self.send(request).await?;
        serde_json::from_slice(&body).map_err(Fault::reply)
    }

    async fn try_once(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        let at = self.first.load(Ordering::Relaxed) % self.hosts.len();
        let sent = self.sent(request, &self.hosts[at]).await;
        if sent.as_ref().is_err_and(|failure| failure.again) {
            self.first.store(at + 1, Ordering::Relaxed);
        }
        sent
    }

    async fn sent(&self, request: &Request, host: &Url) -> Result<Vec<u8>, Failure> {
        let unreached = |error: reqwest::Error| Failure {
            fault: Fault::Unavailable { detail: format!("{}: {}", named(host), cause(&error.without_url())) },
            again: true,
            asked: None,
        };
        let address = format!("{}{}", host.as_str().trim_end_matches('/'), request.path);
        let mut builder = self.http.request(request.method.clone(), address);
        if let Some((kind, body)) = &request.body {
            builder = builder.header(CONTENT_TYPE, *kind).body(body.clone());
        }
        if let Some((user, password)) = &self.user {
            builder = builder.basic_auth(user, Some(password));
        }
        let response = builder.send().await.map_err(unreached)?;
        let code = response.status().as_u16();
        let asked = asked_wait(&response);
        let success = response.status().is_success();
        let body = body(response).await.map_err(unreached)?;
        let Some(body) = body else {
            let fault = Fault::reply(format!("it has more than {MAX_REPLY_BYTES} bytes"));
            return Err(Failure { fault, again: false, asked: None });
        };
        if success {
            return Ok(body);
        }
        let fault = Fault::of(code, &body);
        match code {
            429 | 502..=504 => {
                let detail = format!("{}: it answered {code}", named(host));
                Err(Failure { fault: Fault::Unavailable { detail }, again: true, asked })
            }
            _ => Err(Failure { fault, again: false, asked }),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.hosts.iter().map(named).collect();
        f.debug_struct("Server").field("hosts", &hosts).finish_non_exhaustive()
    }
}

/// The body; `None` where it is too long.
async fn body(mut response: Response) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MAX_REPLY_BYTES {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

fn headers(api_key: &str) -> Result<HeaderMap, EngineError> {
    let mut headers = HeaderMap::new();
    if !api_key.is_empty() {
        let value = HeaderValue::from_str(&format!("ApiKey {api_key}"));
        let mut value = value.map_err(|_| setting("api_key", "it holds characters that no HTTP header can"))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

fn certificates(file: &str) -> Result<Vec<Certificate>, EngineError> {
    let pem = std::fs::read(file).map_err(|source| EngineError::Io { path: file.to_owned(), source })?;
    match Certificate::from_pem_bundle(&pem) {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(setting("ca_file", "it holds no certificate in PEM form")),
    }
}

fn asked_wait(response: &Response) -> Option<Duration> {
    backoff::retry_after(response.headers().get(RETRY_AFTER)?.to_str().ok()?, Utc::now())
}

/// The innermost cause: what the system said.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
