//! Commands as whole processes: wall time and peak memory.

use std::ffi::OsStr;
use std::process::Command;

use serde::Deserialize;

use crate::Fallible;
use crate::peers::Peers;

/// One run of a command that ended well.
#[derive(Deserialize)]
pub struct Run {
    /// Wall time in milliseconds.
    pub ms: f64,
    pub peak_bytes: f64,
    code: i32,
    /// Standard output.
    pub output: String,
}

/// The product's command.
pub fn sheetwise(arguments: &[&dyn AsRef<OsStr>]) -> Vec<std::ffi::OsString> {
    let program = OsStr::new(env!("CARGO_BIN_EXE_sheetwise")).to_owned();
    std::iter::once(program).chain(arguments.iter().map(|word| word.as_ref().to_owned())).collect()
}

/// Runs a command; one that does not end well is an error.
pub fn run(peers: &Peers, command: &[std::ffi::OsString]) -> Fallible<Run> {
    let mut measured = Command::new(peers.python());
    measured.arg(Peers::script("measure.py")).args(command);
    without_settings(&mut measured);
    let output = measured.output()?;
    let run: Run =
        serde_json::from_slice(&output.stdout).map_err(|error| failed(command, &error.to_string(), &output))?;
    if run.code != 0 {
        return Err(failed(command, &format!("exit code {}", run.code), &output));
    }
    Ok(run)
}

/// Settings of the user's environment have no place in a measurement.
pub fn without_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("SHEETWISE_") || name.starts_with("LLM_") {
            command.env_remove(&*name);
        }
    }
}

fn failed(command: &[std::ffi::OsString], what: &str, output: &std::process::Output) -> Box<dyn std::error::Error> {
    format!("{}: {what}\n{}", shown(command), String::from_utf8_lossy(&output.stderr)).into()
}

/// The command as one would type it.
pub fn shown(command: &[std::ffi::OsString]) -> String {
    let words = command.iter().map(|word| {
        let word = word.to_string_lossy();
        if word.contains([' ', '(', '*']) { format!("\"{word}\"") } else { word.into_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Both sides of a comparison, run by run.
#[derive(Default)]
pub struct Pair {
    pub ours: Vec<f64>,
    pub peer: Vec<f64>,
}

impl Pair {
    /// The median of the ratios of each run of ours to the peer's run beside it.
    pub fn ratio(&self) -> f64 {
        median(self.ours.iter().zip(&self.peer).map(|(ours, peer)| ours / peer))
    }
}

/// Runs two commands in turn; gives the times and the largest peak of ours in bytes.
pub fn in_turn(
    peers: &Peers,
    runs: usize,
    ours: &[std::ffi::OsString],
    peer: &[std::ffi::OsString],
) -> Fallible<(Pair, f64)> {
    println!("  ours: {}\n  peer: {}", shown(ours), shown(peer));
    let mut pair = Pair::default();
    let mut peak = 0.0_f64;
    for _ in 0..runs {
        let run_of_ours = run(peers, ours)?;
        peak = peak.max(run_of_ours.peak_bytes);
        pair.ours.push(run_of_ours.ms);
        pair.peer.push(run(peers, peer)?.ms);
    }
    Ok((pair, peak))
}

/// The middle value; of an even number the mean of the two in the middle.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}
