//! How far a long reading is, on standard error: one line that is written over in a terminal, a line now and then elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::chinese;
use crate::sheet::Progress;

/// Nothing is said about readings that are shorter.
const PATIENCE: Duration = Duration::from_secs(1);

/// The line, which is gone when this is dropped.
pub struct Line(Arc<Mutex<State>>);

struct State {
    quiet: bool,
    terminal: bool,
    chinese: bool,
    began: Instant,
    said: Option<Instant>,
    /// The sheet that is gone through now, and its rows so far.
    sheet: String,
    rows: u64,
    sheet_began: Instant,
}

impl Line {
    pub fn new(quiet: bool) -> Self {
        let (terminal, chinese, now) = (std::io::stderr().is_terminal(), chinese::is_wanted(), Instant::now());
        let (said, sheet) = (None, String::new());
        Self(Arc::new(Mutex::new(State {
            quiet,
            terminal,
            chinese,
            began: now,
            said,
            sheet,
            rows: 0,
            sheet_began: now,
        })))
    }

    pub fn progress(&self) -> Progress<'static> {
        let state = self.0.clone();
        Progress::calling(move |sheet, rows| {
            let line = state.lock().unwrap_or_else(PoisonError::into_inner).line(sheet, rows, Instant::now());
            line.into_iter().for_each(|line| put(&line));
            true
        })
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.terminal && state.said.is_some() {
            put("\r\u{1b}[2K");
        }
    }
}

impl State {
    /// What is to be written now, if anything.
    fn line(&mut self, sheet: &str, rows: u64, now: Instant) -> Option<String> {
        if self.sheet != sheet || rows < self.rows {
            (self.sheet, self.sheet_began) = (sheet.to_owned(), now);
        }
        self.rows = rows;
        let pause = Duration::from_millis(if self.terminal { 300 } else { 10_000 });
        let early = self.said.map_or(now - self.began < PATIENCE, |said| now - said < pause);
        if self.quiet || early {
            return None;
        }
        self.said = Some(now);
        let sheet: String = sheet.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let rate = (rows as f64 / (now - self.sheet_began).as_secs_f64().max(0.1)).round();
        let text = match self.chinese {
            true => format!("{sheet}：已读 {rows} 行，每秒 {rate} 行"),
            false => format!("{sheet}: {rows} rows read, {rate} a second"),
        };
        Some(if self.terminal { format!("\r\u{1b}[2K{text}") } else { text + "\n" })
    }
}

fn put(text: &str) {
    let mut out = std::io::stderr().lock();
    // A reader that went away is no failure.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_after_a_while_and_not_too_often() {
        let now = Instant::now();
        let mut state = State {
            quiet: false,
            terminal: false,
            chinese: false,
            began: now,
            said: None,
            sheet: String::new(),
            rows: 0,
            sheet_began: now,
        };
        let after = |ms| now + Duration::from_millis(ms);
        assert_eq!(state.line("一月", 10_000, after(500)), None);
        assert_eq!(
            state.line("一月", 20_000, after(1_500)).as_deref(),
            Some("一月: 20000 rows read, 20000 a second\n")
        );
        assert_eq!(state.line("一月", 30_000, after(2_000)), None);
        state.quiet = true;
        assert_eq!(state.line("一月", 40_000, after(60_000)), None);
    }
}
