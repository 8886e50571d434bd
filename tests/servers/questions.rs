//! The questions of `fixtures/cases`: what the embedded engine answers, every server answers.

use std::collections::BTreeMap;
use std::fs;

use regex::{Captures, Regex};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::{Place, nodes, shared};
use crate::binary::{lines, root};

/// Questions by the files they are about.
fn questions() -> BTreeMap<Vec<String>, Vec<String>> {
    let folder = root().join("fixtures/cases");
    let mut questions: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for set in fs::read_dir(&folder).expect("fixtures/cases") {
        for case in lines(&set.expect("an entry").path()) {
            let files = case["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let files = files.map(|file| folder.join(file).display().to_string()).collect();
            questions.entry(files).or_default().push(case["question"].as_str().expect("a question").to_owned());
        }
    }
    questions
}

/// The answer with its long fractions to twelve places: sums of doubles taken in another order differ in their last bit.
fn rounded(answer: &Value) -> String {
    let long = Regex::new(r"\d+\.\d{13,}").expect("a valid pattern");
    let text = answer.to_string();
    let places =
        |found: &Captures<'_>| found[0].parse::<f64>().map_or_else(|_| found[0].to_owned(), |x| format!("{x:.12}"));
    long.replace_all(&text, places).into_owned()
}

#[test]
fn every_question_has_the_same_answer_on_every_server() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    let nodes = nodes();
    if nodes.is_empty() {
        return;
    }
    let questions = questions();
    let embedded = runtime.block_on(Place::embedded());
    let mut wanted = Vec::new();
    for (n, (files, asked)) in questions.iter().enumerate() {
        let session = runtime.block_on(embedded.kb(&n.to_string(), files));
        wanted.extend(asked.iter().map(|question| runtime.block_on(embedded.ask(&session, question))));
    }
    for node in nodes {
        let place = runtime.block_on(Place::on(&node));
        let mut given = Vec::new();
        let mut words = Vec::new();
        for (n, (files, asked)) in questions.iter().enumerate() {
            let session = runtime.block_on(place.kb(&n.to_string(), files));
            given.extend(asked.iter().map(|question| runtime.block_on(place.ask(&session, question))));
            words.extend(asked);
        }
        let different: Vec<String> = (wanted.iter().zip(&given).zip(words))
            .filter(|((wanted, given), _)| rounded(wanted) != rounded(given))
            .map(|((wanted, given), question)| format!("{question}\n  want {wanted}\n  got  {given}"))
            .collect();
        runtime.block_on(place.close());
        assert!(different.is_empty(), "{}: {} differ:\n{}", node.name, different.len(), different.join("\n"));
        println!("{}: {} questions answered the same", node.name, given.len());
    }
}
