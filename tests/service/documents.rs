//! Documents: uploaded, listed, changed, parsed, stopped, downloaded, deleted.

use serde_json::{Value, json};
use sheetwise::config::Config;

use super::{Form, Served, fixture, prices, sent, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_uploaded_parsed_read_back_and_deleted() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let bytes = fixture("销售台账.xlsx");
    let uploaded = served.upload(&dataset, &[("销售台账.xlsx", bytes.clone())]).await;
    let document = &uploaded["data"][0];
    assert_eq!((&document["run"], &document["name"]), (&json!("UNSTART"), &json!("销售台账.xlsx")), "{uploaded}");
    assert_eq!((&document["size"], &document["suffix"]), (&json!(bytes.len()), &json!("xlsx")));
    let id = text(&document["id"]);
    assert_eq!(served.parse(&dataset, &id).await, json!({"code": 0}));
    let document = served.ended(&dataset, &id).await;
    assert_eq!((&document["run"], &document["progress"]), (&json!("DONE"), &json!(1.0)), "{document}");
    assert!(text(&document["progress_msg"]).contains("Task done ("), "{document}");
    assert!(document["process_duration"].as_f64().is_some_and(|seconds| seconds > 0.0), "{document}");

    let path = format!("/datasets/{dataset}/documents/{id}");
    let back = served.request("GET", &path).send().await.expect("an answer");
    assert_eq!(back.headers()["content-type"], "application/octet-stream");
    assert_eq!(back.bytes().await.expect("bytes"), bytes);

    let report = served.get(&format!("{path}/report")).await;
    let rows: u64 =
        report["data"]["sheets"].as_array().into_iter().flatten().filter_map(|s| s["rows_stored"].as_u64()).sum();
    assert_eq!(document["chunk_count"], rows);
    let mut seen = Vec::new();
    for page in 1.. {
        let listed = served.get(&format!("{path}/chunks?page={page}&page_size=50")).await;
        assert_eq!(listed["data"]["total"], rows, "{listed}");
        let chunks = listed["data"]["chunks"].as_array().cloned().unwrap_or_default();
        if chunks.is_empty() {
            break;
        }
        seen.extend(chunks);
    }
    let mut ids: Vec<String> = seen.iter().map(|chunk| text(&chunk["id"])).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len() as u64, rows);
    let last = &seen[seen.len() - 1];
    let one = served.get(&format!("{path}/chunks?id={}", text(&last["id"]))).await;
    assert_eq!(one["data"]["chunks"][0], *last);
    let around = served.get(&format!("{path}/chunks?id={}&lines=2", text(&seen[9]["id"]))).await;
    assert_eq!(around["data"]["chunks"], json!(seen[7..12]));
    assert_eq!(served.get(&format!("{path}/chunks?id=0")).await["code"], 404);

    let maps = served.get(&format!("/datasets?id={dataset}")).await;
    assert_eq!(maps["data"][0]["parser_config"]["field_map"]["bu_men_tks"], "部门", "{maps}");
    assert_eq!(served.call("DELETE", &format!("/datasets/{dataset}/documents"), json!({"ids": [id]})).await["code"], 0);
    assert_eq!(served.get(&format!("/datasets/{dataset}/documents")).await["data"], json!({"total": 0, "docs": []}));
    assert_eq!(served.get(&format!("/datasets/{dataset}/tables")).await["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_t_be_uploaded_is_told_and_leaves_nothing() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let path = format!("/datasets/{dataset}/documents");
    let told = async |form: Form| sent(form.on(served.request("POST", &path))).await;
    let none = Form::default().part("name=\"other\"", b"x");
    assert_eq!(told(none).await, json!({"code": 101, "message": "No file part!"}));
    assert_eq!(told(Form::default().file("", b"x")).await, json!({"code": 101, "message": "No file selected!"}));
    let long = format!("{}.csv", "长".repeat(84));
    assert_eq!(told(Form::default().file(&long, b"x")).await["message"], "File name must be 255 bytes or less.");
    let mixed = Form::default().file("a.csv", b"a\n1\n").file("a.pdf", b"x").file("b.exe", b"x");
    let refused = told(mixed).await;
    assert_eq!(refused["code"], 500);
    let lines =
        "a.pdf: This type of file has not been supported yet!\nb.exe: This type of file has not been supported yet!";
    assert_eq!(refused["message"], lines);
    let half = Form::default().file("a.csv", b"a,b\n1").broken_on(served.request("POST", &path));
    assert_eq!(sent(half).await["code"], 101);
    let unknown = served.upload("d94a8dc02c9711f0930f7fbc369eab6d", &[("a.csv", b"a\n1\n".to_vec())]).await;
    let lookup = "LookupError(\"Can't find the dataset with ID d94a8dc02c9711f0930f7fbc369eab6d!\")";
    assert_eq!(unknown, json!({"code": 100, "data": null, "message": lookup}));
    assert_eq!(served.get(&path).await["data"]["total"], 0);
    let left = std::fs::read_dir(served.folder().join("files")).map(Iterator::count).unwrap_or(0);
    assert_eq!(left, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_over_the_limit_is_413() {
    let mut config = Config::default();
    config.read.max_file_bytes = 1_000;
    config.serve.max_files = 2;
    config.serve.max_body_bytes = 1_000;
    let served = Served::with(config).await;
    let dataset = served.dataset("d").await;
    let path = format!("/datasets/{dataset}/documents");
    let status = async |form: Form| form.on(served.request("POST", &path)).send().await.expect("an answer").status();
    assert_eq!(status(Form::default().file("a.csv", &[b'1'; 2_000])).await, 413);
    assert_eq!(status(Form::default().file("a.csv", b"1").file("b.csv", b"1").file("c.csv", b"1")).await, 413);
    let huge = served.request("POST", &format!("/datasets/{dataset}/ask")).body("x".repeat(2_000));
    assert_eq!(huge.send().await.expect("an answer").status(), 413);
    assert_eq!(served.get(&path).await["data"]["total"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn same_names_and_same_bytes() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let twice = served.upload(&dataset, &[("a.csv", prices(3)), ("A.csv", prices(3))]).await;
    assert_eq!((&twice["data"][0]["name"], &twice["data"][1]["name"]), (&json!("a.csv"), &json!("A(1).csv")));
    let at_once = futures::future::join_all((0..4).map(|n| {
        let served = &served;
        let dataset = &dataset;
        async move { served.upload(dataset, &[("b.csv", prices(n + 4))]).await }
    }));
    let mut names: Vec<String> = at_once.await.iter().map(|answer| text(&answer["data"][0]["name"])).collect();
    names.sort();
    assert_eq!(names, ["b(1).csv", "b(2).csv", "b(3).csv", "b.csv"]);
    let (first, second) = (text(&twice["data"][0]["id"]), text(&twice["data"][1]["id"]));
    for id in [&first, &second] {
        assert_eq!(served.parse(&dataset, id).await["code"], 0);
        assert_eq!(served.ended(&dataset, id).await["run"], "DONE");
    }
    let second_now = served.document(&dataset, &second).await;
    assert!(text(&second_now["progress_msg"]).contains("already as a.csv"), "{second_now}");
    let sum = "SELECT SUM(price), COUNT(*) FROM a";
    assert_eq!(served.rows(&dataset, sum).await, json!([[6, 3]]));
    served.call("DELETE", &format!("/datasets/{dataset}/documents"), json!({"ids": [first]})).await;
    assert_eq!(served.ended(&dataset, &second).await["chunk_count"], 3);
    let tables = served.get(&format!("/datasets/{dataset}/tables")).await;
    assert_eq!(tables["data"][0]["rows"], 3, "{tables}");
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_listed_by_page_name_and_state() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let files: Vec<(&str, Vec<u8>)> =
        [("一.csv", 2), ("two.txt", 3), ("three.CSV", 4)].map(|(name, rows)| (name, prices(rows))).into();
    let uploaded = served.upload(&dataset, &files).await;
    let ids: Vec<String> = uploaded["data"].as_array().into_iter().flatten().map(|d| text(&d["id"])).collect();
    served.parse(&dataset, &ids[1]).await;
    served.ended(&dataset, &ids[1]).await;
    let names = async |query: &str| {
        let listed = served.get(&format!("/datasets/{dataset}/documents{query}")).await;
        let names = listed["data"]["docs"].as_array().into_iter().flatten().map(|d| text(&d["name"]));
        (names.collect::<Vec<_>>().join(" "), listed["data"]["total"].as_u64().unwrap_or(0))
    };
    assert_eq!(names("?desc=False").await, ("一.csv two.txt three.CSV".into(), 3));
    assert_eq!(names("?page=2&page_size=2&desc=false").await, ("three.CSV".into(), 3));
    assert_eq!(names("?page=5").await, (String::new(), 3));
    assert_eq!(names("?page_size=0").await, (String::new(), 3));
    assert_eq!(names("?keywords=TW").await.0, "two.txt");
    assert_eq!(names("?suffix=csv&desc=false").await.0, "一.csv three.CSV");
    assert_eq!(names("?run=DONE").await.0, "two.txt");
    assert_eq!(names("?run=UNSTART&run=DONE").await.1, 3);
    assert_eq!(names("?name=%E4%B8%80.csv").await.0, "一.csv");
    assert_eq!(names("?orderby=size").await.0, "three.CSV two.txt 一.csv");
    assert_eq!(names("?create_time_from=1").await.1, 3);
    assert_eq!(names("?create_time_to=1").await.1, 0);
    for (query, message) in [
        ("?id=x", "You don't own the document x."),
        ("?name=none", "You don't own the document none."),
        ("?run=x", "Invalid filter run status conditions: x"),
    ] {
        let told = served.get(&format!("/datasets/{dataset}/documents{query}")).await;
        assert_eq!(told, json!({"code": 102, "message": message}), "{query}");
    }
    let foreign = served.get("/datasets/x/documents").await;
    assert_eq!(foreign, json!({"code": 102, "message": "You don't own the dataset x. "}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_changed() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let id = served.parsed(&dataset, "a.csv", prices(3)).await;
    let other = served.parsed(&dataset, "b.csv", b"x\n1\n".to_vec()).await;
    let path = format!("/datasets/{dataset}/documents/{id}");
    let put = async |body: Value| served.call("PUT", &path, body).await;
    assert_eq!(put(json!({"name": "新.CSV", "meta_fields": {"y": 1}})).await["data"]["name"], "新.CSV");
    assert_eq!(served.document(&dataset, &id).await["meta_fields"], json!({"y": 1}));
    for (body, code, message) in [
        (json!({"name": "b.csv"}), 102, "Duplicated document name in the same dataset."),
        (json!({"name": "a.xlsx"}), 101, "The extension of file can't be changed"),
        (json!({"chunk_count": 9}), 102, "Can't change `chunk_count`."),
        (json!({"progress": 0.5}), 102, "Can't change `progress`."),
        (json!({"meta_fields": []}), 102, "meta_fields must be a dictionary"),
        (json!({"chunk_method": "x"}), 102, "`chunk_method` x doesn't exist"),
        (
            json!({"parser_config": {"header_rows": 0}}),
            102,
            "`parser_config.header_rows`: write a row, or the first and the last row: 3 or [3, 4]",
        ),
    ] {
        assert_eq!(put(body.clone()).await, json!({"code": code, "message": message}), "{body}");
    }
    // Disabled, it answers nothing and keeps its rows.
    assert_eq!(put(json!({"enabled": false})).await["data"]["status"], "0");
    let tables = served.get(&format!("/datasets/{dataset}/tables")).await;
    assert_eq!(tables["data"].as_array().map(Vec::len), Some(1), "{tables}");
    assert_eq!(put(json!({"enabled": 1})).await["data"]["chunk_count"], 3);
    // Read otherwise, it waits for a parse.
    let changed = put(json!({"parser_config": {"types": {"price": "text"}}})).await;
    assert_eq!((&changed["data"]["run"], &changed["data"]["chunk_count"]), (&json!("UNSTART"), &json!(0)));
    served.parse(&dataset, &id).await;
    assert_eq!(served.ended(&dataset, &id).await["run"], "DONE");
    let tables = served.get(&format!("/datasets/{dataset}/tables")).await;
    assert_eq!(tables["data"][0]["fields"][1]["type"], "text", "{tables}");
    assert_eq!(served.document(&dataset, &other).await["run"], "DONE");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_document_keeps_its_rows_when_segments_are_merged() {
    let mut config = Config::default();
    config.embedded.max_segments = 2;
    let served = Served::with(config).await;
    let dataset = served.dataset("d").await;
    let hidden = served.parsed(&dataset, "a.csv", prices(3)).await;
    for (name, rows) in [("b.csv", 1), ("c.csv", 2), ("d.csv", 4)] {
        served.parsed(&dataset, name, prices(rows)).await;
    }
    let path = format!("/datasets/{dataset}/documents/{hidden}");
    let answered = served.call("PUT", &path, json!({"enabled": false})).await;
    assert_eq!(answered["data"]["status"], "0", "{answered}");
    for (name, rows) in [("e.csv", 5), ("f.csv", 6), ("g.csv", 7), ("h.csv", 8)] {
        served.parsed(&dataset, name, prices(rows)).await;
    }
    let tables = served.get(&format!("/datasets/{dataset}/tables")).await;
    let count = format!("SELECT COUNT(*), SUM(price_long) FROM {}", text(&tables["data"][0]["name"]));
    assert_eq!(served.rows(&dataset, &count).await, json!([[33, 114]]));
    served.call("PUT", &path, json!({"enabled": true})).await;
    assert_eq!(served.rows(&dataset, &count).await, json!([[36, 120]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn parses_are_asked_for_stopped_and_fail_in_words() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let big = served.upload(&dataset, &[("big.csv", prices(400_000)), ("bad.xlsx", b"PK\x03\x04 no".to_vec())]).await;
    let (id, bad) = (text(&big["data"][0]["id"]), text(&big["data"][1]["id"]));
    let chunks = format!("/datasets/{dataset}/chunks");
    let post = async |body: Value| served.call("POST", &chunks, body).await;
    let delete = async |body: Value| served.call("DELETE", &chunks, body).await;
    assert_eq!(post(json!({})).await["message"], "`document_ids` is required");
    assert_eq!(post(json!({"document_ids": []})).await["message"], "`document_ids` is required");
    assert_eq!(
        post(json!({"document_ids": ["x"]})).await,
        json!({"code": 102, "message": "Documents not found: ['x']"})
    );
    let still = "Can't stop parsing document with progress at 0 or 1";
    assert_eq!(delete(json!({"document_ids": [id]})).await["message"], still);
    let twice = post(json!({"document_ids": [id, id]})).await;
    let errors = json!({"success_count": 1, "errors": [format!("Duplicate document ids: {id}")]});
    assert_eq!(twice, json!({"code": 0, "data": errors}));
    assert_eq!(
        post(json!({"document_ids": [id]})).await["message"],
        "Can't parse document that is currently being processed"
    );
    assert_eq!(delete(json!({"document_ids": [id]})).await, json!({"code": 0}));
    let stopped = served.document(&dataset, &id).await;
    assert_eq!(
        (&stopped["run"], &stopped["progress"], &stopped["chunk_count"]),
        (&json!("CANCEL"), &json!(0.0), &json!(0))
    );
    served.parse(&dataset, &bad).await;
    let failed = served.ended(&dataset, &bad).await;
    assert_eq!((&failed["run"], &failed["progress"]), (&json!("FAIL"), &json!(-1.0)), "{failed}");
    assert!(text(&failed["progress_msg"]).contains("bad.xlsx"), "{failed}");
    assert_eq!(served.document(&dataset, &id).await["run"], "CANCEL");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_deleted_while_it_is_read_is_gone() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let uploaded = served.upload(&dataset, &[("big.csv", prices(200_000))]).await;
    let id = text(&uploaded["data"][0]["id"]);
    served.parse(&dataset, &id).await;
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let deleted = served.call("DELETE", &format!("/datasets/{dataset}/documents"), json!({"ids": [id]})).await;
    assert_eq!(deleted, json!({"code": 0}));
    assert_eq!(served.get(&format!("/datasets/{dataset}/documents")).await["data"]["total"], 0);
    served.parsed(&dataset, "small.csv", b"name,price\na,5\n".to_vec()).await;
    let tables = served.get(&format!("/datasets/{dataset}/tables")).await;
    assert_eq!((&tables["data"][0]["rows"], tables["data"].as_array().map(Vec::len)), (&json!(1), Some(1)), "{tables}");
    // And so is one whose dataset is deleted.
    let uploaded = served.upload(&dataset, &[("again.csv", prices(200_001))]).await;
    served.parse(&dataset, &text(&uploaded["data"][0]["id"])).await;
    assert_eq!(served.call("DELETE", "/datasets", json!({"ids": [dataset]})).await["code"], 0);
    let fresh = served.dataset("fresh").await;
    served.parsed(&fresh, "small.csv", prices(2)).await;
    assert_eq!(served.rows(&fresh, "SELECT COUNT(*) FROM small").await, json!([[2]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_read_side_by_side_and_become_live_in_turn() {
    let mut config = Config::default();
    config.serve.max_parses = 3;
    let served = Served::with(config).await;
    let dataset = served.dataset("d").await;
    // A later file widens the column of the first ones.
    let wide = |rows: u32| {
        let lines: String = (1..=rows).map(|n| format!("item{n},{n}.5\n")).collect();
        format!("name,price\n{lines}").into_bytes()
    };
    let files =
        [("a.csv", prices(60_000)), ("b.csv", prices(60_001)), ("c.csv", wide(60_000)), ("d.csv", prices(60_000))];
    let uploaded = served.upload(&dataset, &files).await;
    let ids: Vec<String> = uploaded["data"].as_array().into_iter().flatten().map(|d| text(&d["id"])).collect();
    served.call("POST", &format!("/datasets/{dataset}/chunks"), json!({"document_ids": ids})).await;
    let mut most = 0;
    loop {
        let listed = served.get(&format!("/datasets/{dataset}/documents?run=RUNNING")).await;
        let running = listed["data"]["docs"].as_array().cloned().unwrap_or_default();
        let read = running.iter().filter(|document| document["progress"].as_f64().is_some_and(|done| done > 0.002));
        most = most.max(read.count());
        if running.is_empty() {
            break;
        }
    }
    assert!(most > 1, "{most}");
    // The two of the same bytes are one.
    let told: Vec<String> = futures::future::join_all(ids.iter().map(|id| served.document(&dataset, id)))
        .await
        .iter()
        .map(|document| text(&document["progress_msg"]))
        .collect();
    assert_eq!(told.iter().filter(|message| message.contains("already as")).count(), 1, "{told:?}");
    let tables = served.get(&format!("/datasets/{dataset}/tables")).await;
    let sql = format!("SELECT COUNT(*), SUM(price_flt) FROM {}", text(&tables["data"][0]["name"]));
    let whole = 60_000.0 * 60_001.0 / 2.0;
    assert_eq!(served.rows(&dataset, &sql).await, json!([[180_001, 3.0 * whole + 60_001.0 + 30_000.0]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_is_429() {
    let mut config = Config::default();
    config.serve.max_queue = 2;
    let served = Served::with(config).await;
    let dataset = served.dataset("d").await;
    let files: Vec<(&str, Vec<u8>)> = ["a.csv", "b.csv", "c.csv"].map(|name| (name, prices(9))).into();
    let uploaded = served.upload(&dataset, &files).await;
    let ids: Vec<&Value> = uploaded["data"].as_array().into_iter().flatten().map(|d| &d["id"]).collect();
    let asked = served.request("POST", &format!("/datasets/{dataset}/chunks")).json(&json!({"document_ids": ids}));
    let full = asked.send().await.expect("an answer");
    assert_eq!(full.status(), 429);
    assert!(full.headers().contains_key("retry-after"));
    assert_eq!(served.get(&format!("/datasets/{dataset}/documents?run=UNSTART")).await["data"]["total"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_can_t_be_read_is_never_taken_for_all() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let id = served.parsed(&dataset, "a.csv", prices(3)).await;
    let path = format!("/datasets/{dataset}/documents");
    let sent_as = async |body: &str| sent(served.request("DELETE", &path).body(body.to_owned())).await;
    let python = "AttributeError(\"'str' object has no attribute 'get'\")";
    assert_eq!(sent_as("\"not json\"").await, json!({"code": 100, "data": null, "message": python}));
    for (body, code) in [
        ("[\"x\"]", 100),
        ("{\"ids\": [\"", 101),
        ("{\"ids\": \"x\"}", 101),
        ("{\"ids\": {}}", 101),
        ("{\"ids\": 0}", 101),
    ] {
        assert_eq!(sent_as(body).await["code"], code, "{body}");
    }
    for (chats, key) in [("/chats", "ids"), ("/datasets/x/chunks", "document_ids")] {
        assert_ne!(served.call("DELETE", chats, json!({key: "x"})).await["code"], 0, "{chats}");
    }
    let asked = json!({"question": "How many rows?", "sql": "SELECT COUNT(*) FROM a", "document_ids": "x"});
    for (route, given) in [("ask", &asked), ("sql", &asked)] {
        assert_eq!(served.call("POST", &format!("/datasets/{dataset}/{route}"), given.clone()).await["code"], 101);
    }
    for condition in [json!("x"), json!({"conditions": "x"}), json!({"conditions": ["x"]})] {
        let asked = json!({"question": "item1", "dataset_ids": [dataset], "metadata_condition": condition});
        assert_eq!(served.call("POST", "/retrieval", asked).await["code"], 101);
    }
    assert_eq!(served.document(&dataset, &id).await["chunk_count"], 3);
    assert_eq!(sent_as(" ").await["code"], 0);
    assert_eq!(served.get(&path).await["data"]["total"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn keywords_find_names_in_any_case_of_any_alphabet() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    served.upload(&dataset, &[("ÜBERSICHT.csv", prices(1)), ("Ａ店.csv", prices(2)), ("b.csv", prices(3))]).await;
    for (keywords, name) in
        [("ÜBERSICHT", "ÜBERSICHT.csv"), ("übersicht", "ÜBERSICHT.csv"), ("Ａ店", "Ａ店.csv"), ("B.CSV", "b.csv")]
    {
        let listed = served.get(&format!("/datasets/{dataset}/documents?keywords={keywords}")).await;
        assert_eq!(
            (&listed["data"]["total"], &listed["data"]["docs"][0]["name"]),
            (&json!(1), &json!(name)),
            "{listed}"
        );
    }
}
