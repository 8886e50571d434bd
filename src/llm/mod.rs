//! A chat model behind an OpenAI-compatible address.
//!
//! Comes in: messages. Goes out: the text of one whole reply, or a typed [`LlmError`].
//! Must never happen: the key in a log, an error or a redirect; a reply that was cut and is taken for a whole one.

mod client;
mod endpoint;
mod reply;

use serde::Serialize;

pub use client::Client;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    System,
    User,
    Assistant,
}

/// One turn of a conversation with the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
}

impl Message {
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }

    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// What replies cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tokens {
    /// Replies of the model.
    pub calls: u64,
    /// As the model's server counts them; 0 where it does not say.
    pub prompt: u64,
    pub completion: u64,
}

/// One whole reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
    pub tokens: Tokens,
}

/// Why the model gave no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    #[error("the model setting {name} can't be used: {detail}")]
    Setting { name: &'static str, detail: String },
    #[error("the model did not answer within {seconds} s; raise llm.timeout_seconds or ask a faster model")]
    Timeout { seconds: u64 },
    #[error("the model's address can't be reached ({detail}); check llm.base_url")]
    Connect { detail: String },
    /// An HTTP status that is not a success, with the server's words, the key cut out.
    #[error("the model's server answered {code}{}{detail}", if detail.is_empty() { "" } else { ": " })]
    Status { code: u16, detail: String },
    #[error("the model's reply can't be used: {detail}")]
    BadReply { detail: String },
}
