//! What askers think of answers, and what is counted for an owner.

use serde_json::{Value, json};
use sheetwise::config::Config;

use super::{Served, prices, text};
use crate::replay::{Replay, Reply};

#[tokio::test(flavor = "multi_thread")]
async fn opinions_are_kept_with_their_question_and_listed() {
    let served = Served::new().await;
    let (dataset, other) = (served.dataset("d").await, served.dataset("e").await);
    served.parsed(&dataset, "items.csv", prices(3)).await;
    let path = format!("/datasets/{dataset}/feedback");
    let given = json!({"thumbup": false, "feedback": "wrong sum", "question": "total price?", "sql": "SELECT 1", "answer": "6"});
    let kept = served.call("POST", &path, given).await["data"].clone();
    assert_eq!((&kept["feedback"], &kept["dataset_id"]), (&json!("wrong sum"), &json!(dataset)), "{kept}");
    for (body, message) in [
        (json!({"question": "q"}), "`thumbup` is required: true or false"),
        (json!({"thumbup": "yes", "question": "q"}), "`thumbup` is required: true or false"),
        (json!({"thumbup": true}), "`question` is required"),
        (json!({"thumbup": true, "question": "q", "feedback": 1}), "`feedback` should be a text"),
    ] {
        assert_eq!(served.call("POST", &path, body.clone()).await, json!({"code": 101, "message": message}), "{body}");
    }
    let chat = text(&served.call("POST", "/chats", json!({"name": "c", "dataset_ids": [dataset]})).await["data"]["id"]);
    let sessions = format!("/chats/{chat}/sessions");
    let session = text(&served.call("POST", &sessions, json!({})).await["data"]["id"]);
    let turn = json!({"question": "how many rows are there?", "session_id": session, "stream": false});
    let said = served.call("POST", &format!("/chats/{chat}/completions"), turn).await["data"].clone();
    let judged = format!("{sessions}/{session}/messages/{}/feedback", text(&said["id"]));
    assert_eq!(served.call("PUT", &judged, json!({"thumbup": false})).await["code"], 0);
    let again = served.call("PUT", &judged, json!({"thumbup": true, "feedback": "right"})).await;
    let asked = (&again["data"]["question"], &again["data"]["answer"]);
    assert_eq!(asked, (&json!("how many rows are there?"), &said["answer"]), "{again}");
    let missing =
        served.call("PUT", &format!("{sessions}/{session}/messages/x/feedback"), json!({"thumbup": true})).await;
    assert_eq!(missing, json!({"code": 102, "message": "The session has no answer x"}));
    let list = async |query: &str| served.get(&format!("/feedback{query}")).await["data"].clone();
    let all = list("").await;
    assert_eq!((&all["total"], &all["feedback"][0]["feedback"]), (&json!(2), &json!("right")), "{all}");
    assert_eq!(all["feedback"][0]["session_id"], json!(session));
    assert_eq!(list("?thumbup=false").await["feedback"][0]["question"], "total price?");
    assert_eq!(list(&format!("?dataset_id={dataset}")).await["total"], 1);
    assert_eq!(list(&format!("?dataset_id={other}")).await["total"], 0);
    assert_eq!(list("?page=2&page_size=1").await["feedback"].as_array().map(Vec::len), Some(1));
    assert_eq!(served.get("/feedback?dataset_id=x").await["code"], 102);
    assert_eq!(served.get("/feedback?thumbup=x").await["code"], 101);
    // It goes with what it was about.
    served.call("DELETE", "/datasets", json!({"ids": [dataset]})).await;
    served.call("DELETE", "/chats", json!({"ids": [chat]})).await;
    assert_eq!(list("").await["total"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_what_is_kept_and_done_for_it() {
    let model = Replay::start(vec![Reply::say("SELECT COUNT(*) FROM items")]);
    let served = Served::with(Config { llm: model.config(), ..Config::default() }).await;
    let dataset = served.dataset("d").await;
    let file = prices(3);
    let bytes = file.len();
    let document = served.parsed(&dataset, "items.csv", file).await;
    let path = format!("/datasets/{dataset}");
    served.call("POST", &format!("{path}/documents/{document}/chunks"), json!({"content": "a note"})).await;
    served.rows(&dataset, "SELECT COUNT(*) FROM items").await;
    let answer = served.call("POST", &format!("{path}/ask"), json!({"question": "how many?"})).await;
    assert_eq!((&answer["data"]["path"], &answer["data"]["tokens"]["calls"]), (&json!("model"), &json!(1)), "{answer}");
    assert_eq!(answer["data"]["tokens"], json!({"calls": 1, "prompt": 90, "completion": 7}));
    served.call("POST", &format!("{path}/ask"), json!({"question": " "})).await;
    let usage = served.get("/usage").await["data"].clone();
    let counts = |names: &[&str], of: &Value| names.iter().map(|name| of[*name].as_u64()).collect::<Vec<_>>();
    let kept = counts(&["datasets", "documents", "bytes", "rows", "texts"], &usage);
    assert_eq!(kept, [Some(1), Some(1), Some(bytes as u64), Some(3), Some(1)], "{usage}");
    let done = ["questions", "statements", "model_calls", "prompt_tokens", "completion_tokens"];
    let want = [Some(1), Some(1), Some(1), Some(90), Some(7)];
    assert_eq!(counts(&done, &usage["work"]), want, "{usage}");
    assert_eq!((counts(&done, &usage["days"][0]), usage["days"].as_array().map(Vec::len)), (want.to_vec(), Some(1)));
    assert_eq!(served.get("/usage?days=0").await["data"]["days"], json!([]));
}
