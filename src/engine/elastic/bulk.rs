//! Batches of rows on their way to an index: what the server puts off is sent again, what it refuses is told by row.
//!
//! A row's `_id` is its key, so a batch that is sent twice is stored once.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::fault::Fault;
use super::server::{Request, Server};
use crate::backoff;
use crate::engine::EngineError;

/// Rows of one request.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub text: Vec<u8>,
    /// The rows in it: row number, first byte.
    rows: Vec<(i64, usize)>,
}

#[derive(Deserialize)]
struct Reply {
    errors: bool,
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Outcome,
}

#[derive(Deserialize)]
struct Outcome {
    status: u16,
    error: Option<Cause>,
}

#[derive(Deserialize)]
struct Cause {
    #[serde(rename = "type")]
    kind: String,
}

impl Batch {
    pub(super) fn push(&mut self, row: i64, lines: &[u8]) {
        self.rows.push((row, self.text.len()));
        self.text.extend_from_slice(lines);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Only the rows at these places.
    fn only(&self, places: &[usize]) -> Self {
        let mut batch = Self::default();
        for &at in places {
            let (row, start) = self.rows[at];
            let end = self.rows.get(at + 1).map_or(self.text.len(), |next| next.1);
            batch.push(row, &self.text[start..end]);
        }
        batch
    }
}

/// Stores every row of a batch, or says which is refused.
pub(super) async fn store(
    server: &Server,
    index: &str,
    mut batch: Batch,
    patience: Duration,
) -> Result<(), EngineError> {
    let deadline = Instant::now() + patience;
    let mut failed = 0;
    loop {
        let path = format!("/{index}/_bulk?filter_path=errors,items.index.status,items.index.error.type");
        let reply = server.send(&Request::lines(path, batch.text.clone())).await?;
        let reply: Reply = serde_json::from_slice(&reply).map_err(Fault::reply)?;
        if !reply.errors {
            return Ok(());
        }
        let put_off = put_off(&batch, &reply)?;
        if put_off.is_empty() {
            return Ok(());
        }
        failed += 1;
        let wait = backoff::wait(failed, None);
        if wait >= deadline.saturating_duration_since(Instant::now()) {
            let rows = put_off.len();
            return Err(EngineError::Unavailable(format!(
                "the server is too busy (or its disk too full) for {rows} rows"
            )));
        }
        tracing::warn!(
            rows = put_off.len(),
            wait_ms = wait.as_millis() as u64,
            "the server puts rows off, trying again"
        );
        batch = batch.only(&put_off);
        sleep(wait).await;
    }
}

/// Places of the rows to send again; an error where a row is refused.
fn put_off(batch: &Batch, reply: &Reply) -> Result<Vec<usize>, EngineError> {
    if reply.items.len() != batch.rows.len() {
        return Err(Fault::reply(format!("{} of {} rows are answered", reply.items.len(), batch.rows.len())).into());
    }
    let mut places = Vec::new();
    for (at, item) in reply.items.iter().enumerate() {
        match item.index.status {
            200..=299 => {}
            429 | 502..=504 => places.push(at),
            status => {
                let kind = item.index.error.as_ref().map_or("", |error| &error.kind);
                let row = batch.rows[at].0;
                return Err(EngineError::Failed(format!("the server refuses row {row}: {status} {kind}")));
            }
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> Batch {
        let mut batch = Batch::default();
        for row in 2..5 {
            batch.push(row, format!("{{\"index\":{{}}}}\n{{\"row\":{row}}}\n").as_bytes());
        }
        batch
    }

    fn reply(statuses: [u16; 3]) -> Reply {
        let item = |status| Item { index: Outcome { status, error: None } };
        Reply { errors: true, items: statuses.map(item).into() }
    }

    #[test]
    fn only_rows_put_off_are_sent_again() {
        let again = put_off(&batch(), &reply([201, 429, 503])).expect("no row is refused");
        assert_eq!(again, [1, 2]);
        let text = String::from_utf8(batch().only(&again).text).expect("text");
        assert_eq!(text, "{\"index\":{}}\n{\"row\":3}\n{\"index\":{}}\n{\"row\":4}\n");
    }

    #[test]
    fn a_refused_row_is_named() {
        let error = put_off(&batch(), &reply([201, 400, 429])).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("row 3")));
    }

    #[test]
    fn an_answer_for_other_rows_is_no_answer() {
        let short = Reply { errors: true, items: Vec::new() };
        assert!(put_off(&batch(), &short).is_err());
    }
}
