//! The bytes of documents: kept while a document names them, removed with it, found in a folder that was moved.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Form, Served, prices, text};
use crate::binary::Run;

/// Files that were received.
fn stored(served: &Served) -> usize {
    std::fs::read_dir(served.folder().join("files")).map_or(0, Iterator::count)
}

async fn documents(served: &Served, dataset: &str) -> Vec<Value> {
    let listed = served.get(&format!("/datasets/{dataset}/documents?page_size=1000")).await;
    listed["data"]["docs"].as_array().cloned().expect("documents")
}

async fn download(served: &Served, dataset: &str, id: &str) -> Vec<u8> {
    let response = served.request("GET", &format!("/datasets/{dataset}/documents/{id}")).send().await;
    response.and_then(reqwest::Response::error_for_status).expect("a file").bytes().await.expect("bytes").to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_who_hangs_up_leaves_documents_with_their_bytes_or_none() {
    const FILES: u32 = 250;
    let served = Served::new().await;
    for round in 0..3 {
        let dataset = served.dataset(&format!("d{round}")).await;
        let form = (0..FILES).fold(Form::default(), |form, n| form.file(&format!("{n}.csv"), &prices(n + 1)));
        let sent = form.on(served.request("POST", &format!("/datasets/{dataset}/documents"))).send();
        let named = async {
            while served.get(&format!("/datasets/{dataset}/documents?page_size=1")).await["data"]["total"] == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! { _ = sent => {}, () = named => {} }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let documents = documents(&served, &dataset).await;
        assert_eq!(documents.len(), FILES as usize);
        let there = |id: &Value| served.folder().join("files").join(text(id)).is_file();
        let lost = documents.iter().filter(|document| !there(&document["id"])).count();
        assert_eq!(lost, 0, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_moved_keeps_its_files() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let parsed = served.parsed(&dataset, "a.csv", prices(3)).await;
    let waiting = text(&served.upload(&dataset, &[("b.csv", prices(4))]).await["data"][0]["id"]);
    let by_command = served.folder().with_file_name("c.csv");
    std::fs::write(&by_command, prices(5)).expect("a file");
    let added = Run::of(["kb".as_ref(), "add".as_ref(), "d".as_ref(), by_command.as_os_str()]);
    assert_eq!(added.data(served.folder()).ran().code, 0);
    let served = served.moved().await;
    let ids: Vec<String> = documents(&served, &dataset).await.iter().map(|document| text(&document["id"])).collect();
    assert_eq!((ids.len(), stored(&served)), (3, 2));
    assert_eq!(download(&served, &dataset, &parsed).await, prices(3));
    assert_eq!(download(&served, &dataset, &waiting).await, prices(4));
    for id in &ids {
        assert_eq!(served.parse(&dataset, id).await["code"], 0);
        assert_eq!(served.ended(&dataset, id).await["run"], "DONE", "{id}");
    }
    assert_eq!(served.rows(&dataset, "SELECT COUNT(*) FROM a").await, json!([[12]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_documents_leave_no_bytes_though_parses_wait() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let names: Vec<String> = (0..25).map(|n| format!("{n}.csv")).collect();
    let files: Vec<(&str, Vec<u8>)> = names.iter().zip(1..).map(|(name, n)| (name.as_str(), prices(n))).collect();
    let uploaded = served.upload(&dataset, &files).await;
    let ids: Vec<&Value> = uploaded["data"].as_array().into_iter().flatten().map(|document| &document["id"]).collect();
    let more = served.upload(&dataset, &[("big.csv", prices(200_000)), ("small.csv", prices(99))]).await;
    let (big, small) = (text(&more["data"][0]["id"]), text(&more["data"][1]["id"]));
    served.call("POST", &format!("/datasets/{dataset}/chunks"), json!({"document_ids": [big, small]})).await;
    served.call("DELETE", &format!("/datasets/{dataset}/documents"), json!({"ids": ids})).await;
    for id in [&big, &small] {
        assert_eq!(served.ended(&dataset, id).await["run"], "DONE");
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(stored(&served), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_command_line_set_outlives_a_change_over_http() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let id = served.parsed(&dataset, "a.csv", b"first,second\nname,price\nx,1\ny,2\n".to_vec()).await;
    let set = Run::new(&["kb", "set", "d", "a.csv", "--header-rows", "2"]).data(served.folder()).ran();
    assert_eq!(set.code, 0, "{set:?}");
    let tables = async || served.get(&format!("/datasets/{dataset}/tables")).await["data"].clone();
    let labels = |tables: &Value| {
        let fields = tables[0]["fields"].as_array().into_iter().flatten();
        fields.map(|field| text(&field["label"])).collect::<Vec<_>>()
    };
    let before = tables().await;
    assert_eq!((labels(&before), &before[0]["rows"]), (vec!["name".into(), "price".into()], &json!(2)), "{before}");
    let path = format!("/datasets/{dataset}/documents/{id}");
    for change in [json!({"enabled": true}), json!({"meta_fields": {"year": 2024}}), json!({"name": "b.csv"})] {
        assert_eq!(served.call("PUT", &path, change).await["code"], 0);
    }
    served.parse(&dataset, &id).await;
    assert_eq!(served.ended(&dataset, &id).await["run"], "DONE");
    let after = tables().await;
    assert_eq!((labels(&after), &after[0]["rows"]), (labels(&before), &before[0]["rows"]), "{after}");
}
