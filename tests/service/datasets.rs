//! Datasets: made, listed, changed, deleted, with RAGFlow's codes and texts.

use serde_json::{Value, json};

use super::{Served, sent, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_dataset_is_made_listed_changed_and_deleted() {
    let served = Served::new().await;
    let made = served.call("POST", "/datasets", json!({"name": " 销售 ", "description": "d"})).await;
    let data = &made["data"];
    assert_eq!(made["code"], 0, "{made}");
    assert!(made.get("message").is_none(), "{made}");
    for (field, value) in [
        ("name", json!("销售")),
        ("description", json!("d")),
        ("avatar", Value::Null),
        ("permission", json!("me")),
        ("chunk_method", json!("naive")),
        ("document_count", json!(0)),
        ("chunk_count", json!(0)),
        ("token_num", json!(0)),
        ("status", json!("1")),
        ("similarity_threshold", json!(0.2)),
    ] {
        assert_eq!(data[field], value, "{field}");
    }
    let id = text(&data["id"]);
    assert_eq!((id.len(), &id[12..13]), (32, "1"));
    assert!(data["create_time"].as_i64().is_some_and(|time| time > 1_600_000_000_000));
    assert!(text(&data["create_date"]).ends_with(" GMT"));

    let changed = served
        .call("PUT", &format!("/datasets/{id}"), json!({"name": "新", "pagerank": 5, "chunk_method": "table"}))
        .await;
    assert_eq!((&changed["data"]["name"], &changed["data"]["pagerank"]), (&json!("新"), &json!(5)), "{changed}");
    assert_eq!((&changed["data"]["description"], &changed["data"]["parser_config"]), (&json!("d"), &Value::Null));
    let listed = served.get(&format!("/datasets?id={id}")).await;
    assert_eq!((&listed["data"][0]["name"], &listed["total_datasets"]), (&json!("新"), &json!(1)));
    assert_eq!(served.call("DELETE", "/datasets", json!({"ids": [id]})).await, json!({"code": 0}));
    assert_eq!(served.get("/datasets").await, json!({"code": 0, "data": [], "total_datasets": 0}));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_taken_get_a_number() {
    let served = Served::new().await;
    let named = async |name: &str| text(&served.call("POST", "/datasets", json!({"name": name})).await["data"]["name"]);
    assert_eq!(named("sales").await, "sales");
    assert_eq!(named("SALES").await, "SALES(1)");
    assert_eq!(named("sales").await, "sales(2)");
    let long = "长".repeat(43);
    let refused = served.call("POST", "/datasets", json!({"name": long})).await;
    assert_eq!(refused, json!({"code": 102, "message": "Dataset name length is 43 which is larger than 128"}));
    let id = served.dataset("other").await;
    let taken = served.call("PUT", &format!("/datasets/{id}"), json!({"name": "Sales"})).await;
    assert_eq!(taken, json!({"code": 102, "message": "Dataset name 'Sales' already exists"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_orders() {
    let served = Served::new().await;
    for n in 0..5 {
        served.dataset(&format!("d{n}")).await;
    }
    let names = async |query: &str| {
        let listed = served.get(&format!("/datasets{query}")).await;
        let names: Vec<String> = listed["data"].as_array().into_iter().flatten().map(|d| text(&d["name"])).collect();
        (names.join(" "), listed["total_datasets"].clone())
    };
    assert_eq!(names("").await, ("d4 d3 d2 d1 d0".into(), json!(5)));
    assert_eq!(names("?desc=no").await.0, "d0 d1 d2 d3 d4");
    assert_eq!(names("?page=2&page_size=2").await, ("d2 d1".into(), json!(5)));
    assert_eq!(names("?page=9&page_size=2").await, (String::new(), json!(5)));
    assert_eq!(names("?name=D3&orderby=update_time").await.0, "d3");
    served.dataset("ÜBER a").await;
    assert_eq!(names("?name=über A").await.0, "ÜBER a");
    for (query, code, message) in [
        ("?page=0", 101, "Field: <page> - Message: <Input should be greater than or equal to 1> - Value: <0>"),
        (
            "?page=a",
            101,
            "Field: <page> - Message: <Input should be a valid integer, unable to parse string as an integer> - Value: <a>",
        ),
        (
            "?orderby=name",
            101,
            "Field: <orderby> - Message: <Input should be 'create_time' or 'update_time'> - Value: <name>",
        ),
        (
            "?desc=3",
            101,
            "Field: <desc> - Message: <Input should be a valid boolean, unable to interpret input> - Value: <3>",
        ),
        ("?x=1", 101, "Field: <x> - Message: <Extra inputs are not permitted> - Value: <1>"),
        ("?id=", 101, "Field: <id> - Message: <Invalid UUID1 format> - Value: <>"),
        ("?id=5e7d4a1c-6e4b-4c0e-9d2a-000000000000", 101, "Invalid UUID1 format"),
        ("?name=none", 108, "lacks permission for dataset 'none'"),
    ] {
        let told = served.get(&format!("/datasets{query}")).await;
        assert_eq!(told["code"], code, "{query} {told}");
        assert!(text(&told["message"]).contains(message), "{query} {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_strict() {
    let served = Served::new().await;
    let id = served.dataset("d").await;
    let raw = |kind: &str, body: &str| {
        sent(served.request("POST", "/datasets").header("content-type", kind).body(body.to_owned()))
    };
    assert_eq!(
        raw("text/xml", "{}").await["message"],
        "Unsupported content type: Expected application/json, got text/xml"
    );
    let malformed = "Malformed JSON syntax: Missing commas/brackets or invalid encoding";
    assert_eq!(raw("application/json", "{").await, json!({"code": 101, "message": malformed}));
    assert_eq!(raw("application/json", "[1]").await["message"], "Invalid request payload: expected object, got list");
    let empty = served.call("PUT", &format!("/datasets/{id}"), json!({})).await;
    assert_eq!(empty, json!({"code": 101, "message": "No properties were modified"}));
    let unknown = "d94a8dc02c9711f0930f7fbc369eab6d";
    for (ids, code) in [
        (json!({}), 101),
        (json!({"ids": "x"}), 101),
        (json!({"ids": ["x"]}), 101),
        (json!({"ids": [id, id]}), 101),
        (json!({"ids": [id, unknown]}), 108),
        (json!({"ids": []}), 0),
    ] {
        assert_eq!(served.call("DELETE", "/datasets", ids.clone()).await["code"], code, "{ids}");
    }
    assert_eq!(served.get("/datasets").await["total_datasets"], 1);
    assert_eq!(served.call("DELETE", "/datasets", json!({"ids": null})).await["code"], 0);
    assert_eq!(served.get("/datasets").await["total_datasets"], 0);
}
