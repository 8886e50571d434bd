//! How a chat may use SQL: allowed or not, the way, repairs, statements set for fixed questions; what the answer stands on.

use serde_json::{Value, json};
use sheetwise::config::Config;

use super::{Served, prices, text};
use crate::replay::{Replay, Reply};

/// A chat over ten prices: `(chat, session)`.
async fn prepared(served: &Served, sql: Value) -> (String, String) {
    let dataset = served.dataset("items").await;
    served.parsed(&dataset, "items.csv", prices(10)).await;
    let made = served.call("POST", "/chats", json!({"name": "c", "dataset_ids": [dataset], "sql": sql})).await;
    assert_eq!(made["code"], 0, "{made}");
    let chat = text(&made["data"]["id"]);
    let session = served.call("POST", &format!("/chats/{chat}/sessions"), json!({"name": "s"})).await;
    (chat, text(&session["data"]["id"]))
}

async fn asked(served: &Served, (chat, session): &(String, String), question: &str) -> Value {
    let body = json!({"question": question, "session_id": session, "stream": false});
    let said = served.call("POST", &format!("/chats/{chat}/completions"), body).await;
    assert_eq!(said["code"], 0, "{said}");
    said["data"].clone()
}

async fn set(served: &Served, (chat, _): &(String, String), sql: Value) -> Value {
    served.call("PUT", &format!("/chats/{chat}"), json!({"sql": sql})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_statement_answers_its_question_with_evidence() {
    let served = Served::new().await;
    let statement = "SELECT name_kwd, price_long FROM items WHERE price_long > 8 ORDER BY price_long DESC";
    let statements =
        json!([{"question": "What stands out?", "sql": statement}, {"question": "坏的", "sql": "DROP TABLE items"}]);
    let chat = prepared(&served, json!({"statements": statements})).await;
    let said = asked(&served, &chat, "what stands  OUT").await;
    let evidence = &said["reference"]["SQL_RESULT"];
    assert_eq!(evidence["rows"], json!([["item10", 10], ["item9", 9]]), "{said}");
    let names: Vec<&Value> =
        evidence["columns"].as_array().expect("columns").iter().map(|column| &column["name"]).collect();
    assert_eq!((names, &evidence["asked"]), (vec![&json!("name_kwd"), &json!("price_long")], &json!(statement)));
    assert!(text(&evidence["statement"]).contains("kb_id"), "the statement that was run is limited: {evidence}");
    assert_eq!(said["reference"]["chunks"].as_array().map(Vec::len), Some(2));
    let refused = asked(&served, &chat, "坏的？").await;
    assert!(text(&refused["answer"]).starts_with("为这个问题设定的 SQL 语句被拒绝了"), "{refused}");
    assert!(refused["reference"].get("SQL_RESULT").is_none(), "{refused}");
    let counted = asked(&served, &chat, "How many rows are there?").await;
    assert_eq!(counted["reference"]["SQL_RESULT"]["rows"], json!([[10]]), "other questions go their way: {counted}");
    set(&served, &chat, json!({"allowed": false})).await;
    for question in ["What stands out?", "How many rows are there?"] {
        let said = asked(&served, &chat, question).await;
        assert!(said["reference"].get("SQL_RESULT").is_none(), "{said}");
    }
    let listed = served.get("/chats").await;
    let shown = &listed["data"][0]["sql"];
    assert_eq!((&shown["allowed"], &shown["statements"]), (&json!(false), &statements), "what is not sent stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_can_not_be_used_are_told() {
    let mut config = Config::default();
    (config.serve.max_repairs, config.serve.max_statements) = (2, 1);
    let served = Served::with(config).await;
    let chat = prepared(&served, Value::Null).await;
    let one = json!({"question": "q", "sql": "SELECT 1"});
    for (sql, told) in [
        (json!({"mode": "magic"}), "unknown variant `magic`"),
        (json!({"modes": "sql"}), "unknown field `modes`"),
        (json!({"allowed": 1}), "invalid type"),
        (json!("sql"), "`sql` should be an object"),
        (json!({"repairs": 3}), "serve.max_repairs"),
        (json!({"repairs": -1}), "invalid value"),
        (json!({"statements": [one, one]}), "serve.max_statements"),
        (json!({"statements": [{"question": " ", "sql": "SELECT 1"}]}), "each of `statements`"),
        (json!({"statements": [{"question": "q"}]}), "missing field `sql`"),
    ] {
        let answer = set(&served, &chat, sql.clone()).await;
        assert!(answer["code"] == 102 && text(&answer["message"]).contains(told), "{sql} {answer}");
    }
    assert_eq!(set(&served, &chat, json!({"mode": "sql", "repairs": 2, "statements": [one]})).await["code"], 0);
    set(&served, &chat, Value::Null).await;
    let defaults = json!({"allowed": true, "mode": "auto", "repairs": null, "statements": []});
    assert_eq!(served.get("/chats").await["data"][0]["sql"], defaults);
}

#[tokio::test(flavor = "multi_thread")]
async fn mode_and_repairs_hold_for_the_chat() {
    let bad = || Reply::say("SELECT no_such FROM items");
    let (worse, good) = ("SELECT no_such_too FROM items", "SELECT SUM(price_long) FROM items");
    let replies = vec![bad(), Reply::say(worse), Reply::say(good), bad(), Reply::say("It costs 7 [ID:0].")];
    let model = Replay::start(replies);
    let config = Config { llm: model.config(), ..Config::default() };
    let served = Served::with(config).await;
    let chat = prepared(&served, json!({"mode": "sql", "repairs": 2})).await;
    let question = "zzz qqq of the stuff";
    let said = asked(&served, &chat, question).await;
    assert_eq!(said["reference"]["SQL_RESULT"]["rows"], json!([[55]]), "{said}");
    assert_eq!(model.calls().len(), 3);
    set(&served, &chat, json!({"repairs": 0})).await;
    let said = asked(&served, &chat, question).await;
    assert_eq!((model.calls().len(), &said["reference"]["total"]), (4, &json!(0)), "SQL or nothing: {said}");
    set(&served, &chat, json!({"mode": "search"})).await;
    let said = asked(&served, &chat, "item7").await;
    assert!(said["reference"].get("SQL_RESULT").is_none() && text(&said["answer"]).starts_with("It costs 7"), "{said}");
    assert!(text(&said["reference"]["chunks"][0]["content"]).contains("item7"), "{said}");
    assert_eq!(model.calls().len(), 5, "no statement is written for search");
}
