//! sheetwise's side of a session: the library in this process, timed from the call to the whole answer.
//!
//! A line is `sql STATEMENT` or `ask QUESTION`. With a statement on the command line a model answers every question with it.

use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use sheetwise::app::{App, Session};
use sheetwise::ask::{Answer, Mode, Outcome};
use sheetwise::config::Config;
use tokio::runtime::Builder;

use crate::session::Reply;
use crate::{Fallible, model};

/// Opens the knowledge base and answers until the end of input.
pub fn serve(folder: &str, kb: &str, says: Option<&str>) -> Fallible<ExitCode> {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let mut config = Config::default();
    if let Some(statement) = says {
        (config.llm.base_url, config.llm.model) = (model::start(statement)?, "bench".to_owned());
    }
    let start = Instant::now();
    let (app, session) = runtime.block_on(open(folder, kb, config))?;
    say(&Reply { ms: since(start), ..Reply::default() })?;
    for line in std::io::stdin().lock().lines() {
        let reply = runtime.block_on(answer(&app, &session, &line?));
        say(&reply.unwrap_or_else(|error| Reply { error: Some(error.to_string()), ..Reply::default() }))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn open(folder: &str, kb: &str, config: Config) -> Fallible<(App, Session)> {
    let app = App::open(Path::new(folder), config).await?;
    let session = app.session(&[kb.to_owned()]).await?;
    Ok((app, session))
}

async fn answer(app: &App, session: &Session, line: &str) -> Fallible<Reply> {
    let start = Instant::now();
    let answer = match line.split_once(' ') {
        Some(("sql", statement)) => run(app, session, statement).await?,
        Some(("ask", question)) => app.ask(session, question, Mode::Auto).await?,
        _ => return Err("a line is `sql STATEMENT` or `ask QUESTION`".into()),
    };
    let ms = since(start);
    let path = format!("{:?}", answer.path).to_lowercase();
    Ok(Reply { ms, rows: answer.rows, path, error: None })
}

async fn run(app: &App, session: &Session, statement: &str) -> Fallible<Answer> {
    match app.sql(session, statement).await? {
        Outcome::Answered(answer) => Ok(*answer),
        Outcome::Refused(refusal) => Err(format!("refused: {}; {}", refusal.message, refusal.hint).into()),
    }
}

fn since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

fn say(reply: &Reply) -> Fallible<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, reply)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
