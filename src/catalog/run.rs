//! States of a document.

/// What became of reading a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    Unstart,
    Running,
    Cancel,
    Done,
    Fail,
}

impl Run {
    pub const ALL: [Self; 5] = [Self::Unstart, Self::Running, Self::Cancel, Self::Done, Self::Fail];

    pub fn word(self) -> &'static str {
        match self {
            Self::Unstart => "UNSTART",
            Self::Running => "RUNNING",
            Self::Cancel => "CANCEL",
            Self::Done => "DONE",
            Self::Fail => "FAIL",
        }
    }

    pub(super) fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|run| run.word() == word).unwrap_or(Self::Fail)
    }
}
