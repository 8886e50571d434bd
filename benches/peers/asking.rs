//! Questions without a model, the start of the program, its size.

use std::path::Path;

use crate::ingest::{self, KB};
use crate::measure::{median, run, sheetwise, shown};
use crate::report::{Report, Target};
use crate::session::Session;
use crate::{Fallible, Setting, data, files, queries};

/// Questions over the workbook, each of a shape that the planner reads.
const QUESTIONS: [&str; 5] = [
    "各部门的金额合计，从高到低",
    "一共有多少行？",
    "数量最多的是哪个城市？",
    "total 金额 by Product, top 10",
    "average 单价 where 类别 is 数码",
];

/// The question of the whole process.
const QUESTION: &str = QUESTIONS[0];

pub fn measure(setting: &Setting, report: &mut Report) -> Fallible<()> {
    println!("asking");
    let store = ingest::ready(setting, &files::workbook(setting)?)?;
    let large = ingest::ready(setting, &data::csv(&setting.folder, setting.rows)?)?;
    program(setting, report)?;
    whole_process(setting, report, &store)?;
    questions(setting, report, &store, Target::AtMost(20.0))?;
    questions_over_many_rows(setting, report, &large)
}

fn program(setting: &Setting, report: &mut Report) -> Fallible<()> {
    let version = sheetwise(&[&"--version"]);
    report.figure("start: --version", times(setting, &version)?, "ms", Target::AtMost(100.0));
    let bytes = std::fs::metadata(env!("CARGO_BIN_EXE_sheetwise"))?.len();
    report.figure("size of the program", bytes as f64 / 1e6, "MB", Target::AtMost(160.0));
    Ok(())
}

fn times(setting: &Setting, command: &[std::ffi::OsString]) -> Fallible<f64> {
    println!("  {}", shown(command));
    let runs: Fallible<Vec<f64>> = (0..setting.runs).map(|_| Ok(run(&setting.peers, command)?.ms)).collect();
    Ok(median(runs?))
}

fn whole_process(setting: &Setting, report: &mut Report, store: &Path) -> Fallible<()> {
    let ask = sheetwise(&[&"ask", &"--kb", &KB, &"--data", &store, &QUESTION]);
    report.figure("a Chinese question, whole process", times(setting, &ask)?, "ms", Target::AtMost(400.0));
    Ok(())
}

/// Each question in one running process: the first time apart from the later ones.
fn questions(setting: &Setting, report: &mut Report, store: &Path, target: Target) -> Fallible<()> {
    let (mut session, opened) = Session::start(&queries::ours(store)?)?;
    report.figure("small knowledge base opened", opened, "ms", Target::Shown);
    let first = asked(&mut session, QUESTION)?;
    report.figure("first planner question of a process", first, "ms", Target::Shown);
    for question in QUESTIONS {
        let runs: Fallible<Vec<f64>> = (0..setting.runs).map(|_| asked(&mut session, question)).collect();
        report.figure(&format!("planner: {question}"), median(runs?), "ms", target);
    }
    session.end()
}

/// Milliseconds of a question that the planner reads; another way is an error.
fn asked(session: &mut Session, question: &str) -> Fallible<f64> {
    let reply = session.run(&format!("ask {question}"))?;
    match reply.path.as_str() {
        "planner" => Ok(reply.ms),
        other => Err(format!("{question}: the planner did not answer, but {other}").into()),
    }
}

fn questions_over_many_rows(setting: &Setting, report: &mut Report, store: &Path) -> Fallible<()> {
    let (mut session, _) = Session::start(&queries::ours(store)?)?;
    let question = "各省份的金额合计，从高到低";
    let runs: Fallible<Vec<f64>> = (0..=setting.runs).map(|_| asked(&mut session, question)).collect();
    let warm = median(runs?.split_off(1));
    report.figure(&format!("planner over {} rows: {question}", setting.rows), warm, "ms", Target::Shown);
    session.end()
}
