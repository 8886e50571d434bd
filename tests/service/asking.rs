//! Questions and statements over a dataset.

use calamine::{Reader, Xlsx};
use serde_json::{Value, json};
use sheetwise::config::Config;

use super::{Served, fixture, prices, text};

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_its_number_and_its_rows() {
    let served = Served::new().await;
    let dataset = served.dataset("销售").await;
    let id = served.parsed(&dataset, "销售台账.xlsx", fixture("销售台账.xlsx")).await;
    let path = format!("/datasets/{dataset}/ask");
    let answer = served.call("POST", &path, json!({"question": "各部门的销售额合计，从高到低"})).await;
    let data = &answer["data"];
    assert_eq!((&data["path"], &data["rows"][0][0]), (&json!("planner"), &json!("华南销售部")), "{answer}");
    assert_eq!(data["rows"][0][1], 390_483.63);
    assert_eq!(data["reference"]["doc_aggs"], json!([{"doc_id": id, "doc_name": "销售台账.xlsx", "count": 120}]));
    let chunk = &data["reference"]["chunks"][0];
    let row = served.get(text(&chunk["url"]).strip_prefix("/api/v1").expect("a path")).await;
    assert_eq!((&row["data"]["chunks"][0]["id"], &row["data"]["chunks"][0]["row"]), (&chunk["id"], &chunk["row"]));
    let file =
        served.request("POST", &path).json(&json!({"question": "各部门的销售额合计，从高到低", "format": "csv"}));
    let file = file.send().await.expect("an answer");
    assert_eq!(file.headers()["x-rows-total"], file.headers()["x-rows-shown"]);
    let file = file.text().await.expect("a text");
    assert!(file.starts_with("部门,SUM(销售额（元）)\n华南销售部,390483.63\n"), "{file}");
    let file =
        served.request("POST", &path).json(&json!({"question": "各部门的销售额合计，从高到低", "format": "xlsx"}));
    let file = file.send().await.expect("an answer");
    assert!(file.headers()["content-disposition"].to_str().is_ok_and(|name| name.ends_with("answer.xlsx")));
    let bytes = file.bytes().await.expect("bytes").to_vec();
    let mut book: Xlsx<_> = calamine::open_workbook_from_rs(std::io::Cursor::new(bytes)).expect("a workbook");
    let sheet = book.worksheet_range("answer").expect("a sheet");
    let first: Vec<String> = sheet.rows().nth(1).expect("a row").iter().map(ToString::to_string).collect();
    assert_eq!((first, sheet.height()), (vec!["华南销售部".to_owned(), "390483.63".to_owned()], 6));
    for (body, code) in [
        (json!({"question": "x", "format": "y"}), 101),
        (json!({}), 101),
        (json!({"question": " "}), 101),
        (json!({"question": "x", "mode": "y"}), 101),
        (json!({"question": "x".repeat(3_000)}), 102),
        (json!({"question": "x", "document_ids": ["y"]}), 102),
        (json!({"question": "为什么天空是蓝色的？", "mode": "sql", "format": "csv"}), 102),
    ] {
        assert_eq!(served.call("POST", &path, body.clone()).await["code"], code, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_is_guarded_and_limited_to_its_dataset() {
    let served = Served::new().await;
    let (a, b) = (served.dataset("a").await, served.dataset("b").await);
    let one = served.parsed(&a, "items.csv", prices(3)).await;
    served.parsed(&a, "more.csv", b"name,price\nz,100\n".to_vec()).await;
    served.parsed(&b, "items.csv", prices(50)).await;
    assert_eq!(served.rows(&a, "SELECT COUNT(*), SUM(price) FROM items").await, json!([[4, 106]]));
    let within = json!({"sql": "SELECT SUM(price) FROM items", "document_ids": [one]});
    assert_eq!(served.call("POST", &format!("/datasets/{a}/sql"), within).await["data"]["rows"], json!([[6]]));
    let all = format!("SELECT COUNT(*) FROM items WHERE price > 0 OR kb_id = '{b}'");
    let leak = served.call("POST", &format!("/datasets/{a}/sql"), json!({"sql": all})).await;
    assert!(leak["code"] == 102 || leak["data"]["rows"] == json!([[4]]), "{leak}");
    let file = json!({"sql": "SELECT name FROM items", "format": "csv"});
    let file = served.request("POST", &format!("/datasets/{b}/sql")).json(&file).send().await.expect("an answer");
    assert_eq!(file.headers()["x-rows-total"], "50");
    let refused = served.call("POST", &format!("/datasets/{a}/sql"), json!({"sql": "DROP TABLE items"})).await;
    assert_eq!(refused["code"], 102);
    assert!(refused["data"]["refusal"]["code"].is_string(), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_wait_for_their_turn_or_are_sent_away() {
    let mut config = Config::default();
    (config.serve.max_questions, config.serve.wait_seconds) = (1, 0);
    let served = Served::with(config).await;
    let dataset = served.dataset("d").await;
    served.parsed(&dataset, "items.csv", prices(20_000)).await;
    let path = format!("/datasets/{dataset}/sql");
    let ask = || async {
        let body = json!({"sql": "SELECT COUNT(*) FROM items a JOIN items b ON a.price = b.price"});
        let response = served.request("POST", &path).json(&body).send().await.expect("an answer");
        let (status, retry) = (response.status().as_u16(), response.headers().contains_key("retry-after"));
        (status, retry, response.json::<Value>().await.expect("JSON"))
    };
    let answers = futures::future::join_all((0..8).map(|_| ask())).await;
    assert!(answers.iter().any(|(status, ..)| *status == 200));
    for (status, retry, answer) in answers {
        match status {
            200 => assert_eq!(answer["data"]["rows"], json!([[20_000]])),
            _ => assert_eq!((status, retry, &answer["code"]), (429, true, &json!(429)), "{answer}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_big_file_on_its_way_keeps_no_question_waiting() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    served.parsed(&dataset, "items.csv", prices(100)).await;
    let uploaded = served.upload(&dataset, &[("big.csv", prices(500_000))]).await;
    let id = text(&uploaded["data"][0]["id"]);
    served.parse(&dataset, &id).await;
    let mut asked = 0;
    while served.document(&dataset, &id).await["run"] == "RUNNING" {
        let started = std::time::Instant::now();
        let rows = served.rows(&dataset, "SELECT COUNT(*) FROM items").await;
        assert!(rows == json!([[100]]) || rows == json!([[500_100]]), "{rows}");
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
        asked += 1;
    }
    assert!(asked > 2, "{asked}");
    assert_eq!(served.rows(&dataset, "SELECT COUNT(*) FROM items").await, json!([[500_100]]));
}
