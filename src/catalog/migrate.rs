//! From an empty file, or one of an earlier version, to the schema of this version.

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, Executor};

use super::database::CatalogError;
use crate::ids::Id;

/// The schema's version, kept in the database's `user_version`.
pub(super) const VERSION: i64 = 5;

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
        if found < 5 {
            transaction.execute(include_str!("keys.sql")).await?;
        }
        transaction.execute("PRAGMA user_version = 5").await?;
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

#[cfg(test)]
mod tests {
    use sqlx::Row;

    use super::*;

    /// A catalog as version 3 left it, with a key and a chat.
    async fn third(options: &SqliteConnectOptions) -> Result<(), CatalogError> {
        let mut connection = options.clone().create_if_missing(true).foreign_keys(false).connect().await?;
        connection.execute(include_str!("schema.sql")).await?;
        service(&mut connection).await?;
        connection.execute(include_str!("changes.sql")).await?;
        connection
            .execute(
                "INSERT INTO api_key SELECT 'k', id, 'laptop', 'hash', 1, NULL, 7, NULL FROM owner;
                 INSERT INTO chat SELECT 'c', id, 'c', '{\"dataset_ids\":[\"a\",\"b\"]}', 1, 1 FROM owner;
                 INSERT INTO chat SELECT 'd', id, 'd', '{}', 1, 1 FROM owner; PRAGMA user_version = 3",
            )
            .await?;
        Ok(connection.close().await?)
    }

    #[tokio::test]
    async fn keys_and_chats_of_an_earlier_version_stay() -> Result<(), CatalogError> {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SqliteConnectOptions::new().filename(folder.path().join("catalog.sqlite"));
        third(&options).await?;
        migrate(&options).await?;
        migrate(&options).await?;
        let mut connection = options.connect().await?;
        let key = sqlx::query("SELECT * FROM api_key").fetch_one(&mut connection).await?;
        assert_eq!((key.get("hash"), key.get("created"), key.get("datasets")), ("hash", 7, None::<&str>));
        let seen = "SELECT COALESCE(json_extract(details, '$.seen_ids'), '') FROM chat ORDER BY id";
        let seen: Vec<String> = sqlx::query_scalar(seen).fetch_all(&mut connection).await?;
        assert_eq!(seen, [r#"["a","b"]"#, ""]);
        assert_eq!(version(&mut connection).await?, VERSION);
        Ok(())
    }
}
