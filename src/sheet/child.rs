//! Reading a workbook in a process of its own: a crash or a bomb ends that process and is told.
//!
//! Comes in: a file to read. Goes out: its sheets, or why they could not be read.
//! Must never happen: a child that outlives its time; a death without a message that names its cause.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::progress::Progress;
use super::wire::{self, Failure, Line};
use super::workbook::{self, Sheet};
use super::{Format, ReadError, ReadOptions};
use crate::config::ReadLimits;

/// The word by which the program is asked to serve.
pub const SERVE: &str = "read-cells";

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// From now on workbooks are read by this program, called with the word [`SERVE`]; it must call [`serve`].
pub fn read_with(program: PathBuf) {
    // The first program stays.
    let _ = PROGRAM.set(program);
}

/// How much the allocator takes beforehand, in KiB: as much as is not counted.
const RESERVED: &str = "MIMALLOC_ARENA_RESERVE";
const RESERVE: &str = "65536";

/// What a child is to do.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    path: PathBuf,
    file: String,
    format: Format,
    options: ReadOptions,
    limits: ReadLimits,
}

/// The child's part: takes an order of one line, sets its own limits, answers. It ends when `input` does: nobody waits then.
pub fn serve(input: impl Read + Send + 'static, output: impl Write + Send) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    let order: Order = serde_json::from_slice(&line)?;
    limit_self(&order.limits)?;
    end_with(input);
    let out = Mutex::new(BufWriter::with_capacity(256 << 10, output));
    let progress = Progress::calling(|sheet: &str, rows| {
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody reads for a reader that went away.
        wire::say(&Line::Progress { sheet: sheet.to_owned(), rows }, &mut *out).and_then(|()| out.flush()).is_ok()
    });
    let bytes = std::fs::read(&order.path)?;
    let sheets = workbook::read(&bytes, order.format, &order.file, &order.options, &order.limits, &progress);
    drop(progress);
    let mut out = out.into_inner().unwrap_or_else(PoisonError::into_inner);
    match sheets {
        Ok(sheets) => sheets.iter().try_for_each(|sheet| wire::write(sheet, &mut out))?,
        Err(error) => wire::say(&Line::Failed(Failure::of(&error)), &mut out)?,
    }
    wire::say(&Line::End, &mut out)?;
    out.flush()
}

/// Ends this process when the way in ends, which the one that asked holds open for as long as it waits.
fn end_with(mut input: impl Read + Send + 'static) {
    // Without a thread its time ends it.
    let _ = std::thread::Builder::new().spawn(move || {
        let _ = io::copy(&mut input, &mut io::sink());
        std::process::exit(1);
    });
}

/// Memory and processor time of this process from now on.
#[cfg(unix)]
fn limit_self(limits: &ReadLimits) -> io::Result<()> {
    use rlimit::Resource;
    // Two threads read.
    let seconds = limits.timeout_seconds.saturating_add(1).saturating_mul(2);
    for (resource, most) in [(Resource::AS, limits.max_memory_bytes), (Resource::CPU, seconds), (Resource::CORE, 0)] {
        let most = most.min(resource.get_hard()?);
        resource.set(most, most)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn limit_self(_: &ReadLimits) -> io::Result<()> {
    Ok(())
}

/// Reads a workbook in a child; `None` where this process is to do it.
pub(super) fn read(
    path: &Path,
    format: Format,
    file: &str,
    options: &ReadOptions,
    limits: &ReadLimits,
    progress: &Progress<'_>,
) -> Option<Result<Vec<Sheet>, ReadError>> {
    let program = PROGRAM.get().filter(|_| limits.own_process)?;
    let order = Order {
        path: path.to_owned(),
        file: file.to_owned(),
        format,
        options: options.clone(),
        limits: limits.clone(),
    };
    let mut command = Command::new(program);
    command.arg(SERVE).env(RESERVED, RESERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match command.spawn() {
        Ok(child) => Some(Reading { file, limits, progress }.of(child, &order)),
        Err(error) => {
            tracing::warn!(%error, program = %program.display(), "no process for reading could be started; this one reads");
            None
        }
    }
}

struct Reading<'a> {
    file: &'a str,
    limits: &'a ReadLimits,
    progress: &'a Progress<'a>,
}

/// How a child came to its end.
struct Death {
    timed_out: bool,
    status: Option<ExitStatus>,
    said: String,
}

impl Reading<'_> {
    fn of(&self, mut child: Child, order: &Order) -> Result<Vec<Sheet>, ReadError> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Mutex::new(child);
        std::thread::scope(|scope| {
            let said = scope.spawn(move || heard(stderr));
            let (done, waits) = channel::<()>();
            let watch = scope.spawn(|| watch(&child, waits, self.limits.timeout_seconds));
            let ordered = stdin.ok_or_else(|| io::ErrorKind::BrokenPipe.into()).and_then(|stdin| {
                let mut stdin = BufWriter::new(stdin);
                serde_json::to_writer(&mut stdin, order)?;
                stdin.write_all(b"\n")?;
                stdin.flush()?;
                Ok(stdin)
            });
            let answer = ordered.and_then(|stdin| {
                let answer = self.answer(stdout);
                drop(stdin);
                answer
            });
            if !matches!(answer, Ok(Ok(_))) {
                kill(&child);
            }
            drop(done);
            let timed_out = watch.join().unwrap_or(false);
            let status = child.lock().unwrap_or_else(PoisonError::into_inner).wait().ok();
            let death = Death { timed_out, status, said: said.join().unwrap_or_default() };
            match answer {
                Ok(Ok(sheets)) => Ok(sheets),
                Ok(Err(failure)) => Err(failure.error(self.file)),
                Err(error) => Err(self.died(&death, &error)),
            }
        })
    }

    fn answer(&self, stdout: Option<impl Read>) -> io::Result<Result<Vec<Sheet>, Failure>> {
        let stdout = stdout.ok_or(io::ErrorKind::BrokenPipe)?;
        let mut input = BufReader::with_capacity(256 << 10, stdout);
        let mut sheets = Vec::new();
        loop {
            match wire::hear(&mut input)? {
                Line::Progress { sheet, rows } => {
                    if let Err(stopped) = self.progress.rows(&sheet, rows) {
                        return Ok(Err(Failure::of(&stopped)));
                    }
                }
                Line::Sheet(head) => sheets.push(wire::read(head, &mut input)?),
                Line::Failed(failure) => return Ok(Err(failure)),
                Line::End => return Ok(Ok(sheets)),
            }
        }
    }

    fn died(&self, death: &Death, error: &io::Error) -> ReadError {
        let file = self.file.to_owned();
        if death.timed_out {
            let what = "the seconds that reading takes".to_owned();
            let limit = self.limits.timeout_seconds;
            return ReadError::TooLarge { file, what, limit, setting: "read.timeout_seconds" };
        }
        if death.said.contains("memory") {
            let what = "the memory that reading takes".to_owned();
            let limit = self.limits.max_memory_bytes;
            return ReadError::TooLarge { file, what, limit, setting: "read.max_memory_bytes" };
        }
        let cause = match death.said.lines().find(|line| !line.trim().is_empty()) {
            Some(line) => line.trim().to_owned(),
            None => death.status.map_or_else(|| error.to_string(), |status| status.to_string()),
        };
        ReadError::Damaged { file, detail: format!("the process that read it ended: {cause}") }
    }
}

/// Kills the child when its time is over; says whether it did.
fn watch(child: &Mutex<Child>, waits: Receiver<()>, seconds: u64) -> bool {
    let over = waits.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout);
    if over {
        kill(child);
    }
    over
}

fn kill(child: &Mutex<Child>) {
    // One that has ended already is no failure.
    let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
}

/// Bytes kept of what a child says before it dies.
const MOST_SAID: u64 = 4_096;

fn heard(stderr: Option<impl Read>) -> String {
    let Some(mut stderr) = stderr else { return String::new() };
    let mut said = Vec::new();
    // What can't be heard is not said; the rest is let go so that the child never waits.
    let _ = stderr.by_ref().take(MOST_SAID).read_to_end(&mut said);
    let _ = io::copy(&mut stderr, &mut io::sink());
    String::from_utf8_lossy(&said).into_owned()
}
