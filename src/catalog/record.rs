//! What the catalog keeps of each thing.

use serde::{Deserialize, Serialize};

use crate::engine::SegmentRef;
use crate::ids::Id;
use crate::schema::Field;

/// A knowledge base.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kb {
    pub id: Id,
    pub name: String,
    /// When it was made, UTC, ISO 8601.
    pub created: String,
}

/// One physical table of a knowledge base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableRecord {
    /// Opaque, never used again.
    pub id: String,
    pub kb: Id,
    /// Unique within the knowledge base.
    pub name: String,
    pub label: String,
    /// What sheets of one table have in common, as ingestion writes it.
    pub shape: String,
    pub fields: Vec<Field>,
    /// What the user decided about it.
    pub decisions: serde_json::Value,
}

/// A document that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDocument {
    pub id: Id,
    pub kb: Id,
    pub name: String,
    /// Of its live load.
    pub load: u32,
    pub hash: String,
    pub size: u64,
    /// Where the upload is kept; empty where it is not.
    pub stored: String,
    pub created: String,
    pub report: serde_json::Value,
}

/// A document to load: a new one, or other bytes for the one of that name.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDocument {
    pub kb: Id,
    pub name: String,
    pub hash: String,
    pub size: u64,
    pub stored: String,
}

/// A load that was begun. Its number is the `doc_no` of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingLoad {
    pub no: u32,
    pub id: Id,
    pub doc: Id,
}

/// What a load brought for one table.
#[derive(Debug, Clone)]
pub struct LoadedTable {
    pub table_id: String,
    pub rows: u64,
    /// The load's own column profiles, as ingestion writes them.
    pub profile: serde_json::Value,
    pub sheets: Vec<String>,
    pub captions: Vec<String>,
    pub segments: Vec<SegmentRef>,
}

/// A load that is on disk in full.
#[derive(Debug, Clone)]
pub struct FinishedLoad {
    pub load: PendingLoad,
    pub tables: Vec<LoadedTable>,
    pub report: serde_json::Value,
}
