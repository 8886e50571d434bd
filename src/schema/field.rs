//! Fields, tables and the schema that a statement sees.

use serde::{Deserialize, Serialize};

use super::decision::Conversion;
use crate::value::{FieldType, Role};

/// Columns of every table that tell where a row came from. They can be read in a statement.
/// `row_long` is the row number as the user sees it in the sheet: sheet order is `ORDER BY row_long`.
pub const SOURCE_COLUMNS: [&str; 3] = ["docnm_kwd", "sheet_kwd", "row_long"];

/// Columns of every table that only the program writes: scope, identity, search. No field may be called like one.
pub const RESERVED_COLUMNS: [&str; 14] = [
    "id",
    "kb_id",
    "doc_id",
    "load_id",
    "docnm_kwd",
    "table_kwd",
    "sheet_kwd",
    "row_long",
    "row_key",
    "content_with_weight",
    "content_ltks",
    "title_tks",
    "doc_no",
    "too_long",
];

/// One field of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Stored name with its suffix, `xiao_shou_e_flt`.
    pub name: String,
    /// What the user wrote, whole.
    pub label: String,
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// `元`, `kg`, `seconds`: from the label or from the cells. `%` is of cells that are percents: `12%` is stored as 0.12.
    /// `percent` is of plain numbers under a label that says `%`: 12 is stored as 12.
    pub unit: Option<String>,
    /// Other names: the parts of the label that the stored name drops.
    pub synonyms: Vec<String>,
    /// Values that the label lists, `性别（男，女）`.
    pub allowed: Vec<String>,
    /// Rows with no value.
    pub nulls: u64,
    /// Distinct values, where counted.
    pub distinct: Option<u64>,
    /// All distinct values of a small text field (at most 20), else a few samples.
    pub samples: Vec<String>,
    /// Decimal places that the cells show at most; sums are rounded to them.
    pub decimals: u8,
    /// A number that names things and is not added up: a year, a rank, a number of an order.
    pub identifier: bool,
    /// Least and greatest value as text, of numbers and dates.
    pub range: Option<(String, String)>,
    /// Rows that were given a number of a cell merged over several rows, beyond the row that it stands in.
    #[serde(default)]
    pub spread: u64,
    /// Cells that are errors or no value of the type: they are empty in the field.
    #[serde(default)]
    pub unfit: u64,
    /// How the stored rows were converted.
    #[serde(default)]
    pub conversion: Option<Conversion>,
}

#[cfg(test)]
impl Field {
    /// A field of which nothing more is known.
    pub(crate) fn for_test(name: &str, label: &str, kind: FieldType) -> Self {
        Self {
            name: name.to_owned(),
            label: label.to_owned(),
            kind,
            unit: None,
            synonyms: Vec::new(),
            allowed: Vec::new(),
            nulls: 0,
            distinct: None,
            samples: Vec::new(),
            decimals: 0,
            identifier: false,
            range: None,
            spread: 0,
            unfit: 0,
            conversion: None,
        }
    }
}

impl Field {
    /// The exact twin of a text field, `xing_ming_kwd` for `xing_ming_tks`; `None` for other types.
    pub fn exact(&self) -> Option<String> {
        let stem = self.name.strip_suffix("_tks")?;
        (self.kind == FieldType::Text).then(|| format!("{stem}_kwd"))
    }

    /// What it is for.
    pub fn role(&self) -> Role {
        self.conversion.as_ref().map(Conversion::role).unwrap_or_default()
    }

    /// The column that holds the values: the exact twin of text, else the field itself.
    pub fn column(&self) -> String {
        self.exact().unwrap_or_else(|| self.name.clone())
    }
}

/// One table of the knowledge bases in scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The name that a statement writes, `[a-z0-9_]`.
    pub name: String,
    /// What people call it: the sheet or file name.
    pub label: String,
    pub rows: u64,
    /// In column order.
    pub fields: Vec<Field>,
    /// Title lines of its sheets.
    pub captions: Vec<String>,
    /// Files and sheets it was read from, `(docnm_kwd, sheet_kwd)`.
    pub sheets: Vec<(String, String)>,
}

impl Table {
    /// The field whose stored name or exact twin is `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name || field.exact().as_deref() == Some(name))
    }
}

/// All tables in scope.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    pub tables: Vec<Table>,
}

impl Schema {
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}
