//! A knowledge base of many small documents beside one of the same rows in one file.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::measure::Pair;
use crate::report::{Report, Target};
use crate::session::Session;
use crate::{Fallible, Setting, data, ingest, queries};

const DOCUMENTS: u64 = 5_000;
const ROWS: u64 = 20;
/// Repeats in each process after the first touch.
const REPEATS: usize = 5;

/// Asked of both; the table's name differs between them, so no statement is here.
const QUESTIONS: [&str; 3] = ["各省份的金额合计，从高到低", "一共有多少行？", "省份是江苏的金额合计"];

pub fn measure(setting: &Setting, report: &mut Report) -> Fallible<()> {
    let rows = DOCUMENTS.min(setting.rows / ROWS) * ROWS;
    println!("{} documents of {ROWS} rows, and one of {rows}", rows / ROWS);
    let whole = data::csv(&setting.folder, rows)?;
    let parts = parts(&setting.folder.join(format!("parts-{rows}")), &whole)?;
    let one = ingest::ready(setting, &whole)?;
    let many = ingest::ready_of(setting, &setting.folder.join(format!("parts-{rows}.store")), &parts)?;
    for question in QUESTIONS {
        let (first, warm) = compare(setting.runs, &many, &one, &format!("ask {question}"))?;
        report.ratio(&format!("many small documents / one: {question}: first touch"), &first, Target::Shown);
        report.ratio(&format!("many small documents / one: {question}: warm"), &warm, Target::AtMost(2.0));
    }
    Ok(())
}

/// The rows of a file, so many to a file; made once.
fn parts(folder: &Path, whole: &Path) -> Fallible<Vec<PathBuf>> {
    let unfinished = folder.with_extension("part");
    if !folder.is_dir() {
        std::fs::create_dir_all(&unfinished)?;
        let mut lines = BufReader::new(File::open(whole)?).lines();
        let header = lines.next().ok_or("an empty file")??;
        let rows: Vec<String> = lines.collect::<Result<_, _>>()?;
        for (n, rows) in rows.chunks(ROWS as usize).enumerate() {
            let mut out = BufWriter::new(File::create(unfinished.join(format!("sales-{n:05}.csv")))?);
            writeln!(out, "{header}")?;
            rows.iter().try_for_each(|row| writeln!(out, "{row}"))?;
            out.flush()?;
        }
        std::fs::rename(&unfinished, folder)?;
    }
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<PathBuf> = entries.collect::<std::io::Result<_>>()?;
    files.sort();
    Ok(files)
}

/// First touches and warm repeats, both sides in turn; the same answer of both.
fn compare(runs: usize, many: &Path, one: &Path, line: &str) -> Fallible<(Pair, Pair)> {
    let (many, one) = (queries::ours(many)?, queries::ours(one)?);
    let (mut first, mut warm) = (Pair::default(), Pair::default());
    for _ in 0..runs {
        let (mut many, _) = Session::start(&many)?;
        let (mut one, _) = Session::start(&one)?;
        for repeat in 0..=REPEATS {
            let (of_many, of_one) = (many.run(line)?, one.run(line)?);
            queries::same(&of_many.rows, &of_one.rows).map_err(|why| format!("{line}: {why}"))?;
            let pair = if repeat == 0 { &mut first } else { &mut warm };
            pair.ours.push(of_many.ms);
            pair.peer.push(of_one.ms);
        }
        many.end()?;
        one.end()?;
    }
    Ok((first, warm))
}
