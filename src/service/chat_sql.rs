//! How a chat may use SQL: whether at all, which way, repairs of a refused statement, statements set for fixed questions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Caller, Service, ServiceError};
use crate::app::Session;
use crate::ask::{Answer, Language, Mode, Outcome};
use crate::catalog::UsageRecord;

/// What a chat's owner set for SQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SqlSettings {
    /// Whether statements are run; else rows are searched.
    pub allowed: bool,
    pub mode: Mode,
    /// Repairs of a refused statement; as configured where there is none.
    pub repairs: Option<usize>,
    pub statements: Vec<SetStatement>,
}

/// A question whose statement is set: no model and no planner writes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetStatement {
    pub question: String,
    pub sql: String,
}

impl Default for SqlSettings {
    fn default() -> Self {
        Self { allowed: true, mode: Mode::Auto, repairs: None, statements: Vec::new() }
    }
}

impl SqlSettings {
    /// The way that a question without a set statement takes.
    pub(super) fn way(&self) -> Mode {
        if self.allowed { self.mode } else { Mode::Search }
    }

    /// The statement that is set for a question.
    pub(super) fn statement(&self, question: &str) -> Option<&str> {
        let asked = folded(question);
        let set = self.statements.iter().find(|set| self.allowed && folded(&set.question) == asked);
        set.map(|set| set.sql.as_str())
    }
}

/// Case, blanks and the mark at the end do not tell questions apart.
fn folded(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    words.join(" ").trim_end_matches(['?', '？', '.', '。', '!', '！', ' ']).to_lowercase()
}

impl Service {
    /// Answers a question by the statement that is set for it; one that is refused is told, and nothing answers instead.
    pub(super) async fn set_answer(
        self: &Arc<Self>,
        caller: &Caller,
        session: Session,
        question: String,
        statement: String,
    ) -> Result<Answer, ServiceError> {
        let asked = question.clone();
        let run =
            self.in_turn(move |service, runtime| runtime.block_on(service.app.statement(&session, &asked, &statement)));
        let outcome = run.await?;
        self.gathered.add(caller.owner.id, UsageRecord::statement());
        Ok(match outcome {
            Outcome::Answered(answer) => *answer,
            Outcome::Refused(refusal) => {
                let said = Language::of(&question).choose(
                    "为这个问题设定的 SQL 语句被拒绝了",
                    "The statement that is set for this question was refused",
                );
                let message = format!("{said}: {}; {}", refusal.message, refusal.hint);
                Answer { refusal: Some(refusal), ..Answer::declined(&question, message, Vec::new()) }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_statement_is_found_up_to_case_blanks_and_the_last_mark() {
        let set = |question: &str| SetStatement { question: question.to_owned(), sql: format!("of {question}") };
        let mut settings =
            SqlSettings { statements: vec![set("How  many rows?"), set("一共多少行")], ..SqlSettings::default() };
        assert_eq!(settings.statement(" how many ROWS "), Some("of How  many rows?"));
        assert_eq!(settings.statement("一共多少行？"), Some("of 一共多少行"));
        assert_eq!(settings.statement("how many rows are there"), None);
        settings.allowed = false;
        assert_eq!((settings.statement("一共多少行"), settings.way()), (None, Mode::Search));
    }
}
