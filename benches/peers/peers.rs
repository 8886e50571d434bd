//! The peers from PyPI, in an environment of their own that is made when it is missing.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Fallible;

const PACKAGES: [&str; 2] = ["duckdb", "openpyxl"];

pub struct Peers {
    python: PathBuf,
}

impl Peers {
    /// The environment in `folder`, made by `python3` where there is none.
    pub fn ready(folder: &Path) -> Fallible<Self> {
        let peers = Self { python: folder.join("bin/python") };
        if !peers.has_packages() {
            done(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
            done(Command::new(&peers.python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
        }
        Ok(peers)
    }

    fn has_packages(&self) -> bool {
        let imports = format!("import {}", PACKAGES.join(", "));
        Command::new(&self.python).args(["-c", &imports]).output().is_ok_and(|output| output.status.success())
    }

    pub fn python(&self) -> &Path {
        &self.python
    }

    /// A script that stands beside this file.
    pub fn script(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers").join(name)
    }

    /// A command that runs a script.
    pub fn command(&self, script: &str, arguments: &[&dyn AsRef<std::ffi::OsStr>]) -> Vec<std::ffi::OsString> {
        let head = [self.python.clone().into_os_string(), Self::script(script).into_os_string()];
        head.into_iter().chain(arguments.iter().map(|word| word.as_ref().to_owned())).collect()
    }
}

fn done(command: &mut Command) -> Fallible<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
}
