//! `sheetwise keys`: who may use the service.

use serde_json::json;

use super::args::{Keys, KeysAction};
use super::exit::{Exit, Failure};
use super::{print, source};
use crate::app::App;
use crate::catalog::KeyRecord;
use crate::config::Config;
use crate::service::NewKey;

/// Runs one action on the data folder; a service that runs on it sees the change at once.
pub async fn keys(arguments: Keys, config: Config) -> Result<Exit, Failure> {
    let app = App::open(&source::data_folder(arguments.data.as_deref())?, config).await?;
    match arguments.action {
        KeysAction::Create { name, owner, read_only, days } => {
            let new = NewKey { name: name.clone(), owner, may_write: !read_only, days };
            let key = new.create(&app).await?;
            if arguments.json {
                print::json(&json!({"name": name, "key": key}));
            } else {
                print::text(&format!("{key}\n"));
                print::hint("keep it: it is not shown again");
            }
        }
        KeysAction::List => list(&app.catalog().keys().await?, arguments.json),
        KeysAction::Remove { name } => {
            if !app.catalog().remove_key(&name).await? {
                return Err(Failure::usage(format!(
                    "there is no key called {name:?}; `sheetwise keys list` shows them"
                )));
            }
            if arguments.json {
                print::json(&json!({"removed": name}));
            } else {
                print::text(&format!("removed {name}\n"));
            }
        }
    }
    Ok(Exit::Answered)
}

fn list(keys: &[KeyRecord], json: bool) {
    for key in keys {
        let time = |time: i64| chrono::DateTime::from_timestamp_millis(time).map(|time| time.to_rfc3339());
        let (expires, used) = (key.expires.and_then(time), key.used.and_then(time));
        let scope = if key.may_write { "write" } else { "read" };
        if json {
            print::json(
                &json!({"name": key.name, "owner": key.owner.name, "scope": scope, "created": time(key.created),
                                "expires": expires, "used": used}),
            );
        } else {
            let expires = expires.map(|time| format!(", until {time}")).unwrap_or_default();
            let used = used.map_or(", never used".to_owned(), |time| format!(", last used {time}"));
            print::text(&format!("{}: {scope}, of {}{expires}{used}\n", key.name, key.owner.name));
        }
    }
}
