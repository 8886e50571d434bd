//! The model client against a real HTTP server on this machine.

use std::time::{Duration, Instant};

use sheetwise::config::LlmConfig;
use sheetwise::llm::{Client, LlmError, Message};

use crate::replay::{Replay, Reply};

const GOOD: &str = "SELECT COUNT(*) FROM t";

async fn ask(config: &LlmConfig) -> Result<String, LlmError> {
    let client = Client::new(config).expect("usable settings").expect("an address");
    client.complete(&[Message::system("rules"), Message::user("多少行？")]).await.map(|reply| reply.text)
}

#[tokio::test]
async fn replies_come_back_as_they_were_written() {
    let replies = [
        Reply::say(GOOD),
        Reply::fenced(GOOD),
        Reply::thinking(GOOD),
        Reply::say("SELECT no_such_column FROM t"),
        Reply::say("SELECT 1; DROP TABLE t"),
        Reply::say("The tables say nothing about that."),
    ];
    let server = Replay::start(replies.to_vec());
    for reply in &replies {
        let Reply::Say(text) = reply else { panic!("all of these speak") };
        assert_eq!(ask(&server.config()).await.as_ref(), Ok(text));
    }
    assert_eq!(server.calls().len(), replies.len());
}

#[tokio::test]
async fn a_call_carries_model_messages_temperature_and_key() {
    let server = Replay::start(vec![Reply::say(GOOD), Reply::say(GOOD), Reply::say(GOOD)]);
    let keyless =
        LlmConfig { api_key: String::new(), base_url: format!("{}/v1/", server.base_url()), ..server.config() };
    assert!(ask(&server.config()).await.is_ok());
    assert!(ask(&keyless).await.is_ok());
    let calls = server.calls();
    for call in &calls {
        assert_eq!(call.target, "POST /v1/chat/completions");
        assert_eq!(call.body["model"], "replay");
        assert_eq!(call.body["temperature"], 0.06);
        assert_eq!(call.body["stream"], false);
        assert_eq!(call.body["messages"][0]["role"], "system");
        assert_eq!(call.body["messages"][1]["content"], "多少行？");
    }
    assert_eq!(calls[0].header("authorization"), Some("Bearer sk-replayed"));
    assert_eq!(calls[1].header("authorization"), None);
}

#[tokio::test]
async fn failures_that_may_pass_are_tried_again() {
    for failure in [Reply::status(500), Reply::status(503), Reply::status(429), Reply::Close] {
        let server = Replay::start(vec![failure, Reply::say(GOOD)]);
        assert_eq!(ask(&server.config()).await.as_deref(), Ok(GOOD));
        assert_eq!(server.calls().len(), 2);
    }
}

#[tokio::test]
async fn tries_are_counted_and_the_last_status_is_told() {
    let server = Replay::start(vec![Reply::status(500), Reply::status(502), Reply::status(503), Reply::say(GOOD)]);
    let told = ask(&server.config()).await;
    assert_eq!(told, Err(LlmError::Status { code: 503, detail: "replayed failure".to_owned() }));
    assert_eq!(server.calls().len(), 3);
}

#[tokio::test]
async fn failures_that_stay_are_not_tried_again() {
    for code in [302, 400, 401, 404] {
        let server = Replay::start(vec![Reply::status(code), Reply::say(GOOD)]);
        assert!(matches!(ask(&server.config()).await, Err(LlmError::Status { code: told, .. }) if told == code));
        assert_eq!(server.calls().len(), 1);
    }
}

#[tokio::test]
async fn a_server_that_asks_for_a_wait_gets_it() {
    let server = Replay::start(vec![Reply::busy("1"), Reply::say(GOOD)]);
    let start = Instant::now();
    assert_eq!(ask(&server.config()).await.as_deref(), Ok(GOOD));
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_wait_past_the_deadline_is_not_begun() {
    let server = Replay::start(vec![Reply::busy("3600"), Reply::say(GOOD)]);
    let start = Instant::now();
    assert!(matches!(ask(&server.config()).await, Err(LlmError::Status { code: 429, .. })));
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(server.calls().len(), 1);
}

#[tokio::test]
async fn a_silent_server_is_a_timeout() {
    let server = Replay::start(vec![Reply::Hang(Duration::from_secs(2))]);
    let told = ask(&LlmConfig { timeout_seconds: 1, ..server.config() }).await;
    assert_eq!(told, Err(LlmError::Timeout { seconds: 1 }));
}

#[tokio::test]
async fn nobody_at_the_address_is_a_connect_error() {
    let server = Replay::start(Vec::new());
    let config = LlmConfig { tries: 2, ..server.config() };
    drop(server);
    assert!(matches!(ask(&config).await, Err(LlmError::Connect { .. })));
}

#[tokio::test]
async fn a_reply_that_is_too_long_is_refused() {
    let server = Replay::start(vec![Reply::say(&"x".repeat(10_000))]);
    let told = ask(&LlmConfig { max_reply_bytes: 5_000, ..server.config() }).await;
    assert!(matches!(told, Err(LlmError::BadReply { .. })), "{told:?}");
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_in_no_error() {
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-replayed"}}"#;
    for reply in [Reply::Status(401, Vec::new(), body), Reply::Body(body.to_owned())] {
        let server = Replay::start(vec![reply]);
        let error = ask(&server.config()).await.expect_err("no completion");
        let told = format!("{error} {error:?}");
        assert!(told.contains("Incorrect") && !told.contains("sk-replayed"), "{told}");
    }
}
