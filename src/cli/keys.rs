//! `sheetwise keys`: who may use the service.

use serde_json::json;

use super::args::{Keys, KeysAction};
use super::exit::{Exit, Failure};
use super::{print, source};
use crate::app::App;
use crate::catalog::{DatasetQuery, KeyRecord, OwnerRecord};
use crate::config::Config;
use crate::ids::Id;
use crate::service::NewKey;

/// Runs one action on the data folder; a service that runs on it sees the change at once.
pub async fn keys(arguments: Keys, config: Config) -> Result<Exit, Failure> {
    let app = App::open(&source::data_folder(arguments.data.as_deref())?, config).await?;
    match arguments.action {
        KeysAction::Create { name, owner, datasets, read_only, days } => {
            let owner = app.catalog().owner(&owner).await?;
            let datasets = named(&app, &owner, &datasets).await?;
            let (may_write, expires) = (!read_only, days.map(NewKey::in_days));
            let new = NewKey { name: name.clone(), owner, may_write, datasets, expires };
            let (_, key) = new.create(&app).await?;
            if arguments.json {
                print::json(&json!({"name": name, "key": key}));
            } else {
                print::text(&format!("{key}\n"));
                print::hint("keep it: it is not shown again");
            }
        }
        KeysAction::List => list(&app.catalog().keys(None).await?, arguments.json),
        KeysAction::Remove { name, owner } => {
            let keys = app.catalog().keys(None).await?;
            let key = keys.iter().find(|key| key.name == name && key.owner.name == owner).ok_or_else(|| {
                Failure::usage(format!("{owner} has no key called {name:?}; `sheetwise keys list` shows them"))
            })?;
            app.catalog().remove_key(key.id).await?;
            if arguments.json {
                print::json(&json!({"removed": name}));
            } else {
                print::text(&format!("removed {name}\n"));
            }
        }
    }
    Ok(Exit::Answered)
}

/// The owner's datasets of these names or ids; `None` where none is named.
async fn named(app: &App, owner: &OwnerRecord, names: &[String]) -> Result<Option<Vec<Id>>, Failure> {
    let mut ids = Vec::with_capacity(names.len());
    for name in names {
        let by_name = DatasetQuery { name: Some(name.clone()), take: 1, ..DatasetQuery::default() };
        let query = match name.parse() {
            Ok(id) => DatasetQuery { id: Some(id), name: None, ..by_name },
            Err(_) => by_name,
        };
        let found = app.catalog().datasets(owner.id, &query).await?.0.pop();
        let unknown = || Failure::usage(format!("{} has no dataset called {name:?}", owner.name));
        ids.push(found.ok_or_else(unknown)?.id);
    }
    Ok((!ids.is_empty()).then_some(ids))
}

fn list(keys: &[KeyRecord], json: bool) {
    for key in keys {
        let time = |time: i64| chrono::DateTime::from_timestamp_millis(time).map(|time| time.to_rfc3339());
        let (expires, used) = (key.expires.and_then(time), key.used.and_then(time));
        let scope = if key.may_write { "write" } else { "read" };
        let datasets = key.datasets.as_deref();
        if json {
            print::json(&json!({"name": key.name, "owner": key.owner.name, "scope": scope, "datasets": datasets,
                        "created": time(key.created), "expires": expires, "used": used}));
        } else {
            let expires = expires.map(|time| format!(", until {time}")).unwrap_or_default();
            let used = used.map_or(", never used".to_owned(), |time| format!(", last used {time}"));
            let datasets = datasets.map(|ids| format!(", for {} dataset(s)", ids.len())).unwrap_or_default();
            print::text(&format!("{}: {scope}, of {}{datasets}{expires}{used}\n", key.name, key.owner.name));
        }
    }
}
