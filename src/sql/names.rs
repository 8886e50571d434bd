//! What names mean: tables and columns that a statement can reach, by stored name or by what people call them.
//!
//! Comes in: a name as written. Goes out: the stored column. Must never happen: a name that means two columns, taken as one.

use datafusion::sql::sqlparser::ast::Ident;
use unicode_normalization::UnicodeNormalization;

use super::{Code, Refusal};
use crate::schema::{Field, RESERVED_COLUMNS, SOURCE_COLUMNS, Schema, Table};
use crate::value::FieldType;

/// The type of an expression, as far as the guard knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Decimal,
    DateTime,
    Flag,
    Truth,
    Span,
    Null,
    Any,
}

impl Kind {
    pub fn is_number(self) -> bool {
        matches!(self, Kind::Integer | Kind::Decimal)
    }

    pub fn field_type(self) -> Option<FieldType> {
        match self {
            Kind::Text => Some(FieldType::Text),
            Kind::Integer => Some(FieldType::Integer),
            Kind::Decimal => Some(FieldType::Decimal),
            Kind::DateTime => Some(FieldType::DateTime),
            Kind::Flag => Some(FieldType::Flag),
            Kind::Truth | Kind::Span | Kind::Null | Kind::Any => None,
        }
    }
}

impl From<FieldType> for Kind {
    fn from(kind: FieldType) -> Self {
        match kind {
            FieldType::Text => Kind::Text,
            FieldType::Integer => Kind::Integer,
            FieldType::Decimal => Kind::Decimal,
            FieldType::DateTime => Kind::DateTime,
            FieldType::Flag => Kind::Flag,
        }
    }
}

/// What the number of places says of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    /// It has no more.
    Exact,
    /// It is a sum of values that have no more: what lies beyond them is the dust of adding doubles.
    Summed,
    /// It is shown with so many.
    Shown,
}

/// What is known of a column.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub kind: Kind,
    pub label: String,
    pub unit: Option<String>,
    pub decimals: Option<u8>,
    pub places: Places,
    /// Table and stored name, where the column is a field as stored.
    pub base: Option<(String, String)>,
}

impl Fact {
    /// Of an expression that is no field.
    pub fn computed(kind: Kind, label: &str) -> Self {
        Self { kind, label: label.to_owned(), unit: None, decimals: None, places: Places::Shown, base: None }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Column {
    /// As the tree names it.
    pub name: String,
    /// The searchable twin, `x_tks`, where this relation has it.
    pub tokens: Option<String>,
    /// Stored names that mean it.
    pub names: Vec<String>,
    /// Folded labels and synonyms that mean it.
    pub words: Vec<String>,
    pub fact: Fact,
    /// Part of `*`.
    pub shown: bool,
}

/// One relation of a FROM.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    /// As the tree names it.
    pub alias: String,
    /// Folded names that qualify its columns.
    pub words: Vec<String>,
    pub columns: Vec<Column>,
    /// Gives exactly one row.
    pub single_row: bool,
}

impl Relation {
    /// A base table with its fields and readable source columns.
    pub fn base(table: &Table, alias: Option<&Ident>) -> Self {
        let mut columns: Vec<Column> = table.fields.iter().map(|field| field_column(table, field)).collect();
        columns.extend(SOURCE_COLUMNS.iter().map(|name| source_column(table, name)));
        let words = match alias {
            Some(alias) => vec![fold(&alias.value)],
            None => table_words(table),
        };
        let alias = alias.map_or_else(|| table.name.clone(), |alias| alias.value.clone());
        Self { alias, words, columns, single_row: false }
    }

    /// Columns that the name means: by stored name, else by label.
    pub fn find(&self, name: &str) -> Vec<&Column> {
        let stored = name.to_ascii_lowercase();
        let by_name: Vec<&Column> = self.columns.iter().filter(|column| column.names.contains(&stored)).collect();
        if !by_name.is_empty() {
            return by_name;
        }
        let word = fold(name);
        let digits_first = format!("n_{stored}");
        self.columns.iter().filter(|c| c.words.contains(&word) || c.names.contains(&digits_first)).collect()
    }
}

fn field_column(table: &Table, field: &Field) -> Column {
    let stem =
        field.name.strip_suffix(field.kind.suffix()).map_or(field.name.as_str(), |stem| stem.trim_end_matches('_'));
    let short = field.label.split(['（', '(', '/', '／']).next().unwrap_or_default();
    let mut words: Vec<String> = [field.label.as_str(), short, stem]
        .into_iter()
        .chain(field.synonyms.iter().map(String::as_str))
        .map(fold)
        .collect();
    words.retain(|word| !word.is_empty());
    Column {
        name: field.column(),
        tokens: (field.kind == FieldType::Text).then(|| field.name.clone()),
        names: std::iter::once(field.name.clone()).chain(field.exact()).collect(),
        words,
        shown: true,
        fact: Fact {
            kind: field.kind.into(),
            label: field.label.clone(),
            unit: field.unit.clone(),
            decimals: (field.kind == FieldType::Decimal).then_some(field.decimals),
            places: Places::Exact,
            base: Some((table.name.clone(), field.name.clone())),
        },
    }
}

fn source_column(table: &Table, name: &str) -> Column {
    let kind = if name == "row_long" { Kind::Integer } else { Kind::Text };
    let base = (kind == Kind::Text).then(|| (table.name.clone(), name.to_owned()));
    let label = match name {
        "docnm_kwd" => "file",
        "sheet_kwd" => "sheet",
        _ => "row",
    };
    Column {
        name: name.to_owned(),
        tokens: None,
        names: vec![name.to_owned()],
        words: Vec::new(),
        shown: false,
        fact: Fact { base, ..Fact::computed(kind, label) },
    }
}

fn table_words(table: &Table) -> Vec<String> {
    vec![fold(&table.name), fold(&table.label)]
}

/// Case, width and white space folded away.
pub(super) fn fold(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()).collect()
}

/// The table that a FROM names: by stored name, label, sheet or file.
pub(super) fn table<'a>(schema: &'a Schema, name: &Ident) -> Result<&'a Table, Refusal> {
    if let Some(table) = schema.table(&name.value.to_ascii_lowercase()) {
        return Ok(table);
    }
    let word = fold(&name.value);
    let labelled = |table: &&Table| fold(&table.label) == word;
    let filed = |table: &&Table| {
        table.sheets.iter().any(|(file, sheet)| fold(sheet) == word || fold(file) == word || fold(stem(file)) == word)
    };
    for matches in
        [schema.tables.iter().filter(labelled).collect::<Vec<_>>(), schema.tables.iter().filter(filed).collect()]
    {
        match matches[..] {
            [] => {}
            [table] => return Ok(table),
            _ => return Err(ambiguous("table", name, matches.iter().map(|table| table.name.as_str()))),
        }
    }
    let known = schema.tables.iter().map(|table| (table.name.as_str(), table.label.as_str()));
    let hint = nearest(&name.value, known);
    Err(Refusal::new(Code::UnknownTable, format!("there is no table {:?}", name.value), hint).at(name.span))
}

fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

pub(super) fn ambiguous<'a>(what: &str, name: &Ident, meanings: impl Iterator<Item = &'a str>) -> Refusal {
    let meanings: Vec<&str> = meanings.collect();
    let message = format!("the {what} name {:?} can mean {}", name.value, meanings.join(" or "));
    Refusal::new(Code::AmbiguousField, message, "write the stored name, with its table where there are several")
        .at(name.span)
}

/// A refusal for a name that no relation has, with the nearest that there are.
pub(super) fn unknown_field(name: &Ident, relations: &[Relation]) -> Refusal {
    let lower = name.value.to_ascii_lowercase();
    if RESERVED_COLUMNS.contains(&lower.as_str()) {
        let code = if lower == "kb_id" { Code::ScopeCondition } else { Code::UnknownField };
        let hint = format!("leave it out; of the program's own columns only {} can be read", SOURCE_COLUMNS.join(", "));
        return Refusal::new(code, format!("{lower} cannot be used in a statement"), hint).at(name.span);
    }
    let known = relations
        .iter()
        .flat_map(|r| &r.columns)
        .filter(|c| c.shown)
        .map(|c| (c.names.first().map_or("", String::as_str), c.fact.label.as_str()));
    let hint = nearest(&name.value, known);
    Refusal::new(Code::UnknownField, format!("there is no field {:?}", name.value), hint).at(name.span)
}

/// The three nearest `(stored name, label)`.
fn nearest<'a>(name: &str, known: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let word = fold(name);
    let likeness = |other: &str| strsim::normalized_damerau_levenshtein(&word, &fold(other));
    let mut ranked: Vec<(f64, String)> =
        known.map(|(stored, label)| (likeness(stored).max(likeness(label)), format!("{stored} ({label})"))).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.dedup_by(|a, b| a.1 == b.1);
    let names: Vec<String> = ranked.into_iter().take(3).map(|(_, name)| name).collect();
    if names.is_empty() {
        "there is nothing to choose from".to_owned()
    } else {
        format!("nearest: {}", names.join(", "))
    }
}
