//! The table of figures and targets.

use std::fmt;

use crate::measure::{Pair, median};

/// The profile that was measured; only a release build meets or misses a target.
pub const PROFILE: &str = if cfg!(debug_assertions) { "a development build: no figure counts" } else { "release" };

#[derive(Clone, Copy)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// For information.
    Shown,
}

struct Line {
    what: String,
    ours: String,
    peer: String,
    value: f64,
    unit: &'static str,
    target: Target,
}

#[derive(Default)]
pub struct Report {
    lines: Vec<Line>,
}

impl Report {
    /// Both sides in milliseconds; the value is their ratio.
    pub fn ratio(&mut self, what: &str, pair: &Pair, target: Target) {
        let (ours, peer) = (median(pair.ours.iter().copied()), median(pair.peer.iter().copied()));
        self.line(what, milliseconds(ours), milliseconds(peer), pair.ratio(), "×", target);
    }

    /// A figure without a peer.
    pub fn figure(&mut self, what: &str, value: f64, unit: &'static str, target: Target) {
        self.line(what, String::new(), String::new(), value, unit, target);
    }

    fn line(&mut self, what: &str, ours: String, peer: String, value: f64, unit: &'static str, target: Target) {
        let line = Line { what: what.to_owned(), ours, peer, value, unit, target };
        println!("  {line}");
        self.lines.push(line);
    }

    pub fn all_met(&self) -> bool {
        self.lines.iter().all(|line| line.met() != Some(false))
    }
}

impl Line {
    fn met(&self) -> Option<bool> {
        match self.target {
            Target::AtMost(most) => Some(self.value <= most),
            Target::AtLeast(least) => Some(self.value >= least),
            Target::Shown => None,
        }
    }

    fn aim(&self) -> String {
        match self.target {
            Target::AtMost(most) => format!("≤ {most} {}", self.unit),
            Target::AtLeast(least) => format!("≥ {least} {}", self.unit),
            Target::Shown => String::new(),
        }
    }

    fn verdict(&self) -> &'static str {
        match self.met() {
            Some(true) => "PASS",
            Some(false) => "over",
            None => "",
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = format!("{} {}", digits(self.value), self.unit);
        let Self { what, ours, peer, .. } = self;
        write!(f, "| {what} | {ours} | {peer} | {value} | {} | {} |", self.aim(), self.verdict())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Measured: {PROFILE}.\n")?;
        writeln!(f, "| case | sheetwise | peer | value | target | |\n| --- | ---: | ---: | ---: | ---: | --- |")?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

fn milliseconds(value: f64) -> String {
    format!("{} ms", digits(value))
}

/// Three digits, or all before the point.
fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
