//! Knowledge bases: what is added, replaced, widened, removed, and what many processes and a killed one leave.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::binary::{Ran, Run, fixture, written};

/// A data folder, and a folder for files beside it.
struct House {
    data: tempfile::TempDir,
    files: tempfile::TempDir,
}

impl House {
    fn new(kbs: &[&str]) -> Self {
        let folder = || tempfile::tempdir().expect("a folder");
        let house = Self { data: folder(), files: folder() };
        kbs.iter().for_each(|kb| drop(house.run(&["kb", "create", kb]).ran().ends(0)));
        house
    }

    fn run(&self, words: &[&str]) -> Run {
        Run::new(words).data(self.data.path())
    }

    fn kb(&self, words: &[&str]) -> Ran {
        self.run(&[&["kb", "--json"], words].concat()).ran()
    }

    fn file(&self, name: &str, text: &str) -> String {
        written(self.files.path(), name, text)
    }

    fn add(&self, kb: &str, name: &str, text: &str) -> Value {
        self.kb(&["add", kb, &self.file(name, text)]).ends(0).document()
    }

    fn rows(&self, kb: &str, statement: &str) -> Value {
        self.run(&["sql", "--json", "--kb", kb, statement]).ran().ends(0).document()["rows"].clone()
    }

    fn left(&self, folder: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.data.path().join(folder)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }
}

/// Items with three times their number as price.
fn numbers(from: u32, to: u32) -> String {
    let rows: String = (from..to).map(|n| format!("item{n},{}\n", 3 * n)).collect();
    format!("name,price\n{rows}")
}

fn names(report: &Value) -> Vec<&str> {
    report["files"].as_array().into_iter().flatten().filter_map(|file| file["file"].as_str()).collect()
}

#[test]
fn a_knowledge_base_is_made_filled_listed_shown_and_removed() {
    let house = House::new(&["店铺"]);
    let made = house.kb(&["create", "店铺"]).ends(1);
    assert!(made.stderr.contains("already"), "{made:?}");
    let report = house.kb(&["add", "店铺", &fixture("orders.csv"), &fixture("库存.ods")]).ends(0).document();
    assert!(report["sql_ready_ms"].is_u64() && report["search_ready_ms"].is_u64(), "{report}");
    assert_eq!(names(&report), ["orders.csv", "库存.ods"]);
    let list = house.kb(&["list"]).ends(0).document();
    assert_eq!((&list[0]["name"], &list[0]["files"], &list[0]["tables"]), (&json!("店铺"), &json!(2), &json!(2)));
    let shown = house.kb(&["show", "店铺"]).ends(0).document();
    assert_eq!(names(&shown), ["orders.csv", "库存.ods"]);
    assert_eq!(shown["tables"], report["tables"]);
    let asked = house.run(&["ask", "--json", "--kb", "店铺", "What is the total amount?"]).ran().ends(0).document();
    assert_eq!(asked["rows"], json!([[161656.59]]));
    house.kb(&["remove", "店铺", "库存.ods"]).ends(0);
    assert_eq!(house.kb(&["list"]).ends(0).document()[0]["tables"], 1);
    assert_eq!(house.left("uploads").len(), 1);
    house.kb(&["remove", "店铺"]).ends(0);
    assert_eq!(house.kb(&["list"]).ends(0).document(), json!([]));
    assert!(
        ["uploads", "segments", "search"].iter().all(|folder| house.left(folder).is_empty()),
        "{:?}",
        house.left("search")
    );
    for words in [&["show", "店铺"][..], &["remove", "店铺"], &["add", "店铺", &fixture("orders.csv")]] {
        let ran = house.kb(words).ends(1);
        assert!(ran.stderr.contains("kb list"), "{ran:?}");
    }
    for name in ["", "  ", "two\nlines"] {
        house.kb(&["create", name]).ends(1);
    }
    house.run(&["ask", "--kb", "店铺", "x"]).ran().ends(1);
    house.run(&["sql", "--kb", "店铺", "a.csv", "SELECT 1"]).ran().ends(2);
}

#[test]
fn the_same_bytes_are_not_added_again_and_the_same_name_replaces() {
    let house = House::new(&["k"]);
    house.add("k", "t.csv", &numbers(0, 5));
    let again = house.add("k", "t.csv", &numbers(0, 5));
    assert_eq!(again["files"][0]["notes"][0]["code"], "same_bytes");
    let twin = house.add("k", "other.csv", &numbers(0, 5));
    assert!(twin["files"][0]["notes"][0]["message"].as_str().is_some_and(|text| text.contains("t.csv")), "{twin}");
    assert_eq!(house.rows("k", "SELECT COUNT(*), SUM(price) FROM t"), json!([[5, 30]]));
    house.add("k", "t.csv", &numbers(10, 13));
    assert_eq!(house.rows("k", "SELECT COUNT(*), SUM(price) FROM t"), json!([[3, 99]]));
    assert_eq!(house.left("uploads").len(), 2, "the old upload goes with the next removal");
    // A version that can't be read leaves the old one.
    let broken = house.file("t.csv", "");
    let ran = house.kb(&["add", "k", &broken]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(house.rows("k", "SELECT SUM(price) FROM t"), json!([[99]]));
    // The same bytes may stand in two knowledge bases; one removed leaves the other.
    house.kb(&["create", "l"]).ends(0);
    house.add("l", "u.csv", &numbers(10, 13));
    house.kb(&["remove", "k"]).ends(0);
    assert_eq!(house.rows("l", "SELECT SUM(price) FROM u"), json!([[99]]));
    house.add("l", "v.csv", "name,price\nx,0.5\n");
    assert_eq!(house.rows("l", "SELECT SUM(price) FROM u"), json!([[99.5]]));
}

#[test]
fn a_column_that_widens_is_one_field_over_all_documents() {
    let house = House::new(&["k"]);
    let fields = || {
        let shown = house.kb(&["show", "k"]).ends(0).document();
        let tables = shown["tables"].as_array().cloned().unwrap_or_default();
        assert_eq!(tables.len(), 1, "{shown}");
        let names = tables[0]["fields"].as_array().into_iter().flatten().map(|field| field["name"].to_string());
        names.filter(|name| name.contains("price")).collect::<Vec<_>>()
    };
    house.add("k", "a.csv", "name,price\nx,1\ny,2\n");
    assert_eq!(fields(), ["\"price_long\""]);
    house.add("k", "b.csv", "price,name\n0.5,z\n");
    assert_eq!(fields(), ["\"price_flt\""]);
    assert_eq!(house.rows("k", "SELECT SUM(price), COUNT(price) FROM a"), json!([[3.5, 3]]));
    house.add("k", "c.csv", "name,price\np,on request\nq,sold\nr,ask us\ns,later\nt,007\n");
    assert_eq!(fields(), ["\"price_tks\""]);
    let texts = house.rows("k", "SELECT price FROM a ORDER BY docnm_kwd, row_long");
    assert_eq!(texts, json!([["1"], ["2"], ["0.5"], ["on request"], ["sold"], ["ask us"], ["later"], ["007"]]));
    // The text goes, the numbers come back.
    house.kb(&["remove", "k", "c.csv"]).ends(0);
    house.add("k", "d.csv", "name,price\nw,4\n");
    assert_eq!(fields(), ["\"price_flt\""]);
    assert_eq!(house.rows("k", "SELECT SUM(price), COUNT(price) FROM a"), json!([[7.5, 4]]));
    assert_eq!(
        house.rows("k", "SELECT docnm_kwd, COUNT(*) FROM a GROUP BY docnm_kwd"),
        json!([["a.csv", 2], ["b.csv", 1], ["d.csv", 1]])
    );
}

#[test]
fn one_question_may_go_over_several_knowledge_bases() {
    let house = House::new(&["a", "b"]);
    house.add("a", "t.csv", &numbers(0, 5));
    house.add("b", "t.csv", &numbers(100, 102));
    let both = |first: &str, second: &str, statement: &str| {
        house.run(&["sql", "--json", "--kb", first, "--kb", second, statement]).ran().ends(0).document()
    };
    let answer = both("a", "b", "SELECT COUNT(*), SUM(price) FROM t");
    assert_eq!(answer["rows"], json!([[7, 633]]));
    assert_eq!(answer["reference"]["total"], 7);
    assert_eq!(both("a", "a", "SELECT COUNT(*) FROM t")["rows"], json!([[5]]));
    let asked = house.run(&["ask", "--json", "--kb", "a", "--kb", "b", "What is the total price?"]).ran().ends(0);
    assert_eq!(asked.document()["rows"], json!([[633]]));
    // The same labels in files of other names, with whole numbers in one and decimals in the other.
    house.add("b", "t2.csv", "name,price\nx,0.25\n");
    for (first, second) in [("a", "b"), ("b", "a")] {
        let answer = both(first, second, "SELECT COUNT(*), SUM(price), MAX(price) FROM t WHERE price < 2000");
        assert_eq!(answer["rows"], json!([[8, 633.25, 303.0]]));
        let contents = answer["reference"]["chunks"].to_string();
        assert!(contents.contains("price: 303") && contents.contains("price: 0.25"), "{contents}");
    }
    // Text in one and numbers in the other can't be one column: what is left out is told.
    house.add("b", "t3.csv", "name,price\nx,on request\ny,ask\nz,later\nv,007\n");
    let part = both("a", "b", "SELECT SUM(price) FROM t");
    assert_eq!((&part["rows"], &part["notes"][0]["code"]), (&json!([[30]]), &json!("table_not_counted")));
    let house = House::new(&["c", "d"]);
    house.add("c", "one.csv", "name,price\na,1\nb,2\n");
    house.add("d", "two.csv", "price,name\n20,c\n0.5,d\n");
    let ask = |question: &str| {
        let words = ["ask", "--json", "--kb", "c", "--kb", "d", question];
        house.run(&words).ran().ends(0).document()["rows"].clone()
    };
    assert_eq!(ask("What is the total price?"), json!([[23.5]]));
    assert_eq!(ask("What is the largest price?"), json!([[20.0]]));
}

#[test]
fn a_folder_that_many_processes_open_at_once_is_made_once() {
    let house = House::new(&[]);
    let children: Vec<Child> = (0..6).map(|n| house.run(&["kb", "create", &format!("k{n}")]).started()).collect();
    children.into_iter().for_each(|child| drop(Ran::of(child.wait_with_output().expect("it ends")).ends(0)));
    assert_eq!(house.kb(&["list"]).ends(0).document().as_array().map(Vec::len), Some(6));
}

#[test]
fn writers_wait_for_each_other_and_readers_never_notice() {
    let house = House::new(&["k"]);
    house.add("k", "t0.csv", &numbers(0, 10));
    let file = |n: u32| house.file(&format!("t{n}.csv"), &numbers(n * 1_000, n * 1_000 + 10));
    let writers: Vec<Child> = (1..5).map(|n| house.run(&["kb", "add", "k", &file(n)]).started()).collect();
    let mut writers: Vec<Option<Child>> = writers.into_iter().map(Some).collect();
    let mut seen = Vec::new();
    while writers.iter().any(Option::is_some) {
        // Each reader sees whole files: ten rows each, of one moment.
        let statement = "SELECT COUNT(*), COUNT(DISTINCT docnm_kwd) FROM t0 WHERE MATCH(name, 'item0', 'operator=AND') OR price >= 0";
        let rows = house.rows("k", statement);
        let (count, files) = (rows[0][0].as_u64().unwrap_or(0), rows[0][1].as_u64().unwrap_or(0));
        assert_eq!(count, files * 10, "{rows}");
        seen.push(files);
        for writer in &mut writers {
            if let Some(child) = writer
                && child.try_wait().expect("a child").is_some()
            {
                let child = writer.take().expect("it is there");
                Ran::of(child.wait_with_output().expect("it ended")).ends(0);
            }
        }
    }
    assert!(seen.is_sorted(), "{seen:?}");
    assert_eq!(
        house.rows("k", "SELECT COUNT(*), COUNT(DISTINCT docnm_kwd), COUNT(DISTINCT name) FROM t0"),
        json!([[50, 5, 50]])
    );
    let sum: u64 = (0..5_u64).map(|n| 3 * (10 * n * 1_000 + 45)).sum();
    assert_eq!(house.rows("k", "SELECT SUM(price) FROM t0"), json!([[sum]]));
}

#[test]
fn readers_outlive_replaced_and_removed_documents() {
    let house = House::new(&["k"]);
    house.add("k", "t.csv", &numbers(0, 10));
    let reader = |_| house.run(&["ask", "--json", "--kb", "k"]);
    let lines = "What is the total price?\n".repeat(40);
    let readers: Vec<_> = (0..2).map(reader).collect();
    std::thread::scope(|scope| {
        let running: Vec<_> = readers.into_iter().map(|run| scope.spawn(|| run.typed(&lines))).collect();
        for n in 1..5 {
            house.add("k", "t.csv", &numbers(n * 100, n * 100 + 10));
            // A removal sweeps at once.
            house.add("k", "gone.csv", "label,other\na,1\nb,2\n");
            house.kb(&["remove", "k", "gone.csv"]).ends(0);
        }
        let sums: Vec<u64> = (0..5).map(|n| 3 * (n * 1_000 + 45)).collect();
        for reader in running {
            let ran = reader.join().expect("no panic").ends(0);
            for document in ran.documents() {
                let sum = document["rows"][0][0].as_u64().unwrap_or_default();
                assert!(sums.contains(&sum), "{document}");
            }
        }
    });
}

/// Kills a writer after this time; says whether it was still at work.
fn kill_after(mut child: Child, time: Duration) -> bool {
    let started = Instant::now();
    while started.elapsed() < time {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it can be killed");
    !child.wait().expect("it ends").success()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_killed_writer_leaves_the_old_answers_and_nothing_half() {
    let house = House::new(&["k"]);
    house.add("k", "t.csv", &numbers(0, 10));
    let big = house.file("big.csv", &numbers(0, 60_000));
    let changed = house.file("t.csv", &numbers(50, 70_000));
    let started = Instant::now();
    drop(house.run(&["kb", "create", "other"]).ran().ends(0));
    let bare = started.elapsed();
    let mut killed = 0;
    for step in 0..10_u32 {
        let child = house.run(&["kb", "add", "k", &big, &changed]).started();
        killed += u32::from(kill_after(child, bare + Duration::from_millis(u64::from(step * step) * 25)));
        let rows = house.rows("k", "SELECT COUNT(*), SUM(price), COUNT(DISTINCT docnm_kwd) FROM t");
        let old = json!([[10, 135, 1]]);
        let sum = 3 * ((0..60_000_u64).sum::<u64>() + (50..70_000_u64).sum::<u64>());
        let new = json!([[60_000 + 69_950, sum, 2]]);
        assert!(rows == old || rows == new, "step {step}: {rows}");
        let asked = house.run(&["ask", "--json", "--kb", "k", "What is the largest price?"]).ran().ends(0).document();
        assert!([json!(27), json!(209_997)].contains(&asked["rows"][0][0]), "{asked}");
        if rows == new {
            house.kb(&["remove", "k"]).ends(0);
            house.kb(&["create", "k"]).ends(0);
            house.add("k", "t.csv", &numbers(0, 10));
        }
    }
    assert!(killed >= 3, "{killed} of 10 were at work");
    let house_file = house.file("small.csv", &numbers(500, 503));
    house.kb(&["add", "k", &house_file]).ends(0);
    assert_eq!(house.rows("k", "SELECT COUNT(*), SUM(price) FROM t"), json!([[13, 3 * (45 + 1503)]]));
    // The add swept what the killed ones left: two segments, two indexes, nothing half written.
    for folder in ["segments", "search"] {
        let names = names_in(&house.data.path().join(folder));
        assert_eq!(names.len(), 2, "{folder}: {names:?}");
        assert!(names.iter().all(|name| !name.ends_with("tmp")), "{names:?}");
    }
    house.kb(&["remove", "k", "small.csv"]).ends(0);
    assert_eq!(names_in(&house.data.path().join("uploads")).len(), 1);
}

#[test]
fn a_folder_that_can_not_be_used_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "file", "x");
    let ran = Run::new(&["kb", "list"]).data(Path::new(&file)).ran().ends(1);
    assert!(ran.stderr.contains("file"), "{ran:?}");
    written(folder.path(), "catalog.sqlite", "this is no database, this is no database");
    let ran = Run::new(&["kb", "list"]).data(folder.path()).ran().ends(1);
    assert!(ran.stderr.contains("catalog"), "{ran:?}");
    let help = Command::new(env!("CARGO_BIN_EXE_sheetwise")).args(["kb", "--help"]).output().expect("it runs");
    assert!(help.status.success());
}

#[test]
fn a_file_is_read_anew_as_the_user_decides() {
    let house = House::new(&["k"]);
    house.add("k", "人.csv", "编号,金额\n1,10\n2,20\n合计,30\n");
    let set = |words: &[&str]| house.kb(&[&["set", "k", "人.csv"], words].concat()).ends(0).document();
    let report = set(&["--types", "编号=text,金额=decimal", "--keep-totals"]);
    let kinds = |report: &Value| {
        let fields = report["tables"][0]["fields"].as_array().cloned().unwrap_or_default();
        fields.iter().map(|field| field["type"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((kinds(&report), &report["tables"][0]["rows"]), (vec!["text".into(), "decimal".into()], &json!(3)));
    let notes = report["files"][0]["notes"].to_string();
    assert!(notes.contains("type_changed") && notes.contains("rows_changed"), "{notes}");
    house.add("k", "另.csv", "编号,金额\n7,70\n");
    assert_eq!(kinds(&house.kb(&["show", "k"]).ends(0).document()), ["text", "decimal"]);
    let report = set(&["--types", "金额=auto,没有=text"]);
    assert_eq!(kinds(&report), ["text", "integer"]);
    assert!(report["files"][0]["notes"].to_string().contains("no_such_column"), "{report}");
    house.kb(&["set", "k", "无.csv"]).ends(1);
    assert!(house.run(&["kb", "set", "k", "人.csv", "--types", "编号:text"]).ran().code == 2);
}

#[test]
fn sheets_that_repeat_others_are_said_at_upload_and_with_each_answer() {
    let house = House::new(&["k"]);
    house.add("k", "a.csv", "name,price\nx,1\ny,2\n");
    let report = house.add("k", "b.csv", "price,name\n2,y\n1,x\n");
    assert!(report["files"][0]["notes"].to_string().contains("sheet_repeats"), "{report}");
    let table = report["tables"][0]["name"].as_str().unwrap_or_default().to_owned();
    let notes = |statement: String| {
        house.run(&["sql", "--json", "--kb", "k", &statement]).ran().ends(0).document()["notes"].to_string()
    };
    assert!(notes(format!("SELECT SUM(price_long) FROM {table}")).contains("sheet_repeats"));
    let apart = format!("SELECT docnm_kwd, SUM(price_long) FROM {table} GROUP BY docnm_kwd");
    assert!(!notes(apart).contains("sheet_repeats"));
}

/// One file after the other gives what both at once give, in either order: a conversion that changes is made anew in earlier rows.
#[test]
fn earlier_rows_are_converted_as_all_files_together_say() {
    let pairs = [
        ("v\n05/01/2024\n06/02/2024\n", "v\n25/12/2024\n13/11/2024\n"),
        ("v\n1.234\n2.345\n", "v\n3,5\n4,25\n"),
        ("v\n$5\n$6\n", "v\n7\n8\n"),
        ("v\n12%\n0\n", "v\n15%\n20%\n"),
        ("v日期\n20240105\n20240206\n", "v日期\n2024-03-07\n2024-04-08\n"),
        ("v\n2024-01\n2024-02\n", "v\n2024-03-05\n2024-03-06\n"),
        ("v\n(5)\n7\n", "v\n(1,234.50)\n8\n"),
    ];
    for (n, (a, b)) in pairs.iter().enumerate() {
        let widened = |text: &str| text.lines().map(|line| format!("{line}\tx\n")).collect::<String>();
        let (a, b) = (widened(a).replacen("\tx", "\tk", 1), widened(b).replacen("\tx", "\tk", 1));
        let stored = |steps: &[&[(&str, &str)]]| {
            let house = House::new(&["k"]);
            for step in steps {
                let paths: Vec<String> = step.iter().map(|(name, text)| house.file(name, text)).collect();
                let words: Vec<&str> = ["add", "k"].into_iter().chain(paths.iter().map(String::as_str)).collect();
                house.kb(&words).ends(0);
            }
            let shown = house.kb(&["show", "k"]).ends(0).document();
            let table = shown["tables"][0]["name"].as_str().expect("a table").to_owned();
            let field = &shown["tables"][0]["fields"][0];
            let field = field["exact"].as_str().or(field["name"].as_str()).expect("a field").to_owned();
            let statement = format!("SELECT docnm_kwd, row_long, {field} FROM {table} ORDER BY docnm_kwd, row_long");
            house.rows("k", &statement)
        };
        let (a, b) = (("a.csv", a.as_str()), ("b.csv", b.as_str()));
        let together = stored(&[&[a, b]]);
        assert_eq!(stored(&[&[a], &[b]]), together, "pair {n}");
        assert_eq!(stored(&[&[b], &[a]]), together, "pair {n} turned");
    }
}
