//! Who gets in: keys, owners, pages of other sites, other addresses.

use serde_json::{Value, json};
use sheetwise::config::Config;
use sheetwise::web::{ServeError, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Served, bind, prices, sent, text};
use crate::binary::Run;

pub fn key(served: &Served, words: &[&str]) -> String {
    let words = [&["keys", "--json", "create"], words].concat();
    text(&Run::new(&words).data(served.folder()).ran().ends(0).document()["key"])
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_key_made_no_one_gets_in_without() {
    let mut served = Served::new().await;
    assert_eq!(served.get("/datasets").await["code"], 0);
    let made = key(&served, &["laptop"]);
    let raw = async |value: Option<&str>| {
        let mut request = served.client.get(format!("{}/api/v1/datasets", served.base));
        if let Some(value) = value {
            request = request.header("authorization", value);
        }
        let response = request.send().await.expect("an answer");
        (response.status().as_u16(), response.json::<Value>().await.expect("JSON"))
    };
    let refused = |code: i32, message: &str| (401, json!({"code": code, "data": false, "message": message}));
    assert_eq!(raw(None).await, refused(0, "`Authorization` can't be empty"));
    assert_eq!(raw(Some("Bearer")).await, refused(0, "Please check your authorization format."));
    assert_eq!(raw(Some("Bearer no")).await, refused(109, "Authentication error: API key is invalid!"));
    assert_eq!(raw(Some(&format!("Token {made}"))).await.0, 200);
    let stored = std::fs::read(served.folder().join("catalog.sqlite")).expect("the catalog");
    assert!(!stored.windows(made.len()).any(|window| window == made.as_bytes()));

    let reader = key(&served, &["reader", "--read-only"]);
    let ended = key(&served, &["ended", "--days", "0"]);
    served.key = Some(reader);
    assert_eq!(served.get("/datasets").await["code"], 0);
    assert_eq!(served.call("POST", "/datasets", json!({"name": "x"})).await["code"], 109);
    served.key = Some(ended);
    assert_eq!(served.get("/datasets").await["code"], 109);
    served.key = Some(made);
    assert_eq!(served.call("POST", "/datasets", json!({"name": "x"})).await["code"], 0);
    Run::new(&["keys", "remove", "laptop"]).data(served.folder()).ran().ends(0);
    assert_eq!(served.get("/datasets").await["code"], 109);
    let listed = Run::new(&["keys", "list"]).data(served.folder()).ran().ends(0).stdout;
    assert!(listed.contains("reader: read, of local") && !listed.contains("sheetwise-"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_owner_s_things_are_not_there() {
    let mut served = Served::new().await;
    let (alice, bob) = (key(&served, &["a", "--owner", "alice"]), key(&served, &["b", "--owner", "bob"]));
    served.key = Some(alice.clone());
    let dataset = served.dataset("secret").await;
    let id = served.parsed(&dataset, "secret.csv", prices(3)).await;
    served.key = Some(bob);
    assert_eq!(served.get("/datasets").await["data"], json!([]));
    let path = format!("/datasets/{dataset}/documents");
    for (method, path, body) in [
        ("GET", format!("/datasets?id={dataset}"), Value::Null),
        ("GET", "/datasets?name=secret".to_owned(), Value::Null),
        ("PUT", format!("/datasets/{dataset}"), json!({"name": "x"})),
        ("DELETE", "/datasets".to_owned(), json!({"ids": [dataset]})),
        ("GET", path.clone(), Value::Null),
        ("GET", format!("{path}/{id}"), Value::Null),
        ("PUT", format!("{path}/{id}"), json!({"name": "x.csv"})),
        ("DELETE", path.clone(), json!({"ids": [id]})),
        ("GET", format!("{path}/{id}/chunks"), Value::Null),
        ("GET", format!("{path}/{id}/report"), Value::Null),
        ("POST", format!("/datasets/{dataset}/chunks"), json!({"document_ids": [id]})),
        ("DELETE", format!("/datasets/{dataset}/chunks"), json!({"document_ids": [id]})),
        ("GET", format!("/datasets/{dataset}/tables"), Value::Null),
        ("POST", format!("/datasets/{dataset}/ask"), json!({"question": "how many rows?"})),
        ("POST", format!("/datasets/{dataset}/sql"), json!({"sql": "SELECT COUNT(*) FROM secret"})),
    ] {
        let told = served.call(method, &path, body).await;
        assert_ne!(told["code"], 0, "{method} {path} {told}");
        assert!(!told.to_string().contains("item1"), "{method} {path} {told}");
    }
    assert_eq!(served.upload(&dataset, &[("x.csv", prices(1))]).await["code"], 100);
    served.call("DELETE", "/datasets", json!({"ids": null})).await;
    served.key = Some(alice);
    assert_eq!(served.rows(&dataset, "SELECT COUNT(*) FROM secret").await, json!([[3]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_and_unknown_paths() {
    let mut served = Served::new().await;
    let from = async |header: &str, value: &str| {
        sent(served.request("GET", "/datasets").header(header, value)).await["code"].clone()
    };
    assert_eq!(from("origin", "https://evil.example").await, 109);
    assert_eq!(from("host", "evil.example").await, 109);
    assert_eq!(from("origin", &served.base).await, 0);
    let unknown = json!({"code": 100, "data": null, "message": "<NotFound '404: Not Found'>"});
    assert_eq!(served.get("/nothing").await, unknown);
    assert_eq!(served.get("/datasets/%FF/tables").await, unknown);
    let method = json!({"code": 100, "data": null, "message": "<MethodNotAllowed '405: Method Not Allowed'>"});
    assert_eq!(served.call("PATCH", "/datasets", json!({})).await, method);
    assert_eq!(served.get("//datasets/").await["code"], 0);
    assert_eq!(served.get("/datasets//documents").await, method);
    let health = served.client.get(format!("{}/healthz", served.base)).send().await.expect("an answer");
    assert_eq!(
        (health.status().as_u16(), health.headers()["x-content-type-options"].to_str().ok()),
        (200, Some("nosniff"))
    );
    assert!(health.headers().contains_key("x-request-id"));
    let ready = sent(served.client.get(format!("{}/readyz", served.base))).await;
    assert_eq!((&ready["ready"], &ready["queued"]), (&json!(true), &json!(0)), "{ready}");
    let counts = served.client.get(format!("{}/metrics", served.base)).send().await.expect("an answer");
    let counts = counts.text().await.expect("a text");
    assert!(
        counts.contains("sheetwise_answers_total{status=\"2xx\"} ") && counts.contains("sheetwise_queued_documents 0"),
        "{counts}"
    );
    served.stop().await;
    let again = bind(served.folder(), Config::default()).await;
    drop(again);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_machines_need_a_key_and_a_folder_has_one_service() {
    let folder = tempfile::tempdir().expect("a folder");
    let outside = "0.0.0.0:0".parse().expect("an address");
    let refused = Server::bind(outside, folder.path(), Config::default()).await;
    assert!(matches!(refused, Err(ServeError::NoKey(_))));
    let _served = bind(folder.path(), Config::default()).await;
    let second = Server::bind(outside, folder.path(), Config::default()).await;
    assert!(second.err().is_some_and(|error| error.to_string().contains("another service runs")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_no_longer_than_allowed_and_only_allowed_pages_call() {
    let mut config = Config::default();
    config.serve.max_page = 2;
    config.serve.allowed_origins = "https://a.example, https://b.example".to_owned();
    let served = Served::with(config).await;
    for name in ["a", "b", "c"] {
        served.dataset(name).await;
    }
    let listed = served.get("/datasets?page_size=100").await;
    assert_eq!((listed["data"].as_array().map(Vec::len), &listed["total_datasets"]), (Some(2), &json!(3)));
    assert_eq!(served.get("/datasets?page_size=100&page=2").await["data"].as_array().map(Vec::len), Some(1));
    let allowed = async |origin: &str| {
        let asked = served.client.request(reqwest::Method::OPTIONS, format!("{}/api/v1/datasets", served.base));
        let asked = asked.header("origin", origin).header("access-control-request-method", "POST");
        asked.send().await.expect("an answer").headers().contains_key("access-control-allow-origin")
    };
    assert!(allowed("https://b.example").await);
    assert!(!allowed("https://c.example").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_still_is_let_go() {
    let mut config = Config::default();
    (config.serve.upload_idle_seconds, config.serve.stop_seconds) = (1, 1);
    let mut served = Served::with(config).await;
    let dataset = served.dataset("d").await;
    let part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\na";
    let head =
        format!("POST /api/v1/datasets/{dataset}/documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let kind = "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n";
    let mut stalled = TcpStream::connect(served.base.trim_start_matches("http://")).await.expect("a connection");
    stalled.write_all(format!("{head}{kind}{part}").as_bytes()).await.expect("it is sent");
    let mut told = String::new();
    stalled.read_to_string(&mut told).await.expect("an answer");
    assert!(told.contains("the upload stood still for 1 s; send it again"), "{told}");
    served.parsed(&dataset, "items.csv", prices(30_000)).await;
    let body = json!({"sql": "SELECT COUNT(*) FROM items a JOIN items b ON a.price < b.price JOIN items c ON b.price < c.price"});
    let asked = tokio::spawn(served.request("POST", &format!("/datasets/{dataset}/sql")).json(&body).send());
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let started = std::time::Instant::now();
    served.stop().await;
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    asked.abort();
}
