//! Every question set in `fixtures/cases`: dropping a file there is a new test.

use std::fs;

use serde_json::Value;

use crate::binary::{Run, root};

#[test]
fn no_case_is_answered_wrong() {
    let mut sets: Vec<_> = fs::read_dir(root().join("fixtures/cases"))
        .expect("fixtures/cases is there")
        .map(|entry| entry.expect("an entry of fixtures/cases").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    sets.sort();
    let mut words = vec!["eval".into()];
    words.extend(sets.iter().map(|set| set.as_os_str().to_owned()));
    let ran = Run::of(words).ran().ends(0);
    let mut documents = ran.documents();
    let summary = documents.pop().expect("the counts come last");
    let wrong: Vec<&Value> = documents.iter().filter(|line| line["right"] == false).collect();
    let declined: Vec<&Value> =
        documents.iter().filter(|line| line["right"].is_null()).map(|line| &line["id"]).collect();
    println!("{summary}\ndeclined: {declined:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(summary["cases"], documents.len());
    assert_eq!(summary["failed"], 0);
}
