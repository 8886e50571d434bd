//! API keys by route and by command: made, listed, deleted; what a key for some datasets sees.

use serde_json::{Value, json};

use super::doors::key;
use super::{Served, prices, sent, text};
use crate::binary::Run;

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_made_once_listed_and_deleted() {
    let mut served = Served::new().await;
    let dataset = served.dataset("d").await;
    let first = served.call("POST", "/keys", json!({"name": "first", "days": 1})).await;
    let made = text(&first["data"]["key"]);
    let ends = first["data"]["expire_time"].as_i64().expect("an end");
    assert_eq!(served.get("/keys").await["data"], json!(false), "the door is closed once there is a key");
    served.key = Some(made.clone());
    for (body, code, told) in [
        (json!({"name": "first"}), 102, "There is a key called 'first' already."),
        (json!({"name": " "}), 101, "`name` should be one line of 1 to 128 characters"),
        (json!({"name": "x".repeat(129)}), 101, "`name` should be one line of 1 to 128 characters"),
        (json!({"name": "a\nb"}), 101, "`name` should be one line of 1 to 128 characters"),
        (json!({"name": "x", "dataset_ids": []}), 101, "`dataset_ids` names none; leave it out for all datasets"),
        (json!({"name": "x", "dataset_ids": ["y"]}), 102, "You don't own the dataset y."),
        (json!({"name": "x", "days": 36_501}), 101, "`days` should be 36500 at most"),
        (json!({}), 101, "missing field `name`"),
    ] {
        assert_eq!(served.call("POST", "/keys", body).await, json!({"code": code, "message": told}));
    }
    for body in [json!({"name": "x", "dataset_id": [dataset]}), json!({"name": "x", "days": -1})] {
        assert_eq!(served.call("POST", "/keys", body).await["code"], 101);
    }
    for days in [Value::Null, json!(400)] {
        let child = json!({"name": format!("child {days}"), "days": days, "read_only": true});
        let child = served.call("POST", "/keys", child).await;
        assert_eq!(child["data"]["expire_time"], ends, "a key outlives the one it was made with: {child}");
        served.key = Some(text(&child["data"]["key"]));
        assert_eq!(served.get("/datasets").await["code"], 0);
        for (method, path) in
            [("POST", "/keys".to_owned()), ("GET", "/keys".to_owned()), ("DELETE", "/keys/x".to_owned())]
        {
            assert_eq!(served.call(method, &path, json!({"name": "y"})).await["code"], 109);
        }
        served.key = Some(made.clone());
    }
    let ended = served.call("POST", "/keys", json!({"name": "ended", "days": 0})).await;
    served.key = Some(text(&ended["data"]["key"]));
    assert_eq!(served.get("/datasets").await["code"], 109);
    served.key = Some(made.clone());
    let listed = served.get("/keys").await;
    let names: Vec<String> = listed["data"].as_array().expect("keys").iter().map(|key| text(&key["name"])).collect();
    assert_eq!(names, ["child 400", "child null", "ended", "first"]);
    assert!(listed["data"][3]["last_used_time"].is_i64() && listed["data"][2]["last_used_time"].is_null(), "{listed}");
    assert!(!listed.to_string().contains("sheetwise-"), "{listed}");
    let id = text(&listed["data"][0]["id"]);
    assert_eq!(served.call("DELETE", &format!("/keys/{id}"), json!({})).await, json!({"code": 0}));
    for gone in [id.as_str(), "x"] {
        let told = json!({"code": 102, "message": format!("You don't own the key {gone}.")});
        assert_eq!(served.call("DELETE", &format!("/keys/{gone}"), json!({})).await, told);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_another_owner_are_not_there() {
    let mut served = Served::new().await;
    let (alice, bob) = (key(&served, &["k", "--owner", "alice"]), key(&served, &["k", "--owner", "bob"]));
    served.key = Some(alice.clone());
    let id = text(&served.get("/keys").await["data"][0]["id"]);
    served.key = Some(bob);
    assert_eq!(served.get("/keys").await["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(served.call("DELETE", &format!("/keys/{id}"), json!({})).await["code"], 102);
    served.key = Some(alice);
    assert_eq!(served.get("/keys").await["code"], 0);
    let run = |words: &[&str]| Run::new(words).data(served.folder()).ran();
    run(&["keys", "remove", "k"]).ends(2);
    run(&["keys", "remove", "k", "--owner", "alice"]).ends(0);
    assert_eq!(served.get("/keys").await["code"], 109);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_for_some_datasets_touches_nothing_else() {
    let mut served = Served::new().await;
    let (open, secret) = (served.dataset("open").await, served.dataset("secret").await);
    let seen = served.parsed(&open, "open.csv", prices(3)).await;
    let hidden = served.parsed(&secret, "secret.csv", prices(4)).await;
    let whole = key(&served, &["whole"]);
    served.key = Some(whole.clone());
    let chat = async |name: &str, datasets: &[&String]| {
        let made = served.call("POST", "/chats", json!({"name": name, "dataset_ids": datasets})).await;
        text(&made["data"]["id"])
    };
    let (fine, mixed) = (chat("fine", &[&open]).await, chat("mixed", &[&open, &secret]).await);
    let (moved, none) = (chat("moved", &[&secret]).await, chat("none", &[]).await);
    served.call("PUT", &format!("/chats/{moved}"), json!({"dataset_ids": [open]})).await;

    served.key = Some(key(&served, &["some", "--dataset", "open"]));
    let listed = served.get("/datasets").await;
    assert_eq!((&listed["total_datasets"], &listed["data"][0]["id"]), (&json!(1), &json!(open)));
    for path in [format!("/datasets?id={secret}"), "/datasets?name=secret".to_owned()] {
        assert_eq!(served.get(&path).await["code"], 108);
    }
    assert_eq!(served.call("POST", "/datasets", json!({"name": "x"})).await["code"], 109);
    assert_eq!(served.call("POST", "/keys", json!({"name": "x"})).await["code"], 109);
    assert_eq!(served.rows(&open, "SELECT COUNT(*) FROM open").await, json!([[3]]));
    assert_eq!(served.get(&format!("/datasets/{open}/documents?id={hidden}")).await["code"], 102);
    let both = json!({"dataset_ids": [open, secret], "question": "item1"});
    assert_eq!(served.call("POST", "/retrieval", both).await["code"], 102);

    let names = served.get("/chats").await;
    let names: Vec<&Value> = names["data"].as_array().expect("chats").iter().map(|chat| &chat["name"]).collect();
    assert_eq!(names, ["fine"]);
    let models =
        served.client.get(format!("{}/v1/models", served.base)).bearer_auth(served.key.as_deref().unwrap_or(""));
    assert_eq!(sent(models).await["data"].as_array().map(Vec::len), Some(1));
    for other in [&mixed, &moved, &none] {
        let sessions = served.get(&format!("/chats/{other}/sessions")).await;
        assert_eq!(sessions["message"], format!("You don't own the assistant {other}."));
    }
    let path = format!("/chats/{fine}");
    let told = served.call("PUT", &path, json!({"dataset_ids": [open, secret]})).await;
    assert_eq!(told["message"], format!("You don't own the dataset {secret}"));
    assert_eq!(served.call("POST", "/chats", json!({"name": "y"})).await["code"], 102);
    assert_eq!(served.call("POST", "/chats", json!({"name": "y", "dataset_ids": [open]})).await["code"], 0);
    served.call("DELETE", "/chats", json!({})).await;
    served.call("DELETE", "/datasets", json!({"ids": null})).await;

    served.key = Some(whole);
    let left = served.get("/datasets").await;
    assert_eq!((&left["total_datasets"], &left["data"][0]["id"]), (&json!(1), &json!(secret)), "{seen} went alone");
    assert_eq!(served.get("/chats").await["data"].as_array().map(Vec::len), Some(3));
    assert_eq!(served.rows(&secret, "SELECT COUNT(*) FROM secret").await, json!([[4]]));
    let keys = Run::new(&["keys", "list"]).data(served.folder()).ran().ends(0).stdout;
    assert!(keys.contains("some: write, of local, for 1 dataset(s)"), "{keys}");
    Run::new(&["keys", "create", "other", "--dataset", "nowhere"]).data(served.folder()).ran().ends(2);
}
