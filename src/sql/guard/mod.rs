//! The allow-list: every clause, expression, function and name of a statement is known, or the statement is refused.
//!
//! Comes in: a parsed query and the schema. Goes out: a new tree of allowed nodes only, with stored names, typed literals
//! and a mark for every text predicate. Must never happen: a node copied over without being looked at.

mod aggregate;
mod comparison;
mod dates;
mod expression;
mod formats;
mod from;
mod function;
mod grouping;
mod kb;
mod literal;
mod order;
mod pattern;
mod query;
mod scalar;
mod select;
mod temporal;
mod window;

use std::borrow::Cow;

use chrono::NaiveDate;
use datafusion::sql::sqlparser::ast::{Expr, Query};

use super::names::{Fact, Kind, Places, Relation};
use super::predicate::Predicate;
use super::{Code, OutColumn, Refusal, Scope};
use crate::config::SqlLimits;
use crate::note::Note;
use crate::schema::{Field, Schema};
use crate::value::Role;

/// An expression of the new tree with what is known of it.
#[derive(Debug, Clone)]
struct Typed {
    expr: Expr,
    kind: Kind,
    /// Set for a column.
    fact: Option<Fact>,
    /// `x_tks` as this place can write it.
    tokens: Option<Expr>,
    /// The text of a literal.
    literal: Option<String>,
}

impl Typed {
    fn new(expr: Expr, kind: Kind) -> Self {
        Self { expr, kind, fact: None, tokens: None, literal: None }
    }

    fn literal(expr: Expr, kind: Kind, text: &str) -> Self {
        Self { literal: Some(text.to_owned()), ..Self::new(expr, kind) }
    }
}

/// What is allowed where an expression stands.
#[derive(Debug, Clone, Copy)]
struct At {
    /// Text may be read as what is like it: a positive condition of WHERE.
    fuzzy: bool,
    aggregates: bool,
    windows: bool,
    /// Names of select items can be used.
    aliases: bool,
}

impl At {
    const PLAIN: At = At { fuzzy: false, aggregates: false, windows: false, aliases: false };
    const WHERE: At = At { fuzzy: true, ..At::PLAIN };
    const SELECT: At = At { aggregates: true, windows: true, ..At::PLAIN };
    const HAVING: At = At { aggregates: true, aliases: true, ..At::PLAIN };

    /// The same place, where only what is literally so counts.
    fn strict(self) -> Self {
        Self { fuzzy: false, ..self }
    }
}

/// A named query that is in sight.
#[derive(Debug, Clone)]
struct Named {
    /// As written, folded.
    word: String,
    /// As the tree names it: never like a table.
    name: String,
    columns: Vec<Output>,
    single_row: bool,
    /// Tables that it reads.
    reads: usize,
}

/// One column that a query gives.
#[derive(Debug, Clone)]
struct Output {
    /// As the tree names it.
    name: String,
    /// As written, where that differs.
    written: Option<String>,
    fact: Fact,
}

/// The relations and select items that an expression of one SELECT sees.
#[derive(Debug, Default)]
struct Level {
    relations: Vec<Relation>,
    /// Names of select items with their expressions.
    items: Vec<(String, Typed)>,
    /// Expressions of all select items in order.
    numbered: Vec<Expr>,
}

struct Guard<'a> {
    schema: &'a Schema,
    limits: &'a SqlLimits,
    today: Option<NaiveDate>,
    predicates: Vec<Predicate>,
    notes: Vec<Note>,
    levels: Vec<Level>,
    named: Vec<Named>,
    /// Names given to named queries so far.
    names_given: usize,
    nesting: usize,
    depth: usize,
    /// Tables read so far.
    reads: usize,
    /// What stands here may leave rows out: a condition under NOT, with the sub-selects in it.
    negative: bool,
}

/// A statement of allowed nodes only, whose text predicates are not yet tied to cells.
#[derive(Debug, Clone)]
pub struct Guarded {
    pub(super) query: Query,
    pub(super) predicates: Vec<Predicate>,
    pub(super) columns: Vec<OutColumn>,
    pub(super) notes: Vec<Note>,
    pub(super) tables: Vec<String>,
    pub(super) max_in_list: usize,
}

/// Checks one statement against the schema. `today` stands for `CURRENT_DATE`, which is refused without it.
pub fn guard(sql: &str, schema: &Schema, limits: &SqlLimits, today: Option<NaiveDate>) -> Result<Guarded, Refusal> {
    let query = super::parse::query(sql, limits)?;
    let mut guard = Guard::new(schema, limits, today);
    let (query, outputs) = guard.outermost(query)?;
    growing_little(&query, limits.max_text_growth)?;
    Ok(Guarded {
        query,
        columns: outputs.into_iter().map(out_column).collect(),
        predicates: guard.predicates,
        notes: guard.notes,
        tables: schema.tables.iter().map(|table| table.name.clone()).collect(),
        max_in_list: limits.max_in_list,
    })
}

fn growing_little(query: &Query, max: u64) -> Result<(), Refusal> {
    match super::growth::of(query) {
        growth if growth <= max as f64 => Ok(()),
        growth => {
            let message =
                format!("its texts can get {growth:.0} times longer than their cells, {max} times are allowed");
            Err(Refusal::new(Code::TooLarge, message, "join fewer texts, and replace by shorter ones"))
        }
    }
}

/// A condition on the rows of one table, for [`Scope::row_predicates`]; its texts are taken to the letter.
pub(super) fn row_condition(text: &str, table: &crate::schema::Table) -> Result<Expr, Refusal> {
    let schema = Schema { tables: vec![table.clone()] };
    let limits = SqlLimits::default();
    let mut guard = Guard::new(&schema, &limits, None);
    guard.levels.push(Level { relations: vec![Relation::base(table, None)], ..Level::default() });
    let mut condition = guard.condition(super::parse::condition(text)?, At::PLAIN)?;
    super::predicate::take_literally(&mut condition, &guard.predicates);
    Ok(condition)
}

impl<'a> Guard<'a> {
    fn new(schema: &'a Schema, limits: &'a SqlLimits, today: Option<NaiveDate>) -> Self {
        Self {
            schema,
            limits,
            today,
            predicates: Vec::new(),
            notes: Vec::new(),
            levels: Vec::new(),
            named: Vec::new(),
            names_given: 0,
            nesting: 0,
            depth: 0,
            reads: 0,
            negative: false,
        }
    }
}

impl Scope {
    /// The schema without the fields that the caller may not see and those that are for search alone.
    pub fn visible<'s>(&self, schema: &'s Schema) -> Cow<'s, Schema> {
        let seen = |field: &Field| !self.hidden_fields.contains(&field.name) && field.role() != Role::Search;
        if schema.tables.iter().flat_map(|table| &table.fields).all(seen) {
            return Cow::Borrowed(schema);
        }
        let mut schema = schema.clone();
        schema.tables.iter_mut().for_each(|table| table.fields.retain(seen));
        Cow::Owned(schema)
    }
}

fn out_column(output: Output) -> OutColumn {
    let Output { name, written, fact } = output;
    let name = written.unwrap_or(name);
    let summed = fact.places == Places::Summed;
    OutColumn {
        label: fact.label,
        kind: fact.kind.field_type(),
        unit: fact.unit,
        decimals: fact.decimals,
        summed,
        name,
    }
}

/// A refusal of a clause.
fn clause(what: &str) -> Refusal {
    Refusal::new(Code::ClauseNotAllowed, format!("{what} is not allowed"), "write a plain SELECT without it")
}

/// Refuses the clause where it is there.
fn absent(there: bool, what: &str) -> Result<(), Refusal> {
    if there { Err(clause(what)) } else { Ok(()) }
}

fn mismatch(message: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal::new(Code::TypeMismatch, message, hint)
}

fn expression(what: &str) -> Refusal {
    Refusal::new(Code::ExpressionNotAllowed, format!("{what} is not allowed"), "write it another way")
}
