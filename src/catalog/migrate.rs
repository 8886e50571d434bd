//! The catalog's tables, version by version.

use sqlx::{Connection, SqlitePool};

use super::CatalogError;

/// The statements that lead to each version, from 1.
const VERSIONS: [&str; 1] = ["
    CREATE TABLE kbs (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created TEXT NOT NULL);
    CREATE TABLE tables (
        id TEXT PRIMARY KEY,
        kb TEXT NOT NULL REFERENCES kbs (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        label TEXT NOT NULL,
        shape TEXT NOT NULL,
        fields TEXT NOT NULL,
        decisions TEXT NOT NULL,
        UNIQUE (kb, name)
    );
    CREATE TABLE documents (
        id TEXT PRIMARY KEY,
        kb TEXT NOT NULL REFERENCES kbs (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        created TEXT NOT NULL,
        UNIQUE (kb, name)
    );
    CREATE TABLE loads (
        no INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        doc TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        live INTEGER NOT NULL DEFAULT 0,
        hash TEXT NOT NULL,
        size INTEGER NOT NULL,
        stored TEXT NOT NULL,
        started TEXT NOT NULL,
        report TEXT NOT NULL DEFAULT 'null'
    );
    CREATE INDEX loads_doc ON loads (doc);
    CREATE UNIQUE INDEX loads_one_live ON loads (doc) WHERE live;
    CREATE TABLE load_tables (
        load INTEGER NOT NULL REFERENCES loads (no) ON DELETE CASCADE,
        table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
        rows INTEGER NOT NULL,
        profile TEXT NOT NULL,
        sheets TEXT NOT NULL,
        captions TEXT NOT NULL,
        PRIMARY KEY (load, table_id)
    );
    CREATE INDEX load_tables_table ON load_tables (table_id);
    CREATE TABLE segments (
        no INTEGER PRIMARY KEY AUTOINCREMENT,
        table_id TEXT NOT NULL,
        rows INTEGER NOT NULL,
        dead_since INTEGER
    );
    CREATE INDEX segments_table ON segments (table_id);
    CREATE TABLE load_segments (
        load INTEGER NOT NULL REFERENCES loads (no) ON DELETE CASCADE,
        segment INTEGER NOT NULL REFERENCES segments (no) ON DELETE CASCADE,
        rows INTEGER NOT NULL,
        PRIMARY KEY (load, segment)
    );
    CREATE INDEX load_segments_segment ON load_segments (segment);
    CREATE TABLE state (version INTEGER NOT NULL);
    INSERT INTO state VALUES (0);
"];

/// Brings a catalog to the newest version; several processes may try at once.
pub(super) async fn migrate(pool: &SqlitePool) -> Result<(), CatalogError> {
    let known = VERSIONS.len() as i64;
    let mut connection = pool.acquire().await?;
    let version = |found: (i64,)| found.0;
    if version(sqlx::query_as("PRAGMA user_version").fetch_one(&mut *connection).await?) == known {
        return Ok(());
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let found = version(sqlx::query_as("PRAGMA user_version").fetch_one(&mut *transaction).await?);
    if found > known {
        return Err(CatalogError::Newer { folder: file_of(pool), found, known });
    }
    for statements in VERSIONS.iter().skip(usize::try_from(found).unwrap_or_default()) {
        sqlx::raw_sql(*statements).execute(&mut *transaction).await?;
    }
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("PRAGMA user_version = {known}"))).execute(&mut *transaction).await?;
    Ok(transaction.commit().await?)
}

fn file_of(pool: &SqlitePool) -> String {
    pool.connect_options().get_filename().display().to_string()
}
