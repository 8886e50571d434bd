//! Chats, sessions and completions, as RAGFlow's clients use them.

use serde_json::{Value, json};

use super::{Served, fixture, prices, sent, text};

/// A chat over a dataset with the sales book: `(chat, dataset, document)`.
async fn sales(served: &Served) -> (String, String, String) {
    let dataset = served.dataset("销售").await;
    let document = served.parsed(&dataset, "销售台账.xlsx", fixture("销售台账.xlsx")).await;
    let made = served.call("POST", "/chats", json!({"name": "销售助手", "dataset_ids": [dataset]})).await;
    assert_eq!(made["code"], 0, "{made}");
    (text(&made["data"]["id"]), dataset, document)
}

/// The frames of a stream.
async fn frames(served: &Served, path: &str, body: Value) -> Vec<Value> {
    let response = served.request("POST", path).json(&body).send().await.expect("an answer");
    assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
    assert_eq!(response.headers()["cache-control"], "no-cache");
    let text = response.text().await.expect("a text");
    let frames = text.split_terminator("\n\n").map(|frame| frame.strip_prefix("data:").expect("data:").to_owned());
    frames.map(|frame| serde_json::from_str(&frame).unwrap_or_else(|_| Value::from(frame))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_answers_with_rows_and_keeps_what_was_said() {
    let served = Served::new().await;
    let (chat, dataset, document) = sales(&served).await;
    let completions = format!("/chats/{chat}/completions");
    let begun = frames(&served, &completions, json!({"question": "ignored"})).await;
    assert_eq!(begun[0]["data"]["answer"], "Hi! I'm your assistant. What can I do for you?", "{begun:?}");
    assert_eq!(begun[1], json!({"code": 0, "message": "", "data": true}));
    let session = text(&begun[0]["data"]["session_id"]);
    let question = "各部门的销售额合计，从高到低";
    let streamed = frames(&served, &completions, json!({"question": question, "session_id": session})).await;
    let data = &streamed[streamed.len() - 2]["data"];
    assert_eq!(streamed[streamed.len() - 1], json!({"code": 0, "data": true}));
    let answer = text(&data["answer"]);
    assert!(answer.contains("390,483.63") && answer.contains("[ID:0]"), "{answer}");
    let chunk = &data["reference"]["chunks"][0];
    assert_eq!((&chunk["document_id"], &chunk["dataset_id"]), (&json!(document), &json!(dataset)));
    assert_eq!(data["reference"]["doc_aggs"][0]["count"], 120);
    assert_eq!(data["reference"]["SQL_RESULT"]["rows"][0][1], 390_483.63);
    let whole = json!({"question": "一共有多少行", "session_id": session, "stream": false});
    let whole = served.call("POST", &completions, whole).await;
    assert_eq!(
        (&whole["code"], &whole["data"]["reference"]["SQL_RESULT"]["rows"]),
        (&json!(0), &json!([[120]])),
        "{whole}"
    );
    let kept = served.get(&format!("/chats/{chat}/sessions?id={session}")).await;
    let messages = kept["data"][0]["messages"].as_array().cloned().unwrap_or_default();
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["assistant", "user", "assistant", "user", "assistant"]);
    assert_eq!((&messages[1]["content"], &messages[2]["content"]), (&json!(question), &json!(answer)));
    assert_eq!(messages[2]["reference"][0]["id"], chunk["id"]);
    for (path, body, message) in [
        ("/chats/x/completions".to_owned(), json!({"question": "q"}), "You don't own the chat x".to_owned()),
        (completions.clone(), json!({"question": "q", "session_id": "x"}), "You don't own the session x".to_owned()),
        (completions, json!({"question": "", "session_id": session}), "`question` is required.".to_owned()),
    ] {
        assert_eq!(served.call("POST", &path, body).await, json!({"code": 102, "message": message}));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_is_made_changed_listed_and_deleted() {
    let served = Served::new().await;
    let (chat, dataset, _) = sales(&served).await;
    let empty = served.dataset("empty").await;
    for (body, message) in [
        (json!({"name": "x", "dataset_ids": ["no"]}), "You don't own the dataset no".to_owned()),
        (json!({"name": "x", "dataset_ids": "no"}), "You don't own the dataset n".to_owned()),
        (json!({"name": "x", "dataset_ids": [empty]}), format!("The dataset {empty} doesn't own parsed file")),
        (json!({"name": "x", "llm": {"model_name": "y"}}), "`model_name` y doesn't exist".to_owned()),
        (json!({"name": "x", "prompt": {"rerank_model": "y"}}), "`rerank_model` y doesn't exist".to_owned()),
        (json!({"name": " "}), "`name` is required.".to_owned()),
        (json!({}), "`name` is required.".to_owned()),
        (json!({"name": "销售助手"}), "Duplicated chat name in creating chat.".to_owned()),
        (json!({"name": "x", "tenant_id": "y"}), "`tenant_id` must not be provided.".to_owned()),
        (
            json!({"name": "x", "prompt": {"prompt": "p", "variables": [{"key": "k", "optional": false}]}}),
            "Parameter 'k' is not used".to_owned(),
        ),
        (json!({"name": "x", "prompt": {"prompt": "p"}}), "Parameter 'knowledge' is not used".to_owned()),
        (
            json!({"name": "销售助手", "tenant_id": "y", "prompt": {"prompt": "p"}}),
            "Duplicated chat name in creating chat.".to_owned(),
        ),
    ] {
        assert_eq!(
            served.call("POST", "/chats", body.clone()).await,
            json!({"code": 102, "message": message}),
            "{body}"
        );
    }
    let prompt = json!({"keywords_similarity_weight": 0.6, "empty_response": "", "top_k": 7, "opener": "hello"});
    let other = served
        .call("POST", "/chats", json!({"name": "other", "llm": {"temperature": 0.5, "x": 1}, "prompt": prompt}))
        .await;
    let shown = &other["data"];
    assert_eq!(shown["llm"], json!({"temperature": 0.5, "x": 1, "model_name": ""}));
    assert_eq!(
        (&shown["prompt"]["keywords_similarity_weight"], &shown["prompt"]["opener"]),
        (&json!(0.4), &json!("hello"))
    );
    assert!(shown["prompt"].get("top_k").is_none(), "{shown}");
    let free = json!({"name": "Über", "prompt": {"prompt": "p", "variables": []}});
    assert_eq!(served.call("POST", "/chats", free).await["code"], 0);
    let names = async |query: &str| {
        let listed = served.get(&format!("/chats{query}")).await;
        listed["data"].as_array().into_iter().flatten().map(|chat| text(&chat["name"])).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("?name=ÜBER").await, "Über");
    assert_eq!(names("?orderby=name&desc=false").await, "other Über 销售助手");
    assert_eq!(served.get("/chats?orderby=x").await["code"], 101);
    let path = format!("/chats/{}", text(&shown["id"]));
    assert_eq!(served.call("PUT", &path, json!({"name": "新"})).await, json!({"code": 0}));
    assert_eq!(
        served.call("PUT", &path, json!({"name": "销售助手"})).await["message"],
        "Duplicated chat name in updating chat."
    );
    assert_eq!(served.call("PUT", &path, json!({"name": ""})).await["message"], "`name` cannot be empty.");
    assert_eq!(served.call("PUT", "/chats/x", json!({"name": "y"})).await["message"], "You do not own the chat");
    let listed = served.get(&format!("/chats?id={chat}")).await;
    assert_eq!(listed["data"][0]["datasets"][0]["id"], json!(dataset), "{listed}");
    assert_eq!(served.get("/chats?page_size=1&page=2").await["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(served.get("/chats?name=none").await, json!({"code": 102, "message": "The chat doesn't exist"}));
    let partial = served.call("DELETE", "/chats", json!({"ids": [chat, "x", chat]})).await;
    let errors = json!(["Assistant(x) not found.", format!("Duplicate assistant ids: {chat}")]);
    assert_eq!(partial, json!({"code": 0, "data": {"success_count": 1, "errors": errors}}));
    assert_eq!(
        served.call("DELETE", "/chats", json!({"ids": ["x"]})).await,
        json!({"code": 102, "message": "Assistant(x) not found."})
    );
    assert_eq!(served.call("DELETE", "/chats", json!({})).await, json!({"code": 0}));
    assert_eq!(served.get("/chats").await["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_made_renamed_listed_and_deleted() {
    let served = Served::new().await;
    let made = served.call("POST", "/chats", json!({"name": "c"})).await;
    let path = format!("/chats/{}/sessions", text(&made["data"]["id"]));
    let first = served.call("POST", &path, json!({"name": "一", "user_id": "u"})).await;
    assert_eq!((&first["data"]["name"], &first["data"]["user_id"]), (&json!("一"), &json!("u")), "{first}");
    assert_eq!(served.call("POST", &path, json!({})).await["data"]["name"], "New session");
    assert_eq!(served.call("POST", &path, json!({"name": ""})).await["message"], "`name` can not be empty.");
    assert_eq!(served.call("POST", "/chats/x/sessions", json!({})).await["message"], "You do not own the assistant.");
    let id = text(&first["data"]["id"]);
    let one = format!("{path}/{id}");
    assert_eq!(served.call("PUT", &one, json!({"name": "二"})).await, json!({"code": 0}));
    assert_eq!(served.call("PUT", &one, json!({})).await, json!({"code": 0}));
    assert_eq!(served.call("PUT", &one, json!({"name": ""})).await["message"], "`name` can not be empty.");
    assert_eq!(served.call("PUT", &one, json!({"messages": []})).await["message"], "`message` can not be change");
    assert_eq!(served.call("PUT", &format!("{path}/x"), json!({})).await["message"], "Session does not exist");
    assert_eq!(served.get(&format!("{path}?user_id=u")).await["data"][0]["name"], "二");
    assert_eq!(served.get(&format!("{path}?name=none")).await["data"], json!([]));
    assert_eq!(served.get(&format!("{path}?orderby=user_id")).await["data"][0]["name"], "二");
    assert_eq!(served.get("/chats/x/sessions").await["message"], "You don't own the assistant x.");
    let partial = served.call("DELETE", &path, json!({"ids": [id, "x"]})).await;
    assert_eq!(partial["data"], json!({"success_count": 1, "errors": ["The chat doesn't own the session x"]}));
    assert_eq!(served.call("DELETE", &path, json!({"ids": null})).await, json!({"code": 0}));
    assert_eq!(served.get(&path).await["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_retrieved_by_relevance() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let file = "name,note\nApple,red fruit\nBanana,yellow fruit\nCar,red engine\n".as_bytes().to_vec();
    let id = served.parsed(&dataset, "things.csv", file).await;
    served.parsed(&dataset, "prices.csv", prices(50)).await;
    let found = async |body: Value| {
        let mut body = body;
        body["dataset_ids"] = json!([dataset]);
        served.call("POST", "/retrieval", body).await
    };
    let answer = found(json!({"question": "red fruit", "similarity_threshold": 0.1})).await;
    let data = &answer["data"];
    assert_eq!((&data["total"], &data["chunks"][0]["document_id"]), (&json!(3), &json!(id)), "{answer}");
    assert_eq!(data["chunks"][0]["similarity"], 0.7);
    assert!(text(&data["chunks"][0]["content"]).contains("name:Apple"), "{answer}");
    assert!(text(&data["chunks"][0]["highlight"]).contains("<em>red</em>"), "{answer}");
    assert_eq!(data["doc_aggs"], json!([{"doc_name": "things.csv", "doc_id": id, "count": 3}]));
    assert_eq!(found(json!({"question": ""})).await["data"]["total"], 0);
    assert_eq!(found(json!({"question": "red", "page": 9})).await["data"]["chunks"], json!([]));
    served.call("PUT", &format!("/datasets/{dataset}/documents/{id}"), json!({"meta_fields": {"year": 2024}})).await;
    let by_year = |year: i32| json!({"question": "red", "metadata_condition": {"conditions": [{"name": "year", "comparison_operator": "=", "value": year}]}});
    assert_eq!(found(by_year(2024)).await["data"]["total"], 2);
    assert_eq!(found(by_year(2023)).await["data"]["total"], 0);
    for (body, message) in [
        (json!({"question": "x"}), "`dataset_ids` is required."),
        (json!({"question": "x", "dataset_ids": "y"}), "`dataset_ids` should be a list"),
        (json!({"question": "x", "dataset_ids": ["y"]}), "You don't own the dataset y."),
        (json!({"dataset_ids": [dataset]}), "`question` is required."),
        (json!({"question": "x", "dataset_ids": [dataset], "document_ids": "y"}), "`documents` should be a list"),
        (
            json!({"question": "x", "dataset_ids": [dataset], "document_ids": ["y"]}),
            "The datasets don't own the document y",
        ),
    ] {
        assert_eq!(served.call("POST", "/retrieval", body).await, json!({"code": 102, "message": message}));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_s_clients_are_answered() {
    let served = Served::new().await;
    let (chat, ..) = sales(&served).await;
    let messages = json!([{"role": "system", "content": "s"}, {"role": "user", "content": "一共有多少行"}]);
    let root = async |method: &str, path: &str, body: Value| {
        let request =
            served.client.request(method.parse().expect("a method"), format!("{}{path}", served.base)).json(&body);
        let response = request.send().await.expect("an answer");
        (response.status().as_u16(), response.json::<Value>().await.expect("JSON"))
    };
    let models = root("GET", "/v1/models", json!({})).await.1;
    assert_eq!(models["data"][0]["id"], "销售助手");
    for (path, model) in
        [("/v1/chat/completions".to_owned(), "销售助手"), (format!("/api/v1/openai/{chat}/chat/completions"), "x")]
    {
        let (status, whole) =
            root("POST", &path, json!({"model": model, "messages": messages, "reference": true})).await;
        let message = &whole["choices"][0]["message"];
        assert_eq!((status, &whole["object"]), (200, &json!("chat.completion")), "{whole}");
        assert!(
            text(&message["content"]).contains("120") && message["reference"]["chunks"][0]["id"].is_string(),
            "{whole}"
        );
        assert!(whole["usage"]["total_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{whole}");
    }
    let path = format!("/chats_openai/{chat}/chat/completions");
    let pieces = frames(&served, &path, json!({"model": "x", "messages": messages})).await;
    let said: String = pieces.iter().filter_map(|piece| piece["choices"][0]["delta"]["content"].as_str()).collect();
    assert!(said.contains("120"), "{said}");
    assert_eq!(pieces[pieces.len() - 1], "[DONE]");
    assert!(pieces[pieces.len() - 2]["usage"]["total_tokens"].is_u64());
    for (path, body, status, message) in [
        (format!("/api/v1{path}"), json!({}), 400, "required argument are missing: model,messages; ".to_owned()),
        (
            format!("/api/v1{path}"),
            json!({"model": "x", "messages": []}),
            400,
            "You have to provide messages.".to_owned(),
        ),
        (
            format!("/api/v1{path}"),
            json!({"model": "x", "messages": [{"role": "assistant", "content": "x"}]}),
            400,
            "The last content of this conversation is not from user.".to_owned(),
        ),
        (
            "/api/v1/openai/x/chat/completions".to_owned(),
            json!({"model": "x", "messages": messages}),
            400,
            "You don't own the chat x".to_owned(),
        ),
        (
            "/v1/chat/completions".to_owned(),
            json!({"model": "x", "messages": messages}),
            404,
            "The model `x` does not exist; make a chat of this name".to_owned(),
        ),
    ] {
        let (got, told) = root("POST", &path, body).await;
        assert_eq!(
            (got, &told["message"], &told["error"]["message"]),
            (status, &json!(message), &json!(message)),
            "{told}"
        );
    }
    let unknown = sent(served.client.get(format!("{}/v1/nothing", served.base))).await;
    assert_eq!(unknown["code"], 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn datasets_of_one_question_have_one_embedding_model() {
    let served = Served::new().await;
    let mut ids = Vec::new();
    for (name, model) in [
        ("unset", Value::Null),
        ("default", json!("BAAI/bge-small-en-v1.5@Builtin")),
        ("other", json!("BAAI/bge-m3@Builtin")),
    ] {
        let made = served.call("POST", "/datasets", json!({"name": name, "embedding_model": model})).await;
        ids.push(text(&made["data"]["id"]));
        let shown = if model.is_null() { json!("BAAI/bge-small-en-v1.5@Builtin") } else { model };
        assert_eq!(made["data"]["embedding_model"], shown);
        served.parsed(&ids[ids.len() - 1], "a.csv", prices(3)).await;
    }
    let asked = |ids: &[String]| json!({"name": ids.len().to_string(), "question": "item1", "dataset_ids": ids});
    assert_eq!(served.call("POST", "/retrieval", asked(&ids[..2])).await["code"], 0);
    assert_eq!(served.call("POST", "/chats", asked(&ids[..2])).await["code"], 0);
    let different = "Datasets use different embedding models.\"";
    assert_eq!(served.call("POST", "/retrieval", asked(&ids)).await, json!({"code": 102, "message": different}));
    assert_eq!(served.call("POST", "/chats", asked(&ids)).await, json!({"code": 109, "message": different}));
    let long = json!({"question": "x".repeat(3_000), "dataset_ids": ids[..2]});
    assert_eq!(served.call("POST", "/retrieval", long).await["code"], 102);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_a_question_are_never_ignored() {
    let served = Served::new().await;
    let dataset = served.dataset("d").await;
    let one = served.parsed(&dataset, "a.csv", prices(3)).await;
    served.parsed(&dataset, "b.csv", prices(5)).await;
    let chat = served.call("POST", "/chats", json!({"name": "c", "dataset_ids": [dataset]})).await;
    let path = format!("/chats/{}", text(&chat["data"]["id"]));
    let session = text(&served.call("POST", &format!("{path}/sessions"), json!({})).await["data"]["id"]);
    let told = async |doc_ids: Value| {
        let asked =
            json!({"question": "How many rows are there?", "session_id": session, "stream": false, "doc_ids": doc_ids});
        let answer = served.call("POST", &format!("{path}/completions"), asked).await;
        (answer["code"].clone(), answer["data"]["reference"]["SQL_RESULT"]["rows"].clone())
    };
    assert_eq!(told(json!("")).await, (json!(0), json!([[8]])));
    assert_eq!(told(json!(one)).await, (json!(0), json!([[3]])));
    assert_eq!(told(json!([one])).await, (json!(0), json!([[3]])));
    assert_eq!(told(json!({"id": one})).await.0, 101);
}
