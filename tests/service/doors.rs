//! Who gets in: keys, owners, pages of other sites, other addresses.

use serde_json::{Value, json};
use sheetwise::config::Config;
use sheetwise::web::{ServeError, Server};

use super::{Served, bind, prices, sent, text};
use crate::binary::Run;

fn key(served: &Served, words: &[&str]) -> String {
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
