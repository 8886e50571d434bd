//! The real command, killed at any moment: what was ready is whole, nothing is half there, parses go on.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Form, client, prices, sent, text};
use crate::binary::Run;

/// A service in a process of its own.
struct Process {
    child: Child,
    base: String,
    client: reqwest::Client,
}

impl Process {
    fn start(folder: &Path) -> Self {
        let mut child = Run::new(&["serve", "--listen", "127.0.0.1:0"]).data(folder).started();
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let base = line.trim().rsplit(' ').next().expect("an address").to_owned();
        assert!(base.starts_with("http://127.0.0.1:"), "{line}");
        Self { child, base, client: client() }
    }

    fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method.parse().expect("a method"), format!("{}/api/v1{path}", self.base))
    }

    async fn call(&self, method: &str, path: &str, body: Value) -> Value {
        sent(self.request(method, path).json(&body)).await
    }

    fn kill(mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Uploads, parses and deletes until the process is killed under it.
async fn busy(process: &Process, dataset: &str, round: u32) {
    for n in 0.. {
        let form = Form::default().file(&format!("r{round}-{n}.csv"), &prices(1_000 + n));
        let uploaded = form.on(process.request("POST", &format!("/datasets/{dataset}/documents"))).send().await;
        let Ok(Ok(uploaded)) =
            futures::future::OptionFuture::from(uploaded.ok().map(|r| r.json::<Value>())).await.ok_or(())
        else {
            return;
        };
        let id = uploaded["data"][0]["id"].clone();
        for (method, path) in [("POST", "chunks"), ("DELETE", "documents")] {
            if method == "DELETE" && n % 3 != 0 {
                continue;
            }
            let body = json!({"document_ids": [id], "ids": [id]});
            if process.request(method, &format!("/datasets/{dataset}/{path}")).json(&body).send().await.is_err() {
                return;
            }
        }
    }
}

/// When the queue is empty, each document that is done has all of its rows, and a statement sees just those.
async fn is_whole(process: &Process, dataset: &str) {
    let started = Instant::now();
    let documents = loop {
        let listed = process.call("GET", &format!("/datasets/{dataset}/documents?page_size=1000"), json!({})).await;
        let documents = listed["data"]["docs"].as_array().cloned().expect("documents");
        if documents.iter().all(|document| document["run"] != "RUNNING") {
            break documents;
        }
        assert!(started.elapsed() < Duration::from_secs(120), "the queue does not go on");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let mut rows = 0;
    for document in &documents {
        let n: u64 = text(&document["name"])
            .trim_end_matches(".csv")
            .rsplit('-')
            .next()
            .and_then(|n| n.parse().ok())
            .expect("a number");
        match document["run"].as_str() {
            Some("DONE") if document["chunk_count"] == 0 => {
                assert!(text(&document["progress_msg"]).contains("already as"), "{document}")
            }
            Some("DONE") => assert_eq!(document["chunk_count"], 1_000 + n, "{document}"),
            Some("UNSTART") => assert_eq!(document["chunk_count"], 0, "{document}"),
            run => panic!("{run:?} {document}"),
        }
        rows += document["chunk_count"].as_u64().unwrap_or(0);
    }
    if rows > 0 {
        let tables = process.call("GET", &format!("/datasets/{dataset}/tables"), json!({})).await;
        assert_eq!(tables["data"][0]["rows"], rows, "{tables}");
        let sql = format!("SELECT COUNT(*) FROM {}", text(&tables["data"][0]["name"]));
        let counted = process.call("POST", &format!("/datasets/{dataset}/sql"), json!({"sql": sql})).await;
        assert_eq!(counted["data"]["rows"], json!([[rows]]), "{counted}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_service_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(folder.path());
    let made = process.call("POST", "/datasets", json!({"name": "d", "chunk_method": "table"})).await;
    let dataset = text(&made["data"]["id"]);
    for round in 0..20_u32 {
        // Moments that differ from run to run.
        let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.subsec_nanos());
        let until = Duration::from_millis(u64::from(50 + moment % 700));
        let _ = tokio::time::timeout(until, busy(&process, &dataset, round)).await;
        process.kill();
        process = Process::start(folder.path());
        if round % 5 == 4 {
            is_whole(&process, &dataset).await;
        }
    }
}
