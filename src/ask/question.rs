//! The way a question takes: model or planner, one repair, then search.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::answer::{Answer, Path};
use super::language::Language;
use super::planner::{Check, Plan};
use super::statement::Outcome;
use super::{AskError, Asker, prompt};
use crate::engine::Mention;
use crate::note::Note;
use crate::schema::SOURCE_COLUMNS;
use crate::sql::Refusal;

/// Which ways a question may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// SQL, then search.
    #[default]
    Auto,
    /// SQL or nothing.
    Sql,
    /// Search alone.
    Search,
}

/// The note that says how the planner reads a question.
const READ_AS: &str = "question_read_as";

/// What writing SQL came to.
enum Written {
    Answered(Box<Answer>),
    /// No statement, with the readings that it hesitated between.
    Unsure(Vec<String>),
    Refused(Refusal),
}

impl Asker<'_> {
    /// Answers one question.
    pub async fn ask(&self, question: &str, mode: Mode) -> Result<Answer, AskError> {
        let answer = self.answered(question.trim(), mode).await?;
        Ok(Answer { tokens: self.spent.tokens(), ..answer })
    }

    async fn answered(&self, question: &str, mode: Mode) -> Result<Answer, AskError> {
        self.check(question)?;
        let mut notes = Vec::new();
        if mode == Mode::Search {
            return self.search(question, &[], notes).await;
        }
        let (readings, refusal) = match self.write(question, &mut notes).await? {
            Written::Answered(answer) => return Ok(*answer),
            Written::Unsure(readings) => (readings, None),
            Written::Refused(refusal) => (Vec::new(), Some(refusal)),
        };
        if let Some(refusal) = &refusal {
            notes.push(Note::new("statement_refused", format!("{}; {}", refusal.message, refusal.hint)));
        }
        if mode == Mode::Auto {
            return self.search(question, &readings, notes).await;
        }
        let language = Language::of(question);
        let message = format!("{}{}", language.cannot_read(), language.readings(&readings));
        Ok(Answer { refusal, ..Answer::declined(question, message, notes) })
    }

    fn check(&self, question: &str) -> Result<(), AskError> {
        let most = self.config.answer.max_question_chars;
        if question.is_empty() {
            return Err(AskError::Question("the question is empty; write what you want to know".into()));
        }
        match question.chars().count() {
            length if length > most => Err(AskError::Question(format!(
                "the question has {length} characters, the limit is {most} (`answer.max_question_chars`); shorten it"
            ))),
            _ => Ok(()),
        }
    }

    async fn write(&self, question: &str, notes: &mut Vec<Note>) -> Result<Written, AskError> {
        let mut mentions = self.engine.mentions(question, self.snapshot).await?;
        let schema = self.scope.visible(&self.snapshot.schema);
        mentions.retain(|mention| {
            let own = || schema.table(&mention.table).is_some_and(|table| table.field(&mention.field).is_some());
            SOURCE_COLUMNS.contains(&mention.field.as_str()) || own()
        });
        if self.llm.is_some()
            && let Some(written) = self.write_by_model(question, &mentions, notes).await?
        {
            return Ok(written);
        }
        self.write_by_planner(question, &mentions, notes).await
    }

    async fn write_by_planner(
        &self,
        question: &str,
        mentions: &[Mention],
        notes: &[Note],
    ) -> Result<Written, AskError> {
        let today = chrono::Local::now().date_naive();
        match self.planner.plan(question, &self.scope.visible(&self.snapshot.schema), mentions, today) {
            Plan::Unsure { readings } => Ok(Written::Unsure(readings)),
            Plan::Statement { sql, notes: readings, check, .. } => {
                let mut notes: Vec<Note> = notes.iter().cloned().chain(readings).collect();
                notes.extend(self.border(question, &check).await?);
                if let Check::OneRow { others } = check {
                    let told = notes.iter().find(|note| note.code == READ_AS).map(|note| note.message.clone());
                    let statements = [vec![(sql, told.unwrap_or_default())], others].concat();
                    return self.only_row(question, statements, notes).await;
                }
                Ok(match self.statement(question, &sql, Path::Planner, notes).await? {
                    Outcome::Answered(answer) => Written::Answered(answer),
                    Outcome::Refused(refusal) => Written::Refused(refusal),
                })
            }
        }
    }

    /// The one statement of those that gives one row; unsure where none does, or several do.
    async fn only_row(
        &self,
        question: &str,
        statements: Vec<(String, String)>,
        notes: Vec<Note>,
    ) -> Result<Written, AskError> {
        let mut found = Vec::new();
        for (sql, told) in &statements {
            match self.statement(question, sql, Path::Planner, read_as(&notes, told)).await? {
                Outcome::Answered(answer) if answer.total == 0 => {}
                Outcome::Answered(answer) => found.push(answer),
                Outcome::Refused(refusal) => return Ok(Written::Refused(refusal)),
            }
        }
        let readings = statements.into_iter().take(1).map(|(_, told)| told).collect();
        Ok(match (found.pop(), found.is_empty()) {
            (Some(answer), true) if answer.total == 1 => Written::Answered(answer),
            _ => Written::Unsure(readings),
        })
    }

    /// Says that more rows have the value of the last one that a list shows.
    async fn border(&self, question: &str, check: &Check) -> Result<Option<Note>, AskError> {
        let Check::Border { sql, count } = check else { return Ok(None) };
        let Outcome::Answered(longer) = self.statement(question, sql, Path::Planner, Vec::new()).await? else {
            return Ok(None);
        };
        let value = |at: u64| longer.rows.get(at as usize).and_then(|row| row.last());
        let tied = value(*count).is_some() && value(*count) == value(count - 1);
        let language = Language::of(question);
        Ok(tied.then(|| Note::new("tie_at_the_border", language.tie_at_the_border(*count))))
    }

    /// `None` where the model can't be reached: the planner then tries.
    async fn write_by_model(
        &self,
        question: &str,
        mentions: &[Mention],
        notes: &mut Vec<Note>,
    ) -> Result<Option<Written>, AskError> {
        let Some(client) = self.llm else { return Ok(None) };
        let today = chrono::Local::now().date_naive();
        let schema = self.scope.visible(&self.snapshot.schema);
        let mut messages = prompt::write_sql(question, &schema, mentions, today, &self.config.llm);
        let mut tried: Vec<String> = Vec::new();
        loop {
            let reply = match self.reply(client, &messages).await {
                Ok(reply) => reply,
                Err(error) => {
                    notes.push(Note::new("model_unavailable", error.to_string()));
                    return Ok(None);
                }
            };
            let said = if tried.is_empty() { Vec::new() } else { vec![repaired(&tried)] };
            let refusal = match self.statement(question, &reply, Path::Model, said).await? {
                Outcome::Answered(answer) => return Ok(Some(Written::Answered(answer))),
                Outcome::Refused(refusal) => refusal,
            };
            if tried.len() >= self.repairs || tried.contains(&reply) {
                return Ok(Some(Written::Refused(refusal)));
            }
            messages = prompt::repair(&messages, &reply, &refusal);
            tried.push(reply);
        }
    }
}

/// The notes, with how the statement reads the question in place of another's.
fn read_as(notes: &[Note], told: &str) -> Vec<Note> {
    let own = |note: &Note| match note.code == READ_AS {
        true => Note { message: told.to_owned(), ..note.clone() },
        false => note.clone(),
    };
    notes.iter().map(own).collect()
}

fn repaired(tried: &[String]) -> Note {
    Note::new("statement_repaired", format!("the model's first statement was refused; this is try {}", tried.len() + 1))
}
