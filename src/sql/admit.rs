//! Scope: the conditions that limit every SELECT to the rows that may be seen, and the only way to a [`ScopedSelect`].
//!
//! Must never happen: a table that is read without its scope beside it, or a condition that an OR gets around.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, ObjectName, ObjectNamePart, Query, Select, SelectItem, SetExpr, TableFactor, Value, VisitMut,
    VisitorMut, WildcardAdditionalOptions,
};

use super::ground::Grounded;
use super::{Code, Refusal, Scope, ScopedSelect, guard, sources, tree};
use crate::ids::Id;
use crate::schema::Schema;

/// Limits a statement to a scope. The row predicates of the scope are read against the schema.
pub fn admit(grounded: Grounded, scope: &Scope, schema: &Schema) -> Result<ScopedSelect, Refusal> {
    let Grounded { query, columns, notes, tables } = grounded;
    if scope.kbs.is_empty() {
        return Err(Refusal::new(Code::ScopeCondition, "no knowledge base is in scope", "choose one"));
    }
    let (mut statement, mut sources) = sources::with_sources(query, &tables);
    let conditions = Conditions::of(scope, schema, tables)?;
    refuse_hidden(&mut statement, scope)?;
    apply(&mut statement, &conditions)?;
    if let Some(sources) = &mut sources {
        apply(sources, &conditions)?;
    }
    Ok(ScopedSelect { statement, sources, columns, notes })
}

/// What each table's rows must satisfy.
struct Conditions {
    kbs: Vec<Expr>,
    docs: Option<Vec<Expr>>,
    rows: Vec<(String, Expr)>,
    tables: Vec<String>,
}

impl Conditions {
    fn of(scope: &Scope, schema: &Schema, tables: Vec<String>) -> Result<Self, Refusal> {
        let ids = |ids: &[Id]| ids.iter().map(|id| tree::text(&id.to_string())).collect::<Vec<_>>();
        let rows = scope.row_predicates.iter().map(|(name, text)| {
            let table = schema.table(name).ok_or_else(|| {
                Refusal::new(Code::UnknownTable, format!("a row predicate names {name}"), "correct the permissions")
            })?;
            Ok((name.clone(), tree::nested(guard::row_condition(text, table)?)))
        });
        let rows = rows.collect::<Result<Vec<_>, Refusal>>()?;
        Ok(Self { kbs: ids(&scope.kbs), docs: scope.docs.as_deref().map(ids), rows, tables })
    }

    /// `kb_id IN (…)`, `table_kwd = '…'`, `doc_id IN (…)` and the row predicates, on the table itself.
    fn on(&self, table: &str) -> Vec<Expr> {
        let kbs = tree::in_list(tree::column("kb_id"), self.kbs.clone(), false);
        let named = tree::binary(tree::column("table_kwd"), BinaryOperator::Eq, tree::text(table));
        let docs = self.docs.as_ref().map(|docs| match docs.is_empty() {
            true => Expr::value(Value::Boolean(false)),
            false => tree::in_list(tree::column("doc_id"), docs.clone(), false),
        });
        let rows = self.rows.iter().filter(|(name, _)| name == table).map(|(_, condition)| condition.clone());
        [kbs, named].into_iter().chain(docs).chain(rows).collect()
    }

    /// The table's name, if the factor reads a table.
    fn table_of<'f>(&self, factor: &'f TableFactor) -> Option<&'f str> {
        let TableFactor::Table { name: ObjectName(parts), .. } = factor else { return None };
        match &parts[..] {
            [ObjectNamePart::Identifier(name)] => self.tables.contains(&name.value).then_some(name.value.as_str()),
            _ => None,
        }
    }
}

/// Puts the scope at every table that a query or anything inside it reads.
fn apply(query: &mut Query, conditions: &Conditions) -> Result<(), Refusal> {
    let mut scoping = Scoping { conditions, tables: 0, scoped: 0 };
    let _ = query.visit(&mut scoping);
    if scoping.tables != scoping.scoped {
        return Err(Refusal::new(Code::NotRunnable, "a table could not be scoped", "write a plain SELECT"));
    }
    Ok(())
}

/// Visits what is inside before what is around, so that what is added is not visited again.
struct Scoping<'a> {
    conditions: &'a Conditions,
    /// Tables seen, and tables given their scope: the same number at the end.
    tables: usize,
    scoped: usize,
}

impl VisitorMut for Scoping<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        self.tables += usize::from(self.conditions.table_of(factor).is_some());
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        if let [only] = &select.from[..]
            && only.joins.is_empty()
        {
            if let Some(table) = self.conditions.table_of(&only.relation) {
                select.selection = with_scope(select.selection.take(), self.conditions.on(table));
                self.scoped += 1;
            }
            return ControlFlow::Continue(());
        }
        let factors = select.from.iter_mut().flat_map(|from| {
            std::iter::once(&mut from.relation).chain(from.joins.iter_mut().map(|join| &mut join.relation))
        });
        for factor in factors {
            if let Some(scoped) =
                self.conditions.table_of(factor).map(|table| scoped_factor(factor, self.conditions.on(table)))
            {
                *factor = scoped;
                self.scoped += 1;
            }
        }
        ControlFlow::Continue(())
    }
}

/// `(original) AND scope`, a chain of AND at the top.
fn with_scope(original: Option<Expr>, scope: Vec<Expr>) -> Option<Expr> {
    tree::all_of(original.map(tree::nested).into_iter().chain(scope))
}

/// `(SELECT * FROM t WHERE scope) AS alias`: inside a join the scope must not decide what an outer join keeps.
fn scoped_factor(factor: &TableFactor, scope: Vec<Expr>) -> TableFactor {
    let mut inner = factor.clone();
    let mut name = String::new();
    if let TableFactor::Table { name: table, alias, .. } = &mut inner {
        name = alias.take().map_or_else(|| table.to_string().replace('"', ""), |alias| alias.name.value);
    }
    let everything = SelectItem::Wildcard(WildcardAdditionalOptions::default());
    let select = tree::select(vec![everything], vec![tree::alone(inner)], with_scope(None, scope));
    tree::derived(tree::query(SetExpr::Select(Box::new(select))), &name)
}

/// The fields that may not be seen are out of the schema already; this catches a caller who forgot.
fn refuse_hidden(query: &mut Query, scope: &Scope) -> Result<(), Refusal> {
    let hidden: Vec<String> = scope
        .hidden_fields
        .iter()
        .flat_map(|field| [Some(field.clone()), field.strip_suffix("_tks").map(|stem| format!("{stem}_kwd"))])
        .flatten()
        .collect();
    let found = datafusion::sql::sqlparser::ast::visit_expressions(query, |expr| match tree::column_name(expr) {
        Some(name) if hidden.iter().any(|field| field == name) => ControlFlow::Break(name.to_owned()),
        _ => ControlFlow::Continue(()),
    });
    match found {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(name) => {
            Err(Refusal::new(Code::UnknownField, format!("there is no field {name:?}"), "choose another field"))
        }
    }
}
