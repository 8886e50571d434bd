//! Queries: WITH, set operations, ORDER BY and LIMIT around SELECTs.

use datafusion::sql::sqlparser::ast::{Cte, Query, SetExpr, SetOperator, SetQuantifier, TableAlias, With};

use super::expression::common;
use super::order::Ending;
use super::{Guard, Named, Output, absent, clause, mismatch};
use crate::sql::names::fold;
use crate::sql::{Code, Refusal, tree};

/// A checked query and what it gives.
pub(super) struct Checked<T> {
    pub tree: T,
    pub outputs: Vec<Output>,
    pub single_row: bool,
}

impl Guard<'_> {
    pub(super) fn outermost(&mut self, query: Query) -> Result<(Query, Vec<Output>), Refusal> {
        let Checked { tree, outputs, single_row: _ } = self.query(query)?;
        Ok((tree, outputs))
    }

    /// A query inside a query.
    pub(super) fn inner(&mut self, query: Query) -> Result<Checked<Query>, Refusal> {
        if self.nesting == self.limits.max_nesting {
            let message = format!("SELECTs are nested more than {} deep", self.limits.max_nesting);
            return Err(Refusal::new(Code::TooDeep, message, "use fewer sub-selects, or WITH names side by side"));
        }
        self.nesting += 1;
        let checked = self.query(query);
        self.nesting -= 1;
        checked
    }

    fn query(&mut self, query: Query) -> Result<Checked<Query>, Refusal> {
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        absent(!locks.is_empty() || for_clause.is_some(), "FOR")?;
        absent(settings.is_some(), "SETTINGS")?;
        absent(format_clause.is_some(), "FORMAT")?;
        absent(!pipe_operators.is_empty(), "|>")?;
        let in_sight = self.named.len();
        let with = with.map(|with| self.with(with)).transpose()?;
        let ending = Ending { order_by, limit_clause, fetch };
        let mut checked = self.ended(*body, ending)?;
        self.named.truncate(in_sight);
        checked.tree.with = with;
        Ok(checked)
    }

    /// A body with its ORDER BY and LIMIT. The ORDER BY of one SELECT sees its relations, that of a set operation only what it gives.
    fn ended(&mut self, body: SetExpr, ending: Ending) -> Result<Checked<Query>, Refusal> {
        let nested = self.nesting > 0;
        match body {
            SetExpr::Select(select) => {
                let opened = self.select(*select, nested)?;
                let query = self.end_select(opened.tree, ending, &opened.outputs, opened.top)?;
                self.levels.pop();
                Ok(Checked { tree: query, outputs: opened.outputs, single_row: opened.single_row })
            }
            body => {
                let Checked { tree: body, outputs, single_row } = self.body(body)?;
                let query = self.end_set(body, ending, &outputs)?;
                Ok(Checked { tree: query, outputs, single_row })
            }
        }
    }

    fn body(&mut self, body: SetExpr) -> Result<Checked<SetExpr>, Refusal> {
        match body {
            SetExpr::Select(select) => {
                let opened = self.select(*select, true)?;
                self.levels.pop();
                absent(opened.top.is_some(), "TOP in a part of a set operation")?;
                let tree = SetExpr::Select(Box::new(opened.tree));
                Ok(Checked { tree, outputs: opened.outputs, single_row: opened.single_row })
            }
            SetExpr::Query(query) => {
                let Checked { tree, outputs, single_row } = self.query(*query)?;
                Ok(Checked { tree: SetExpr::Query(Box::new(tree)), outputs, single_row })
            }
            SetExpr::SetOperation { left, op, set_quantifier, right } => self.set(*left, op, set_quantifier, *right),
            SetExpr::Values(_) => Err(clause("VALUES")),
            SetExpr::Table(_) => Err(clause("TABLE")),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                Err(Refusal::new(Code::NotSelect, "the statement would write", "only one SELECT can be run"))
            }
        }
    }

    fn set(
        &mut self,
        left: SetExpr,
        op: SetOperator,
        set_quantifier: SetQuantifier,
        right: SetExpr,
    ) -> Result<Checked<SetExpr>, Refusal> {
        let by_name =
            matches!(set_quantifier, SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName);
        absent(by_name, "BY NAME")?;
        let left = self.body(left)?;
        let excluding = matches!(op, SetOperator::Except | SetOperator::Minus);
        let right = self.opposed(excluding, |guard| guard.body(right))?;
        if left.outputs.len() != right.outputs.len() {
            let message =
                format!("{} columns on the left of {op}, {} on the right", left.outputs.len(), right.outputs.len());
            return Err(mismatch(message, "give both sides the same columns"));
        }
        let op = if op == SetOperator::Minus { SetOperator::Except } else { op };
        let tree = SetExpr::SetOperation { left: Box::new(left.tree), op, set_quantifier, right: Box::new(right.tree) };
        let mut outputs = left.outputs;
        for (output, other) in outputs.iter_mut().zip(&right.outputs) {
            if output.fact.base != other.fact.base {
                output.fact.base = None;
            }
            if output.fact.kind != other.fact.kind {
                output.fact.kind = common(&[output.fact.kind, other.fact.kind]);
                output.fact.decimals = None;
            }
        }
        Ok(Checked { tree, outputs, single_row: false })
    }

    fn with(&mut self, with: With) -> Result<With, Refusal> {
        let With { with_token, recursive, cte_tables } = with;
        absent(recursive, "WITH RECURSIVE")?;
        let cte_tables = cte_tables.into_iter().map(|cte| self.cte(cte)).collect::<Result<_, _>>()?;
        Ok(With { with_token, recursive, cte_tables })
    }

    fn cte(&mut self, cte: Cte) -> Result<Cte, Refusal> {
        let Cte { alias, query, from, materialized, closing_paren_token } = cte;
        absent(from.is_some(), "FROM after WITH")?;
        absent(materialized.is_some(), "MATERIALIZED")?;
        let levels = std::mem::take(&mut self.levels);
        let before = self.reads;
        let mut checked = self.inner(*query)?;
        let reads = std::mem::replace(&mut self.reads, before) - before;
        self.levels = levels;
        let columns = self.renamed(&alias, &mut checked.outputs)?;
        let name = self.free_name(&alias.name.value);
        let word = fold(&alias.name.value);
        let alias = TableAlias { explicit: false, name: tree::ident(&name), columns, at: None };
        let Checked { tree, outputs, single_row } = checked;
        self.named.push(Named { word, name, columns: outputs, single_row, reads });
        Ok(Cte { alias, query: Box::new(tree), from, materialized, closing_paren_token })
    }

    /// A name for a named query that no table and no other named query has.
    fn free_name(&mut self, written: &str) -> String {
        self.names_given += 1;
        let is_table = self.schema.tables.iter().any(|table| table.name.eq_ignore_ascii_case(written));
        let taken = self.named.iter().any(|named| named.name.eq_ignore_ascii_case(written));
        if is_table || taken { format!("{written}_query_{}", self.names_given) } else { written.to_owned() }
    }
}
