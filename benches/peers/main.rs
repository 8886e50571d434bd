//! What sheetwise costs beside its peers: `cargo bench --bench peers [-- CASE…]`.
//!
//! Comes in: names of cases (`files`, `ingest`, `queries`, `asking`, `documents`; all without), `BENCH_ROWS` and `BENCH_RUNS` from
//! the environment. Goes out: one table of ratios with their targets; the exit code is 1 where one is over.
//! Both sides run in turn, in one run, on the same files, with as many threads.
//! Must never happen: a figure of a side whose answer differs from the other's.

mod asking;
mod data;
mod documents;
mod files;
mod ingest;
mod measure;
mod model;
mod names;
mod peers;
mod queries;
mod report;
mod serve;
mod session;

use std::path::PathBuf;
use std::process::ExitCode;

/// The product's own allocator, so that a peer in this process has the same.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Measures and adds its lines to the report.
type Case = fn(&Setting, &mut report::Report) -> Fallible<()>;

/// Sizes, tools and files of one run.
pub struct Setting {
    /// Rows of the text file.
    pub rows: u64,
    /// Rows of the workbook.
    pub book_rows: u64,
    /// Runs of each side.
    pub runs: usize,
    pub threads: usize,
    /// Generated files and stores.
    pub folder: PathBuf,
    pub peers: peers::Peers,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["--calamine", file] => files::read_with_calamine(file),
        ["--serve", folder, kb] => serve::serve(folder, kb, None),
        ["--serve", folder, kb, says] => serve::serve(folder, kb, Some(says)),
        cases => run(cases),
    };
    done.unwrap_or_else(|error| {
        eprintln!("peers: {error}");
        ExitCode::FAILURE
    })
}

fn run(cases: &[&str]) -> Fallible<ExitCode> {
    let known: [(&str, Case); 5] = [
        ("files", files::measure),
        ("ingest", ingest::measure),
        ("queries", queries::measure),
        ("asking", asking::measure),
        ("documents", documents::measure),
    ];
    if let Some(unknown) = cases.iter().find(|case| !known.iter().any(|(name, _)| name == *case)) {
        return Err(format!("no case is named {unknown:?}; there are files, ingest, queries, asking, documents").into());
    }
    let setting = setting()?;
    let mut report = report::Report::default();
    for (name, case) in known {
        if cases.is_empty() || cases.contains(&name) {
            case(&setting, &mut report)?;
        }
    }
    print!("\n{report}");
    Ok(if report.all_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn setting() -> Fallible<Setting> {
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target");
    let folder = target.join("bench-data");
    std::fs::create_dir_all(&folder)?;
    let rows = number("BENCH_ROWS", 1_000_000)?;
    let threads = std::thread::available_parallelism()?.get();
    let setting = Setting {
        rows,
        book_rows: (rows / 20).max(100),
        runs: number("BENCH_RUNS", 5)? as usize,
        threads,
        folder,
        peers: peers::Peers::ready(&target.join("bench-venv"))?,
    };
    println!("{} rows × 20, {} runs of each side in turn, {threads} threads, {}", rows, setting.runs, report::PROFILE);
    Ok(setting)
}

fn number(variable: &str, default: u64) -> Fallible<u64> {
    match std::env::var(variable) {
        Ok(text) => text.parse().map_err(|_| format!("{variable} is not a number: {text:?}").into()),
        Err(_) => Ok(default),
    }
}
