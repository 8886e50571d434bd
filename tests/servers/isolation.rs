//! Two knowledge bases on one server, with the same labels and overlapping values: what is asked of one is answered as if the
//! other were not there.

use std::path::Path;

use serde_json::{Value, json};
use sheetwise::app::Session;
use sheetwise::config::Config;
use sheetwise::ingest::Upload;
use sheetwise::sheet::ReadOptions;
use tokio::runtime::Runtime;

use super::{Place, curl, engine, nodes, shared};
use crate::binary::fixture;
use crate::isolation::{ANSWERED, QUESTIONS, REFUSED};

async fn kb(place: &Place, name: &str) -> Session {
    place.app.create_kb(name).await.expect("a knowledge base");
    let path = fixture(&format!("two_kb_{name}.csv"));
    let upload = Upload { path: path.into(), name: "items.csv".to_owned(), options: ReadOptions::default() };
    place.app.add(name, vec![upload]).await.expect("a report");
    place.app.session(&[name.to_owned()]).await.expect("a session")
}

async fn outcomes(place: &Place, session: &Session) -> Vec<Value> {
    let mut outcomes = Vec::new();
    for statement in ANSWERED.iter().map(|(statement, _)| statement).chain(&REFUSED) {
        outcomes.push(place.sql(session, statement).await);
    }
    for question in QUESTIONS {
        outcomes.push(place.ask(session, question).await);
    }
    outcomes
}

#[test]
fn attacks_reach_no_row_of_another_knowledge_base_on_a_server() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    for node in nodes() {
        runtime.block_on(async {
            let alone = Place::embedded().await;
            let session = kb(&alone, "a").await;
            let wanted = outcomes(&alone, &session).await;
            let beside = Place::on(&node).await;
            kb(&beside, "b").await;
            let session = kb(&beside, "a").await;
            let given = outcomes(&beside, &session).await;
            beside.close().await;
            let asked = ANSWERED.iter().map(|(statement, _)| statement).chain(&REFUSED).chain(&QUESTIONS);
            for ((wanted, given), asked) in wanted.iter().zip(&given).zip(asked) {
                assert_eq!(wanted, given, "{}: {asked}", node.name);
                assert!(!given["rows"].to_string().contains("only in b"), "{}: {asked}: {given}", node.name);
            }
        });
        println!("{}: no row of another knowledge base", node.name);
    }
}

/// Both knowledge bases in each index: what stands in every search keeps them apart, not where their rows are.
#[test]
fn rows_in_one_index_are_kept_apart_by_the_scope_of_every_search() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    for node in nodes() {
        runtime.block_on(async {
            let alone = Place::embedded().await;
            let session = kb(&alone, "a").await;
            let wanted = outcomes(&alone, &session).await;
            let config = Config { engine: engine(&node.address), ..Config::default() };
            let both = Place::with(config.clone()).await;
            kb(&both, "b").await;
            let session = kb(&both, "a").await;
            let listed = curl(&[&format!("{}/{}*/_mapping", node.address, config.engine.index_prefix)]);
            let indexes: Vec<&String> = listed.as_object().expect("indexes").keys().collect();
            assert_eq!(indexes.len(), 2);
            for (from, to) in [(indexes[0], indexes[1]), (indexes[1], indexes[0])] {
                let body = json!({ "source": { "index": from }, "dest": { "index": to } }).to_string();
                let copied = curl(&["-X", "POST", &format!("{}/_reindex?refresh=true", node.address), "-d", &body]);
                assert_eq!(copied["failures"], json!([]), "{copied}");
            }
            let given = outcomes(&both, &session).await;
            assert_eq!(wanted, given, "{}", node.name);
            both.close().await;
        });
    }
}

/// Rows that no live load has are not there: a killed load's, a replaced document's.
#[test]
fn a_replaced_and_a_removed_document_leave_no_row() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    for node in nodes() {
        runtime.block_on(async {
            let place = Place::on(&node).await;
            place.app.create_kb("k").await.expect("a knowledge base");
            let file = place.folder.path().join("t.csv");
            for (text, rows) in [("name,n\na,1\nb,2\n", 2), ("name,n\na,10\nb,20\nc,30\n", 3)] {
                std::fs::write(&file, text).expect("a file");
                let upload = Upload::file(Path::new(&file), ReadOptions::default());
                place.app.add("k", vec![upload]).await.expect("a report");
                let session = place.app.session(&["k".to_owned()]).await.expect("a session");
                let outcome = place.sql(&session, "SELECT COUNT(*), SUM(n) FROM t").await;
                assert_eq!(outcome["rows"][0][0], rows, "{}: {outcome}", node.name);
            }
            let other = place.folder.path().join("u.csv");
            std::fs::write(&other, "name,n\nd,100\n").expect("a file");
            place.app.add("k", vec![Upload::file(&other, ReadOptions::default())]).await.expect("a report");
            place.app.remove("k", Some("t.csv")).await.expect("removed");
            let session = place.app.session(&["k".to_owned()]).await.expect("a session");
            let outcome = place.sql(&session, "SELECT COUNT(*), SUM(n) FROM t").await;
            assert_eq!(outcome["rows"].to_string(), "[[1,100]]", "{}: {outcome}", node.name);
            place.close().await;
        });
    }
}
