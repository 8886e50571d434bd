//! Documents of the same bytes: each row counts once, and one of them stands for the others as long as it answers.

use serde_json::{Value, json};

use super::{Served, prices, text};

/// A dataset with two documents of the same three rows, the first one read.
async fn twins(served: &Served) -> (String, String, String) {
    let dataset = served.dataset("d").await;
    let uploaded = served.upload(&dataset, &[("a.csv", prices(3)), ("b.csv", prices(3))]).await;
    let (a, b) = (text(&uploaded["data"][0]["id"]), text(&uploaded["data"][1]["id"]));
    served.parse(&dataset, &a).await;
    assert_eq!(served.ended(&dataset, &a).await["chunk_count"], 3);
    (dataset, a, b)
}

async fn parsed(served: &Served, dataset: &str, id: &str) -> Value {
    assert_eq!(served.parse(dataset, id).await["code"], 0);
    served.ended(dataset, id).await
}

async fn enable(served: &Served, dataset: &str, id: &str, enabled: bool) {
    let put = served.call("PUT", &format!("/datasets/{dataset}/documents/{id}"), json!({"enabled": enabled})).await;
    assert_eq!(put["code"], 0, "{put}");
}

/// Rows of the one table.
async fn rows(served: &Served, dataset: &str) -> Value {
    let tables = served.get(&format!("/datasets/{dataset}/tables")).await;
    let name = text(&tables["data"][0]["name"]);
    served.rows(dataset, &format!("SELECT COUNT(*) FROM {name}")).await[0][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_enabled_again_rests_on_the_one_read_meanwhile() {
    let served = Served::new().await;
    let (dataset, a, b) = twins(&served).await;
    enable(&served, &dataset, &a, false).await;
    assert_eq!(parsed(&served, &dataset, &b).await["chunk_count"], 3);
    enable(&served, &dataset, &a, true).await;
    assert_eq!(rows(&served, &dataset).await, 3);
    served.call("DELETE", &format!("/datasets/{dataset}/documents"), json!({"ids": [b]})).await;
    assert_eq!(served.ended(&dataset, &a).await["chunk_count"], 3);
    assert_eq!(rows(&served, &dataset).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_read_itself_when_the_one_it_rests_on_fails() {
    let served = Served::new().await;
    let (dataset, a, b) = twins(&served).await;
    assert_eq!(parsed(&served, &dataset, &b).await["chunk_count"], 0);
    std::fs::remove_file(served.folder().join("files").join(&a)).expect("its bytes");
    assert_eq!(parsed(&served, &dataset, &a).await["run"], "FAIL");
    let b = served.ended(&dataset, &b).await;
    assert_eq!((&b["run"], &b["chunk_count"]), (&json!("DONE"), &json!(3)), "{b}");
    assert_eq!(rows(&served, &dataset).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_were_stopped_do_not_answer_while_the_document_waits_again() {
    let served = Served::new().await;
    let (dataset, a, b) = twins(&served).await;
    let config = json!({"parser_config": {"keep_totals": true}});
    served.call("PUT", &format!("/datasets/{dataset}/documents/{a}"), config).await;
    assert_eq!(parsed(&served, &dataset, &b).await["chunk_count"], 3);
    let big = served.upload(&dataset, &[("big.csv", prices(200_000))]).await;
    served.parse(&dataset, &text(&big["data"][0]["id"])).await;
    served.parse(&dataset, &a).await;
    let waiting = served.document(&dataset, &a).await;
    assert_eq!((&waiting["run"], &waiting["chunk_count"]), (&json!("RUNNING"), &json!(0)), "{waiting}");
}
