//! `sheetwise kb`: knowledge bases that last.

use serde_json::json;

use super::args::{Kb, KbAction};
use super::exit::{Exit, Failure};
use super::progress::Line;
use super::{escape, inspect, print, source};
use crate::app::App;
use crate::config::Config;

/// Runs one action on the data folder.
pub async fn kb(arguments: Kb, config: Config) -> Result<Exit, Failure> {
    let quiet = match &arguments.action {
        KbAction::Add { reading, .. } | KbAction::Set { reading, .. } => reading.quiet,
        _ => true,
    };
    let line = Line::new(quiet);
    let app = App::open(&source::data_folder(arguments.data.as_deref())?, config).await?.watched(line.progress());
    let json = arguments.json;
    match arguments.action {
        KbAction::Create { name } => {
            let id = app.create_kb(&name).await?;
            say(json, json!({"name": name, "id": id}), &format!("created {name}\n"));
        }
        KbAction::Add { name, files, reading } => {
            let report = app.add(&name, source::uploads(&files, &reading)).await?;
            drop(line);
            if json {
                print::json(&report)
            } else {
                print::pieces(&inspect::shown(&report))
            }
            return Ok(source::unreadable_exit(&report));
        }
        KbAction::Set { name, file, reading } => {
            let report = app.set(&name, &file, |earlier| reading.over(earlier)).await?;
            drop(line);
            if json { print::json(&report) } else { print::pieces(&inspect::shown(&report)) }
        }
        KbAction::List => list(&app, json).await?,
        KbAction::Show { name } => show(&app, &name, json).await?,
        KbAction::Remove { name, file } => {
            app.remove(&name, file.as_deref()).await?;
            let what = file.as_deref().unwrap_or(&name);
            say(json, json!({"removed": what}), &format!("removed {what}\n"));
        }
    }
    Ok(Exit::Answered)
}

fn say(json: bool, document: serde_json::Value, text: &str) {
    if json { print::json(&document) } else { print::text(text) }
}

async fn list(app: &App, json: bool) -> Result<(), Failure> {
    let kbs = app.kbs().await?;
    if json {
        print::json(&kbs);
        return Ok(());
    }
    let mut lines = String::from("| knowledge base | files | tables | rows |\n| --- | ---: | ---: | ---: |\n");
    for kb in &kbs {
        lines.push_str(&format!("| {} | {} | {} | {} |\n", escape::cell(&kb.name), kb.files, kb.tables, kb.rows));
    }
    print::text(&print::aligned(&lines));
    Ok(())
}

async fn show(app: &App, name: &str, json: bool) -> Result<(), Failure> {
    let report = app.show(name).await?;
    if json {
        print::json(&report)
    } else {
        print::pieces(&inspect::shown(&report))
    }
    Ok(())
}
