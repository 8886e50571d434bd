//! The shared statements that a guard must refuse or take; skipped, and said, where they are absent.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

use datafusion::sql::sqlparser::ast::{DataType, Expr, ObjectName, Statement, TableFactor, Value, Visit, Visitor};

use super::{field, found};
use crate::config::SqlLimits;
use crate::schema::{Schema, Table};
use crate::sql::{Code, Found, Refusal, Scope, admit, dialect::ReplyDialect, guard, parse, render, statement};
use crate::value::FieldType;

fn cases(name: &str) -> Vec<String> {
    let folder = std::env::var_os("SHEETWISE_CASES").map_or_else(|| PathBuf::from("../shared/cases"), PathBuf::from);
    let path = folder.join("sql").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is absent", path.display());
        return Vec::new();
    };
    let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    lines.filter(|case| case["tier"] == "must").filter_map(|case| Some(case["sql"].as_str()?.to_owned())).collect()
}

/// Every name of a statement, and how it is used.
#[derive(Default)]
struct Names {
    tables: BTreeSet<String>,
    /// Alias and table.
    aliases: BTreeSet<(String, String)>,
    /// Alias and column.
    qualified: BTreeSet<(String, String)>,
    bare: BTreeSet<String>,
    texts: BTreeSet<String>,
    dates: BTreeSet<String>,
}

impl Visitor for Names {
    type Break = ();
    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        self.tables.extend(name.0.last().and_then(|part| part.as_ident()).map(|name| name.value.to_lowercase()));
        ControlFlow::Continue(())
    }
    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias, .. } = factor
            && let Some(table) = name.0.last().and_then(|part| part.as_ident()).map(|name| name.value.to_lowercase())
        {
            let alias = alias.as_ref().map_or_else(|| table.clone(), |alias| alias.name.value.to_lowercase());
            self.aliases.insert((alias, table));
        }
        ControlFlow::Continue(())
    }
    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(_) => self.bare.extend(column(expr)),
            Expr::CompoundIdentifier(parts) => {
                self.qualified.extend(column(expr).map(|column| (parts[0].value.to_lowercase(), column)));
            }
            Expr::BinaryOp { left, right, .. } => self.beside(left, right),
            Expr::InList { expr, list, .. } => list.iter().for_each(|item| self.beside(expr, item)),
            Expr::Between { expr, low, high, .. } => [low, high].into_iter().for_each(|bound| self.beside(expr, bound)),
            Expr::Like { expr, .. } | Expr::Substring { expr, .. } => self.texts.extend(column(expr)),
            Expr::Cast { expr, data_type: DataType::Date, .. } => self.dates.extend(column(expr)),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Names {
    fn beside(&mut self, left: &Expr, right: &Expr) {
        for (side, other) in [(left, right), (right, left)] {
            match other {
                Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)) => {
                    self.texts.extend(column(side))
                }
                Expr::Subquery(_) => {}
                other if other.to_string().to_uppercase().contains("AS DATE") => self.dates.extend(column(side)),
                _ => {}
            }
        }
    }

    fn kind(&self, column: &String) -> FieldType {
        match () {
            () if self.dates.contains(column) => FieldType::DateTime,
            () if self.texts.contains(column) => FieldType::Text,
            () => FieldType::Decimal,
        }
    }

    /// The table that a bare column is of: the one that its prefix abbreviates (`ps_partkey` of `partsupp`), else the first.
    fn owner(&self, column: &str) -> Option<&String> {
        let prefix = column.split('_').next().unwrap_or_default();
        let initials = |table: &str| table.split('_').filter_map(|word| word.chars().next()).collect::<String>();
        let fit = |table: &&String| match () {
            () if table.starts_with(prefix) => 0,
            () if initials(table) == prefix => 1,
            () if abbreviates(prefix, table) => 2,
            () => 3,
        };
        self.tables.iter().min_by_key(|table| (fit(table), table.len()))
    }
}

/// Whether the letters come in the word in their order, the first one first.
fn abbreviates(letters: &str, word: &str) -> bool {
    let mut rest = word.chars();
    letters.chars().next() == word.chars().next() && letters.chars().all(|letter| rest.any(|c| c == letter))
}

fn column(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(name.value.to_lowercase()),
        Expr::CompoundIdentifier(parts) => parts.last().map(|name| name.value.to_lowercase()),
        Expr::Nested(inner) => column(inner),
        _ => None,
    }
}

/// A schema in which the names of the statement exist.
fn schema_for(sql: &str) -> Schema {
    let mut names = Names::default();
    for statement in parse::statements(&ReplyDialect, sql).unwrap_or_default() {
        if let Statement::Query(_) = &statement {
            let _ = statement.visit(&mut names);
        }
    }
    let table = |table: &String| {
        let is_table = |alias: &String| names.aliases.contains(&(alias.clone(), table.clone()));
        let qualified = names.qualified.iter().filter(|(alias, _)| is_table(alias)).map(|(_, column)| column);
        let bare = names.bare.iter().filter(|column| names.owner(column) == Some(table));
        let fields = qualified.chain(bare).collect::<BTreeSet<_>>().into_iter().map(|column| {
            let kind = names.kind(column);
            let name = if kind == FieldType::Text { format!("{column}_tks") } else { column.clone() };
            field(&name, column, kind, None)
        });
        let (name, label) = (table.clone(), table.clone());
        Table { name, label, rows: 1, fields: fields.collect(), captions: Vec::new(), sheets: Vec::new() }
    };
    Schema { tables: names.tables.iter().map(table).collect() }
}

fn take(sql: &str, schema: &Schema) -> Result<(), Refusal> {
    let scope = Scope { kbs: super::KB.parse().into_iter().collect(), ..Scope::default() };
    let today = chrono::NaiveDate::from_ymd_opt(2024, 3, 1);
    let guarded = guard(&statement(sql)?, schema, &SqlLimits::default(), today)?;
    let cells: Vec<Found> =
        guarded.lookups().iter().map(|lookup| Found { exact: vec![lookup.text.clone()], ..found(lookup) }).collect();
    let select = admit(guarded.ground(&cells)?, &scope, schema)?;
    for query in std::iter::once(select.statement()).chain(select.sources()) {
        render::embedded(query)?;
    }
    Ok(())
}

#[test]
fn what_must_be_refused_is_refused() {
    let schema = super::schema();
    for sql in cases("reject.jsonl") {
        let tables = ["t", "x", "y", "foo"].map(|name| Table { name: name.to_owned(), ..schema.tables[0].clone() });
        let known = Schema { tables: schema.tables.iter().cloned().chain(tables).collect() };
        assert!(take(&sql, &known).is_err(), "{sql}");
    }
}

/// Codes that say what of a statement is outside the dialect or its limits.
const REASONS: [Code; 5] =
    [Code::TooLong, Code::TooDeep, Code::ClauseNotAllowed, Code::FunctionNotAllowed, Code::ExpressionNotAllowed];

#[test]
fn what_must_be_taken_is_taken_or_refused_with_its_reason() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for sql in cases("accept.jsonl") {
        let verdict = take(&sql, &schema_for(&sql));
        if let Err(refusal) = &verdict {
            assert!(REASONS.contains(&refusal.code), "{:?} {refusal} ({}): {sql}", refusal.code, refusal.hint);
        }
        let word = verdict.map_or_else(|refusal| format!("{:?}", refusal.code), |()| "taken".to_owned());
        *counts.entry(word).or_default() += 1;
    }
    println!("{counts:?}");
    assert!(counts.is_empty() || counts["taken"] >= 190, "{counts:?}");
}
