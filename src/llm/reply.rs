//! The body of a chat completion.
//!
//! Comes in: the text of a response. Goes out: the text of its first choice, and what it cost.
//! Must never happen: text that the server cut short taken for a whole reply: half a condition is another question.

use serde::Deserialize;
use serde_json::Value;

use super::{LlmError, Tokens};

/// Characters of a server's own words that an error carries.
const DETAIL_CHARS: usize = 200;

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Answer,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    content: Option<Content>,
}

/// Some servers give the text in parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
}

impl Content {
    fn text(self) -> String {
        match self {
            Content::Text(text) => text,
            Content::Parts(parts) => parts.into_iter().map(|part| part.text).collect(),
        }
    }
}

/// The text of a completion.
pub(super) fn text(body: &str) -> Result<String, LlmError> {
    let completion: Completion = serde_json::from_str(body).map_err(|_| not_a_completion(body))?;
    let choice = completion.choices.into_iter().next().ok_or_else(|| bad("it holds no choice"))?;
    match choice.finish_reason.as_deref() {
        Some("length") => return Err(bad("it was cut at the model's own limit; raise the limit or ask for less")),
        Some("content_filter") => return Err(bad("the server's content filter cut it")),
        _ => {}
    }
    let text = choice.message.content.map(Content::text).unwrap_or_default();
    if text.trim().is_empty() { Err(bad("it is empty")) } else { Ok(text) }
}

/// What the completion cost, as its server counts.
pub(super) fn tokens(body: &str) -> Tokens {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or(0);
    Tokens { calls: 1, prompt: count("prompt_tokens"), completion: count("completion_tokens") }
}

/// What a server says in the body of a failure, on one line, clipped.
pub(super) fn detail(body: &str) -> String {
    let said = serde_json::from_str::<Value>(body).ok().and_then(|value| message(&value)).unwrap_or(body.to_owned());
    let words = said.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(DETAIL_CHARS).collect()
}

fn message(value: &Value) -> Option<String> {
    let error = value.get("error").unwrap_or(value);
    error.as_str().or_else(|| error.get("message")?.as_str()).map(str::to_owned)
}

fn not_a_completion(body: &str) -> LlmError {
    bad(format!("it is no chat completion: {}", detail(body)))
}

fn bad(detail: impl Into<String>) -> LlmError {
    LlmError::BadReply { detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_comes_whole_or_in_parts() {
        for body in [
            r#"{"choices":[{"message":{"content":"SELECT 1"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"message":{"content":"SELECT 1"}}],"usage":{}}"#,
            r#"{"choices":[{"message":{"content":[{"type":"text","text":"SELECT "},{"text":"1"}]},"finish_reason":null}]}"#,
        ] {
            assert_eq!(text(body), Ok("SELECT 1".to_owned()), "{body}");
        }
    }

    #[test]
    fn a_cut_empty_or_foreign_body_is_a_bad_reply() {
        for (body, why) in [
            (r#"{"choices":[{"message":{"content":"SELECT 1 WHERE a"},"finish_reason":"length"}]}"#, "cut"),
            (r#"{"choices":[{"message":{"content":"SELECT 1"},"finish_reason":"content_filter"}]}"#, "filter"),
            (r#"{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}"#, "empty"),
            (r#"{"choices":[{"message":{"content":" \n"}}]}"#, "empty"),
            (r#"{"choices":[]}"#, "no choice"),
            (r#"{"error":{"message":"no such model"}}"#, "no such model"),
            ("<html>gateway</html>", "gateway"),
            ("", "no chat completion"),
        ] {
            match text(body) {
                Err(LlmError::BadReply { detail }) => assert!(detail.contains(why), "{body}: {detail}"),
                other => panic!("{body}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_reply_costs_what_its_server_says() {
        let body = r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}"#;
        assert_eq!(tokens(body), Tokens { calls: 1, prompt: 12, completion: 3 });
        for silent in [r#"{"choices":[],"usage":null}"#, r#"{"usage":{"prompt_tokens":-1}}"#, ""] {
            assert_eq!(tokens(silent), Tokens { calls: 1, prompt: 0, completion: 0 }, "{silent}");
        }
    }

    #[test]
    fn a_servers_words_are_one_short_line() {
        let long = format!("{{\"error\":\"a\\n\\u0007b {}\"}}", "x".repeat(5_000));
        let said = detail(&long);
        assert!(said.starts_with("a b x") && said.chars().count() == DETAIL_CHARS, "{said}");
    }
}
