//! `sheetwise ask` and `sheetwise sql`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncBufReadExt, BufReader};

use super::args::{Ask, Sql};
use super::exit::{Exit, Failure};
use super::source::Opened;
use super::{print, source};
use crate::app::AppError;
use crate::ask::{Answer, Mode, Outcome, Path as Way};
use crate::config::Config;

/// Answers the questions, or prompts for them.
pub async fn ask(arguments: Ask, config: Config) -> Result<Exit, Failure> {
    let Ask { words, mut questions, mode, json, place } = arguments;
    let files = files_and_question(words, &mut questions, !place.kbs.is_empty());
    let mut opened = source::open(&place, &files, config).await?;
    if questions.is_empty() {
        return prompt(&mut opened, mode, json).await;
    }
    let mut exit = Exit::Answered;
    for question in &questions {
        exit = exit.worst(answer(&mut opened, question, mode, json).await);
    }
    Ok(exit)
}

/// The last word is the question unless it names a file or questions were given with `-q`.
fn files_and_question(mut words: Vec<String>, questions: &mut Vec<String>, kb: bool) -> Vec<PathBuf> {
    if questions.is_empty()
        && let Some(last) = words.last()
        && (kb || !Path::new(last).is_file())
    {
        questions.extend(words.pop());
    }
    words.into_iter().map(PathBuf::from).collect()
}

async fn answered(opened: &mut Opened, question: &str, mode: Mode) -> Result<Answer, AppError> {
    opened.renew().await?;
    opened.app.ask(&opened.session, question, mode).await
}

async fn answer(opened: &mut Opened, question: &str, mode: Mode, json: bool) -> Exit {
    match answered(opened, question, mode).await {
        Ok(mut answer) => {
            answer.notes.extend(opened.notes.iter().cloned());
            show(&answer, json);
            exit_of(&answer)
        }
        Err(error) => {
            if json {
                print::json(&serde_json::json!({ "question": question, "error": error.to_string() }));
            }
            print::failure(&error.to_string())
        }
    }
}

fn show(answer: &Answer, json: bool) {
    if json { print::json(answer) } else { print::answer(answer) }
}

fn exit_of(answer: &Answer) -> Exit {
    match (answer.path, &answer.refusal) {
        (Way::Declined, Some(_)) => Exit::Refused,
        (Way::Declined, None) => Exit::Declined,
        _ => Exit::Answered,
    }
}

/// Questions line by line until the end of input.
async fn prompt(opened: &mut Opened, mode: Mode, json: bool) -> Result<Exit, Failure> {
    let interactive = std::io::stdin().is_terminal();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut exit = Exit::Answered;
    loop {
        if interactive {
            print::prompt();
        }
        match lines.next_line().await? {
            None => return Ok(exit),
            Some(line) if line.trim().is_empty() => {}
            Some(line) => exit = exit.worst(answer(opened, &line, mode, json).await),
        }
    }
}

/// Runs one statement.
pub async fn sql(arguments: Sql, config: Config) -> Result<Exit, Failure> {
    let Sql { mut words, json, place } = arguments;
    let statement = words.pop().unwrap_or_default();
    let files: Vec<PathBuf> = words.into_iter().map(PathBuf::from).collect();
    let opened = source::open(&place, &files, config).await?;
    match opened.app.sql(&opened.session, &statement).await? {
        Outcome::Answered(mut answer) => {
            answer.notes.extend(opened.notes);
            show(&answer, json);
            Ok(Exit::Answered)
        }
        Outcome::Refused(refusal) => {
            if json {
                print::json(&serde_json::json!({ "refusal": refusal }))
            } else {
                print::refusal(&refusal)
            }
            Ok(Exit::Refused)
        }
    }
}
