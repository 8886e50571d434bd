//! Chunks added by hand: kept with their document, found by search, never counted.

use serde_json::{Value, json};

use super::{Served, prices, text};

/// A dataset with items and the path of the document's chunks.
async fn items(served: &Served) -> (String, String, String) {
    let dataset = served.dataset("d").await;
    let document = served.parsed(&dataset, "items.csv", prices(3)).await;
    let chunks = format!("/datasets/{dataset}/documents/{document}/chunks");
    (dataset, document, chunks)
}

async fn added(served: &Served, chunks: &str, body: Value) -> Value {
    let answer = served.call("POST", chunks, body).await;
    assert_eq!(answer["code"], 0, "{answer}");
    answer["data"]["chunk"].clone()
}

fn ids(page: &Value) -> Vec<String> {
    page["data"]["chunks"].as_array().into_iter().flatten().map(|chunk| text(&chunk["id"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_added_listed_found_and_cited() {
    let served = Served::new().await;
    let (dataset, document, chunks) = items(&served).await;
    let content = "  The zebra warehouse: opened\n2019  ";
    let body = json!({"content": content, "important_keywords": ["animal", ""], "questions": [" Where is the giraffe? ", " "]});
    let chunk = added(&served, &chunks, body).await;
    assert_eq!((&chunk["content"], &chunk["document_id"]), (&json!(content), &json!(document)));
    assert_eq!(
        (&chunk["important_keywords"], &chunk["questions"]),
        (&json!(["animal", ""]), &json!(["Where is the giraffe?"]))
    );
    assert_eq!((text(&chunk["id"]).len(), text(&chunk["create_time"]).len()), (16, 19), "{chunk}");
    assert!(chunk["create_timestamp"].as_f64().is_some_and(|seconds| seconds > 1.7e9), "{chunk}");
    // Listed after the rows, page by page, and by itself.
    let listed = served.get(&chunks).await["data"].clone();
    assert_eq!(
        (&listed["total"], &listed["doc"]["chunk_count"], &listed["chunks"][3]["id"]),
        (&json!(4), &json!(4), &chunk["id"])
    );
    assert_eq!((&listed["chunks"][3]["content"], &listed["chunks"][3]["row"]), (&json!(content), &json!(0)));
    assert_eq!(listed["chunks"][0]["content"], "name:item1; price:1");
    let last = served.get(&format!("{chunks}?page=2&page_size=3")).await;
    assert_eq!((ids(&last), &last["data"]["total"]), (vec![text(&chunk["id"])], &json!(4)));
    assert_eq!(ids(&served.get(&format!("{chunks}?page=2&page_size=4")).await).len(), 0);
    let one = served.get(&format!("{chunks}?id={}", text(&chunk["id"]))).await;
    assert_eq!(one["data"]["chunks"][0]["questions"], json!(["Where is the giraffe?"]), "{one}");
    assert_eq!(served.get(&format!("/datasets?id={dataset}")).await["data"][0]["chunk_count"], 4);
    for words in ["zebra", "ANIMALS", "giraffe", "2019"] {
        assert_eq!(ids(&served.get(&format!("{chunks}?keywords={words}")).await), [text(&chunk["id"])], "{words}");
        let found = served.call("POST", "/retrieval", json!({"dataset_ids": [dataset], "question": words})).await;
        assert_eq!(found["data"]["chunks"][0]["id"], chunk["id"], "{words} {found}");
        assert_eq!(found["data"]["chunks"][0]["important_keywords"], json!(["animal", ""]));
    }
    // Answers cite it and never count it.
    let ask = format!("/datasets/{dataset}/ask");
    let answer =
        served.call("POST", &ask, json!({"question": "tell me about the zebra warehouse", "mode": "search"})).await;
    let cited = &answer["data"]["reference"]["chunks"][0];
    assert_eq!(
        (&answer["data"]["path"], &cited["id"], &cited["content"]),
        (&json!("search"), &chunk["id"], &json!(content))
    );
    assert_eq!(cited["by_hand"]["important_keywords"], json!(["animal", ""]), "{answer}");
    assert!(text(&answer["data"]["answer"]).contains("added texts found by search, not a computed answer"), "{answer}");
    let opened = served.get(text(&cited["url"]).strip_prefix("/api/v1").expect("a path")).await;
    assert_eq!(opened["data"]["chunks"][0]["content"], content);
    assert_eq!(served.rows(&dataset, "SELECT COUNT(*), SUM(price) FROM items").await, json!([[3, 6]]));
    assert_eq!(served.rows(&dataset, "SELECT price FROM items WHERE MATCH(name, 'zebra')").await, json!([]));
    let counted = served.call("POST", &ask, json!({"question": "how many rows are there?"})).await;
    assert_eq!(counted["data"]["rows"], json!([[3]]), "{counted}");
    let made = served.call("POST", "/chats", json!({"name": "c", "dataset_ids": [dataset]})).await;
    let chat = text(&made["data"]["id"]);
    let session = text(&served.call("POST", &format!("/chats/{chat}/sessions"), json!({})).await["data"]["id"]);
    let body = json!({"question": "what of the zebra warehouse", "session_id": session, "stream": false});
    let said = served.call("POST", &format!("/chats/{chat}/completions"), body).await;
    let cited = &said["data"]["reference"]["chunks"][0];
    assert_eq!(
        (&cited["id"], &cited["content"], &cited["positions"]),
        (&chunk["id"], &json!(content), &json!([])),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_checked_changed_and_deleted_in_ragflow_s_words() {
    let served = Served::new().await;
    let (dataset, document, chunks) = items(&served).await;
    for (body, message) in [
        (json!({}), "`content` is required"),
        (json!({"content": null}), "`content` is required"),
        (json!({"content": " \n"}), "`content` is required"),
        (json!({"content": "x", "important_keywords": "abc"}), "`important_keywords` is required to be a list"),
        (json!({"content": "x", "questions": 1}), "`questions` is required to be a list"),
        (json!({"content": "x", "questions": [1]}), "`questions` should hold texts only"),
    ] {
        assert_eq!(
            served.call("POST", &chunks, body.clone()).await,
            json!({"code": 102, "message": message}),
            "{body}"
        );
    }
    let first = text(&added(&served, &chunks, json!({"content": "one heron"})).await["id"]);
    // The same again is one text that was added twice.
    assert_eq!(added(&served, &chunks, json!({"content": "one heron", "questions": ["q"]})).await["id"], json!(first));
    let listed = served.get(&chunks).await;
    assert_eq!((&listed["data"]["total"], &listed["data"]["doc"]["chunk_count"]), (&json!(4), &json!(5)), "{listed}");
    let one = format!("{chunks}/{first}");
    for (body, message) in [
        (json!({"important_keywords": "x"}), "`important_keywords` should be a list"),
        (json!({"questions": 1}), "`questions` should be a list"),
        (json!({"positions": 1}), "`positions` should be a list"),
        (json!({"available": "True"}), "`available` should be true or false"),
        (json!({"content": ""}), "`content` is required"),
    ] {
        assert_eq!(served.call("PUT", &one, body.clone()).await, json!({"code": 102, "message": message}), "{body}");
    }
    assert_eq!(served.call("PUT", &one, json!({})).await, json!({"code": 0}));
    let change = json!({"content": "two cranes", "important_keywords": ["bird"], "positions": [[1, 2, 3, 4, 5]], "available": 1});
    assert_eq!(served.call("PUT", &one, change).await, json!({"code": 0}));
    let kept = served.get(&format!("{chunks}?id={first}")).await["data"]["chunks"][0].clone();
    assert_eq!((&kept["content"], &kept["questions"]), (&json!("two cranes"), &json!(["q"])), "{kept}");
    assert_eq!((&kept["positions"], &kept["available"]), (&json!([[1, 2, 3, 4, 5]]), &json!(true)));
    assert!(ids(&served.get(&format!("{chunks}?keywords=heron")).await).is_empty());
    assert_eq!(ids(&served.get(&format!("{chunks}?keywords=crane")).await), std::slice::from_ref(&first));
    // The content of before, added again, does not write over the text that was changed.
    let second = text(&added(&served, &chunks, json!({"content": "one heron"})).await["id"]);
    assert_ne!(second, first);
    // Not available, it is listed and not found.
    assert_eq!(served.call("PUT", &one, json!({"available": false})).await["code"], 0);
    let retrieved = async |words: &str| {
        let found = served.call("POST", "/retrieval", json!({"dataset_ids": [dataset], "question": words})).await;
        found["data"]["total"].as_u64().unwrap_or(99)
    };
    assert_eq!((retrieved("cranes").await, retrieved("heron").await), (0, 1));
    assert_eq!(served.get(&format!("{chunks}?id={first}")).await["data"]["chunks"][0]["available"], false);
    let elsewhere = format!("/datasets/x/documents/{document}/chunks");
    for (method, path, body, code, message) in [
        ("POST", elsewhere.clone(), json!({"content": "x"}), 102, "You don't own the dataset x.".to_owned()),
        (
            "POST",
            format!("/datasets/{dataset}/documents/x/chunks"),
            json!({}),
            102,
            "You don't own the document x.".to_owned(),
        ),
        ("PUT", format!("{chunks}/x"), json!({}), 102, "Can't find this chunk x".to_owned()),
        ("PUT", format!("{elsewhere}/{first}"), json!({}), 102, "You don't own the dataset x.".to_owned()),
        (
            "PUT",
            format!("/datasets/{dataset}/documents/x/chunks/{first}"),
            json!({}),
            102,
            "You don't own the document x.".to_owned(),
        ),
        ("DELETE", elsewhere, json!({"chunk_ids": []}), 102, "You don't own the dataset x.".to_owned()),
        ("DELETE", chunks.clone(), json!({"chunk_ids": ["x"]}), 102, "rm_chunk deleted chunks 0, expect 1".to_owned()),
    ] {
        assert_eq!(
            served.call(method, &path, body).await,
            json!({"code": code, "message": message}),
            "{method} {path}"
        );
    }
    let lost =
        served.call("DELETE", &format!("/datasets/{dataset}/documents/x/chunks"), json!({"chunk_ids": []})).await;
    assert_eq!(
        (&lost["code"], &lost["message"]),
        (&json!(100), &json!("LookupError(\"Can't find the document with ID x!\")"))
    );
    assert_eq!(served.call("DELETE", &chunks, json!({"chunk_ids": null})).await["code"], 102);
    let some = served.call("DELETE", &chunks, json!({"chunk_ids": [first, "x"]})).await;
    assert_eq!(some, json!({"code": 102, "message": "rm_chunk deleted chunks 1, expect 2"}));
    let twice = served.call("DELETE", &chunks, json!({"chunk_ids": [second, second]})).await;
    assert_eq!(twice["data"], json!({"success_count": 1, "errors": [format!("Duplicate chunk ids: {second}")]}));
    assert_eq!(served.document(&dataset, &document).await["chunk_count"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_their_file_s_and_all_chunks_go_together() {
    let served = Served::new().await;
    let (dataset, document, chunks) = items(&served).await;
    let hand = text(&added(&served, &chunks, json!({"content": "a note"})).await["id"]);
    let row = ids(&served.get(&chunks).await)[0].clone();
    let refused = served.call("PUT", &format!("{chunks}/{row}"), json!({"available": false})).await;
    assert_eq!(refused["code"], 102);
    assert!(
        text(&refused["message"]).contains("is a row of items.csv; the file is the source of its rows"),
        "{refused}"
    );
    assert_eq!(served.call("PUT", &format!("{chunks}/{row}"), json!({})).await, json!({"code": 0}));
    let refused = served.call("DELETE", &chunks, json!({"chunk_ids": [row, hand]})).await;
    let message = text(&refused["message"]);
    assert!(message.starts_with("rm_chunk deleted chunks 1, expect 2; 1 of them are rows of items.csv; "), "{message}");
    let sum = "SELECT COUNT(*), SUM(price) FROM items";
    assert_eq!(served.rows(&dataset, sum).await, json!([[3, 6]]));
    // Texts stay when the document is parsed anew.
    added(&served, &chunks, json!({"content": "a heron"})).await;
    served.parse(&dataset, &document).await;
    assert_eq!(served.ended(&dataset, &document).await["chunk_count"], 4);
    assert_eq!(served.call("DELETE", &chunks, json!({"chunk_ids": []})).await, json!({"code": 0}));
    let emptied = served.document(&dataset, &document).await;
    assert_eq!((&emptied["chunk_count"], &emptied["run"]), (&json!(0), &json!("CANCEL")), "{emptied}");
    assert_eq!(served.get(&chunks).await["data"]["total"], 0);
    let gone = served.call("POST", &format!("/datasets/{dataset}/sql"), json!({"sql": sum})).await;
    assert_eq!(gone["code"], 102, "{gone}");
    served.parse(&dataset, &document).await;
    served.ended(&dataset, &document).await;
    assert_eq!(served.rows(&dataset, sum).await, json!([[3, 6]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_stay_in_their_scope_and_go_with_their_document() {
    let served = Served::new().await;
    let (a, b) = (served.dataset("a").await, served.dataset("b").await);
    let mut documents = Vec::new();
    // Texts are kept of documents that are not parsed, too.
    for (dataset, name) in [(&a, "one.csv"), (&a, "two.csv"), (&b, "three.csv")] {
        let uploaded = served.upload(dataset, &[(name, prices(1))]).await;
        let document = text(&uploaded["data"][0]["id"]);
        let chunks = format!("/datasets/{dataset}/documents/{document}/chunks");
        added(&served, &chunks, json!({"content": format!("a heron of {name}")})).await;
        documents.push(document);
    }
    let found = async |body: Value| {
        let found = served.call("POST", "/retrieval", body).await;
        let names = found["data"]["chunks"].as_array().into_iter().flatten().map(|chunk| text(&chunk["document_name"]));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(found(json!({"dataset_ids": [a], "question": "heron"})).await, "one.csv two.csv");
    assert_eq!(found(json!({"dataset_ids": [a, b], "question": "heron"})).await, "one.csv three.csv two.csv");
    let within = json!({"dataset_ids": [a], "question": "heron", "document_ids": [documents[0]]});
    assert_eq!(found(within).await, "one.csv");
    served.call("PUT", &format!("/datasets/{a}/documents/{}", documents[0]), json!({"enabled": false})).await;
    assert_eq!(found(json!({"dataset_ids": [a], "question": "heron"})).await, "two.csv");
    served.call("DELETE", &format!("/datasets/{a}/documents"), json!({"ids": [documents[1]]})).await;
    served.call("DELETE", "/datasets", json!({"ids": [b]})).await;
    assert_eq!(found(json!({"dataset_ids": [a], "question": "heron"})).await, "");
    let at_once = (0..20).map(|n| {
        let path = format!("/datasets/{a}/documents/{}/chunks", documents[0]);
        let served = &served;
        async move { added(served, &path, json!({"content": format!("text {n}")})).await }
    });
    assert_eq!(futures::future::join_all(at_once).await.len(), 20);
    assert_eq!(served.document(&a, &documents[0]).await["chunk_count"], 21);
}
