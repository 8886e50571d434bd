//! Replies of models, and the statement in them.

use crate::sql::{Code, statement};

#[test]
fn one_statement_is_taken_out_of_a_reply() {
    let table = [
        ("SELECT a FROM t", "SELECT a FROM t"),
        ("SELECT a FROM t;", "SELECT a FROM t"),
        ("<think>SELECT b FROM u; or not</think>\nSELECT a FROM t;\n", "SELECT a FROM t"),
        ("thoughts without a start</think>SELECT a FROM t", "SELECT a FROM t"),
        ("```sql\nSELECT a\nFROM t\n```", "SELECT a\nFROM t"),
        ("Here you are:\n\n```\nSELECT a FROM t;\n```\nIt selects a.", "SELECT a FROM t"),
        ("Use this:\n```sql\nSELECT a FROM t WHERE b = '```;'\n```", "SELECT a FROM t WHERE b = '```;'"),
        ("The query is: SELECT a FROM t WHERE b = 'x;y'; It selects a.", "SELECT a FROM t WHERE b = 'x;y'"),
        ("With this query you get it:\nSELECT a FROM t", "SELECT a FROM t"),
        ("WITH r AS (SELECT 1) SELECT * FROM r", "WITH r AS (SELECT 1) SELECT * FROM r"),
        ("SELECT a FROM t\n\nThis gives a.", "SELECT a FROM t"),
        ("SELECT a\n\nFROM t\n\nWHERE b = 1", "SELECT a\n\nFROM t\n\nWHERE b = 1"),
        ("{\"sql\": \"SELECT a FROM t\"}", "SELECT a FROM t"),
        ("```json\n{\"sql\": \"SELECT a FROM t\"}\n```", "SELECT a FROM t"),
        ("查询如下：SELECT a FROM t", "SELECT a FROM t"),
        ("-- all\nSELECT a FROM t", "-- all\nSELECT a FROM t"),
    ];
    for (reply, want) in table {
        assert_eq!(statement(reply).expect(reply), want, "{reply}");
    }
}

#[test]
fn none_and_two_are_refused() {
    let table = [
        ("", Code::NoStatement),
        ("I cannot answer that.", Code::NoStatement),
        ("SELECT a FROM t; SELECT b FROM t", Code::ManyStatements),
        ("SELECT a FROM t; DROP TABLE t", Code::ManyStatements),
        ("```sql\nSELECT a FROM t\n```\nor\n```sql\nSELECT b FROM t\n```", Code::ManyStatements),
    ];
    for (reply, code) in table {
        assert_eq!(statement(reply).map_err(|refusal| refusal.code), Err(code), "{reply}");
    }
}

#[test]
fn no_text_makes_it_panic() {
    for text in [
        "'",
        "``",
        "```",
        "SELECT '",
        "WITH a",
        "WITH 表 选",
        "</think>",
        "{\"sql\":",
        "SELECT \"é",
        "/*",
        "-",
        "SELECT a FROM t;;;；",
    ] {
        let _ = statement(text);
    }
}
