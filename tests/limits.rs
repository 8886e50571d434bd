//! Every limit of the configuration can be set, and says so when it is met.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::binary::{Ran, Run, fixture, root};

const GROUPED: &str = "SELECT customer, COUNT(*) FROM orders WHERE MATCH(customer, 'acme') GROUP BY customer";

fn limited(setting: &str, value: &str, words: &[&str]) -> Ran {
    Run::new(words).env(&format!("SHEETWISE_{setting}"), value).ran()
}

/// Limits that end in a message: `(setting, value, words, exit code, what is said)`.
#[test]
fn what_is_over_a_limit_is_told() {
    let (orders, budget) = (fixture("orders.csv"), fixture("budget.xlsx"));
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let nested = "SELECT COUNT(*) FROM (SELECT qty FROM orders) t";
    let looked_up = "SELECT COUNT(*) FROM orders WHERE customer = 'nobody at all'";
    let named_twice = "WITH a AS (SELECT id FROM orders), b AS (SELECT x.id FROM a x JOIN a y ON x.id = y.id) \
                       SELECT COUNT(*) FROM b x JOIN b y ON x.id = y.id";
    let longer = "WITH a AS (SELECT customer || customer AS c FROM orders) SELECT COUNT(DISTINCT c || c) FROM a";
    let joined = "SELECT LENGTH(STRING_AGG(customer, ',')) FROM orders";
    let joined_by_group = "SELECT region, STRING_AGG(customer, ',') FROM orders GROUP BY region";
    let deep = "SELECT COUNT(*) FROM orders WHERE ((qty + 1) * 2) > 3";
    let table: [(&str, &str, &[&str], i32, &str); 23] = [
        ("READ_MAX_FILE_BYTES", "10", &["inspect", &orders], 1, "read.max_file_bytes"),
        ("READ_MAX_ROWS", "5", &["inspect", &orders], 1, "read.max_rows"),
        ("READ_MAX_ROWS", "5", &["inspect", &budget], 1, "read.max_rows"),
        ("READ_MAX_COLUMNS", "2", &["inspect", &orders], 1, "read.max_columns"),
        ("READ_MAX_CELLS", "10", &["inspect", &budget], 1, "read.max_cells"),
        ("READ_MAX_UNPACKED_BYTES", "100", &["inspect", &budget], 1, "read.max_unpacked_bytes"),
        ("READ_MAX_NAME_CHARS", "3", &["kb", "--data", &data, "create", "abcd"], 1, "read.max_name_chars"),
        ("READ_MAX_LINE_BYTES", "20", &["inspect", &orders], 1, "read.max_line_bytes"),
        ("READ_TIMEOUT_SECONDS", "0", &["inspect", &budget], 1, "read.timeout_seconds"),
        ("READ_OWN_PROCESS", "false", &["inspect", &budget], 0, "budget.xlsx"),
        ("SQL_MAX_CHARS", "5", &["sql", &orders, GROUPED], 4, "5 are allowed"),
        ("SQL_MAX_NESTING", "0", &["sql", &orders, nested], 4, "nested more than 0 deep"),
        ("SQL_MAX_EXPRESSION_DEPTH", "2", &["sql", &orders, deep], 4, "nested more than 2 deep"),
        ("SQL_TIMEOUT_SECONDS", "0", &["sql", &orders, GROUPED], 4, "longer than 0 s"),
        ("SQL_TIMEOUT_SECONDS", "0", &["sql", &orders, looked_up], 4, "longer than 0 s"),
        ("SQL_MAX_RELATIONS", "3", &["sql", &orders, named_twice], 4, "more than 3 tables"),
        ("SQL_MAX_TEXT_GROWTH", "3", &["sql", &orders, longer], 4, "4 times longer"),
        ("SQL_MAX_TEXT_BYTES", "20", &["sql", &orders, joined], 4, "20 are allowed"),
        ("SQL_MAX_TEXT_BYTES", "60", &["sql", &orders, joined_by_group], 4, "60 are allowed"),
        ("SQL_MAX_MEMORY_BYTES", "10", &["sql", &orders, GROUPED], 4, "more memory"),
        ("ANSWER_MAX_QUESTION_CHARS", "5", &["ask", &orders, "What is the total?"], 1, "answer.max_question_chars"),
        ("READ_MAX_ROWS", "many", &["inspect", &orders], 2, "max_rows"),
        ("SQL_MAX_ROWZ", "1", &["inspect", &orders], 2, "max_rowz"),
    ];
    for (setting, value, words, code, said) in table {
        let ran = limited(setting, value, words).ends(code);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(said), "{setting}={value}: {ran:?}");
    }
}

/// A process that reads and wants more memory than it may have ends alone, and says what it was.
#[cfg(unix)]
#[test]
fn a_workbook_that_takes_too_much_memory_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.xlsx");
    let mut book = rust_xlsxwriter::Workbook::new();
    book.add_worksheet().write(0, 0, "a").expect("a cell");
    let mut zip =
        zip::ZipWriter::new_append(std::io::Cursor::new(book.save_to_buffer().expect("a workbook"))).expect("a zip");
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("xl/media/large.bin", stored).expect("a part");
    std::io::copy(&mut std::io::repeat(7).take(400 << 20), &mut zip).expect("its content");
    std::fs::write(&path, zip.finish().expect("a zip").into_inner()).expect("written");
    let path = path.display().to_string();
    let ran = limited("READ_MAX_MEMORY_BYTES", "200000000", &["inspect", &path]).ends(1);
    assert!(ran.stdout.contains("large.xlsx") && ran.stdout.contains("read.max_memory_bytes"), "{ran:?}");
    limited("READ_OWN_PROCESS", "false", &["inspect", &path]).ends(0);
}

#[test]
fn a_limit_that_lowers_says_so() {
    let orders = fixture("orders.csv");
    let wide = "SELECT customer FROM orders LIMIT 100";
    let answer = limited("SQL_MAX_LIMIT", "3", &["sql", "--json", &orders, wide]).ends(0).document();
    assert_eq!(answer["total"], 3);
    assert_eq!(answer["notes"][0]["code"], "limit_lowered");
    let cited = limited("ANSWER_MAX_CITATIONS", "2", &["sql", "--json", &orders, GROUPED]).ends(0).document();
    assert_eq!(cited["reference"]["chunks"].as_array().map(Vec::len), Some(2));
    assert_eq!(cited["reference"]["total"], 12);
    let found = ["ask", "--json", "--mode", "search", &orders, "Acme Tools"];
    let found = limited("ANSWER_SEARCH_ROWS", "2", &found).ends(0).document();
    assert_eq!(found["reference"]["chunks"].as_array().map(Vec::len), Some(2));
    let folder = tempfile::tempdir().expect("a folder");
    let quoted = crate::binary::written(folder.path(), "q.csv", "k,text\n1,\"a long\ntext\"\n");
    let quoted = limited("READ_MAX_RECORD_BYTES", "5", &["inspect", "--json", &quoted]).ends(0);
    assert!(quoted.stdout.contains("unclosed_quote"), "{quoted:?}");
    let misfits: String = (0..40).map(|n| format!("{n},{}\n", if n % 4 == 3 { "bad" } else { "1" })).collect();
    let misfits = crate::binary::written(folder.path(), "m.csv", &format!("k,ratio\n{misfits}"));
    limited("READ_MAX_PLACES", "1", &["inspect", "--json", &misfits]).ends(0);
}

/// Settings of the engine change how fast it is, never what it answers.
#[test]
fn the_smallest_engine_gives_the_same_answer() {
    let orders = fixture("orders.csv");
    let statement = "SELECT customer, SUM(amount), COUNT(DISTINCT region) FROM orders \
                     WHERE MATCH(customer, 'acme blue', 'operator=OR') OR note = '50% off' GROUP BY customer ORDER BY customer";
    let words = ["sql", "--json", &orders, statement];
    let want = Run::new(&words).ran().ends(0).document()["rows"].clone();
    assert!(want.as_array().is_some_and(|rows| rows.len() > 2), "{want}");
    for (setting, value) in [
        ("EMBEDDED_BATCH_ROWS", "1"),
        ("EMBEDDED_ROW_GROUP_ROWS", "7"),
        ("EMBEDDED_CACHE_BYTES", "0"),
        ("EMBEDDED_MAX_DISTINCT", "1"),
        ("EMBEDDED_PARTITIONS", "3"),
        ("EMBEDDED_SEARCH_WRITER_BYTES", "1"),
        ("EMBEDDED_MAX_SEGMENTS", "1"),
        ("READ_SNIFF_BYTES", "40"),
        ("SQL_MAX_IN_LIST", "1"),
    ] {
        let rows = limited(setting, value, &words).ends(0).document()["rows"].clone();
        assert_eq!(rows, want, "{setting}={value}");
    }
}

#[test]
fn every_setting_is_named_in_a_test() {
    let text = std::fs::read_to_string(root().join("src/config.rs")).expect("the configuration");
    let mut section = "";
    let mut missing = Vec::new();
    let tested = [include_str!("limits.rs"), include_str!("command.rs")].concat();
    let on_servers =
        [include_str!("servers/limits.rs"), include_str!("servers/faults.rs"), include_str!("servers/mod.rs")];
    let served = ["documents", "asking", "doors", "agents", "chat_sql"].map(|name| {
        std::fs::read_to_string(root().join(format!("tests/service/{name}.rs"))).expect("the service's tests")
    });
    let served = served.concat();
    for line in text.lines() {
        let sections = [
            ("struct ReadLimits", "READ"),
            ("struct SqlLimits", "SQL"),
            ("struct AnswerLimits", "ANSWER"),
            ("struct EmbeddedLimits", "EMBEDDED"),
            ("struct EngineConfig", "ENGINE"),
            ("struct LlmConfig", "LLM"),
            ("struct ServeLimits", "SERVE"),
            ("struct Config ", ""),
        ];
        section = sections.iter().find(|(start, _)| line.contains(start)).map_or(section, |(_, name)| name);
        let setting = line.trim().strip_prefix("pub ").and_then(|rest| rest.split_once(": "));
        if let (Some((setting, _)), true) = (setting, !section.is_empty() && section != "LLM") {
            let name = format!("{section}_{}", setting.to_uppercase());
            // Repairs need a model.
            let on_server = section == "ENGINE" && on_servers.iter().any(|text| text.contains(&format!("{setting}: ")));
            let in_process = section == "SERVE" && served.contains(&format!("serve.{setting}"));
            if !tested.contains(&name) && !on_server && !in_process && name != "ANSWER_REPAIRS" {
                missing.push(name);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// A workbook's reader waits for a file that never comes: it ends with the process that asked.
#[cfg(unix)]
#[test]
fn a_reader_ends_with_the_process_that_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.xlsx");
    assert!(Command::new("mkfifo").arg(&path).status().expect("it runs").success());
    let limits = sheetwise::config::ReadLimits::default();
    let order =
        serde_json::json!({ "path": path, "file": "a.xlsx", "format": "xlsx", "options": {}, "limits": limits });
    let mut command = Command::new(env!("CARGO_BIN_EXE_sheetwise"));
    let command = command.arg("read-cells").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    writeln!(stdin, "{order}").expect("it reads");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("a child").is_none(), "it waits for the file");
    drop(stdin);
    let mut gone = || {
        std::thread::sleep(Duration::from_millis(100));
        child.try_wait().expect("a child").is_some()
    };
    let ended = (0..100).any(|_| gone());
    if !ended {
        child.kill().expect("a child");
    }
    child.wait().expect("it ends");
    assert!(ended);
}
