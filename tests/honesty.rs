//! What an answer without a model says of itself: ties, empty sums, words read as cells; and what it declines.

use serde_json::Value;

use crate::binary::{Run, fixture, written};

fn ask(file: &str, question: &str) -> Value {
    Run::new(&["ask", "--json", "--mode", "sql", file, question]).ran().document()
}

fn codes(answer: &Value) -> Vec<&str> {
    answer["notes"].as_array().into_iter().flatten().filter_map(|note| note["code"].as_str()).collect()
}

#[test]
fn an_answer_says_what_it_is_not() {
    let orders = fixture("orders.csv");
    for (question, wanted) in [
        ("top 2 orders by amount", Some("tie_at_the_border")),
        ("top 3 customers by total amount", None),
        ("total amount in 2022", Some("no_rows_match")),
        ("total amount in 2022", Some("outside_the_data")),
        ("total amount for Acme", Some("value_read_as")),
        ("total amount for Acme Tools", None),
        ("How many orders from Nordwnd are there?", Some("value_read_as")),
    ] {
        let answer = ask(&orders, question);
        assert_eq!(answer["path"], "planner", "{question}: {answer}");
        let told: Vec<&str> = codes(&answer).into_iter().filter(|code| *code != "question_read_as").collect();
        match wanted {
            Some(code) => assert!(told.contains(&code), "{question}: {told:?}"),
            None => assert!(!told.iter().any(|code| code.starts_with("tie") || code.starts_with("value")), "{told:?}"),
        }
    }
}

#[test]
fn what_no_word_or_two_readings_account_for_is_declined() {
    for (file, question) in [
        ("orders.csv", "How many orders were shipped late?"),
        ("orders.csv", "Which customers did not order in 2024?"),
        ("orders.csv", "How many orders have a note?"),
        ("budget.xlsx", "What is the Q1 for Travel in Finance?"),
        ("销售台账.xlsx", "已付款和未付款的销售额分别是多少？"),
        ("销售台账.xlsx", "平均每个部门的销售额是多少？"),
        ("销售台账.xlsx", "客户数量是多少？"),
        ("销售台账.xlsx", "最近一个月的销售额是多少？"),
    ] {
        let answer = ask(&fixture(file), question);
        assert_eq!(answer["path"], "declined", "{question}: {answer}");
    }
}

#[test]
fn a_row_label_that_stands_twice_is_told_apart_by_its_group() {
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        ",,2021,2020\nHome,Net sales,10,20\nHome,Net income,1,2\nAbroad,Net sales,30,40\nAbroad,Net income,3,4\n";
    let file = written(folder.path(), "table.csv", text);
    let answer = ask(&file, "What were the net sales abroad in 2020?");
    assert_eq!(answer["rows"], serde_json::json!([[40]]), "{answer}");
    assert_eq!(ask(&file, "What were the net sales in 2020?")["path"], "declined");
}
