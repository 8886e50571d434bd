//! Datasets: knowledge bases with an owner, settings and times.

use serde_json::{Map, Value};

use super::{Caller, DatasetSettings, Service, ServiceError};
use crate::app::AppError;
use crate::catalog::{CatalogError, Created, DatasetQuery, DatasetRecord, FileQuery};
use crate::ids::Id;
use crate::ingest::remove_received;

/// A dataset of the caller's.
#[derive(Debug, Clone)]
pub struct Dataset {
    pub record: DatasetRecord,
    pub settings: DatasetSettings,
}

/// Bytes of a dataset's name with its number.
const MAX_NAME: usize = 128;

impl Dataset {
    fn of(record: DatasetRecord) -> Result<Self, ServiceError> {
        let settings = serde_json::from_str(&record.details).map_err(damaged)?;
        Ok(Self { record, settings })
    }
}

pub(super) fn damaged(error: serde_json::Error) -> ServiceError {
    AppError::Catalog(CatalogError::Damaged(error.to_string())).into()
}

impl Service {
    /// Makes a dataset; a name that is taken gets `(1)`. The name back where that is too long.
    pub async fn create_dataset(
        &self,
        caller: &Caller,
        name: &str,
        settings: &DatasetSettings,
    ) -> Result<Result<Dataset, String>, ServiceError> {
        let details = serde_json::to_string(settings).map_err(damaged)?;
        let catalog = self.app.catalog();
        match catalog.create_dataset(caller.owner.id, name, &details, MAX_NAME).await? {
            Created::TooLong(name) => Ok(Err(name)),
            Created::Made(id) => match self.dataset(caller, id).await? {
                Some(dataset) => Ok(Ok(dataset)),
                None => Err(ServiceError::Task("a dataset was deleted while it was made".to_owned())),
            },
        }
    }

    /// The caller's dataset of this id.
    pub async fn dataset(&self, caller: &Caller, id: Id) -> Result<Option<Dataset>, ServiceError> {
        let query = DatasetQuery { within: caller.datasets.clone(), id: Some(id), ..DatasetQuery::default() };
        self.app.catalog().dataset(caller.owner.id, &query).await?.map(Dataset::of).transpose()
    }

    /// A page of the caller's datasets, and how many there are on all pages.
    pub async fn datasets(&self, caller: &Caller, query: &DatasetQuery) -> Result<(Vec<Dataset>, u64), ServiceError> {
        let query = DatasetQuery { within: caller.datasets.clone(), ..query.clone() };
        let (records, total) = self.app.catalog().datasets(caller.owner.id, &query).await?;
        Ok((records.into_iter().map(Dataset::of).collect::<Result<_, _>>()?, total))
    }

    /// Stored names of the dataset's fields with their labels, over all of its tables.
    pub async fn field_map(&self, dataset: &Dataset) -> Result<Map<String, Value>, ServiceError> {
        if dataset.record.rows == 0 {
            return Ok(Map::new());
        }
        let tables = self.app.catalog().tables(dataset.record.id).await?;
        let fields = tables.into_iter().flat_map(|table| table.fields);
        Ok(fields.map(|field| (field.name, Value::from(field.label))).collect())
    }

    /// Keeps name and settings; `false` where another dataset of the owner is called so.
    pub async fn update_dataset(&self, dataset: &mut Dataset) -> Result<bool, ServiceError> {
        dataset.record.details = serde_json::to_string(&dataset.settings).map_err(damaged)?;
        match self.app.catalog().update_dataset(&dataset.record).await {
            Err(CatalogError::NameTaken(_)) => Ok(false),
            done => Ok(done.map(|()| true)?),
        }
    }

    /// Removes datasets with all that is in them; parses of them stop.
    pub async fn delete_datasets(&self, datasets: &[Dataset]) -> Result<(), ServiceError> {
        for dataset in datasets {
            let (files, _) = self.app.catalog().files(dataset.record.id, &FileQuery::all()).await?;
            self.app.catalog().remove_kb(dataset.record.id).await?;
            for file in files {
                self.work.stop(file.id);
                remove_received(self.app.folder(), file.id);
            }
            self.work.left_behind();
        }
        Ok(())
    }
}
