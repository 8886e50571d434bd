//! The service over real HTTP, bound to loopback in this process.

mod agents;
mod asking;
mod bytes;
mod chat_sql;
mod chats;
mod datasets;
mod documents;
mod doors;
mod feedback;
mod keys;
mod killed;
mod queue;
mod texts;
mod twins;
mod walk;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sheetwise::config::Config;
use sheetwise::mcp;
use sheetwise::web::Server;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::binary::root;

/// A served folder, and a client with a key or none.
pub struct Served {
    pub base: String,
    pub client: reqwest::Client,
    pub key: Option<String>,
    stop: Option<oneshot::Sender<()>>,
    done: Option<JoinHandle<()>>,
    /// Holds the data folder.
    around: tempfile::TempDir,
    data: PathBuf,
}

impl Served {
    pub async fn new() -> Self {
        Self::with(Config::default()).await
    }

    pub async fn with(config: Config) -> Self {
        let around = tempfile::tempdir().expect("a folder");
        let data = around.path().join("data");
        Self::at(around, data, config).await
    }

    async fn at(around: tempfile::TempDir, data: PathBuf, config: Config) -> Self {
        let server = bind(&data, config).await.beside(mcp::routes);
        let base = format!("http://{}", server.address().expect("an address"));
        let (stop, stopped) = oneshot::channel::<()>();
        let run = server.run(async move { drop(stopped.await) });
        let done = tokio::spawn(async move { run.await.expect("it serves") });
        Self { base, client: client(), key: None, stop: Some(stop), done: Some(done), around, data }
    }

    /// Stops it, moves its folder and serves that.
    pub async fn moved(mut self) -> Self {
        self.stop().await;
        let to = self.around.path().join("moved");
        std::fs::rename(&self.data, &to).expect("it is moved");
        Self::at(self.around, to, Config::default()).await
    }

    pub fn folder(&self) -> &Path {
        &self.data
    }

    /// Stops it as a signal does.
    pub async fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(done) = self.done.take() {
            done.await.expect("it ends");
        }
    }

    /// A request to a path under `/api/v1`.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = method.parse().expect("a method");
        let request = self.client.request(method, format!("{}/api/v1{path}", self.base));
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    /// The JSON answer to a body.
    pub async fn call(&self, method: &str, path: &str, body: Value) -> Value {
        sent(self.request(method, path).json(&body)).await
    }

    pub async fn get(&self, path: &str) -> Value {
        sent(self.request("GET", path)).await
    }

    /// A dataset of this name; its id.
    pub async fn dataset(&self, name: &str) -> String {
        let made = self.call("POST", "/datasets", json!({"name": name, "chunk_method": "table"})).await;
        text(&made["data"]["id"])
    }

    /// Uploads files as one request.
    pub async fn upload(&self, dataset: &str, files: &[(&str, Vec<u8>)]) -> Value {
        let form = files.iter().fold(Form::default(), |form, (name, bytes)| form.file(name, bytes));
        sent(form.on(self.request("POST", &format!("/datasets/{dataset}/documents")))).await
    }

    /// Uploads a file and waits until it is parsed; its id.
    pub async fn parsed(&self, dataset: &str, name: &str, bytes: Vec<u8>) -> String {
        let uploaded = self.upload(dataset, &[(name, bytes)]).await;
        let id = text(&uploaded["data"][0]["id"]);
        assert_eq!(self.parse(dataset, &id).await["code"], 0);
        let document = self.ended(dataset, &id).await;
        assert_eq!(document["run"], "DONE", "{document}");
        id
    }

    pub async fn parse(&self, dataset: &str, id: &str) -> Value {
        self.call("POST", &format!("/datasets/{dataset}/chunks"), json!({"document_ids": [id]})).await
    }

    pub async fn document(&self, dataset: &str, id: &str) -> Value {
        self.get(&format!("/datasets/{dataset}/documents?id={id}")).await["data"]["docs"][0].clone()
    }

    /// The document when its parse has ended.
    pub async fn ended(&self, dataset: &str, id: &str) -> Value {
        let started = Instant::now();
        loop {
            let document = self.document(dataset, id).await;
            if document["run"] != "RUNNING" {
                return document;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "{document}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The rows of a statement.
    pub async fn rows(&self, dataset: &str, sql: &str) -> Value {
        let answer = self.call("POST", &format!("/datasets/{dataset}/sql"), json!({"sql": sql})).await;
        assert_eq!(answer["code"], 0, "{answer}");
        answer["data"]["rows"].clone()
    }
}

pub async fn bind(folder: &Path, config: Config) -> Server {
    let address = "127.0.0.1:0".parse().expect("an address");
    Server::bind(address, folder, config).await.expect("it starts")
}

pub fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().expect("a client")
}

/// The JSON answer.
pub async fn sent(request: reqwest::RequestBuilder) -> Value {
    let response = request.send().await.expect("an answer");
    let status = response.status();
    let text = response.text().await.expect("a text");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{status} {error}: {text}"))
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

pub fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join("fixtures").join(name)).expect("a fixture")
}

/// Items with their number as price.
pub fn prices(rows: u32) -> Vec<u8> {
    let rows: String = (1..=rows).map(|n| format!("item{n},{n}\n")).collect();
    format!("name,price\n{rows}").into_bytes()
}

/// A multipart body.
#[derive(Default)]
pub struct Form {
    body: Vec<u8>,
}

const BOUNDARY: &str = "sheetwise-test-boundary";

impl Form {
    pub fn part(mut self, disposition: &str, bytes: &[u8]) -> Self {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n");
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(bytes);
        self.body.extend_from_slice(b"\r\n");
        self
    }

    pub fn file(self, name: &str, bytes: &[u8]) -> Self {
        self.part(&format!("name=\"file\"; filename=\"{name}\""), bytes)
    }

    pub fn on(mut self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        self.body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        self.broken_on(request)
    }

    /// Without its end.
    pub fn broken_on(self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}")).body(self.body)
    }
}
