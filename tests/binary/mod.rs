//! Runs the real command and keeps what it said.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// The command with its own empty data folder unless it is given one; no setting of the environment reaches it.
pub struct Run(Command);

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn new(words: &[&str]) -> Self {
        Self::of(words.iter().map(OsStr::new))
    }

    pub fn of<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(words: I) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sheetwise"));
        for (name, _) in std::env::vars() {
            if ["SHEETWISE_", "LLM_", "ENGINE_"].iter().any(|start| name.starts_with(start)) {
                command.env_remove(name);
            }
        }
        command.args(words).current_dir(root()).stdin(Stdio::null());
        Self(command)
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    pub fn data(self, folder: &Path) -> Self {
        self.env("SHEETWISE_DATA", folder)
    }

    pub fn ran(mut self) -> Ran {
        let output = self.0.output().expect("the command starts");
        Ran::of(output)
    }

    /// With these lines typed.
    pub fn typed(self, lines: &str) -> Ran {
        let mut command = self.0;
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the command starts");
        child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("it reads");
        Ran::of(child.wait_with_output().expect("it ends"))
    }

    /// Started, to be typed to while it runs.
    pub fn prompted(mut self) -> Child {
        self.0.stdin(Stdio::piped());
        self.started()
    }

    /// Started and left running.
    pub fn started(mut self) -> Child {
        self.0.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
    }
}

impl Ran {
    pub fn of(output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command writes UTF-8");
        // A signal has no code.
        let code = output.status.code().unwrap_or(-1);
        Self { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The JSON documents on standard output, one a line.
    pub fn documents(&self) -> Vec<Value> {
        let parsed =
            |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{self:?}"));
        self.stdout.lines().map(parsed).collect()
    }

    /// Its one document.
    pub fn document(&self) -> Value {
        let documents = self.documents();
        assert_eq!(documents.len(), 1, "{self:?}");
        documents.into_iter().next().unwrap_or_default()
    }

    #[track_caller]
    pub fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        self
    }
}

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A fixture's path.
pub fn fixture(name: &str) -> String {
    root().join("fixtures").join(name).display().to_string()
}

/// The shared cases, where they are.
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var("SHEETWISE_CASES").map_or_else(|_| root().join("../shared/cases"), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: there are no shared cases in {}", folder.display());
        return None;
    }
    Some(folder)
}

/// The JSON lines of a file.
pub fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A file with this text in a folder.
pub fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path.display().to_string()
}
