//! A process that stays: statements in, one a line; times and rows out, one JSON document a line.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Fallible;
use crate::measure::without_settings;

/// What a statement came to.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Reply {
    /// Milliseconds inside the process.
    pub ms: f64,
    pub rows: Vec<Vec<Value>>,
    /// The way a question took.
    #[serde(default)]
    pub path: String,
    #[serde(default)]
    pub error: Option<String>,
}

pub struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// Starts a process and waits until it is ready; gives the time that opening took inside it.
    pub fn start(command: &[OsString]) -> Fallible<(Self, f64)> {
        let [program, arguments @ ..] = command else { return Err("no command".into()) };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        without_settings(&mut command);
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take().ok_or("no input")?, child.stdout.take().ok_or("no output")?);
        let mut session = Self { child, input, output: BufReader::new(output) };
        let opened = session.reply()?.ms;
        Ok((session, opened))
    }

    /// Runs one statement.
    pub fn run(&mut self, line: &str) -> Fallible<Reply> {
        writeln!(self.input, "{line}")?;
        let reply = self.reply()?;
        match reply.error {
            Some(error) => Err(format!("{line}: {error}").into()),
            None => Ok(reply),
        }
    }

    fn reply(&mut self) -> Fallible<Reply> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("the process ended early".into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    /// Ends the process.
    pub fn end(self) -> Fallible<()> {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait()?;
        Ok(())
    }
}
