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

/// The answer to a body; `None` where the process was killed before it came whole.
async fn tried(process: &Process, method: &str, path: &str, body: Value) -> Option<Value> {
    process.request(method, path).json(&body).send().await.ok()?.json().await.ok()
}

/// Uploads, parses, reads anew, deletes and asks until the process is killed under it.
async fn busy(process: &Process, dataset: &str, chat: Option<&str>, round: u32) {
    let documents = format!("/datasets/{dataset}/documents");
    let mut earlier = Value::Null;
    for n in 0.. {
        let form = Form::default().file(&format!("r{round}-{n}.csv"), &prices(1_000 + n));
        let Ok(uploaded) = form.on(process.request("POST", &documents)).send().await else { return };
        let Ok(uploaded) = uploaded.json::<Value>().await else { return };
        let id = uploaded["data"][0]["id"].clone();
        let named = json!({"document_ids": [id], "ids": [id]});
        let chunks = format!("/datasets/{dataset}/chunks");
        let mut steps = vec![("POST", chunks.clone(), named.clone())];
        match (n % 3, earlier.as_str()) {
            (0, _) => steps.push(("DELETE", documents.clone(), named)),
            (1, _) => earlier = id,
            (_, None) => {}
            // One that may be read already, or is just being read, is read anew in another way.
            (_, Some(id)) => {
                steps.push(("PUT", format!("{documents}/{id}"), json!({"parser_config": {"keep_totals": true}})));
                steps.push(("POST", chunks, json!({"document_ids": [id]})));
            }
        }
        if let Some(chat) = chat {
            let said = tried(process, "POST", &format!("/chats/{chat}/completions"), json!({"stream": false})).await;
            let Some(said) = said else { return };
            let body = json!({"question": "how many rows?", "session_id": said["data"]["session_id"], "stream": false});
            steps.push(("POST", format!("/chats/{chat}/completions"), body));
        }
        for (method, path, body) in steps {
            if tried(process, method, &path, body).await.is_none() {
                return;
            }
        }
    }
}

/// What was said is there with its answer, or not at all.
async fn is_said_whole(process: &Process, chat: &str) {
    let sessions = process.call("GET", &format!("/chats/{chat}/sessions?page_size=10000"), json!({})).await;
    for session in sessions["data"].as_array().expect("sessions") {
        let messages = session["messages"].as_array().expect("messages");
        let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
        let turns = roles.strip_prefix(&["assistant"]).expect("the first words");
        assert!(turns.chunks(2).all(|turn| turn == ["user", "assistant"]), "{session}");
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

/// A number from the environment.
fn set(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Moments within each round, in milliseconds, that only the seed decides.
fn moments(mut seed: u64) -> impl Iterator<Item = u64> {
    std::iter::repeat_with(move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        50 + (seed >> 33) % 700
    })
}

/// `SHEETWISE_KILLS=50 SHEETWISE_SEED=7` kills more often, at other moments.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_service_goes_on_where_it_was() {
    let (kills, seed) = (set("SHEETWISE_KILLS", 20), set("SHEETWISE_SEED", 1));
    eprintln!("{kills} kills, seed {seed}");
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(folder.path());
    let made = process.call("POST", "/datasets", json!({"name": "d", "chunk_method": "table"})).await;
    let dataset = text(&made["data"]["id"]);
    let mut chat: Option<String> = None;
    for (round, moment) in (0..kills as u32).zip(moments(seed)) {
        let work = busy(&process, &dataset, chat.as_deref(), round);
        let _ = tokio::time::timeout(Duration::from_millis(moment), work).await;
        process.kill();
        process = Process::start(folder.path());
        if round % 5 == 4 || u64::from(round) + 1 == kills {
            is_whole(&process, &dataset).await;
        }
        match &chat {
            Some(chat) => is_said_whole(&process, chat).await,
            // There is one from the first row on.
            None => {
                let made = process.call("POST", "/chats", json!({"name": "c", "dataset_ids": [dataset]})).await;
                chat = made["data"]["id"].as_str().map(str::to_owned);
            }
        }
    }
    assert!(chat.is_some(), "no document was ever read");
}
