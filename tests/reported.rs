//! No cell changes silently: what is not literal is said, with its count and its place.

use rust_xlsxwriter::{Formula, Workbook};
use serde_json::Value;

use crate::binary::{Run, fixture, written};

fn inspected(files: &[&str]) -> Value {
    let words: Vec<&str> = ["inspect", "--json"].into_iter().chain(files.iter().copied()).collect();
    Run::new(&words).ran().ends(0).document()
}

/// The messages of the first file's notes with this code.
fn said(report: &Value, file: usize, code: &str) -> Vec<String> {
    let notes = report["files"][file]["notes"].as_array().expect("notes");
    let found = notes.iter().filter(|note| note["code"] == code);
    found.map(|note| note["message"].as_str().unwrap_or_default().to_owned()).collect()
}

fn kind<'r>(report: &'r Value, label: &str) -> &'r str {
    let fields = report["tables"].as_array().expect("tables").iter().flat_map(|table| table["fields"].as_array());
    let field = fields.flatten().find(|field| field["label"] == label);
    field.and_then(|field| field["type"].as_str()).unwrap_or_else(|| panic!("no field {label}: {report}"))
}

#[test]
fn cells_that_are_not_literal_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "姓名,国家,在职,得分,时刻,用时\nNull,NO,是,1,2024-01-05T10:30:00+08:00,1:02:03\nTrue,NO,否,N/A,2024-01-05T11:30:00Z,36:15:00\n\
                N/A,NO,是,-,2024-01-05 12:30:00.5,0:00:07\n";
    let report = inspected(&[&written(folder.path(), "a.csv", text)]);
    for (label, want) in [
        ("姓名", "text"),
        ("国家", "text"),
        ("在职", "flag"),
        ("得分", "integer"),
        ("时刻", "datetime"),
        ("用时", "decimal"),
    ] {
        assert_eq!(kind(&report, label), want, "{label}");
    }
    assert_eq!(
        said(&report, 0, "empty_markers"),
        ["2 cells in 得分 say that there is nothing and are empty in the field: row 3 \"N/A\", row 4 \"-\""]
    );
    assert_eq!(said(&report, 0, "time_zone_left_out").len(), 1);
    assert!(said(&report, 0, "time_zone_left_out")[0].ends_with(": +08:00, Z"));
    assert_eq!(said(&report, 0, "fraction_left_out").len(), 1);
    let sum = [
        "sql",
        "--json",
        &written(folder.path(), "a.csv", text),
        "SELECT SUM(yong_shi_flt), COUNT(xing_ming_tks) FROM a",
    ];
    assert_eq!(Run::new(&sum).ran().ends(0).document()["rows"], serde_json::json!([[134_230.0, 3]]));
}

#[test]
fn times_stay_text_until_the_user_says_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "a.csv", "场次,开始\n1,09:30\n2,18:05\n");
    let report = inspected(&[&file]);
    assert_eq!((kind(&report, "开始"), said(&report, 0, "times_are_text").len()), ("text", 1));
    assert_eq!(kind(&inspected(&["--types", "开始=decimal", &file]), "开始"), "decimal");
}

#[test]
fn formulas_and_long_numbers_of_workbooks_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("b.xlsx");
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (column, label) in ["名", "数", "和", "编号"].into_iter().enumerate() {
        sheet.write(0, column as u16, label).expect("a label");
    }
    for row in 1..4_u32 {
        sheet.write(row, 0, format!("行{row}")).expect("a name");
        sheet.write(row, 1, row).expect("a number");
        sheet.write_formula(row, 2, Formula::new(format!("=B{}*2", row + 1))).expect("a formula");
        sheet.write(row, 3, 1.1e17 + f64::from(row) * 1e6).expect("a long number");
    }
    book.save(&path).expect("saved");
    let report = inspected(&[&path.display().to_string()]);
    let formulas = said(&report, 0, "formulas_not_calculated");
    assert!(formulas.len() == 1 && formulas[0].starts_with("3 cells in 和"), "{report}");
    let long = said(&report, 0, "long_numbers");
    assert!(long.len() == 1 && long[0].starts_with("3 cells in 编号"), "{report}");
}

#[test]
fn a_type_that_another_file_widens_is_told_to_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let (a, b) = ("k,v\nx,1\ny,2\n", "k,v\nz,1.5\n");
    let (a, b) = (written(folder.path(), "a.csv", a), written(folder.path(), "b.csv", b));
    let report = inspected(&[&a, &b]);
    assert_eq!(said(&report, 0, "type_widened"), ["v is decimal in table a; in this file alone it would be integer"]);
    assert_eq!(said(&report, 1, "type_widened"), Vec::<String>::new());
    let data = tempfile::tempdir().expect("a folder");
    let kb = |words: &[&str]| Run::new(words).data(data.path()).ran().ends(0).document();
    kb(&["kb", "create", "k", "--json"]);
    kb(&["kb", "add", "k", &a, "--json"]);
    let later = kb(&["kb", "add", "k", &b, "--json"]);
    assert_eq!(said(&later, 0, "type_changed"), ["v is decimal now; before it was integer"]);
}

#[test]
fn a_role_decides_who_sees_a_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "a.csv", "名,备注\n甲,zebra crossing\n乙,plain road\n");
    let read = |role: &str, statement: &str| Run::new(&["sql", "--json", "--role", role, &file, statement]).ran();
    let statement = "SELECT COUNT(*) FROM a WHERE bei_zhu_tks = 'plain road'";
    read("备注=both", statement).ends(0);
    read("备注=sql", statement).ends(0);
    read("备注=search", statement).ends(4);
    let found = |role: &str| {
        let words = ["ask", "--json", "--mode", "search", "--role", role, &file, "zebra"];
        Run::new(&words).ran().document()["reference"]["chunks"].as_array().map_or(0, Vec::len)
    };
    assert_eq!((found("备注=both"), found("备注=search"), found("备注=sql")), (1, 1, 0));
    assert_eq!(said(&inspected(&["--role", "没有=sql", &file]), 0, "no_such_column").len(), 1);
    Run::new(&["inspect", "--role", "备注=none", &file]).ran().ends(2);
}

#[test]
fn a_role_is_kept_by_a_knowledge_base() {
    let (folder, data) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (a, b) = ("名,备注\n甲,zebra\n", "名,备注\n乙,road\n");
    let (a, b) = (written(folder.path(), "a.csv", a), written(folder.path(), "b.csv", b));
    let kb = |words: &[&str]| Run::new(words).data(data.path()).ran();
    kb(&["kb", "create", "k"]).ends(0);
    kb(&["kb", "add", "k", &a, &b]).ends(0);
    let statement = ["sql", "--json", "--kb", "k", "SELECT bei_zhu_tks FROM a"];
    kb(&statement).ends(0);
    let report = kb(&["kb", "set", "k", "b.csv", "--role", "备注=search", "--json"]).ends(0).document();
    assert_eq!(said(&report, 0, "role_changed"), ["备注 is for search now; before it was for both"]);
    kb(&statement).ends(4);
    assert_eq!(kb(&["kb", "show", "k", "--json"]).ends(0).document()["tables"][0]["fields"][1]["role"], "search");
    kb(&["kb", "set", "k", "b.csv", "--role", "备注=both"]).ends(0);
    kb(&statement).ends(0);
}

#[test]
fn rows_of_tables_side_by_side_have_ids_of_their_own() {
    let words = ["sql", "--json", &fixture("班组产量.xlsx"), "SELECT * FROM ban_zu_chan_liang"];
    let answer = Run::new(&words).ran().ends(0).document();
    let chunks = answer["reference"]["chunks"].as_array().expect("chunks");
    let mut ids: Vec<&str> = chunks.iter().filter_map(|chunk| chunk["id"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((chunks.len(), ids.len()), (8, 8), "{answer}");
    assert!(chunks.iter().all(|chunk| chunk["sheet"] == "五月 (A:C)" || chunk["sheet"] == "五月 (E:G)"), "{answer}");
}

#[test]
fn ten_thousand_bad_cells_are_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "k,v\n".to_owned();
    (0..300_000).for_each(|n| text.push_str(&if n % 30 == 0 { format!("{n},bad{n}\n") } else { format!("{n},{n}\n") }));
    let report = inspected(&["--quiet", &written(folder.path(), "a.csv", &text)]);
    let lines = said(&report, 0, "cells_do_not_fit");
    assert!(lines.len() == 1 && lines[0].starts_with("10000 cells in v"), "{lines:?}");
    assert!(report["files"][0]["notes"].as_array().is_some_and(|notes| notes.len() <= 10));
}
