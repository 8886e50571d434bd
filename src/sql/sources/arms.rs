//! The second select: one arm for each table that the outermost SELECT reads, put together with UNION.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Distinct, Expr, ObjectNamePart, Query, Select, SelectItem, SetExpr, SetOperator, SetQuantifier, TableFactor,
    TableWithJoins, Visit, Visitor,
};

use super::groups;
use crate::sql::{SOURCES, shape, tree};

/// The rows that a query stands on, as a query of [`SOURCES`]; `None` if it reads no table.
pub(super) fn cited(query: &Query, tables: &[String]) -> Option<Query> {
    Citing { tables, named: Vec::new() }.cited(query)
}

/// Whether the FROM is one base table.
pub(super) fn only_table(select: &Select, tables: &[String]) -> bool {
    matches!(&select.from[..], [only] if only.joins.is_empty() && is_table(&only.relation, tables))
}

pub(super) fn is_table(factor: &TableFactor, tables: &[String]) -> bool {
    factor_name(factor).is_some_and(|name| tables.iter().any(|table| table == name))
}

pub(super) fn factor_name(factor: &TableFactor) -> Option<&str> {
    let TableFactor::Table { name, .. } = factor else { return None };
    match &name.0[..] {
        [ObjectNamePart::Identifier(name)] => Some(&name.value),
        _ => None,
    }
}

/// A query inside, seen from the SELECT that reads from it.
enum Inner {
    /// One row for one row of a table: it can hand the sources of each on.
    Exposed,
    /// Anything else: the rows that it stands on.
    Opaque(Option<Box<Query>>),
}

struct Citing<'a> {
    tables: &'a [String],
    /// Named queries in sight.
    named: Vec<(String, Inner)>,
}

/// How a source column is called where a query hands it on.
fn handed(source: &str) -> String {
    format!("source_{source}")
}

impl Citing<'_> {
    fn cited(&mut self, query: &Query) -> Option<Query> {
        let in_sight = self.named.len();
        let mut with = query.with.clone();
        for cte in with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            let inner = match self.exposed(&cte.query) {
                Some(exposed) if cte.alias.columns.is_empty() => {
                    *cte.query = exposed;
                    Inner::Exposed
                }
                _ => Inner::Opaque(self.cited(&cte.query).map(Box::new)),
            };
            self.named.push((cte.alias.name.value.clone(), inner));
        }
        let arms = self.body_arms(&query.body, query);
        self.named.truncate(in_sight);
        let mut cited = union(arms)?;
        cited.with = with;
        Some(cited)
    }

    fn body_arms(&mut self, body: &SetExpr, ending: &Query) -> Vec<SetExpr> {
        match body {
            SetExpr::Select(select) => self.select_arms(select, ending),
            SetExpr::Query(query) => {
                self.cited(query).map(|query| SetExpr::Query(Box::new(query))).into_iter().collect()
            }
            SetExpr::SetOperation { left, op: _, set_quantifier: _, right } => {
                let bare = tree::query(SetExpr::Values(datafusion::sql::sqlparser::ast::Values {
                    explicit_row: false,
                    value_keyword: false,
                    rows: Vec::new(),
                }));
                let mut arms = self.body_arms(left, &bare);
                arms.extend(self.body_arms(right, &bare));
                arms
            }
            SetExpr::Values(_)
            | SetExpr::Insert(_)
            | SetExpr::Update(_)
            | SetExpr::Delete(_)
            | SetExpr::Merge(_)
            | SetExpr::Table(_) => Vec::new(),
        }
    }

    fn select_arms(&mut self, select: &Select, ending: &Query) -> Vec<SetExpr> {
        let mut others: Vec<SetExpr> = self.subquery_arms(select);
        if only_table(select, self.tables) && (shape::is_grouped(select) || select.distinct.is_some()) {
            others.insert(0, groups::arm(select, ending));
            return others;
        }
        let mut from = select.from.clone();
        let mut own = Vec::new();
        for factor in factors(&mut from) {
            match self.factor(factor) {
                Read::Table(alias) => own.push((alias, false)),
                Read::Handed(alias) => own.push((alias, true)),
                Read::Opaque(query) => others.extend(query.map(SetExpr::Query)),
            }
        }
        let joined = from.len() > 1 || from.iter().any(|from| !from.joins.is_empty());
        let mut arms: Vec<SetExpr> = own
            .into_iter()
            .map(|(alias, handed)| {
                let mut arm = sources_of(&alias, handed, from.clone(), select.selection.clone(), joined);
                if shape::is_grouped(select) || select.distinct.is_some() {
                    return SetExpr::Select(Box::new(arm));
                }
                arm.qualify = select.qualify.clone();
                groups::cut_alike(arm, select, ending)
            })
            .collect();
        arms.extend(others);
        arms
    }

    /// The rows behind sub-selects that stand for a value in the answer and do not depend on its rows.
    fn subquery_arms(&mut self, select: &Select) -> Vec<SetExpr> {
        let mut queries = Vec::new();
        shape::any_expr(&select.projection, |expr| {
            if let Expr::Subquery(query) = expr {
                queries.push(query.clone());
            }
            false
        });
        queries.retain(|query| !depends(query));
        queries.iter().filter_map(|query| Some(SetExpr::Query(Box::new(self.cited(query)?)))).collect()
    }

    /// What a relation of FROM is; a sub-select that can hand sources on is made to.
    fn factor(&mut self, factor: &mut TableFactor) -> Read {
        if is_table(factor, self.tables) {
            return Read::Table(alias_of(factor));
        }
        let alias = alias_of(factor);
        if let TableFactor::Derived { subquery, alias: given, .. } = factor {
            let renamed = given.as_ref().is_some_and(|alias| !alias.columns.is_empty());
            return match self.exposed(subquery) {
                Some(exposed) if !renamed => {
                    **subquery = exposed;
                    Read::Handed(alias)
                }
                _ => Read::Opaque(self.cited(subquery).map(Box::new)),
            };
        }
        let name = factor_name(factor).unwrap_or_default();
        match self.named.iter().rev().find(|(named, _)| named == name) {
            Some((_, Inner::Exposed)) => Read::Handed(alias),
            Some((_, Inner::Opaque(query))) => Read::Opaque(query.clone()),
            None => Read::Opaque(None),
        }
    }

    /// The query with the sources of each row behind its own columns, if it gives one row for one row of a table.
    fn exposed(&mut self, query: &Query) -> Option<Query> {
        let SetExpr::Select(select) = &*query.body else { return None };
        let [only] = &select.from[..] else { return None };
        let plain =
            only.joins.is_empty() && select.distinct.is_none() && !shape::is_grouped(select) && query.with.is_none();
        if !plain {
            return None;
        }
        let mut select = select.clone();
        let hands_on = match self.factor(&mut select.from[0].relation) {
            Read::Table(_) => false,
            Read::Handed(_) => true,
            Read::Opaque(_) => return None,
        };
        select.projection.extend(SOURCES.iter().map(|source| {
            let column = if hands_on { handed(source) } else { (*source).to_owned() };
            tree::item(tree::column(&column), Some(handed(source).as_str()).filter(|_| !hands_on))
        }));
        let mut exposed = query.clone();
        exposed.body = Box::new(SetExpr::Select(select));
        Some(exposed)
    }
}

/// Whether a query names a relation that is not inside it.
fn depends(query: &Query) -> bool {
    let mut relations = Relations::default();
    let _ = query.visit(&mut relations);
    relations.named.iter().any(|named| !relations.given.contains(named))
}

/// Aliases that a query gives and names.
#[derive(Default)]
struct Relations {
    given: Vec<String>,
    named: Vec<String>,
}

impl Visitor for Relations {
    type Break = ();
    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        self.given.push(alias_of(factor));
        ControlFlow::Continue(())
    }
    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr {
            self.named.extend(parts.first().map(|part| part.value.clone()));
        }
        ControlFlow::Continue(())
    }
}

/// A relation of a FROM, by its alias.
enum Read {
    Table(String),
    Handed(String),
    Opaque(Option<Box<Query>>),
}

fn factors(from: &mut [TableWithJoins]) -> impl Iterator<Item = &mut TableFactor> {
    from.iter_mut().flat_map(|from| {
        std::iter::once(&mut from.relation).chain(from.joins.iter_mut().map(|join| &mut join.relation))
    })
}

pub(super) fn alias_of(factor: &TableFactor) -> String {
    match factor {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            alias.name.value.clone()
        }
        factor => factor_name(factor).unwrap_or_default().to_owned(),
    }
}

/// `SELECT sources FROM … WHERE …` for one relation; of a join each row once, and none for a side that is not there.
fn sources_of(
    alias: &str,
    is_handed: bool,
    from: Vec<TableWithJoins>,
    selection: Option<Expr>,
    joined: bool,
) -> Select {
    let column = |source: &str| {
        let name = if is_handed { handed(source) } else { source.to_owned() };
        if joined { tree::qualified(alias, &name) } else { tree::column(&name) }
    };
    let items: Vec<SelectItem> = SOURCES
        .iter()
        .map(|source| tree::item(column(source), Some(*source).filter(|_| joined || is_handed)))
        .collect();
    let there = joined.then(|| Expr::IsNotNull(Box::new(column(SOURCES[0]))));
    let selection = tree::all_of(selection.map(tree::nested).into_iter().chain(there));
    let mut select = tree::select(items, from, selection);
    select.distinct = joined.then_some(Distinct::Distinct);
    select
}

fn union(arms: Vec<SetExpr>) -> Option<Query> {
    let arms = arms.into_iter().reduce(|all, next| SetExpr::SetOperation {
        left: Box::new(all),
        op: SetOperator::Union,
        set_quantifier: SetQuantifier::None,
        right: Box::new(next),
    })?;
    match arms {
        SetExpr::Query(query) if query.with.is_none() => Some(*query),
        body => Some(tree::query(body)),
    }
}
