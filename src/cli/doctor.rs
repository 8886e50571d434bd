//! `sheetwise doctor`: which engine a data folder uses, and whether it can work.

use super::args::Doctor;
use super::exit::{Exit, Failure};
use super::{print, source};
use crate::app::App;
use crate::config::Config;
use crate::engine::Health;

pub async fn doctor(arguments: Doctor, config: Config) -> Result<Exit, Failure> {
    let folder = source::data_folder(arguments.data.as_deref())?;
    let health = App::open(&folder, config).await?.health().await?;
    if arguments.json {
        print::json(&health);
    } else {
        print::text(&shown(&health, &folder.display().to_string()));
    }
    Ok(Exit::Answered)
}

fn shown(health: &Health, folder: &str) -> String {
    let version = health.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let mut text = format!("data folder: {folder}\nengine: {}{version}\nway: {}\n", health.engine, health.way);
    if health.version.is_some() {
        let mut lines = String::from("| index | mapping | rows |\n| --- | ---: | ---: |\n");
        for index in &health.indexes {
            lines.push_str(&format!("| {} | {} | {} |\n", index.name, index.version, index.rows));
        }
        text.push_str(&print::aligned(&lines));
    }
    text
}
