//! One call of the model, tried again where that can help.
//!
//! Comes in: [`LlmConfig`] and messages. Goes out: the reply's text within one deadline for all tries.
//! Must never happen: the key anywhere but in the `Authorization` header of the configured address.

use std::fmt;
use std::time::Duration;

use chrono::Utc;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Response, Url};
use serde::Serialize;
use tokio::time::{Instant, sleep, timeout_at};

use super::{LlmError, Message, Reply, endpoint, reply};
use crate::backoff;
use crate::config::LlmConfig;

/// A chat model. Cheap to clone; its connections are shared.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: Url,
    api_key: String,
    model: String,
    temperature: f64,
    timeout_seconds: u64,
    tries: u32,
    max_reply_bytes: usize,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: &'a [Message],
    temperature: f64,
    stream: bool,
}

/// One failed try.
struct Failure {
    error: LlmError,
    again: bool,
    /// The server's `Retry-After`.
    asked: Option<Duration>,
}

impl Client {
    /// The model of `config`; `None` where no `base_url` is set. No call is made.
    pub fn new(config: &LlmConfig) -> Result<Option<Self>, LlmError> {
        if config.base_url.trim().is_empty() {
            return Ok(None);
        }
        if config.model.trim().is_empty() {
            return Err(LlmError::Setting { name: "model", detail: "it is empty; name the model to ask".to_owned() });
        }
        let url = endpoint::chat_url(&config.base_url)?;
        Ok(Some(Self {
            http: http(&url, config.api_key.trim())?,
            url,
            api_key: config.api_key.trim().to_owned(),
            model: config.model.trim().to_owned(),
            temperature: config.temperature,
            timeout_seconds: config.timeout_seconds,
            tries: u32::try_from(config.tries).unwrap_or(u32::MAX).max(1),
            max_reply_bytes: config.max_reply_bytes,
        }))
    }

    /// One whole reply. 429, 5xx and connection errors are tried again with a growing wait, all within one deadline;
    /// a wait that would pass the deadline is not begun.
    pub async fn complete(&self, messages: &[Message]) -> Result<Reply, LlmError> {
        let deadline = Instant::now() + Duration::from_secs(self.timeout_seconds);
        let mut failed = 0;
        loop {
            let outcome = timeout_at(deadline, self.try_once(messages)).await;
            let failure = match outcome {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(failure)) => failure,
                Err(_) => return Err(LlmError::Timeout { seconds: self.timeout_seconds }),
            };
            failed += 1;
            let wait = backoff::wait(failed, failure.asked);
            if !failure.again || failed >= self.tries || wait >= deadline.saturating_duration_since(Instant::now()) {
                return Err(failure.error);
            }
            tracing::warn!(error = %failure.error, wait_ms = wait.as_millis() as u64, "model call failed, trying again");
            sleep(wait).await;
        }
    }

    async fn try_once(&self, messages: &[Message]) -> Result<Reply, Failure> {
        let request = Request { model: &self.model, messages, temperature: self.temperature, stream: false };
        let response = self.http.post(self.url.clone()).json(&request).send().await.map_err(unreachable_address)?;
        let status = response.status();
        let asked = asked_wait(&response);
        let body = self.body(response).await?;
        if status.is_success() {
            let text = reply::text(&body).map_err(last)?;
            return Ok(Reply { text, tokens: reply::tokens(&body) });
        }
        let error = LlmError::Status { code: status.as_u16(), detail: reply::detail(&body) };
        Err(Failure { error, again: status.as_u16() == 429 || status.is_server_error(), asked })
    }

    /// The body as text, without the key: servers may repeat it in their errors.
    async fn body(&self, mut response: Response) -> Result<String, Failure> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable_address)? {
            if body.len() + chunk.len() > self.max_reply_bytes {
                let detail = format!("it is longer than {} bytes", self.max_reply_bytes);
                return Err(last(LlmError::BadReply { detail }));
            }
            body.extend_from_slice(&chunk);
        }
        let text = String::from_utf8_lossy(&body);
        Ok(if self.api_key.is_empty() { text.into_owned() } else { text.replace(&self.api_key, "***") })
    }
}

/// A failure that another try would not mend.
fn last(error: LlmError) -> Failure {
    Failure { error, again: false, asked: None }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("host", &self.url.host_str()).field("model", &self.model).finish_non_exhaustive()
    }
}

fn http(url: &Url, api_key: &str) -> Result<reqwest::Client, LlmError> {
    // Only the first client of a process installs it; that there is one already is no error.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder().default_headers(headers(api_key)?).redirect(Policy::none());
    let builder = if endpoint::is_loopback(url) { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| LlmError::Connect { detail: cause(&error.without_url()) })
}

fn headers(api_key: &str) -> Result<HeaderMap, LlmError> {
    let mut headers = HeaderMap::new();
    if !api_key.is_empty() {
        let mut value = HeaderValue::from_str(&format!("Bearer {api_key}")).map_err(|_| LlmError::Setting {
            name: "api_key",
            detail: "it holds characters that no HTTP header can".to_owned(),
        })?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

fn asked_wait(response: &Response) -> Option<Duration> {
    let header = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    backoff::retry_after(header, Utc::now())
}

fn unreachable_address(error: reqwest::Error) -> Failure {
    Failure { error: LlmError::Connect { detail: cause(&error.without_url()) }, again: true, asked: None }
}

/// The innermost cause: what the system said.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> LlmConfig {
        LlmConfig {
            base_url: "http://127.0.0.1:9".to_owned(),
            api_key: "sk-very-secret".to_owned(),
            model: "m".to_owned(),
            ..LlmConfig::default()
        }
    }

    #[test]
    fn no_address_is_no_client() {
        assert!(matches!(Client::new(&LlmConfig::default()), Ok(None)));
    }

    #[test]
    fn unusable_settings_are_named_and_the_key_is_not_shown() {
        let cases = [
            ("base_url", LlmConfig { base_url: "nonsense".to_owned(), ..config() }),
            ("model", LlmConfig { model: " ".to_owned(), ..config() }),
            ("api_key", LlmConfig { api_key: "sk-very-secret\nx".to_owned(), ..config() }),
        ];
        for (name, config) in cases {
            let error = Client::new(&config).err().map(|error| format!("{error} {error:?}")).unwrap_or_default();
            assert!(error.contains(name) && !error.contains("very-secret"), "{name}: {error}");
        }
    }

    #[test]
    fn the_key_is_in_no_debug_text() {
        let client = Client::new(&config());
        let text = format!("{client:?} {:?}", config());
        assert!(text.contains("127.0.0.1") && !text.contains("secret"), "{text}");
    }
}
