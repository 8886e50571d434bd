//! What a server says when it does not do what was asked. Its own words may quote cells, so only their kind is kept.

use serde_json::Value;

use crate::engine::EngineError;

/// A request that failed for good.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    /// No answer, or one that says to come back later, until patience ended.
    Unavailable { detail: String },
    /// An answer that is no success.
    Status { code: u16, kind: String },
    /// An answer that can't be read.
    Reply { detail: String },
}

impl Fault {
    /// The fault in an answer that is no success.
    pub(super) fn of(code: u16, body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        tracing::debug!(code, %body, "the server refused a request");
        let error = &body["error"];
        let cause = error["root_cause"][0]["type"].as_str().or_else(|| error["type"].as_str());
        Self::Status { code, kind: cause.unwrap_or_default().to_owned() }
    }

    pub(super) fn reply(detail: impl ToString) -> Self {
        Self::Reply { detail: detail.to_string() }
    }

    /// Whether the server names this kind of error.
    pub(super) fn is(&self, wanted: &str) -> bool {
        matches!(self, Self::Status { kind, .. } if kind == wanted)
    }
}

impl From<Fault> for EngineError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unavailable { detail } => Self::Unavailable(detail),
            Fault::Status { code: code @ (401 | 403), kind } => Self::Failed(format!(
                "the server does not allow it ({code} {kind}); check engine.user, engine.password, engine.api_key and the role"
            )),
            Fault::Status { code, kind } => Self::Failed(format!("the server answered {code} {kind}")),
            Fault::Reply { detail } => Self::Failed(format!("the server's answer can't be read: {detail}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kind_of_an_error_is_kept() {
        let body = br#"{"error":{"root_cause":[{"type":"document_parsing_exception","reason":"Preview: 'salary 9000'"}],"type":"x"},"status":400}"#;
        let fault = Fault::of(400, body);
        assert!(fault.is("document_parsing_exception"));
        assert!(!format!("{fault:?} {}", EngineError::from(fault.clone())).contains("salary"));
        assert_eq!(Fault::of(502, b"<html>"), Fault::Status { code: 502, kind: String::new() });
    }
}
