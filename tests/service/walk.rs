//! The description of the routes: it is whole, and no route gives a byte of another owner's, or of a dataset that a key is not for.

use serde_json::{Value, json};

use super::doors::key;
use super::{Served, text};

/// Routes of the document as `(method, path)`.
fn routes(document: &Value) -> Vec<(String, String)> {
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, methods): (&String, &Value)| {
        let methods =
            methods.as_object().into_iter().flatten().map(|(method, _)| (method.to_uppercase(), path.clone()));
        methods.collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).collect()
}

const SECRET: &str = "geheim";

/// Ids of what no other key may see, by their names in paths.
type Named = [(&'static str, String); 7];

/// One of each kind of thing, all of them secret.
async fn secrets(served: &Served) -> Named {
    let dataset = served.dataset(&format!("{SECRET}-dataset")).await;
    let file = format!("{SECRET}label,price\n{SECRET}cell,5\n").into_bytes();
    let document = served.parsed(&dataset, &format!("{SECRET}.csv"), file).await;
    let chat = served.call("POST", "/chats", json!({"name": format!("{SECRET}-chat"), "dataset_ids": [dataset]})).await;
    let chat = text(&chat["data"]["id"]);
    let session =
        served.call("POST", &format!("/chats/{chat}/sessions"), json!({"name": format!("{SECRET}-session")})).await;
    let session = text(&session["data"]["id"]);
    let turn = json!({"question": SECRET, "session_id": session, "stream": false});
    let said = served.call("POST", &format!("/chats/{chat}/completions"), turn).await;
    let message = text(&said["data"]["id"]);
    let judged = format!("/chats/{chat}/sessions/{session}/messages/{message}/feedback");
    let opinion =
        json!({"thumbup": true, "feedback": format!("{SECRET}-opinion"), "question": format!("{SECRET}-question")});
    assert_eq!(served.call("PUT", &judged, opinion.clone()).await["code"], 0);
    assert_eq!(served.call("POST", &format!("/datasets/{dataset}/feedback"), opinion).await["code"], 0);
    let chunks = format!("/datasets/{dataset}/documents/{document}/chunks");
    let hand = json!({"content": format!("{SECRET}cell"), "important_keywords": [format!("{SECRET}-keyword")]});
    let chunk = text(&served.call("POST", &chunks, hand).await["data"]["chunk"]["id"]);
    let key = text(&served.get("/keys").await["data"][0]["id"]);
    [
        ("{dataset_id}", dataset),
        ("{document_id}", document),
        ("{chat_id}", chat),
        ("{session_id}", session),
        ("{key_id}", key),
        ("{chunk_id}", chunk),
        ("{message_id}", message),
    ]
}

/// Calls each route with the secret ids and a key that may not see them.
async fn walked(served: &Served, routes: &[(String, String)], named: &Named, key: &str) {
    let [dataset, document, chat, session, _, chunk, _] = named.each_ref().map(|(_, id)| id);
    let body = json!({
        "question": SECRET, "sql": format!("SELECT * FROM {SECRET}"), "dataset_ids": [dataset], "document_ids": [document],
        "content": "x", "thumbup": false, "chunk_ids": [chunk], "model": chat, "messages": [{"role": "user", "content": SECRET}], "session_id": session, "stream": false
    });
    for (method, path) in routes {
        let path = named.iter().fold(path.clone(), |path, (name, id)| path.replace(name, id));
        assert!(!path.contains('{'), "{path}");
        let name = method.parse().expect("a method");
        let request = served.client.request(name, format!("{}{path}", served.base)).bearer_auth(key);
        let response = request.json(&body).send().await.expect("an answer");
        let status = response.status();
        let said = response.text().await.expect("a text").replace(&format!("`{SECRET}"), "");
        // Its own words may come back in a message about them.
        for secret in ["-", "cell", "label", ".csv"] {
            assert!(!said.contains(&format!("{SECRET}{secret}")), "{method} {path}: {said}");
        }
        assert!(!status.is_server_error(), "{method} {path}: {status} {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_route_gives_a_byte_of_what_a_key_may_not_see() {
    let mut served = Served::new().await;
    let alice = key(&served, &[&format!("{SECRET}-key"), "--owner", "alice"]);
    let bob = key(&served, &["b", "--owner", "bob"]);
    served.key = Some(alice.clone());
    let named = secrets(&served).await;
    let open = served.dataset("open").await;
    let some = served.call("POST", "/keys", json!({"name": "some", "dataset_ids": [open]})).await;
    let some = text(&some["data"]["key"]);
    let description = served.client.get(format!("{}/openapi.json", served.base)).send().await.expect("an answer");
    let description: Value = description.json().await.expect("JSON");
    assert!(text(&description["openapi"]).starts_with("3.1"), "{}", description["openapi"]);
    let routes = routes(&description);
    assert!(routes.len() > 30, "{}", routes.len());
    for other in [&bob, &some] {
        walked(&served, &routes, &named, other).await;
    }
    let [dataset, document, chat, session, _, chunk, _] = named.each_ref().map(|(_, id)| id);
    assert_eq!(served.document(dataset, document).await["chunk_count"], 2);
    let kept = served.get("/feedback").await;
    assert_eq!((&kept["data"]["total"], &kept["data"]["feedback"][1]["thumbup"]), (&json!(2), &json!(true)), "{kept}");
    assert_eq!(served.get("/usage").await["data"]["work"]["questions"], 1);
    let chunk = served.get(&format!("/datasets/{dataset}/documents/{document}/chunks?id={chunk}")).await;
    assert_eq!(chunk["data"]["chunks"][0]["content"], format!("{SECRET}cell"));
    assert_eq!(
        served.get(&format!("/chats/{chat}/sessions?id={session}")).await["data"].as_array().map(Vec::len),
        Some(1)
    );
}
