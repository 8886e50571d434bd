//! The engine's limits at work: small pages, few cells kept, few fields allowed.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use sheetwise::app::App;
use sheetwise::config::{Config, EmbeddedLimits, EngineConfig};
use sheetwise::ingest::Upload;
use sheetwise::sheet::ReadOptions;
use tokio::runtime::Runtime;

use super::{Place, engine, nodes, shared};
use crate::binary::fixture;

/// Statements that read pages of rows, keys and cells.
const STATEMENTS: [&str; 12] = [
    "SELECT id FROM deals WHERE qty * 2 > 9 ORDER BY id",
    "SELECT id, name, amount, day FROM deals ORDER BY id",
    "SELECT COUNT(*) FROM deals WHERE MATCH(name, 'red', 'operator=AND') OR qty * 2 > 30",
    "SELECT id FROM deals WHERE NOT (MATCH(city, 'oslo', 'operator=AND') OR qty * 2 > 30) ORDER BY id",
    "SELECT id FROM deals WHERE city = 'OSLO' ORDER BY id",
    "SELECT COUNT(*) FROM deals WHERE name = 'red  CAR'",
    "SELECT COUNT(*) FROM deals WHERE name = 'no such cell at all'",
    "SELECT id FROM deals WHERE name = 'no such cell' ORDER BY id",
    "SELECT id FROM deals WHERE name LIKE '%CAR%' ORDER BY id",
    "SELECT id FROM deals WHERE name = '行政 管理' ORDER BY id",
    "SELECT DISTINCT name FROM deals WHERE qty > 3 ORDER BY name",
    "SELECT id FROM deals ORDER BY day DESC, id LIMIT 20",
];

async fn outcomes(place: &Place) -> Vec<Value> {
    let session = place.kb("k", &[fixture("contract/deals.csv")]).await;
    let mut outcomes = Vec::new();
    for statement in STATEMENTS {
        outcomes.push(place.sql(&session, statement).await);
    }
    outcomes
}

#[test]
fn small_pages_and_few_cells_kept_change_no_answer() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    let embedded = EmbeddedLimits { max_distinct: 3, ..EmbeddedLimits::default() };
    let wanted =
        runtime.block_on(async { outcomes(&Place::with(Config { embedded, ..Config::default() }).await).await });
    for node in nodes() {
        let engine = EngineConfig { page_rows: 7, max_distinct: 3, ..engine(&node.address) };
        runtime.block_on(async {
            let place = Place::with(Config { engine, ..Config::default() }).await;
            for ((statement, wanted), given) in STATEMENTS.iter().zip(&wanted).zip(outcomes(&place).await) {
                let hints = |outcome: &Value| outcome["notes"].to_string().contains("nearest");
                // Which of many cells are kept, and so which are called nearest, is by chance.
                if hints(wanted) || wanted["refusal"].is_object() {
                    assert_eq!(wanted["rows"], given["rows"], "{}: {statement}", node.name);
                } else {
                    assert_eq!(wanted, &given, "{}: {statement}", node.name);
                }
            }
            place.close().await;
        });
    }
}

#[test]
fn a_knowledge_base_with_too_many_fields_is_refused_and_nothing_is_live() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    for node in nodes() {
        let engine = EngineConfig { max_fields: 25, ..engine(&node.address) };
        runtime.block_on(async {
            let place = Place::with(Config { engine, ..Config::default() }).await;
            place.app.create_kb("k").await.expect("a knowledge base");
            let upload = Upload::file(Path::new(&fixture("contract/deals.csv")), ReadOptions::default());
            let error = place.app.add("k", vec![upload]).await.err().map(|error| error.to_string());
            assert!(error.as_ref().is_some_and(|error| error.contains("stored fields")), "{}: {error:?}", node.name);
            let kbs = place.app.kbs().await.expect("the knowledge bases");
            assert_eq!((kbs[0].files, kbs[0].rows), (0, 0), "{}", node.name);
            place.close().await;
        });
    }
}

#[test]
fn no_server_is_said_with_what_to_check() {
    let runtime = Runtime::new().expect("a runtime");
    let engine = EngineConfig { patience_seconds: 0, ..engine("http://user:geheim@127.0.0.1:9") };
    runtime.block_on(async {
        let place = Place::with(Config { engine, ..Config::default() }).await;
        let error = place.app.health().await.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("127.0.0.1:9") && error.contains("engine.url"), "{error}");
        assert!(!error.contains("geheim"), "{error}");
    });
}

/// What a server hears of an engine with these settings, and what is said of its 401.
fn heard(settings: EngineConfig) -> (String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let server = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a request");
        let mut head = [0; 4096];
        let n = client.read(&mut head).expect("its head");
        let body = r#"{"error":{"type":"security_exception","reason":"geheim"},"status":401}"#;
        let answer = format!("HTTP/1.1 401 Unauthorized\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        client.write_all(answer.as_bytes()).expect("answered");
        String::from_utf8_lossy(&head[..n]).to_lowercase()
    });
    let engine = EngineConfig { url: address, ..settings };
    let runtime = Runtime::new().expect("a runtime");
    let error = runtime.block_on(async {
        let place = Place::with(Config { engine, ..Config::default() }).await;
        place.app.health().await.err().map(|error| error.to_string()).unwrap_or_default()
    });
    (server.join().expect("a head"), error)
}

#[test]
fn a_secret_goes_in_one_header_and_is_in_no_message() {
    let by_user = EngineConfig { user: "u".into(), password: "geheim".into(), ..EngineConfig::default() };
    let by_key = EngineConfig { api_key: "geheim==".into(), ..by_user.clone() };
    for (settings, header) in
        [(by_user, "authorization: basic dtpnzwhlaw0="), (by_key, "authorization: apikey geheim==")]
    {
        let (head, error) = heard(settings);
        assert!(head.contains(header), "{head}");
        assert!(error.contains("401 security_exception") && !error.contains("geheim"), "{error}");
    }
}

#[test]
fn a_certificate_file_that_is_not_there_is_named() {
    let engine =
        EngineConfig { url: "https://127.0.0.1:9".into(), ca_file: "none.pem".into(), ..EngineConfig::default() };
    let folder = tempfile::tempdir().expect("a folder");
    let opened = Runtime::new().expect("a runtime").block_on(async {
        App::open(folder.path(), Config { engine, ..Config::default() }).await.err().map(|error| error.to_string())
    });
    assert!(opened.as_ref().is_some_and(|error| error.contains("none.pem")), "{opened:?}");
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for_beyond_the_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let engine = EngineConfig { url, timeout_seconds: 1, patience_seconds: 0, ..EngineConfig::default() };
    let started = Instant::now();
    let error = Runtime::new().expect("a runtime").block_on(async {
        let place = Place::with(Config { engine, ..Config::default() }).await;
        place.app.health().await.err().map(|error| error.to_string()).unwrap_or_default()
    });
    assert!(error.contains("not available"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
