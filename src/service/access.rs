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
}

/// A key that is to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub name: String,
    /// Name of the owner that it stands for.
    pub owner: String,
    pub may_write: bool,
    /// It ends after so many days.
    pub days: Option<u32>,
}

const DAY: i64 = 24 * 60 * 60 * 1_000;

impl NewKey {
    /// Keeps the key, and gives the text that opens: it can't be had again.
    pub async fn create(&self, app: &App) -> Result<String, CatalogError> {
        let owner = app.catalog().owner(&self.owner).await?;
        let created = chrono::Utc::now().timestamp_millis();
        let expires = self.days.map(|days| created + i64::from(days) * DAY);
        let (name, may_write) = (self.name.clone(), self.may_write);
        let record = KeyRecord { id: Id::new(), name, owner, may_write, expires, created, used: None };
        let key = format!("sheetwise-{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        app.catalog().create_key(&record, &hash(&key)).await?;
        Ok(key)
    }
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
        if record.expires.is_some_and(|expires| expires <= chrono::Utc::now().timestamp_millis()) {
            return Ok(None);
        }
        catalog.key_used(&record).await?;
        Ok(Some(Caller { owner: record.owner, may_write: record.may_write }))
    }

    /// The local user, where no key was ever made.
    pub async fn local_caller(&self) -> Result<Option<Caller>, ServiceError> {
        let catalog = self.app.catalog();
        let open = !catalog.has_keys().await?;
        Ok(open.then(|| Caller { owner: catalog.local_owner(), may_write: true }))
    }
}
