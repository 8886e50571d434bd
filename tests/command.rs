//! The command as a user and a script meet it: documents, exit codes, messages.

use serde_json::{Value, json};

use crate::binary::{Ran, Run, fixture, written};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

/// Every wanted key is there.
#[track_caller]
fn has(value: &Value, wanted: &[&str]) {
    let missing: Vec<_> = wanted.iter().filter(|key| value.get(**key).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?} of {:?}: {value}", keys(value));
}

fn sql(file: &str, statement: &str) -> Ran {
    Run::new(&["sql", "--json", &fixture(file), statement]).ran()
}

const ANSWER: [&str; 10] =
    ["question", "path", "answer", "columns", "rows", "total", "shown", "sql", "notes", "reference"];

#[test]
fn an_answer_has_its_public_shape_and_exact_values() {
    let statement = "SELECT name, price, \"when\", qty, city FROM two_kb_a WHERE qty IN (1, 20) ORDER BY qty";
    let answer = sql("two_kb_a.csv", statement).ends(0).document();
    has(&answer, &ANSWER);
    assert_eq!(answer["path"], "sql");
    assert_eq!((&answer["total"], &answer["shown"]), (&json!(2), &json!(2)));
    let rows = r#"[["red car",16777217.0,"2024-06-30T23:59:00",1,"Bergen"],["a  b",5.5,"2024-01-05",20,null]]"#;
    assert_eq!(answer["rows"].to_string(), rows);
    let kinds: Vec<_> = answer["columns"].as_array().into_iter().flatten().map(|column| &column["type"]).collect();
    assert_eq!(kinds, ["text", "decimal", "datetime", "integer", "text"]);
    answer["columns"].as_array().into_iter().flatten().for_each(|column| has(column, &["name", "label", "type"]));
    has(&answer["sql"], &["asked", "run"]);
    assert_eq!(answer["sql"]["asked"], statement);
    let reference = &answer["reference"];
    has(reference, &["chunks", "doc_aggs", "total"]);
    let chunk = &reference["chunks"][0];
    has(chunk, &["id", "doc_id", "docnm_kwd", "kb_id", "sheet", "row", "content"]);
    assert_eq!((&chunk["docnm_kwd"], &chunk["row"]), (&json!("two_kb_a.csv"), &json!(6)));
    assert!(chunk["content"].as_str().is_some_and(|text| text.contains("note: kb_id = 'x'")), "{chunk}");
    assert_eq!(reference["doc_aggs"][0]["doc_name"], "two_kb_a.csv");
    assert_eq!(reference["doc_aggs"][0]["count"], 2);
    assert_eq!(reference["total"], 2);
}

#[test]
fn whole_numbers_and_sums_are_exact() {
    let folder = tempfile::tempdir().expect("a folder");
    let big = 999_999_999_999_999_i64;
    let file = written(folder.path(), "big.csv", &format!("k,n,share,paid\na,{big},12.5%,yes\nb,-1,-3%,no\n"));
    let ran = Run::new(&["sql", "--json", &file, "SELECT SUM(n), MAX(n), MIN(k), COUNT(*), MAX(paid) FROM big"]).ran();
    assert_eq!(ran.ends(0).document()["rows"].to_string(), format!("[[{},{big},\"a\",2,\"yes\"]]", big - 1));
}

#[test]
fn zero_rows_is_an_answer_with_the_nearest_values() {
    let answer = sql("orders.csv", "SELECT customer FROM orders WHERE customer = 'Zzz' AND qty > 0").ends(0).document();
    assert_eq!((&answer["rows"], &answer["total"]), (&json!([]), &json!(0)));
    assert_eq!(answer["answer"], "No rows match.");
    assert_eq!(answer["notes"][0]["code"], "no_such_value", "{}", answer["notes"]);
    let near = sql("orders.csv", "SELECT COUNT(*) FROM orders WHERE customer = 'Acme Tolls'").ends(4).document();
    assert!(near["refusal"]["hint"].as_str().is_some_and(|hint| hint.contains("Acme Tools")), "{near}");
    let later = sql("orders.csv", "SELECT customer FROM orders WHERE date >= '2031-01-01'");
    assert_eq!(later.ends(0).document()["total"], 0);
}

#[test]
fn a_cut_result_says_how_much_is_shown() {
    let run = Run::new(&["sql", "--json", &fixture("orders.csv"), "SELECT customer FROM orders"]);
    let answer = run.env("SHEETWISE_ANSWER_MAX_ROWS", "3").ran().ends(0).document();
    assert_eq!((&answer["total"], &answer["shown"]), (&json!(120), &json!(3)));
    assert_eq!(answer["rows"].as_array().map(Vec::len), Some(3));
    assert_eq!(answer["notes"][0]["code"], "rows_cut");
    assert!(answer["answer"].as_str().is_some_and(|text| text.contains("3 of 120 rows shown")));
    assert_eq!(answer["reference"]["total"], 120);
}

#[test]
fn a_refused_statement_has_code_message_hint_and_place() {
    let refused = sql("orders.csv", "SELECT nmae FROM orders").ends(4).document();
    assert_eq!(keys(&refused), ["refusal"]);
    has(&refused["refusal"], &["code", "message", "hint", "position"]);
    assert_eq!(refused["refusal"]["code"], "unknown_field");
    assert_eq!(refused["refusal"]["position"], json!([1, 8]));
    let text = Run::new(&["sql", &fixture("orders.csv"), "DROP TABLE orders"]).ran().ends(4);
    assert!(text.stdout.is_empty() && text.stderr.contains("DROP is not a SELECT"), "{text:?}");
}

#[test]
fn inspect_and_eval_have_their_public_shapes() {
    let report = Run::new(&["inspect", "--json", &fixture("gbk分号.csv"), &fixture("销售台账.xlsx")]).ran().ends(0);
    let report = report.document();
    let file = &report["files"][0];
    has(file, &["file", "format", "encoding", "delimiter", "sheets", "notes"]);
    assert_eq!((&file["encoding"], &file["delimiter"]), (&json!("gb18030"), &json!(";")));
    for file in report["files"].as_array().into_iter().flatten() {
        for sheet in file["sheets"].as_array().into_iter().flatten() {
            let wanted = ["name", "kind", "header_rows", "titles", "first_row", "last_row", "rows_read"];
            has(sheet, &wanted);
            has(sheet, &["rows_stored", "rows_reported", "table", "part", "hidden"]);
        }
    }
    for table in report["tables"].as_array().into_iter().flatten() {
        has(table, &["name", "rows", "fields"]);
        for field in table["fields"].as_array().into_iter().flatten() {
            has(field, &["name", "label", "type", "synonyms", "allowed", "nulls"]);
            assert_eq!(field.get("exact").is_some(), field["type"] == "text", "{field}");
            let kinds = ["text", "integer", "decimal", "datetime", "flag"];
            assert!(kinds.contains(&field["type"].as_str().unwrap_or_default()), "{field}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        json!({"id": "good", "files": [fixture("orders.csv")], "question": "What is the total amount?", "answer": [161656.59]}),
        json!({"id": "open", "files": [fixture("orders.csv")], "question": "What is the total amount?"}),
        json!({"id": "none", "files": ["gone.csv"], "question": "What is the total amount?", "answer": [1]}),
    ];
    let text: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let lines = Run::new(&["eval", &written(folder.path(), "set.jsonl", &text)]).ran().ends(1).documents();
    assert_eq!(lines.len(), 4);
    lines[..3].iter().for_each(|line| has(line, &["id", "path", "right", "got", "want", "ms"]));
    let rights: Vec<_> = lines[..3].iter().map(|line| &line["right"]).collect();
    assert_eq!(rights, [&json!(true), &Value::Null, &Value::Null]);
    assert!(lines[2]["error"].is_string());
    has(&lines[3], &["cases", "answered", "right", "wrong", "declined", "failed"]);
    assert_eq!((&lines[3]["answered"], &lines[3]["failed"]), (&json!(2), &json!(1)));
}

#[test]
fn exit_codes_tell_what_happened() {
    let orders = fixture("orders.csv");
    let folder = tempfile::tempdir().expect("a folder");
    let not_a_set = written(folder.path(), "set.jsonl", "{\n");
    let gone = folder.path().join("gone.csv").display().to_string();
    let table: [(i32, &[&str]); 16] = [
        (0, &["ask", &orders, "What is the total amount?"]),
        (0, &["--help"]),
        (0, &["--version"]),
        (0, &["ask", "--mode", "search", &orders, "Acme"]),
        (1, &["ask", &gone, "What is the total amount?"]),
        (1, &["inspect", &gone]),
        (1, &["ask", &orders, "-q", " "]),
        (2, &["ask"]),
        (2, &["sql"]),
        (2, &["ask", &orders, "--mode", "dance", "x"]),
        (2, &["frobnicate"]),
        (2, &["eval", &not_a_set]),
        (2, &["--config", &gone, "inspect", &orders]),
        (3, &["ask", "--mode", "sql", &orders, "Why is the sky blue?"]),
        (3, &["ask", &orders, "qqqq xxxx zzzz"]),
        (4, &["sql", &orders, "SELECT * FROM orders; SELECT 1"]),
    ];
    for (code, words) in table {
        let ran = Run::new(words).ran();
        assert_eq!(ran.code, code, "{words:?}: {ran:?}");
        if (code == 1 && words[0] != "inspect") || code == 2 {
            assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{words:?}: {ran:?}");
        }
    }
}

#[test]
fn several_questions_give_a_document_a_line_and_the_worst_exit_code() {
    let orders = fixture("orders.csv");
    let ask = |questions: &[&str]| {
        let mut words = vec!["ask", "--json", &orders];
        questions.iter().for_each(|question| words.extend(["-q", question]));
        Run::new(&words).ran()
    };
    let good = "What is the total amount?";
    let paths = |ran: &Ran| ran.documents().iter().map(|document| document["path"].to_string()).collect::<Vec<_>>();
    let ran = ask(&[good, "qqqq xxxx zzzz", good]).ends(3);
    assert_eq!(paths(&ran), ["\"planner\"", "\"declined\"", "\"planner\""]);
    assert_eq!(paths(&ask(&[good, good]).ends(0)).len(), 2);
    // One that can't be worked on gives a document of its own and a line on standard error, and does not end the others.
    let ran = ask(&[" ", "qqqq xxxx zzzz", good]).ends(1);
    assert_eq!(paths(&ran), ["null", "\"declined\"", "\"planner\""]);
    assert!(ran.documents()[0]["error"].as_str().is_some_and(|error| error.contains("empty")), "{ran:?}");
    assert!(ran.stderr.contains("empty"), "{ran:?}");
}

#[test]
fn questions_can_be_typed() {
    let orders = fixture("orders.csv");
    let ran =
        Run::new(&["ask", "--json", &orders]).typed("What is the total amount?\n\nqqqq xxxx\nWhat is the largest qty?");
    let documents = ran.ends(3).documents();
    assert_eq!(documents.len(), 3);
    assert_eq!(documents[0]["rows"], json!([[161656.59]]));
    assert_eq!(documents[2]["rows"][0][0], 40);
    Run::new(&["ask", &orders]).typed("").ends(0);
}

#[test]
fn files_of_all_kinds_are_read_together_and_a_bad_one_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = written(folder.path(), "bad.xlsx", "PK\u{3}\u{4} no more");
    let picture = written(folder.path(), "图.csv", "GIF89a\u{1}\0\u{1}\0");
    let gone = folder.path().join("gone.csv").display().to_string();
    let (orders, staff, stock) = (fixture("orders.csv"), fixture("人员.xls"), fixture("库存.ods"));
    let statement = "SELECT (SELECT COUNT(*) FROM orders), (SELECT COUNT(*) FROM ku_cun), COUNT(*) FROM ren_yuan";
    let ran = Run::new(&["sql", "--json", &bad, &orders, &gone, &staff, &picture, &stock, statement]).ran().ends(0);
    assert_eq!(ran.document()["rows"][0][0], 120);
    assert_eq!(ran.document()["rows"][0][2], 50);
    let notes = ran.document()["notes"].to_string();
    assert!(["bad.xlsx", "gone.csv", "图.csv"].iter().all(|file| notes.contains(file)), "{notes}");
    let errors: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(errors.len(), 3, "{ran:?}");
    for (file, step) in [("bad.xlsx", "save it again"), ("gone.csv", "check"), ("图.csv", ";")] {
        let line = errors.iter().find(|line| line.contains(file)).unwrap_or_else(|| panic!("{file}: {ran:?}"));
        assert!(line.contains(step), "{line}");
    }
    let report = Run::new(&["inspect", "--json", &orders, &bad]).ran().ends(0).document();
    assert!(report["files"].as_array().into_iter().flatten().any(|file| file["error"].is_string()), "{report}");
}

#[test]
fn files_of_one_name_in_two_folders_are_two_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let in_year = |year: &str, row: &str| {
        let year = folder.path().join(year);
        std::fs::create_dir(&year).expect("a folder");
        written(&year, "t.csv", &format!("k,n\n{row}\n"))
    };
    let (old, new) = (in_year("2023", "a,1"), in_year("2024", "b,2"));
    let run = |statement: &str| Run::new(&["sql", "--json", &old, &new, &new, statement]).ran().ends(0).document();
    let answer = run("SELECT SUM(n), COUNT(DISTINCT docnm_kwd) FROM t");
    assert_eq!((&answer["rows"], &answer["notes"]), (&json!([[3, 2]]), &json!([])));
    assert!(answer["reference"]["doc_aggs"][1]["doc_name"].as_str().is_some_and(|name| name.contains("2024")));
}

/// Whatever is asked, there is an answer or none, and never a failure.
#[test]
fn odd_questions_are_answered_or_declined() {
    let odd = [
        "?",
        "'",
        "\"\"\"",
        "\\",
        "%",
        "_",
        "*",
        "SELECT",
        ";",
        "\u{202e}abc",
        "👩‍👩‍👧",
        "ＡＭＯＵＮＴ合计",
        "１２３",
        "total total total total",
        "amount amount amount > < = != 3 4 5",
        "top 999999999999999999999 customers",
        "top 0 customers",
        "top -3 customers by amount",
        "amount over 1e309",
        "qty = NaN",
        "orders in 2024-13-45",
        "2024年13月40日的amount",
        "第零名",
        "最高的最低的amount",
        "各各各region",
        "average of average amount by by region",
        "不是North的region有多少",
        "how many orders are not in region North or South",
        "MATCH(customer, 'x')",
        "[ID:0]",
        "{\"a\": 1}",
        "<script>alert(1)</script>",
        "a\u{0}b",
        "\u{feff}total amount",
    ];
    let long = "total amount ".repeat(150);
    let lines: String = odd.iter().chain([&long.as_str()]).map(|line| format!("{line}\n")).collect();
    let ran = Run::new(&["ask", "--json", &fixture("orders.csv")]).typed(&lines);
    assert_eq!(ran.documents().len(), odd.len() + 1, "{}", ran.stderr);
    assert!(ran.ends(3).stderr.is_empty());
}

#[test]
fn options_of_reading_are_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "t.csv", "部门,数量\n甲,1\n乙,2\n合计,3\n");
    let sum = |more: &[&str]| {
        let words = [&["sql", "--json"], more, &[&file, "SELECT SUM(数量) FROM t"]].concat();
        Run::new(&words).ran().ends(0).document()["rows"][0][0].clone()
    };
    assert_eq!(sum(&[]), 3);
    assert_eq!(sum(&["--keep-totals"]), 6);
    let sales = fixture("销售台账.xlsx");
    let rows = |more: &[&str], statement: &str| {
        let words = [&["sql", "--json", &sales], more, &[statement]].concat();
        Run::new(&words).ran()
    };
    let answer = rows(&["--sheet", "二月"], "SELECT COUNT(*) FROM xiao_shou_tai_zhang").ends(0).document();
    assert_eq!(answer["rows"], json!([[40]]));
    Run::new(&["inspect", "--header-rows", "0", &file]).ran().ends(2);
}

#[test]
fn an_answer_says_which_cells_of_its_column_it_does_not_see() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (1..=40).map(|n| format!("a{n},{n}\n")).collect();
    let file = written(folder.path(), "loose.csv", &format!("name,amount\n{rows}b,abc\n"));
    let document = Run::new(&["sql", "--json", &file, "SELECT SUM(amount) FROM loose"]).ran().ends(0).document();
    assert_eq!(document["rows"], json!([[820]]));
    let codes: Vec<_> = document["notes"].as_array().into_iter().flatten().map(|note| note["code"].clone()).collect();
    assert!(codes.contains(&json!("cells_left_out")), "{document}");
    let other = Run::new(&["sql", "--json", &file, "SELECT COUNT(name) FROM loose"]).ran().ends(0).document();
    assert_eq!(other["notes"], json!([]));
}

#[test]
fn a_decimal_too_large_to_be_exact_is_noted_and_a_union_is_of_both_types() {
    let answer = sql("orders.csv", "SELECT SUM(amount) * 1e18 FROM orders").ends(0).document();
    assert_eq!(answer["notes"][0]["code"], "large_decimals", "{answer}");
    let both = "SELECT qty FROM orders WHERE qty > 20 UNION ALL SELECT amount FROM orders";
    assert_eq!(sql("orders.csv", both).ends(0).document()["columns"][0]["type"], "decimal");
    let twice = "SELECT CAST(qty AS DOUBLE), CAST(CAST(qty AS DOUBLE) AS BIGINT) FROM orders LIMIT 1";
    assert_eq!(sql("orders.csv", twice).ends(0).document()["rows"], json!([[25.0, 25]]));
}
