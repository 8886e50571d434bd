//! `sheetwise eval`: question sets with known answers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::args::{Eval, Reading};
use super::exit::{Exit, Failure};
use super::{print, score, source};
use crate::app::{App, Session};
use crate::ask::{Mode, Path as Way};
use crate::config::Config;

/// One line of a question set.
#[derive(Debug, Deserialize)]
struct Case {
    #[serde(default)]
    id: Json,
    files: Vec<PathBuf>,
    question: String,
    answer: Option<Vec<Json>>,
    /// Present where `answer` holds named values.
    answer_format: Option<String>,
}

/// One line of the result.
#[derive(Debug, Serialize)]
struct Line {
    id: Json,
    path: Option<Way>,
    right: Option<bool>,
    got: Vec<Vec<Json>>,
    want: Option<Vec<Json>>,
    ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct Summary {
    cases: usize,
    answered: usize,
    right: usize,
    wrong: usize,
    declined: usize,
    failed: usize,
}

/// Runs every case; files that several cases share are read once.
pub async fn eval(arguments: Eval, config: Config) -> Result<Exit, Failure> {
    let mut summary = Summary::default();
    let mut opened: HashMap<Vec<PathBuf>, (App, Session)> = HashMap::new();
    for set in &arguments.sets {
        for case in cases(set)? {
            let line = run(case, set, arguments.mode, &config, &mut opened).await;
            summary.count(&line);
            print::json(&line);
        }
    }
    print::json(&summary);
    Ok(if summary.failed == 0 { Exit::Answered } else { Exit::Failed })
}

fn cases(set: &Path) -> Result<Vec<Case>, Failure> {
    let text = std::fs::read_to_string(set).map_err(|error| Failure::usage(format!("{}: {error}", set.display())))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(n, line)| {
            serde_json::from_str(line)
                .map_err(|error| Failure::usage(format!("{} › line {}: {error}", set.display(), n + 1)))
        })
        .collect()
}

async fn run(
    case: Case,
    set: &Path,
    mode: Mode,
    config: &Config,
    opened: &mut HashMap<Vec<PathBuf>, (App, Session)>,
) -> Line {
    let folder = set.parent().unwrap_or(Path::new("."));
    let files: Vec<PathBuf> = case.files.iter().map(|file| folder.join(file)).collect();
    let mut line = Line {
        id: case.id,
        path: None,
        right: None,
        got: Vec::new(),
        want: case.answer,
        ms: 0,
        sql: None,
        error: None,
    };
    if !opened.contains_key(&files) {
        match open(&files, config).await {
            Ok(pair) => drop(opened.insert(files.clone(), pair)),
            Err(error) => return Line { error: Some(error.to_string()), ..line },
        }
    }
    let Some((app, session)) = opened.get(&files) else { return line };
    let started = Instant::now();
    match app.ask(session, &case.question, mode).await {
        Err(error) => line.error = Some(error.to_string()),
        Ok(answer) => {
            let computed = !matches!(answer.path, Way::Declined | Way::Search);
            line.path = Some(answer.path);
            line.sql = answer.sql.map(|sql| sql.asked);
            line.got = answer.rows;
            let named = case.answer_format.is_some();
            line.right = line.want.as_ref().filter(|_| computed).map(|want| score::is_right(want, named, &line.got));
        }
    }
    line.ms = started.elapsed().as_millis() as u64;
    line
}

async fn open(files: &[PathBuf], config: &Config) -> Result<(App, Session), Failure> {
    let app = App::temporary(config.clone()).await?;
    let (session, report) = app.read(source::told_apart(files, &Reading::default())).await?;
    match source::unreadable(&report) {
        Exit::Failed => Err(Failure::usage("none of the files could be read")),
        _ => Ok((app, session)),
    }
}

impl Summary {
    fn count(&mut self, line: &Line) {
        self.cases += 1;
        match (line.path, line.right) {
            (None, _) => self.failed += 1,
            (Some(Way::Declined | Way::Search), _) => self.declined += 1,
            (Some(_), right) => {
                self.answered += 1;
                self.right += usize::from(right == Some(true));
                self.wrong += usize::from(right == Some(false));
            }
        }
    }
}
