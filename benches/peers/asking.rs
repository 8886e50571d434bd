//! Questions without a model, the start of the program, its size.

use std::path::Path;

use crate::ingest::{self, KB};
use crate::measure::{median, run, sheetwise, shown};
use crate::names::Names;
use crate::report::{Report, Target};
use crate::session::{Reply, Session};
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
    let book = files::workbook(setting)?;
    let store = ingest::ready(setting, &book)?;
    let large = ingest::ready(setting, &data::csv(&setting.folder, setting.rows)?)?;
    program(setting, report)?;
    whole_process(setting, report, &store)?;
    questions(setting, report, &store, Target::AtMost(20.0))?;
    through_a_model(setting, report, &store, &book)?;
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

/// The first question of a process, then each question in one running process.
fn questions(setting: &Setting, report: &mut Report, store: &Path, target: Target) -> Fallible<()> {
    let mut opened = Vec::new();
    let mut first = Asked::default();
    for _ in 0..setting.runs {
        let (mut session, ms) = Session::start(&queries::ours(store)?)?;
        opened.push(ms);
        first.take(session.run(&format!("ask {QUESTION}"))?);
        session.end()?;
    }
    report.figure("small knowledge base opened", median(opened), "ms", Target::Shown);
    first.tell(report, &format!("first question of a process: {QUESTION}"), target);
    let (mut session, _) = Session::start(&queries::ours(store)?)?;
    for question in QUESTIONS {
        let mut asked = Asked::default();
        for _ in 0..setting.runs {
            asked.take(session.run(&format!("ask {question}"))?);
        }
        asked.tell(report, &format!("planner: {question}"), target);
    }
    session.end()
}

/// Times of one question, and the ways other than the planner that it took.
#[derive(Default)]
struct Asked {
    times: Vec<f64>,
    others: Vec<String>,
}

impl Asked {
    fn take(&mut self, reply: Reply) {
        self.times.push(reply.ms);
        if reply.path != "planner" {
            self.others.push(reply.path);
        }
    }

    /// A question that the planner leaves to search has no target here.
    fn tell(self, report: &mut Report, what: &str, target: Target) {
        match self.others.first() {
            None => report.figure(what, median(self.times), "ms", target),
            Some(way) => report.figure(&format!("{what} (way: {way})"), median(self.times), "ms", Target::Shown),
        }
    }
}

/// A question through a model that answers at once: mentions, prompt, check and run.
fn through_a_model(setting: &Setting, report: &mut Report, store: &Path, book: &Path) -> Fallible<()> {
    let statement = Names::of(setting, book)?.ours("SELECT COUNT(*) FROM {}");
    let mut command = queries::ours(store)?;
    command.push(statement.into());
    let (mut session, _) = Session::start(&command)?;
    let line = format!("ask {QUESTION}");
    let first = session.run(&line)?;
    let warm: Fallible<Vec<f64>> = (0..setting.runs).map(|_| Ok(session.run(&line)?.ms)).collect();
    session.end()?;
    report.figure(&format!("a question through a model, first (way: {})", first.path), first.ms, "ms", Target::Shown);
    report.figure("a question through a model, warm", median(warm?), "ms", Target::Shown);
    Ok(())
}

fn questions_over_many_rows(setting: &Setting, report: &mut Report, store: &Path) -> Fallible<()> {
    let question = "各省份的金额合计，从高到低";
    let (mut first, mut warm) = (Asked::default(), Asked::default());
    for _ in 0..setting.runs {
        let (mut session, _) = Session::start(&queries::ours(store)?)?;
        first.take(session.run(&format!("ask {question}"))?);
        warm.take(session.run(&format!("ask {question}"))?);
        session.end()?;
    }
    first.tell(report, &format!("planner over {} rows, first: {question}", setting.rows), Target::Shown);
    warm.tell(report, &format!("planner over {} rows, warm: {question}", setting.rows), Target::Shown);
    Ok(())
}
