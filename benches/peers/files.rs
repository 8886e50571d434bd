//! From a file to the first answer, whole processes: xlsx beside calamine and openpyxl, csv beside DuckDB.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use calamine::{Reader, open_workbook_auto};

use crate::measure::{in_turn, median, run, sheetwise};
use crate::names::Names;
use crate::peers::Peers;
use crate::report::{Report, Target};
use crate::{Fallible, Setting, data};

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
    csv_to_answer(setting, report)
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
    report.figure("… openpyxl's read of it", openpyxl.ms / median(pair.ours), "× ours", Target::Shown);
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
    report.ratio("csv → first answer / DuckDB csv → Parquet", &pair, Target::AtMost(4.0));
    report.figure("… peak memory", peak / 1e6, "MB", Target::AtMost(700.0));
    Ok(())
}
