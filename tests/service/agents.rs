//! `/mcp` as an agent calls it: what its key may see and do, uploads by content, tables as resources.

use serde_json::{Value, json};
use sheetwise::config::Config;

use super::doors::key;
use super::{Served, prices, sent, text};

/// The result of a method, or its error.
async fn method(served: &Served, method: &str, params: Value) -> Result<Value, Value> {
    let request = served.client.post(format!("{}/mcp", served.base));
    let request = request.bearer_auth(served.key.as_deref().unwrap_or_default());
    let request = request.header("accept", "application/json, text/event-stream");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = sent(request.header("mcp-protocol-version", "2025-06-18").json(&body)).await;
    match answer.get("error") {
        Some(error) => Err(error.clone()),
        None => Ok(answer["result"].clone()),
    }
}

/// The structured result of a tool, or what it said was wrong.
async fn tool(served: &Served, name: &str, arguments: Value) -> Result<Value, String> {
    let result = method(served, "tools/call", json!({"name": name, "arguments": arguments})).await;
    let result = result.unwrap_or_else(|error| panic!("{name}: {error}"));
    match result["isError"] == json!(true) {
        true => Err(text(&result["content"][0]["text"])),
        false => Ok(result["structuredContent"].clone()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_uploads_a_text_and_reads_it_as_a_resource() {
    let mut served = Served::new().await;
    served.dataset("items").await;
    served.key = Some(key(&served, &["agent"]));
    let content = String::from_utf8(prices(7)).expect("a text");
    let file = json!({"dataset": "items", "name": "items.csv", "content": content});
    let uploaded = tool(&served, "upload_file", file.clone()).await.expect("it is taken");
    assert_eq!(
        (&uploaded["document"]["run"], &uploaded["document"]["rows"]),
        (&json!("DONE"), &json!(7)),
        "{uploaded}"
    );
    for (changed, told) in [
        (json!({"name": "items.xlsx"}), "send a workbook with"),
        (json!({"name": "../items.csv"}), "without folders"),
        (json!({"path": "/etc/passwd"}), "give `name` and `content`"),
        (json!({"content": ""}), "`content` is missing"),
        (json!({"dataset": "none"}), "list_datasets shows them"),
    ] {
        let mut file = file.clone();
        file.as_object_mut().expect("an object").extend(changed.as_object().expect("an object").clone());
        let refused = tool(&served, "upload_file", file).await.expect_err("it is refused");
        assert!(refused.contains(told), "{refused}");
    }
    let listed = method(&served, "resources/list", json!({})).await.expect("a list");
    let uri = text(&listed["resources"][0]["uri"]);
    assert_eq!(listed["resources"].as_array().map(Vec::len), Some(1), "{listed}");
    let read = method(&served, "resources/read", json!({"uri": uri})).await.expect("a table");
    let table: Value = serde_json::from_str(&text(&read["contents"][0]["text"])).expect("JSON");
    assert_eq!(
        (&table["table"]["rows"], &table["table"]["fields"][1]["name"]),
        (&json!(7), &json!("price_long")),
        "{table}"
    );
    assert_eq!(
        (table["rows"].as_array().map(Vec::len), &table["columns"][0]["label"]),
        (Some(5), &json!("name")),
        "{table}"
    );
    for uri in [format!("{uri}x"), "sheetwise://datasets/x/tables/y".to_owned(), "file:///etc/passwd".to_owned()] {
        method(&served, "resources/read", json!({"uri": uri})).await.expect_err("it is not there");
    }
    method(&served, "resources/list", json!({"cursor": "x"})).await.expect_err("no cursor");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_waits_so_long_for_its_parse() {
    let mut config = Config::default();
    config.serve.upload_wait_seconds = 0;
    let served = Served::with(config).await;
    let dataset = served.dataset("items").await;
    let content = String::from_utf8(prices(50_000)).expect("a text");
    let file = json!({"dataset": dataset, "name": "items.csv", "content": content});
    let document = tool(&served, "upload_file", file).await.expect("it is taken")["document"].clone();
    assert_eq!(document["run"], "RUNNING", "{document}");
    assert_eq!(served.ended(&dataset, &text(&document["id"])).await["chunk_count"], 50_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_sees_and_does_what_its_key_may() {
    let mut served = Served::new().await;
    let (open, secret) = (served.dataset("open").await, served.dataset("secret").await);
    served.parsed(&open, "open.csv", prices(3)).await;
    served.parsed(&secret, "secret.csv", prices(4)).await;
    let hidden = method(&served, "resources/list", json!({})).await.expect("a list");
    let hidden = hidden["resources"].as_array().expect("resources").iter().map(|one| text(&one["uri"]));
    let hidden = hidden.into_iter().find(|uri| uri.contains(&secret)).expect("the table");
    served.key = Some(key(&served, &["agent", "--dataset", "open", "--read-only"]));
    let listed = tool(&served, "list_datasets", json!({})).await.expect("a list");
    assert_eq!((&listed["total"], &listed["datasets"][0]["name"]), (&json!(1), &json!("open")));
    for dataset in ["secret", &secret] {
        for (name, more) in [("ask", json!({"question": "how many rows?"})), ("query", json!({"sql": "SELECT 1"}))] {
            let mut arguments = more;
            arguments["dataset"] = json!(dataset);
            assert!(tool(&served, name, arguments).await.expect_err("no such dataset").contains("list_datasets"));
        }
    }
    let listed = method(&served, "resources/list", json!({})).await.expect("a list");
    assert_eq!(listed["resources"].as_array().map(Vec::len), Some(1), "{listed}");
    method(&served, "resources/read", json!({"uri": hidden})).await.expect_err("it is not there");
    let file = json!({"dataset": "open", "name": "a.csv", "content": "a,b\n1,2\n"});
    assert!(tool(&served, "upload_file", file).await.expect_err("it may not").contains("may only read"));
}
