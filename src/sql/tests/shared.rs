//! The shared statements that a guard must refuse or take; skipped, and said, where they are absent.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, ObjectName, Statement, Value, Visit, Visitor};

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

/// Every name of a statement.
#[derive(Default)]
struct Names {
    tables: BTreeSet<String>,
    columns: BTreeSet<String>,
    numbers: BTreeSet<String>,
    dates: BTreeSet<String>,
}

impl Visitor for Names {
    type Break = ();
    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        self.tables.extend(name.0.last().and_then(|part| part.as_ident()).map(|name| name.value.to_lowercase()));
        ControlFlow::Continue(())
    }
    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.columns.extend(column(expr));
        match expr {
            Expr::BinaryOp { left, op, right } => {
                let reckons = matches!(op, BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply | BinaryOperator::Divide);
                for (side, other) in [(left, right), (right, left)] {
                    if reckons || matches!(&**other, Expr::Value(value) if matches!(value.value, Value::Number(..))) {
                        self.numbers.extend(column(side));
                    }
                }
            }
            Expr::Between { expr, low, .. } if matches!(&**low, Expr::Value(v) if matches!(v.value, Value::Number(..))) => {
                self.numbers.extend(column(expr));
            }
            Expr::Function(function) if ["SUM", "AVG", "STDDEV_SAMP"].contains(&function.name.to_string().to_uppercase().as_str()) => {
                let mut inner = Names::default();
                let _ = function.args.visit(&mut inner);
                self.numbers.extend(inner.columns);
            }
            Expr::Cast { expr, data_type, .. } if matches!(data_type.to_string().as_str(), "DATE" | "TIMESTAMP") => {
                self.dates.extend(column(expr));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn column(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(name.value.to_lowercase()),
        Expr::CompoundIdentifier(parts) => parts.last().map(|name| name.value.to_lowercase()),
        Expr::Nested(inner) => column(inner),
        _ => None,
    }
}

/// A schema in which the names of the statement exist: a column is of every table, so only unqualified ones in a join are ambiguous;
/// where the name tells its table (`ps_partkey` of `partsupp`), of that alone.
fn schema_for(sql: &str) -> Schema {
    let mut names = Names::default();
    for statement in parse::statements(&ReplyDialect, sql).unwrap_or_default() {
        if let Statement::Query(_) = &statement {
            let _ = statement.visit(&mut names);
        }
    }
    let table = |name: &String| {
        let fields = names.columns.iter().filter(|column| !names.tables.contains(*column) && belongs(column, name, &names.tables));
        let fields = fields.map(|column| {
            let kind = match () {
                () if names.dates.contains(column) => FieldType::DateTime,
                () if names.numbers.contains(column) => FieldType::Decimal,
                () => FieldType::Text,
            };
            let name = if kind == FieldType::Text { format!("{column}_tks") } else { column.clone() };
            field(&name, column, kind, None)
        });
        Table {
            name: name.clone(),
            label: name.clone(),
            rows: 1,
            fields: fields.collect(),
            captions: Vec::new(),
            sheets: Vec::new(),
        }
    };
    Schema { tables: names.tables.iter().map(table).collect() }
}

/// `ps_partkey` is of the table whose words begin so, if there is one.
fn belongs(column: &str, table: &str, tables: &BTreeSet<String>) -> bool {
    let initials = |table: &str| table.split('_').filter_map(|word| word.chars().next()).collect::<String>();
    let Some((prefix, _)) = column.split_once('_') else { return true };
    let is_of = |table: &str| initials(table) == prefix || table.starts_with(prefix) && prefix.len() <= 2;
    let exact = tables.iter().any(|other| initials(other) == prefix);
    if exact { initials(table) == prefix } else { !tables.iter().any(|other| is_of(other)) || is_of(table) }
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

/// What stands outside the dialect, and the codes that say why.
#[test]
fn what_must_be_taken_is_taken_or_refused_with_its_reason() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for sql in cases("accept.jsonl") {
        match take(&sql, &schema_for(&sql)) {
            Ok(()) => *counts.entry("taken".to_owned()).or_default() += 1,
            Err(refusal) => {
                *counts.entry(format!("{:?}", refusal.code)).or_default() += 1;
                let reasons = [Code::TooLong, Code::ClauseNotAllowed, Code::FunctionNotAllowed, Code::ExpressionNotAllowed, Code::TooDeep];
                if !reasons.contains(&refusal.code) {
                    wrong.push(format!("{:?} {refusal} / {} <- {}", refusal.code, refusal.hint, sql.replace('\n', " ")));
                }
                if std::env::var_os("SHOW").is_some() { println!("{:?} {} / {} <- {:.300}", refusal.code, refusal.message, refusal.hint, sql.replace('\n', " ")); }
            }
        }
    }
    println!("{counts:?}");
    println!("{}", wrong.len());
}
