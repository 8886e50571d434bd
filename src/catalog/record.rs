//! The catalog's rows.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ids::Id;
use crate::schema::{Field, RowSet};

/// A knowledge base and what is in it.
#[derive(Debug, Clone, Serialize)]
pub struct KbRecord {
    pub id: Id,
    pub name: String,
    pub files: u64,
    pub tables: u64,
    pub rows: u64,
}

/// A table of a knowledge base.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRecord {
    /// Names the table in the engine.
    pub id: String,
    pub name: String,
    pub label: String,
    /// Equal for sheets that belong to the table.
    pub key: String,
    pub fields: Vec<Field>,
}

/// A document and its live load.
#[derive(Debug, Clone)]
pub struct DocumentRecord {
    pub id: Id,
    pub name: String,
    /// SHA-256 of its bytes.
    pub hash: String,
    pub size: u64,
    /// Its stored copy.
    pub upload: PathBuf,
    /// How it is read, JSON.
    pub options: String,
    /// Its rows can be seen: it is read, enabled, neither stopped nor deleted.
    pub answers: bool,
}

/// A sheet that gave rows to a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SheetRecord {
    pub name: String,
    /// Title lines.
    pub titles: Vec<String>,
    pub rows: RowSet,
}

/// What one live load gave to one table.
#[derive(Debug, Clone, PartialEq)]
pub struct PartRecord {
    pub document: Id,
    pub table_id: String,
    pub rows: u64,
    /// Column profiles in the order of the table's fields, JSON.
    pub profiles: String,
    pub sheets: Vec<SheetRecord>,
}
