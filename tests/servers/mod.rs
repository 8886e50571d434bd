//! The same answers on real servers: everything here runs on each node that `tests/nodes/nodes.sh` has started, beside the
//! embedded engine.

mod contract;
mod doctor;
mod faults;
mod isolation;
mod limits;
mod proxy;
mod questions;

use std::path::Path;
use std::process::Command;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use serde_json::{Value, json};
use sheetwise::app::{App, Session};
use sheetwise::ask::{Answer, Mode, Outcome};
use sheetwise::config::{Config, EngineConfig};
use sheetwise::ids::Id;
use sheetwise::ingest::Upload;
use sheetwise::sheet::ReadOptions;

use crate::binary::root;

/// Held while a node is used; only [`alone`] breaks one.
static NODES: RwLock<()> = RwLock::new(());

/// Beside other tests that leave the nodes whole.
pub fn shared() -> RwLockReadGuard<'static, ()> {
    NODES.read().unwrap_or_else(PoisonError::into_inner)
}

/// With no other test on any node.
pub fn alone() -> RwLockWriteGuard<'static, ()> {
    NODES.write().unwrap_or_else(PoisonError::into_inner)
}

/// A server that runs.
#[derive(Debug, Clone)]
pub struct Node {
    pub name: String,
    pub address: String,
}

/// The nodes that run. None is said plainly, and is a failure where `SHEETWISE_NODES` is `required`.
pub fn nodes() -> Vec<Node> {
    let listed = Command::new("bash").arg(root().join("tests/nodes/nodes.sh")).arg("list").output();
    let text = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let node = |line: &str| {
        let (name, address) = line.split_once('=')?;
        Some(Node { name: name.to_owned(), address: address.to_owned() })
    };
    let nodes: Vec<Node> = text.lines().filter_map(node).collect();
    let required = std::env::var("SHEETWISE_NODES").is_ok_and(|value| value == "required");
    for product in ["elasticsearch", "opensearch"] {
        if !nodes.iter().any(|node| node.name.starts_with(product)) {
            assert!(!required, "no {product} runs; tests/nodes/nodes.sh up starts it");
            println!("left out: no {product} runs; tests/nodes/nodes.sh up starts it, with a JDK and Maven");
        }
    }
    nodes
}

/// An application on a folder of its own.
pub struct Place {
    pub app: App,
    pub folder: tempfile::TempDir,
}

impl Place {
    pub async fn embedded() -> Self {
        Self::with(Config::default()).await
    }

    pub async fn on(node: &Node) -> Self {
        Self::with(Config { engine: engine(&node.address), ..Config::default() }).await
    }

    pub async fn with(config: Config) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let app = App::open(&folder.path().join("data"), config).await.expect("an application");
        Self { app, folder }
    }

    /// A knowledge base of these files.
    pub async fn kb(&self, name: &str, files: &[String]) -> Session {
        self.app.create_kb(name).await.expect("a knowledge base");
        let upload = |file: &String| Upload::file(Path::new(file), ReadOptions::default());
        let report = self.app.add(name, files.iter().map(upload).collect()).await.expect("a report");
        assert!(report.files.iter().all(|file| file.error.is_none()), "{:?}", report.files);
        self.app.session(&[name.to_owned()]).await.expect("a session")
    }

    pub async fn ask(&self, session: &Session, question: &str) -> Value {
        match self.app.ask(session, question, Mode::Auto).await {
            Ok(answer) => seen(&answer),
            Err(error) => json!({ "error": error.to_string() }),
        }
    }

    pub async fn sql(&self, session: &Session, statement: &str) -> Value {
        match self.app.sql(session, statement).await {
            Ok(Outcome::Answered(answer)) => seen(&answer),
            Ok(Outcome::Refused(refusal)) => json!({ "refusal": refusal }),
            Err(error) => json!({ "error": error.to_string() }),
        }
    }

    /// Removes what it put on a server.
    pub async fn close(self) {
        for kb in self.app.kbs().await.expect("the knowledge bases") {
            self.app.remove(&kb.name, None).await.expect("removed");
        }
    }
}

/// The settings for a node, with indexes that no other test has.
pub fn engine(address: &str) -> EngineConfig {
    EngineConfig { url: address.to_owned(), index_prefix: format!("test-{}-", Id::new()), ..EngineConfig::default() }
}

/// All of an answer but ids, which are new in each folder.
pub fn seen(answer: &Answer) -> Value {
    let chunks = answer.reference.chunks.iter();
    let cited: Vec<_> = chunks.map(|chunk| json!([chunk.docnm_kwd, chunk.sheet, chunk.row, chunk.content])).collect();
    let documents: Vec<_> = answer.reference.doc_aggs.iter().map(|doc| json!([doc.doc_name, doc.count])).collect();
    json!({
        "path": answer.path, "answer": answer.answer, "columns": answer.columns, "rows": answer.rows,
        "total": answer.total, "notes": answer.notes, "refusal": answer.refusal,
        "cited": cited, "documents": documents, "all": answer.reference.total,
    })
}

/// The JSON answer of a node to a request of a test's own.
pub fn curl(arguments: &[&str]) -> Value {
    let output = Command::new("curl").args(["-s", "-H", "content-type: application/json"]).args(arguments).output();
    serde_json::from_slice(&output.expect("curl runs").stdout).unwrap_or_default()
}
