//! What a model's replies cost while one question was answered.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Asker;
use crate::llm::{Client, LlmError, Message, Tokens};

/// Counted for one question.
#[derive(Debug, Default)]
pub struct Spent {
    calls: AtomicU64,
    prompt: AtomicU64,
    completion: AtomicU64,
}

impl Spent {
    /// `None` where no model replied.
    pub(super) fn tokens(&self) -> Option<Tokens> {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let tokens =
            Tokens { calls: read(&self.calls), prompt: read(&self.prompt), completion: read(&self.completion) };
        (tokens.calls > 0).then_some(tokens)
    }

    fn add(&self, tokens: Tokens) {
        self.calls.fetch_add(tokens.calls, Ordering::Relaxed);
        self.prompt.fetch_add(tokens.prompt, Ordering::Relaxed);
        self.completion.fetch_add(tokens.completion, Ordering::Relaxed);
    }
}

impl Asker<'_> {
    /// The text of the model's reply; its cost is counted.
    pub(super) async fn reply(&self, client: &Client, messages: &[Message]) -> Result<String, LlmError> {
        let reply = client.complete(messages).await?;
        self.spent.add(reply.tokens);
        Ok(reply.text)
    }
}
