//! Stored names, as `sheetwise inspect --json` gives them.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use crate::measure::{run, sheetwise};
use crate::{Fallible, Setting};

#[derive(Deserialize)]
struct Inspected {
    tables: Vec<Table>,
}

#[derive(Deserialize)]
struct Table {
    name: String,
    fields: Vec<Field>,
}

#[derive(Deserialize)]
struct Field {
    name: String,
    label: String,
}

/// The table of a file and its columns by label.
pub struct Names {
    pub table: String,
    fields: HashMap<String, String>,
}

impl Names {
    /// Of a file with one table.
    pub fn of(setting: &Setting, file: &Path) -> Fallible<Self> {
        let run = run(&setting.peers, &sheetwise(&[&"inspect", &"--json", &file]))?;
        let inspected: Inspected = serde_json::from_str(&run.output)?;
        let [table] = <[Table; 1]>::try_from(inspected.tables).map_err(|_| "the file is not one table")?;
        let fields = table.fields.into_iter().map(|field| (field.label, field.name)).collect();
        Ok(Self { table: table.name, fields })
    }

    /// A statement for sheetwise: `{label}` becomes the stored name, `{}` the table.
    pub fn ours(&self, template: &str) -> String {
        let statement = template.replace("{}", &self.table);
        self.fields.iter().fold(statement, |text, (label, name)| text.replace(&format!("{{{label}}}"), name))
    }
}

/// The statement for a peer whose table is `t` and whose columns are named by the labels.
pub fn peers(template: &str) -> String {
    template.replace("{}", "t").replace(['{', '}'], "\"")
}
