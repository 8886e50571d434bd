//! Every row that was read is stored or reported, and a file that can't be read is told in one line.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::binary::{Ran, Run, lines, root, shared};

/// The files of a folder, sorted, every `stride`-th.
fn files(folder: &Path, stride: usize) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let is_case = |path: &PathBuf| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
        path.is_file() && !["py", "jsonl", "md"].contains(&ending.as_str())
    };
    files.retain(is_case);
    files.sort();
    files.into_iter().step_by(stride).collect()
}

fn inspect(files: &[PathBuf]) -> Ran {
    let mut words = vec!["inspect".into(), "--json".into()];
    words.extend(files.iter().map(|file| file.as_os_str().to_owned()));
    Run::of(words).ran()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Checks a file's report; gives its stored rows.
fn balanced(file: &Value) -> u64 {
    let mut stored = 0;
    for sheet in list(&file["sheets"]) {
        let parts = number(&sheet["rows_stored"]) + number(&sheet["rows_reported"]);
        assert_eq!(number(&sheet["rows_read"]), parts, "{}: {sheet}", file["file"]);
        if sheet["table"].is_null() {
            assert_eq!(sheet["rows_read"], 0, "{}: {sheet}", file["file"]);
        }
        stored += number(&sheet["rows_stored"]);
    }
    stored
}

/// Checks that all rows of a report add up: each file, and the tables over all.
fn adds_up(files: &[PathBuf]) -> usize {
    let ran = inspect(files);
    assert!(!ran.stderr.contains("panicked") && ran.code <= 1, "{files:?}: {ran:?}");
    let report = ran.document();
    let read = list(&report["files"]).filter(|file| file["error"].is_null()).count();
    let stored: u64 = list(&report["files"]).filter(|file| file["error"].is_null()).map(balanced).sum();
    let tables: u64 = list(&report["tables"]).map(|table| number(&table["rows"])).sum();
    assert_eq!(stored, tables, "{files:?}");
    for table in list(&report["tables"]) {
        let most = list(&table["fields"]).map(|field| number(&field["nulls"])).max().unwrap_or(0);
        assert!(most <= number(&table["rows"]), "{table}");
    }
    read
}

#[test]
fn rows_of_the_fixtures_add_up() {
    let fixtures = files(&root().join("fixtures"), 1);
    assert_eq!(adds_up(&fixtures), fixtures.len());
}

#[test]
fn rows_of_the_shared_workbooks_add_up() {
    let Some(folder) = shared() else { return };
    let books = files(&folder.join("workbooks"), 1);
    // In small groups: a table of one file may be that of another.
    let read: usize = books.chunks(6).map(adds_up).sum();
    println!("{read} of {} workbooks were read", books.len());
    assert!(read * 10 >= books.len() * 9, "{read} of {}", books.len());
}

#[test]
fn rows_of_the_shared_text_files_add_up() {
    let Some(folder) = shared() else { return };
    let texts = files(&folder.join("csv"), 1);
    let read: usize = texts.chunks(8).map(adds_up).sum();
    println!("{read} of {} text files were read", texts.len());
    assert!(read * 10 >= texts.len() * 9, "{read} of {}", texts.len());
    let tables = files(&folder.join("questions/tables"), 9);
    assert_eq!(tables.chunks(10).map(adds_up).sum::<usize>(), tables.len());
}

/// Text files with a known truth: rows and columns.
#[test]
fn text_files_have_the_rows_and_columns_they_should() {
    let Some(folder) = shared() else { return };
    let mut wrong = Vec::new();
    let mut right = 0;
    for case in lines(&folder.join("csv/expected.jsonl")) {
        let (kind, expected) = (&case["expected_kind"], &case["expected"]);
        let (Some(name), Some(columns)) = (case["file"].as_str(), expected["n_columns"].as_u64()) else { continue };
        if kind != "corpus" {
            continue;
        }
        let report = inspect(&[folder.join("csv").join(name)]).document();
        let fields: usize = list(&report["tables"]).map(|table| list(&table["fields"]).count()).sum();
        let read: u64 = list(&report["files"][0]["sheets"]).map(|sheet| number(&sheet["rows_read"])).sum();
        let rows = expected["n_data_rows"].as_u64();
        match fields as u64 == columns && rows.is_none_or(|rows| rows == read) {
            true => right += 1,
            false => wrong.push(format!("{name}: {fields} × {read}, expected {columns} × {rows:?}")),
        }
    }
    println!("{right} right, {} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(right * 100 >= (right + wrong.len()) * 97, "{wrong:#?}");
}

/// The cells of a text file, row by row.
fn records(path: &Path) -> Vec<Vec<String>> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_path(path);
    let record = |record: csv::Result<csv::StringRecord>| record.expect("a record").iter().map(str::to_owned).collect();
    reader.expect("a table").records().map(record).collect()
}

/// The column that a gold answer stands in is labelled with all that its header rows say above it.
#[test]
fn labels_have_the_whole_path_of_their_header_rows() {
    let Some(folder) = shared() else { return };
    let questions = folder.join("questions");
    let (mut right, mut wrong) = (0, Vec::new());
    for case in lines(&questions.join("aitqa_en.jsonl")) {
        let file = questions.join(case["files"][0].as_str().expect("a file"));
        let records = records(&file);
        let header_rows = case["header_rows"].as_u64().unwrap_or(1) as usize;
        let answers: Vec<&str> = list(&case["answer"]).filter_map(Value::as_str).collect();
        let stands = |column: usize| {
            records
                .iter()
                .skip(header_rows)
                .any(|row| row.get(column).is_some_and(|cell| answers.contains(&cell.trim())))
        };
        let width = records.iter().map(Vec::len).max().unwrap_or(0);
        let columns: Vec<usize> = (0..width).filter(|column| stands(*column)).collect();
        let report = inspect(std::slice::from_ref(&file)).document();
        let labels: Vec<&str> = list(&report["tables"])
            .flat_map(|table| list(&table["fields"]))
            .filter_map(|f| f["label"].as_str())
            .collect();
        let has_path = |column: &usize| {
            let path: Vec<&str> =
                records[..header_rows].iter().filter_map(|row| Some(row.get(*column)?.trim())).collect();
            labels.iter().any(|label| path.iter().all(|part| label.contains(part)))
        };
        if columns.is_empty() {
            continue;
        }
        match columns.iter().any(has_path) {
            true => right += 1,
            false => wrong.push(format!("{}: {labels:?}", case["id"])),
        }
    }
    println!("{right} labels have their whole path, {} do not:\n{}", wrong.len(), wrong.join("\n"));
    assert!(right >= 30 && right * 100 >= (right + wrong.len()) * 95, "{wrong:#?}");
}

/// The greatest resident memory of a process and its children, in bytes.
#[cfg(target_os = "linux")]
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let own = line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) * 1024;
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children: String = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .collect::<Vec<_>>()
        .join(" ");
    own.max(children.split_whitespace().filter_map(|id| id.parse().ok()).map(peak).max().unwrap_or(0))
}

#[cfg(target_os = "linux")]
#[test]
fn a_malformed_file_costs_little() {
    let Some(folder) = shared() else { return };
    for case in lines(&folder.join("malformed/expected.jsonl")) {
        let name = case["file"].as_str().expect("a file");
        let path = folder.join("malformed").join(name);
        let began = std::time::Instant::now();
        let mut child = Run::new(&["inspect", "--json", &path.display().to_string()]).started();
        let mut most = 0;
        while child.try_wait().expect("it runs").is_none() {
            most = most.max(peak(child.id()));
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        let took = began.elapsed();
        let ran = Ran::of(child.wait_with_output().expect("it ends"));
        println!("{name}: {took:?}, {} MB, code {}", most >> 20, ran.code);
        assert!(
            (0..=1).contains(&ran.code) && took.as_secs() < 20 && most < 1 << 30,
            "{name}: {took:?} {most} {ran:?}"
        );
    }
}

#[test]
fn a_malformed_file_is_told_in_one_line_or_read() {
    let Some(folder) = shared() else { return };
    for case in lines(&folder.join("malformed/expected.jsonl")) {
        let (Some(name), Some(expect)) = (case["file"].as_str(), case["expect"].as_str()) else { continue };
        let path = folder.join("malformed").join(name);
        let words = ["sql", "--json", &path.display().to_string(), "SELECT COUNT(*) FROM no_such_table"];
        let ran = Run::new(&words).ran();
        let read = ran.code == 4;
        assert!(!ran.stderr.contains("panicked"), "{name}: {ran:?}");
        match expect {
            "reject" => assert!(!read, "{name}: {ran:?}"),
            "accept" | "accept, escaped" => assert!(read, "{name}: {ran:?}"),
            _ => {}
        }
        if read {
            assert!(ran.stderr.is_empty(), "{name}: {ran:?}");
            adds_up(&[path]);
            continue;
        }
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{name}: {ran:?}");
        let said: Vec<&str> = ran.stderr.lines().filter(|line| line.contains(name)).collect();
        assert_eq!(said.len(), 1, "{name}: {ran:?}");
        println!("{}", said[0]);
    }
}

/// Whatever bytes a file has, reading it ends with rows or with one line.
#[test]
fn cut_and_changed_workbooks_never_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut broken = Vec::new();
    for (n, name) in ["budget.xlsx", "人员.xls", "库存.ods", "销售台账.xlsx"].iter().enumerate() {
        let bytes = std::fs::read(root().join("fixtures").join(name)).expect("a fixture");
        let ending = name.rsplit('.').next().unwrap_or_default();
        for step in 1..8_usize {
            let at = bytes.len() * step / 8;
            let mut changed = bytes.clone();
            changed[at..(at + 16).min(bytes.len())].fill(0xA5);
            for (kind, content) in [("cut", &bytes[..at]), ("changed", &changed[..])] {
                let path = folder.path().join(format!("{n}-{kind}-{step}.{ending}"));
                std::fs::write(&path, content).expect("written");
                broken.push(path);
            }
        }
    }
    for group in broken.chunks(14) {
        adds_up(group);
    }
}

/// A record of a table on its side is a column of the sheet, and cited as such.
#[test]
fn a_table_on_its_side_is_read_by_its_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("员工.xlsx");
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "员工登记表").expect("room");
    let texts =
        [("姓名", ["张三", "李四", "王五"]), ("部门", ["行政", "研发", "研发"]), ("籍贯", ["苏州", "昆山", "太仓"])];
    for (row, (label, values)) in (1..).zip(texts) {
        sheet.write(row, 0, label).expect("room");
        for (column, value) in (1..).zip(values) {
            sheet.write(row, column, value).expect("room");
        }
    }
    sheet.write(4, 0, "工资").expect("room");
    for (column, value) in (1..).zip([100.5, 200.25, 300.0]) {
        sheet.write(4, column, value).expect("room");
    }
    sheet.write(5, 0, "工龄").expect("room");
    sheet.write(5, 1, 3).expect("room");
    sheet.write(5, 3, 5).expect("room");
    book.save(&path).expect("written");
    let report = inspect(std::slice::from_ref(&path)).document();
    adds_up(std::slice::from_ref(&path));
    let sheet = &report["files"][0]["sheets"][0];
    assert_eq!(
        (sheet["name"].as_str(), sheet["turned"].as_bool()),
        (Some("Sheet1 (columns B:D)"), Some(true)),
        "{report}"
    );
    assert_eq!((number(&sheet["first_row"]), number(&sheet["last_row"])), (2, 4));
    assert_eq!(sheet["titles"][0], "员工登记表");
    let path = path.display().to_string();
    let statement =
        format!("SELECT SUM(gong_zi_flt) FROM {} WHERE bu_men_kwd = '研发'", sheet["table"].as_str().expect("a name"));
    let ran = Run::new(&["sql", "--json", &path, &statement]).ran().ends(0);
    let answer = ran.document();
    assert_eq!(answer["rows"][0][0], 500.25, "{answer}");
    let cited: Vec<&Value> = list(&answer["reference"]["chunks"]).map(|chunk| &chunk["column"]).collect();
    assert_eq!(cited, ["C", "D"], "{answer}");
    let ran = Run::new(&["sql", &path, &statement]).ran().ends(0);
    assert!(ran.stdout.contains("› Sheet1 › C 列\n"), "{ran:?}");
    let ran = Run::new(&["inspect", "--json", "--transposed=no", &path]).ran().ends(0);
    let sheet = &ran.document()["files"][0]["sheets"][0];
    assert_eq!((sheet["name"].as_str(), sheet["turned"].as_bool()), (Some("Sheet1"), None));
}

#[test]
fn a_table_is_turned_when_it_is_said_to_lie_on_its_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sides.csv");
    std::fs::write(&path, "Sales\nRegion,North,South\nBoss,Ann,Bob\nJanuary,1,2\nFebruary,3,x\n").expect("written");
    let ran = Run::new(&["inspect", "--json", "--transposed", &path.display().to_string()]).ran().ends(0);
    let report = ran.document();
    let sheet = &report["files"][0]["sheets"][0];
    assert_eq!((number(&sheet["rows_read"]), number(&sheet["rows_stored"])), (2, 2), "{report}");
    let labels: Vec<&str> = list(&report["tables"][0]["fields"]).filter_map(|field| field["label"].as_str()).collect();
    assert_eq!(labels, ["Region", "Boss", "January", "February"], "{report}");
    let ran = Run::new(&["inspect", "--json", &path.display().to_string()]).ran().ends(0);
    assert_eq!(ran.document()["files"][0]["sheets"][0]["turned"], Value::Null);
}

/// The flag of a row that a spreadsheet program sets when it hides it.
#[test]
fn hidden_rows_of_an_xls_workbook_are_marked() {
    let mut bytes = std::fs::read(root().join("fixtures/人员.xls")).expect("a fixture");
    let row = bytes.windows(4).position(|head| head == [0x08, 0x02, 0x10, 0x00]).expect("a row's record");
    let number = u16::from_le_bytes([bytes[row + 4], bytes[row + 5]]) + 1;
    bytes[row + 16] |= 0x20;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("人员.xls");
    std::fs::write(&path, bytes).expect("written");
    let report = inspect(std::slice::from_ref(&path)).document();
    let notes: Vec<&str> = list(&report["files"][0]["notes"])
        .filter(|note| note["code"] == "hidden_rows")
        .filter_map(|note| note["message"].as_str())
        .collect();
    assert_eq!(notes, [format!("1 hidden rows are read like the others: {number}")], "{report}");
}

#[test]
fn a_later_file_that_nearly_is_a_table_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let (january, february) = (
        file("一月.csv", "编号,姓名,部门,金额\n01,张三,行政,1\n"),
        file("二月.csv", "编号,姓名,部门,金额,备注\n02,李四,研发,2,x\n"),
    );
    Run::new(&["kb", "create", "k", "--data", &data]).ran().ends(0);
    Run::new(&["kb", "add", "k", &january, "--data", &data]).ran().ends(0);
    let report = Run::new(&["kb", "add", "k", &february, "--data", &data, "--json"]).ran().ends(0).document();
    let codes: Vec<&str> = list(&report["files"][0]["notes"]).filter_map(|note| note["code"].as_str()).collect();
    assert!(codes.contains(&"looks_like_another_table"), "{report}");
}

#[test]
fn each_column_with_cells_that_do_not_fit_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wide.csv");
    let line = |cell: &dyn Fn(usize) -> String| (0..14).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(&|n| format!("c{n}"));
    (0..30).for_each(|row| text.push_str(&line(&|n| if row == n { "?x?".to_owned() } else { row.to_string() })));
    std::fs::write(&path, text).expect("written");
    let report = inspect(std::slice::from_ref(&path)).document();
    let told = list(&report["files"][0]["notes"]).filter(|note| note["code"] == "cells_do_not_fit");
    assert_eq!(told.filter(|note| note["place"].is_string()).count(), 14, "{report}");
}
