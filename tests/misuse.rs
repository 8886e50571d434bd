//! What a user or a file gets wrong is told at once, in one line, and never steers the terminal.

use std::io::{BufRead, BufReader, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::binary::{Run, fixture, written};

fn told(words: &[&str]) -> String {
    Run::new(words).ran().ends(1).stderr
}

#[test]
fn a_sheet_that_is_not_there_is_named_beside_those_that_are() {
    let ledger = fixture("销售台账.xlsx");
    let said = told(&["sql", "--sheet", "nope", &ledger, "SELECT 1 FROM x"]);
    for part in ["no sheet \"nope\"", "一月", "二月"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let orders = fixture("orders.csv");
    let said = told(&["sql", "--sheet", "nope", &orders, "SELECT COUNT(*) FROM orders"]);
    assert!(said.contains("no sheet \"nope\"") && said.contains("\"orders\""), "{said}");
    Run::new(&["sql", "--sheet", "orders", &orders, "SELECT COUNT(*) FROM orders"]).ran().ends(0);
}

#[test]
fn header_rows_below_the_last_row_are_refused() {
    for file in ["orders.csv", "budget.xlsx"] {
        let said = told(&["inspect", "--header-rows", "500-501", &fixture(file)]);
        let said = said + &Run::new(&["inspect", "--header-rows", "500-501", &fixture(file)]).ran().stdout;
        assert!(said.contains("its header cannot be in rows 500-501, its last row is "), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_told_and_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe.csv").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let begin = Instant::now();
    let directory = folder.path().display().to_string();
    for (path, part) in [(pipe.as_str(), "a pipe or a device"), ("/dev/zero", "a pipe"), (&directory, "a folder")] {
        let said = told(&["ask", path, "how many rows are there?"]);
        assert!(said.contains(part) && said.contains("; "), "{path}: {said}");
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn a_replaced_file_is_told_and_its_table_keeps_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str]| Run::new(words).data(folder.path()).ran().ends(0);
    let add = |text: &str| run(&["kb", "--json", "add", "k", &written(folder.path(), "sales.csv", text)]).document();
    run(&["kb", "create", "k"]);
    assert_eq!(add("city,amount\nRome,1\nOslo,2\n")["files"][0]["notes"], serde_json::json!([]));
    let replaced = add("city,amount\nRome,5\n");
    assert_eq!(replaced["files"][0]["notes"][0]["code"], "file_replaced");
    for text in ["town,price,rest\nRome,5,x\n", "city,amount\nRome,6\n"] {
        let report = add(text);
        assert_eq!(report["files"][0]["notes"][0]["code"], "file_replaced");
        assert_eq!(
            (&report["tables"][0]["name"], report["tables"].as_array().map(Vec::len)),
            (&"sales".into(), Some(1))
        );
    }
    let other = written(folder.path(), "other.csv", "city,amount\nRome,7\n");
    run(&["kb", "add", "k", &other]);
    let report = add("town,price,rest\nRome,5,x\n");
    let names: Vec<_> = report["tables"].as_array().into_iter().flatten().map(|table| table["name"].clone()).collect();
    assert_eq!(names, ["sales", "sales_2"], "a table that stays keeps its name");
}

#[test]
fn the_prompt_sees_a_knowledge_base_as_it_is_at_each_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str]| Run::new(words).data(folder.path());
    run(&["kb", "create", "k"]).ran().ends(0);
    let add = |name: &str, text: &str| {
        let file = written(folder.path(), name, text);
        run(&["kb", "add", "k", &file]).ran().ends(0);
    };
    add("a.csv", "city,amount\nRome,1\nOslo,2\n");
    let mut prompt = run(&["ask", "--json", "--kb", "k"]).prompted();
    let mut typed = prompt.stdin.take().expect("a pipe");
    let mut said = BufReader::new(prompt.stdout.take().expect("a pipe")).lines();
    let mut count = || {
        writeln!(typed, "how many rows are there?").expect("it reads");
        let line = said.next().expect("an answer").expect("text");
        serde_json::from_str::<serde_json::Value>(&line).expect("JSON")["rows"][0][0].clone()
    };
    assert_eq!(count(), 2);
    add("b.csv", "city,amount\nBonn,4\n");
    assert_eq!(count(), 3);
    drop(typed);
    assert!(prompt.wait().expect("it ends").success());
}

#[test]
fn no_text_of_a_file_steers_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "a\u{1b}]0;x\u{7}\u{202e}b.csv";
    let text = "na\u{1b}[2Jme,q|ty,第\u{2066}列\na\u{1b}[31mb\u{202e}c,1,x|y\n\u{9b}2J,bad\u{7},2\n";
    let file = written(folder.path(), name, text);
    let table = "SELECT * FROM a_0_x_b";
    for words in [&["inspect", &file][..], &["sql", &file, table], &["ask", &file, "how many rows are there?"]] {
        let ran = Run::new(words).ran();
        let all = ran.stdout.clone() + &ran.stderr;
        let steers = |c: &char| (c.is_control() && *c != '\n') || "\u{202e}\u{2066}".contains(*c);
        assert_eq!(all.chars().find(steers), None, "{words:?}: {all:?}");
        assert!(all.contains("\\u{202e}"), "{words:?}: {all}");
    }
    let json = Run::new(&["inspect", "--json", &file]).ran().ends(0).document();
    assert_eq!(json["files"][0]["file"], name);
}
