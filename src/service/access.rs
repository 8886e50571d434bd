//! Who calls: keys are shown once, kept hashed, and stand for an owner.

use sha2::{Digest, Sha256};

use super::{Service, ServiceError};
use crate::app::App;
use crate::catalog::{CatalogError, KeyRecord, OwnerRecord};
use crate::ids::Id;

/// Who calls, and what it may do.
#[derive(Debug, Clone)]
pub struct Caller {
    pub owner: OwnerRecord,
    pub may_write: bool,
    /// The datasets that it sees; all of its owner's, where there is none.
    pub datasets: Option<Vec<Id>>,
    /// Milliseconds since 1970 when its key ends.
    pub expires: Option<i64>,
}

impl Caller {
    /// Someone who needs no key.
    pub fn keyless(owner: OwnerRecord, may_write: bool) -> Self {
        Self { owner, may_write, datasets: None, expires: None }
    }
}

/// A key that is to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub name: String,
    /// Whom it stands for.
    pub owner: OwnerRecord,
    pub may_write: bool,
    /// Datasets that it is for; all of its owner's, where there is none.
    pub datasets: Option<Vec<Id>>,
    /// Milliseconds since 1970.
    pub expires: Option<i64>,
}

const DAY: i64 = 24 * 60 * 60 * 1_000;

impl NewKey {
    /// Days that a key may be good for.
    pub const MAX_DAYS: u32 = 36_500;

    /// So many days from now, in milliseconds since 1970.
    pub fn in_days(days: u32) -> i64 {
        now() + i64::from(days) * DAY
    }

    /// Keeps the key, and gives the text that opens: it can't be had again.
    pub async fn create(self, app: &App) -> Result<(KeyRecord, String), CatalogError> {
        let Self { name, owner, may_write, datasets, expires } = self;
        let record = KeyRecord { id: Id::new(), name, owner, may_write, datasets, expires, created: now(), used: None };
        let key = format!("sheetwise-{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        app.catalog().create_key(&record, &hash(&key)).await?;
        Ok((record, key))
    }
}

fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// The key's text is random and long: one round is enough.
fn hash(key: &str) -> String {
    Sha256::digest(key.as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
}

impl Service {
    /// Whose key it is; `None` where it is unknown or has expired.
    pub async fn caller(&self, key: &str) -> Result<Option<Caller>, ServiceError> {
        let catalog = self.app.catalog();
        let Some(record) = catalog.key(&hash(key)).await? else { return Ok(None) };
        if record.expires.is_some_and(|expires| expires <= now()) {
            return Ok(None);
        }
        catalog.key_used(&record).await?;
        let KeyRecord { owner, may_write, datasets, expires, .. } = record;
        Ok(Some(Caller { owner, may_write, datasets, expires }))
    }

    /// The local user, where no key was ever made.
    pub async fn local_caller(&self) -> Result<Option<Caller>, ServiceError> {
        let catalog = self.app.catalog();
        let open = !catalog.has_keys().await?;
        Ok(open.then(|| Caller::keyless(catalog.local_owner(), true)))
    }

    /// Makes a key, and gives its text; `None` where its owner has one of this name.
    pub async fn create_key(&self, new: NewKey) -> Result<Option<(KeyRecord, String)>, ServiceError> {
        match new.create(&self.app).await {
            Err(CatalogError::KeyTaken(_)) => Ok(None),
            made => Ok(Some(made?)),
        }
    }

    /// The keys of the caller's owner, by name.
    pub async fn keys(&self, caller: &Caller) -> Result<Vec<KeyRecord>, ServiceError> {
        Ok(self.app.catalog().keys(Some(caller.owner.id)).await?)
    }

    /// Removes a key of the caller's owner; `false` where there is none of this id.
    pub async fn delete_key(&self, caller: &Caller, id: Id) -> Result<bool, ServiceError> {
        let known = self.keys(caller).await?.iter().any(|key| key.id == id);
        if known {
            self.app.catalog().remove_key(id).await?;
        }
        Ok(known)
    }
}
