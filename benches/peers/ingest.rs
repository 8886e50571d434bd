//! A csv file into a knowledge base: until SQL answers, until search does.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::measure::{median, run, sheetwise, shown};
use crate::report::{Report, Target};
use crate::{Fallible, Setting, data};

/// The knowledge base's name.
pub const KB: &str = "bench";

const RUNS: usize = 3;

/// What `kb add` says of its time.
#[derive(Deserialize)]
pub struct Added {
    pub sql_ready_ms: f64,
    pub search_ready_ms: f64,
}

pub fn measure(setting: &Setting, report: &mut Report) -> Fallible<()> {
    println!("csv {} × {} → knowledge base", setting.rows, data::LABELS.len());
    let csv = data::csv(&setting.folder, setting.rows)?;
    let store = store(setting, &csv);
    let (mut sql, mut search, mut peak) = (Vec::new(), Vec::new(), 0.0_f64);
    for n in 0..RUNS {
        let (added, bytes) = add(setting, &store, std::slice::from_ref(&csv), n == 0)?;
        sql.push(added.sql_ready_ms);
        search.push(added.search_ready_ms);
        peak = peak.max(bytes);
    }
    let rate = |times: Vec<f64>| setting.rows as f64 / median(times);
    report.figure("csv → SQL-ready in a knowledge base", rate(sql), "k rows/s", Target::Shown);
    report.figure("csv → search-ready in a knowledge base", rate(search), "k rows/s", Target::AtLeast(50.0));
    report.figure("… peak memory", peak / 1e6, "MB", Target::Shown);
    Ok(())
}

/// The data folder of a file's knowledge base.
fn store(setting: &Setting, file: &Path) -> PathBuf {
    setting.folder.join(file.file_stem().unwrap_or_default()).with_extension("store")
}

/// A data folder whose knowledge base holds the file; made where this build has made none.
pub fn ready(setting: &Setting, file: &Path) -> Fallible<PathBuf> {
    ready_of(setting, &store(setting, file), &[file.to_owned()])
}

/// The data folder `store` whose knowledge base holds the files; made where this build has made none.
pub fn ready_of(setting: &Setting, store: &Path, files: &[PathBuf]) -> Fallible<PathBuf> {
    if !is_whole(store)? {
        add(setting, store, files, true)?;
    }
    Ok(store.to_owned())
}

/// Stands beside a store that was filled to its end.
fn mark(store: &Path) -> PathBuf {
    store.with_extension("whole")
}

/// Filled to its end, and by this build of the program.
fn is_whole(store: &Path) -> Fallible<bool> {
    let built = std::fs::metadata(env!("CARGO_BIN_EXE_sheetwise"))?.modified()?;
    let filled = std::fs::metadata(mark(store)).and_then(|mark| mark.modified());
    Ok(store.is_dir() && filled.is_ok_and(|filled| filled > built))
}

/// Fills a new data folder; gives what the program says and its peak memory.
pub fn add(setting: &Setting, store: &Path, files: &[PathBuf], say: bool) -> Fallible<(Added, f64)> {
    if store.exists() {
        std::fs::remove_file(mark(store)).or_else(absent)?;
        std::fs::remove_dir_all(store)?;
    }
    let create = sheetwise(&[&"kb", &"create", &KB, &"--data", &store]);
    let mut add = sheetwise(&[&"kb", &"add", &KB, &"--data", &store, &"--json"]);
    if say {
        println!("  {}\n  {} FILE…", shown(&create), shown(&add));
    }
    add.extend(files.iter().map(|file| file.clone().into_os_string()));
    run(&setting.peers, &create)?;
    let run = run(&setting.peers, &add)?;
    std::fs::write(mark(store), "")?;
    Ok((serde_json::from_str(&run.output)?, run.peak_bytes))
}

/// A file that is not there need not be removed.
fn absent(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
