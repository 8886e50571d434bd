//! From a file to the first answer, whole processes: xlsx beside calamine and openpyxl, csv beside DuckDB.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use calamine::{Reader, open_workbook_auto};

use crate::measure::{Pair, in_turn, median, run, sheetwise};
use crate::names::Names;
use crate::peers::Peers;
use crate::report::{Report, Target};
use crate::{Fallible, Setting, data, ingest};

/// Calamine's plain read: every cell of every sheet.
pub fn read_with_calamine(file: &str) -> Fallible<ExitCode> {
    let mut book = open_workbook_auto(file)?;
    let mut cells = 0;
    for sheet in book.sheet_names() {
        cells += book.worksheet_range(&sheet)?.used_cells().count();
    }
    println!("{cells}");
    Ok(ExitCode::SUCCESS)
}

pub fn measure(setting: &Setting, report: &mut Report) -> Fallible<()> {
    workbook_to_answer(setting, report)?;
    workbook_to_rows(setting, report)?;
    csv_to_answer(setting, report)?;
    large_csv(setting, report)
}

/// The generated workbook.
pub fn workbook(setting: &Setting) -> Fallible<PathBuf> {
    let file = setting.folder.join(format!("orders-{}.xlsx", setting.book_rows));
    if !file.is_file() {
        let unfinished = setting.folder.join("unfinished.xlsx");
        let rows = setting.book_rows.to_string();
        run(&setting.peers, &setting.peers.command("workbook.py", &[&"write", &unfinished, &rows]))?;
        std::fs::rename(unfinished, &file)?;
    }
    Ok(file)
}

fn count(setting: &Setting, file: &Path) -> Fallible<Vec<OsString>> {
    let statement = Names::of(setting, file)?.ours("SELECT COUNT(*) FROM {}");
    Ok(sheetwise(&[&"sql", &file, &statement]))
}

fn workbook_to_answer(setting: &Setting, report: &mut Report) -> Fallible<()> {
    let file = workbook(setting)?;
    println!("xlsx {} × 12 → first answer", setting.book_rows);
    let calamine = [std::env::current_exe()?.into_os_string(), "--calamine".into(), file.clone().into()];
    let ours = count(setting, &file)?;
    let (pair, peak) = in_turn(&setting.peers, setting.runs, &ours, &calamine)?;
    report.ratio("xlsx → first answer / calamine's plain read", &pair, Target::AtMost(2.0));
    report.figure("… peak memory", peak / 1e6, "MB", Target::Shown);
    let openpyxl = run(&setting.peers, &setting.peers.command("workbook.py", &[&"read", &file]))?;
    report.figure("… openpyxl's full read of it", openpyxl.ms / median(pair.ours), "× ours", Target::AtLeast(15.0));
    Ok(())
}

/// Into a knowledge base, beside calamine's plain read: until SQL answers, until search does.
fn workbook_to_rows(setting: &Setting, report: &mut Report) -> Fallible<()> {
    let file = workbook(setting)?;
    println!("xlsx {} × 12 → knowledge base", setting.book_rows);
    let calamine = [std::env::current_exe()?.into_os_string(), "--calamine".into(), file.clone().into()];
    let store = setting.folder.join("book.store");
    let (mut sql, mut search) = (Pair::default(), Pair::default());
    for n in 0..setting.runs {
        let (added, _) = ingest::add(setting, &store, std::slice::from_ref(&file), n == 0)?;
        let plain = run(&setting.peers, &calamine)?.ms;
        sql.ours.push(added.sql_ready_ms);
        search.ours.push(added.search_ready_ms);
        [&mut sql.peer, &mut search.peer].into_iter().for_each(|times| times.push(plain));
    }
    report.ratio("xlsx → SQL-ready rows / calamine's plain read", &sql, Target::AtMost(1.3));
    report.ratio("xlsx → search-ready rows / calamine's plain read", &search, Target::AtMost(3.0));
    Ok(())
}

/// A csv file of a fifth more rows: 200 MB where the other has a million.
fn large_csv(setting: &Setting, report: &mut Report) -> Fallible<()> {
    let file = data::csv(&setting.folder, setting.rows * 6 / 5)?;
    let megabytes = std::fs::metadata(&file)?.len() as f64 / 1e6;
    let run = run(&setting.peers, &count(setting, &file)?)?;
    report.figure(&format!("csv of {megabytes:.0} MB: peak memory"), run.peak_bytes / 1e6, "MB", Target::AtMost(600.0));
    Ok(())
}

/// DuckDB's command that makes Parquet of the csv file.
pub fn copy(peers: &Peers, threads: usize, csv: &Path, parquet: &Path) -> Vec<OsString> {
    peers.command("duck.py", &[&"copy", &threads.to_string(), &csv, &parquet])
}

fn csv_to_answer(setting: &Setting, report: &mut Report) -> Fallible<()> {
    let file = data::csv(&setting.folder, setting.rows)?;
    println!("csv {} × {} → first answer", setting.rows, data::LABELS.len());
    let parquet = file.with_extension("parquet");
    let ours = count(setting, &file)?;
    let peer = copy(&setting.peers, setting.threads, &file, &parquet);
    let (pair, peak) = in_turn(&setting.peers, setting.runs, &ours, &peer)?;
    report.ratio("csv → first answer / DuckDB csv → Parquet", &pair, Target::AtMost(3.0));
    report.figure("… peak memory", peak / 1e6, "MB", Target::AtMost(500.0));
    Ok(())
}
