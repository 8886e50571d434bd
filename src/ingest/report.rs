//! What was read, in the shape that `inspect --json` makes public.

use serde::{Deserialize, Serialize};

use crate::note::Note;
use crate::schema::{Field, Table};
use crate::value::Role;

/// The report of one upload of any number of files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IngestReport {
    pub files: Vec<FileReport>,
    pub tables: Vec<TableReport>,
    /// Milliseconds until statements see the rows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sql_ready_ms: Option<u64>,
    /// Milliseconds until search and MATCH see them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub search_ready_ms: Option<u64>,
}

/// One file; with `error` nothing of it was kept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FileReport {
    pub file: String,
    pub format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub delimiter: Option<String>,
    pub sheets: Vec<SheetReport>,
    pub notes: Vec<Note>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// One table region of a sheet, or a sheet without one; rows are columns where it is `turned`. `rows_read` = `rows_stored` + `rows_reported`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SheetReport {
    pub name: String,
    pub kind: String,
    pub header_rows: Vec<u64>,
    pub titles: Vec<String>,
    /// First and last row below the header that is not empty; 0 where there is none.
    pub first_row: u64,
    pub last_row: u64,
    pub rows_read: u64,
    pub rows_stored: u64,
    pub rows_reported: u64,
    /// Name of the table that its rows went to.
    pub table: Option<String>,
    /// Counts the regions of a sheet from 1.
    pub part: usize,
    pub hidden: bool,
    /// The table lies on its side: its rows are columns of the sheet.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub turned: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TableReport {
    pub name: String,
    pub rows: u64,
    pub fields: Vec<FieldReport>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FieldReport {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exact: Option<String>,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<String>,
    pub synonyms: Vec<String>,
    pub allowed: Vec<String>,
    pub nulls: u64,
    /// `sql` or `search`, where it is not for both.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub distinct: Option<u64>,
}

impl From<&Table> for TableReport {
    fn from(table: &Table) -> Self {
        let fields = table.fields.iter().map(FieldReport::from).collect();
        Self { name: table.name.clone(), rows: table.rows, fields }
    }
}

impl From<&Field> for FieldReport {
    fn from(field: &Field) -> Self {
        Self {
            name: field.name.clone(),
            exact: field.exact(),
            label: field.label.clone(),
            kind: field.kind.word().to_owned(),
            unit: field.unit.clone(),
            synonyms: field.synonyms.clone(),
            allowed: field.allowed.clone(),
            nulls: field.nulls,
            role: (field.role() != Role::Both).then(|| field.role().word().to_owned()),
            distinct: field.distinct,
        }
    }
}
