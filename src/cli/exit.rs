//! Exit codes, and failures that carry one.

use std::fmt;
use std::process::ExitCode;

/// What a command came to. Of several, the largest is the worst, but an unusable call ends at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// An answer, zero rows too.
    Answered = 0,
    Failed = 1,
    Usage = 2,
    Declined = 3,
    Refused = 4,
}

impl Exit {
    /// The worse of two: a failure before a refusal before a declined question.
    pub fn worst(self, other: Self) -> Self {
        let weight = |exit: Self| match exit {
            Exit::Answered => 0,
            Exit::Declined => 1,
            Exit::Refused => 2,
            Exit::Failed => 3,
            Exit::Usage => 4,
        };
        if weight(other) > weight(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// A command that could not do its work: one line for a person, with a next step where there is one.
#[derive(Debug)]
pub struct Failure {
    message: String,
    usage: bool,
}

impl Failure {
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), usage: true }
    }

    pub fn exit(&self) -> Exit {
        if self.usage { Exit::Usage } else { Exit::Failed }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { message: error.to_string(), usage: false }
    }
}
