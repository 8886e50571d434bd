//! `fixtures/contract`: every statement gives the rows that are written down, on the embedded engine and on every server, and
//! the same notes and cited rows on all.

use std::collections::BTreeMap;

use serde_json::Value;
use sheetwise::app::Session;
use tokio::runtime::Runtime;

use super::{Place, nodes, shared};
use crate::binary::{fixture, lines, root};

/// The cases by the files they are about.
fn cases() -> BTreeMap<Vec<String>, Vec<Value>> {
    let mut cases: BTreeMap<Vec<String>, Vec<Value>> = BTreeMap::new();
    for set in std::fs::read_dir(root().join("fixtures/contract")).expect("fixtures/contract") {
        let path = set.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        for case in lines(&path) {
            let data = case["data"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let files = data.map(|name| fixture(&format!("contract/{name}.csv"))).collect();
            cases.entry(files).or_default().push(case);
        }
    }
    cases
}

/// Numbers to nine digits, rows in order where the case says so.
fn rows(rows: &Value, ordered: bool) -> Vec<String> {
    let cell = |cell: &Value| match cell.as_f64() {
        Some(x) => format!("{:.9e}", x + 0.0),
        None => cell.to_string(),
    };
    let row = |row: &Value| row.as_array().into_iter().flatten().map(cell).collect::<Vec<_>>().join(" | ");
    let mut rows: Vec<String> = rows.as_array().into_iter().flatten().map(row).collect();
    if !ordered {
        rows.sort();
    }
    rows
}

/// What every case gives in one place.
async fn outcomes(place: &Place, cases: &BTreeMap<Vec<String>, Vec<Value>>) -> Vec<(String, Value)> {
    let mut outcomes = Vec::new();
    for (n, (files, cases)) in cases.iter().enumerate() {
        let session: Session = place.kb(&n.to_string(), files).await;
        for case in cases {
            let statement = case["sql"].as_str().expect("a statement");
            outcomes.push((case["name"].to_string(), place.sql(&session, statement).await));
        }
    }
    outcomes
}

fn wrong(cases: &BTreeMap<Vec<String>, Vec<Value>>, outcomes: &[(String, Value)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (case, (name, outcome)) in cases.values().flatten().zip(outcomes) {
        let ordered = case["ordered"] == true;
        let (want, got) = (rows(&case["rows"], ordered), rows(&outcome["rows"], ordered));
        if !outcome["rows"].is_array() || want != got {
            wrong.push(format!("{name} {}\n  want {want:?}\n  got  {got:?} {}", case["sql"], outcome["refusal"]));
        }
    }
    wrong
}

#[test]
fn every_statement_gives_its_rows_on_every_engine() {
    let _shared = shared();
    let runtime = Runtime::new().expect("a runtime");
    let cases = cases();
    let embedded = runtime.block_on(Place::embedded());
    let wanted = runtime.block_on(outcomes(&embedded, &cases));
    let mut faults = wrong(&cases, &wanted);
    let count = wanted.len();
    assert!(count >= 300, "{count} cases");
    for node in nodes() {
        let place = runtime.block_on(Place::on(&node));
        let given = runtime.block_on(outcomes(&place, &cases));
        runtime.block_on(place.close());
        let mine = wrong(&cases, &given);
        println!("{}: {count} statements, {} with wrong rows", node.name, mine.len());
        faults.extend(mine.into_iter().map(|fault| format!("{}: {fault}", node.name)));
        for ((name, wanted), (_, given)) in wanted.iter().zip(&given).filter(|(wanted, given)| wanted != given) {
            faults.push(format!("{}: {name} is not as embedded\n  want {wanted}\n  got  {given}", node.name));
        }
    }
    let shown: Vec<String> = faults.iter().map(|fault| fault.chars().take(2_000).collect()).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), shown.join("\n"));
}
