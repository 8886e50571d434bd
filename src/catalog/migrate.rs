//! From an empty file, or one of an earlier version, to the schema of this version.

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, Executor};

use super::database::CatalogError;
use crate::ids::Id;

/// The schema's version, kept in the database's `user_version`.
pub(super) const VERSION: i64 = 4;

/// Takes the steps that the database lacks, in one transaction. One of a later version is left alone.
pub(super) async fn migrate(options: &SqliteConnectOptions) -> Result<(), CatalogError> {
    // A table that others refer to can only be made anew while references are not followed.
    let mut connection = options.clone().foreign_keys(false).connect().await?;
    if version(&mut connection).await? < VERSION {
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
        let found = version(&mut transaction).await?;
        if found < 1 {
            transaction.execute(include_str!("schema.sql")).await?;
        }
        if found < 2 {
            service(&mut transaction).await?;
        }
        if found < 3 {
            transaction.execute(include_str!("changes.sql")).await?;
        }
        if found < 4 {
            transaction.execute(include_str!("texts.sql")).await?;
            transaction.execute(include_str!("opinions.sql")).await?;
        }
        transaction.execute("PRAGMA user_version = 4").await?;
        transaction.commit().await?;
    }
    let found = version(&mut connection).await?;
    connection.close().await?;
    if found == VERSION { Ok(()) } else { Err(CatalogError::Version { found }) }
}

async fn version(connection: &mut SqliteConnection) -> Result<i64, CatalogError> {
    Ok(sqlx::query_scalar("PRAGMA user_version").fetch_one(connection).await?)
}

/// What was there belongs to the local user.
async fn service(connection: &mut SqliteConnection) -> Result<(), CatalogError> {
    connection.execute("CREATE TEMP TABLE local_owner (id TEXT NOT NULL)").await?;
    let id = Id::new().to_string();
    sqlx::query("INSERT INTO local_owner VALUES (?)").bind(&id).execute(&mut *connection).await?;
    connection.execute(include_str!("service.sql")).await?;
    sqlx::query("INSERT INTO owner VALUES (?, 'local')").bind(&id).execute(&mut *connection).await?;
    connection.execute("DROP TABLE local_owner").await?;
    Ok(())
}
