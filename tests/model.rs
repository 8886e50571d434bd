//! Questions answered with a model: what it replies decides the way, and nothing it says is run unchecked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sheetwise::app::{App, Session};
use sheetwise::ask::{Answer, Mode, Path as Way};
use sheetwise::config::{Config, LlmConfig};
use sheetwise::ingest::Upload;
use sheetwise::sheet::ReadOptions;

use crate::replay::{Replay, Reply};

const QUESTION: &str = "What did each region bring in?";
const GOOD: &str = "SELECT region_tks, SUM(amount_flt) FROM orders GROUP BY region_tks";

fn orders() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/orders.csv")
}

async fn open(llm: LlmConfig) -> (App, Session) {
    let config = Config { llm, ..Config::default() };
    let app = App::temporary(config).await.expect("an application");
    let (session, report) = app.read(vec![Upload::file(&orders(), ReadOptions::default())]).await.expect("rows");
    assert!(report.files[0].error.is_none(), "{report:?}");
    (app, session)
}

async fn ask(replies: Vec<Reply>) -> (Answer, Replay) {
    let server = Replay::start(replies);
    let (app, session) = open(server.config()).await;
    let answer = app.ask(&session, QUESTION, Mode::Auto).await.expect("an answer");
    (answer, server)
}

fn codes(answer: &Answer) -> Vec<&str> {
    answer.notes.iter().map(|note| note.code.as_str()).collect()
}

#[tokio::test]
async fn a_statement_is_found_in_whatever_stands_around_it() {
    for reply in [Reply::say(GOOD), Reply::fenced(GOOD), Reply::thinking(GOOD)] {
        let (answer, server) = ask(vec![reply]).await;
        assert_eq!((answer.path, answer.total), (Way::Model, 4), "{answer:?}");
        assert_eq!(server.calls().len(), 1);
    }
}

#[tokio::test]
async fn a_wrong_column_is_repaired_once_with_the_nearest_names() {
    let wrong = "SELECT region_tks, SUM(amont_flt) FROM orders GROUP BY region_tks";
    let (answer, server) = ask(vec![Reply::say(wrong), Reply::say(GOOD)]).await;
    assert_eq!((answer.path, answer.total), (Way::Model, 4));
    assert_eq!(codes(&answer), ["statement_repaired"]);
    let calls = server.calls();
    let repair = calls[1].body["messages"].to_string();
    assert!(repair.contains("unknown_field") && repair.contains("amount_flt"), "{repair}");
}

#[tokio::test]
async fn what_stays_wrong_is_looked_for_and_never_run() {
    let two = "SELECT 1; DROP TABLE orders";
    let nothing = "SELECT nothing FROM orders";
    for (first, second) in [(two, two), (nothing, "SELECT nothing_else FROM orders"), ("I can not say.", "Nor now.")] {
        let (answer, server) =
            ask(vec![Reply::say(first), Reply::say(second), Reply::say("North leads [ID:0][ID:99].")]).await;
        assert!(matches!(answer.path, Way::Search | Way::Declined), "{first}: {answer:?}");
        assert!(codes(&answer).contains(&"statement_refused"));
        assert!(answer.sql.is_none() && answer.rows.is_empty());
        assert!(server.calls().len() >= 2);
        assert!(!answer.answer.contains("[ID:99]"), "a mark that names no row is taken out: {}", answer.answer);
    }
}

#[tokio::test]
async fn a_model_that_is_away_leaves_the_question_to_the_planner() {
    let away: [(Vec<Reply>, usize); 2] =
        [(vec![Reply::Hang(Duration::from_secs(5))], 1), (vec![Reply::status(500); 6], 1)];
    for (replies, tries) in away {
        let server = Replay::start(replies);
        let llm = LlmConfig { timeout_seconds: 1, tries, ..server.config() };
        let (app, session) = open(llm).await;
        let answer = app.ask(&session, "How many rows are there?", Mode::Auto).await.expect("an answer");
        assert!(codes(&answer).contains(&"model_unavailable"), "{answer:?}");
        assert_ne!(answer.path, Way::Model);
    }
}

#[tokio::test]
async fn a_question_without_words_or_too_long_is_an_error_with_what_to_do() {
    let (app, session) = open(LlmConfig::default()).await;
    for question in ["", "   ", &"很".repeat(10_000)] {
        let error = app.ask(&session, question, Mode::Auto).await.expect_err("no question");
        assert!(!error.to_string().is_empty());
    }
}
