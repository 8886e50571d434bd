//! Why a statement is not run, with what to do instead.

use datafusion::sql::sqlparser::tokenizer::Span;
use serde::Serialize;

/// A refused statement. `hint` is written for whoever can mend it: a person or a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub code: Code,
    pub message: String,
    pub hint: String,
    /// 1-based line and column in the statement as asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<(u64, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The reply holds no statement.
    NoStatement,
    ManyStatements,
    Syntax,
    /// Anything but one SELECT.
    NotSelect,
    UnknownTable,
    UnknownField,
    AmbiguousField,
    FunctionNotAllowed,
    /// A clause outside the allow-list.
    ClauseNotAllowed,
    ExpressionNotAllowed,
    /// A condition on a scope column that the model wrote.
    ScopeCondition,
    TooLong,
    TooDeep,
    TooLarge,
    /// An aggregate over a text value that no cell has.
    NoSuchValue,
    TypeMismatch,
    Timeout,
    /// The engine could not run it.
    NotRunnable,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into(), position: None }
    }

    /// A statement that took longer than it may.
    pub fn timeout(seconds: u64) -> Self {
        let message = format!("the statement took longer than {seconds} s");
        Self::new(Code::Timeout, message, "add a filter, or ask for less at a time")
    }

    /// With another hint.
    pub(super) fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// With the place in the statement, where the span has one.
    pub(super) fn at(mut self, span: Span) -> Self {
        if span.start.line > 0 {
            self.position = Some((span.start.line, span.start.column));
        }
        self
    }
}
