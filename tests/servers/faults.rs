//! What breaks on a real node: nothing that is ready is lost, no row is there twice, the state is clear, and it goes on by itself.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use sheetwise::config::{Config, EngineConfig};
use sheetwise::ingest::{IngestReport, Upload};
use sheetwise::sheet::ReadOptions;
use tokio::runtime::Runtime;

use super::proxy::{Fault, proxy};
use super::{Node, Place, alone, curl, engine, nodes, shared};
use crate::binary::root;

const ROWS: usize = 6_000;

/// The first node of each product.
fn one_of_each() -> Vec<Node> {
    let mut nodes = nodes();
    let product = |node: &Node| node.name.split('-').next().unwrap_or_default().to_owned();
    nodes.dedup_by_key(|node| product(node));
    nodes
}

/// Settings with many small bulk requests.
fn small_bulks(address: &str) -> Config {
    Config { engine: EngineConfig { bulk_bytes: 64 << 10, ..engine(address) }, ..Config::default() }
}

/// Does something to a node.
fn nodes_sh(action: &str, node: &Node) {
    let done = Command::new("bash").arg(root().join("tests/nodes/nodes.sh")).args([action, &node.name]).output();
    let output = done.expect("nodes.sh runs");
    assert!(output.status.success(), "{action}: {}", String::from_utf8_lossy(&output.stderr));
}

fn upload(place: &Place, name: &str, first: usize) -> Upload {
    let mut text = String::from("name,n\n");
    for n in first..first + ROWS {
        writeln!(text, "row {n},{n}").expect("written");
    }
    let path = place.folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    Upload::file(&path, ReadOptions::default())
}

async fn add(place: &Place, upload: Upload) -> Result<IngestReport, String> {
    place.app.add("k", vec![upload]).await.map_err(|error| error.to_string())
}

/// Rows, the sum of their numbers, and distinct numbers.
async fn totals(place: &Place) -> Value {
    let session = place.app.session(&["k".to_owned()]).await.expect("a session");
    place.sql(&session, "SELECT COUNT(*), SUM(n), COUNT(DISTINCT n) FROM t").await["rows"].clone()
}

/// What [`totals`] gives for so many numbers from 0 on.
fn wanted(rows: usize) -> Value {
    serde_json::json!([[rows, rows * (rows - 1) / 2, rows]])
}

#[test]
fn busy_answers_and_cut_connections_lose_and_repeat_no_row() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    for node in one_of_each() {
        for fault in [Fault::Busy, Fault::CutBefore, Fault::CutAfter] {
            let proxy = proxy(&node.address, fault, 4);
            runtime.block_on(async {
                let place = Place::with(small_bulks(&proxy.address)).await;
                place.app.create_kb("k").await.expect("a knowledge base");
                let file = upload(&place, "t.csv", 0);
                add(&place, file).await.expect("a report");
                assert_eq!(totals(&place).await, wanted(ROWS), "{} {fault:?}", node.name);
                place.close().await;
            });
            let met = proxy.met.load(std::sync::atomic::Ordering::SeqCst);
            assert!(met >= 4, "{} {fault:?}: {met} bulk requests met it", node.name);
        }
    }
}

#[test]
fn a_full_disk_is_waited_for_and_then_said() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    for node in one_of_each() {
        runtime.block_on(async {
            let mut config = small_bulks(&node.address);
            config.engine.patience_seconds = 4;
            let place = Place::with(config.clone()).await;
            place.app.create_kb("k").await.expect("a knowledge base");
            let file = upload(&place, "t.csv", 0);
            add(&place, file).await.expect("a report");
            let settings = format!("{}/{}*/_settings", node.address, config.engine.index_prefix);
            let block = |value: &str| {
                let body = format!(r#"{{"index.blocks.read_only_allow_delete":{value}}}"#);
                assert_eq!(curl(&["-X", "PUT", &settings, "-d", &body])["acknowledged"], true);
            };
            block("true");
            let file = upload(&place, "u.csv", ROWS);
            let error = add(&place, file).await.err().unwrap_or_default();
            assert!(error.contains("not available") || error.contains("403"), "{}: {error}", node.name);
            assert_eq!(totals(&place).await, wanted(ROWS), "{}: what was ready answers", node.name);
            block("null");
            let file = upload(&place, "u.csv", ROWS);
            add(&place, file).await.expect("a report");
            assert_eq!(totals(&place).await, wanted(2 * ROWS), "{}", node.name);
            place.close().await;
        });
    }
}

#[test]
fn rows_lost_on_the_server_are_an_error_and_no_answer() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    for node in one_of_each() {
        runtime.block_on(async {
            let config = small_bulks(&node.address);
            let place = Place::with(config.clone()).await;
            place.app.create_kb("k").await.expect("a knowledge base");
            let file = upload(&place, "t.csv", 0);
            add(&place, file).await.expect("a report");
            let path = format!("{}/{}*/_delete_by_query?refresh=true", node.address, config.engine.index_prefix);
            let gone = curl(&["-X", "POST", &path, "-d", r#"{"query":{"range":{"n_long":{"lt":5}}}}"#]);
            assert_eq!(gone["deleted"], 5, "{gone}");
            let session = place.app.session(&["k".to_owned()]).await.expect("a session");
            let outcome = place.sql(&session, "SELECT COUNT(*) FROM t").await;
            let error = outcome["error"].as_str().unwrap_or_default();
            assert!(error.contains("5995 of the 6000 rows"), "{}: {outcome}", node.name);
            place.close().await;
        });
    }
}

#[test]
fn a_node_that_stops_and_one_that_dies_lose_nothing_that_was_ready() {
    let _alone = alone();
    let runtime = Runtime::new().expect("a runtime");
    for node in one_of_each() {
        runtime.block_on(async {
            let mut config = small_bulks(&node.address);
            config.engine.patience_seconds = 240;
            let place = Place::with(config).await;
            place.app.create_kb("k").await.expect("a knowledge base");
            let file = upload(&place, "t.csv", 0);
            let (loaded, ()) = tokio::join!(add(&place, file), during(&node, &["pause", "resume"]));
            loaded.expect("a report");
            assert_eq!(totals(&place).await, wanted(ROWS), "{}: stopped and continued", node.name);
            let file = upload(&place, "u.csv", ROWS);
            let (loaded, ()) = tokio::join!(add(&place, file), during(&node, &["crash", "restart"]));
            loaded.expect("a report");
            assert_eq!(totals(&place).await, wanted(2 * ROWS), "{}: killed and started again", node.name);
            place.close().await;
        });
    }
}

/// Breaks the node soon after a load began, and mends it a few seconds later.
async fn during(node: &Node, actions: &[&'static str; 2]) {
    let (node, [fault, repair]) = (node.clone(), *actions);
    let work = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(400));
        nodes_sh(fault, &node);
        std::thread::sleep(Duration::from_secs(3));
        nodes_sh(repair, &node);
    });
    work.await.expect("the node is mended");
}
