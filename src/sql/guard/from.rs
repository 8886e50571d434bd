//! FROM: tables of the schema, named queries, sub-selects, and how they are joined.
//!
//! Must never happen: a table function, a table of another catalog, or every row of one table beside every row of another.

use std::collections::BTreeSet;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, TableAlias,
    TableAliasColumnDef, TableFactor, TableWithJoins,
};

use super::query::Checked;
use super::{At, Guard, Output, absent, clause};
use crate::schema::RESERVED_COLUMNS;
use crate::sql::names::{self, Column, Relation, ambiguous, fold};
use crate::sql::{Code, Refusal, shape, tree};

/// Pairs of relations that a condition ties.
type Ties = BTreeSet<(usize, usize)>;

impl Guard<'_> {
    /// The relations of a FROM in order, joins not yet looked at.
    pub(super) fn relations(&mut self, from: &mut [TableWithJoins]) -> Result<Vec<Relation>, Refusal> {
        let mut relations: Vec<Relation> = Vec::new();
        let factors = from.iter_mut().flat_map(|TableWithJoins { relation, joins }| {
            std::iter::once(relation)
                .chain(joins.iter_mut().map(|Join { relation, global: _, join_operator: _ }| relation))
        });
        for factor in factors {
            let (tree, relation) = self.factor(factor.clone())?;
            if relations.iter().any(|other| fold(&other.alias) == fold(&relation.alias)) {
                let message = format!("two relations are called {:?}", relation.alias);
                return Err(Refusal::new(Code::AmbiguousField, message, "give each its own alias"));
            }
            *factor = tree;
            relations.push(relation);
        }
        Ok(relations)
    }

    fn factor(&mut self, factor: TableFactor) -> Result<(TableFactor, Relation), Refusal> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                index_hints,
            } => {
                if args.is_some() {
                    return Err(table_function(&name.to_string()));
                }
                absent(!with_hints.is_empty() || !index_hints.is_empty(), "a hint")?;
                absent(version.is_some() || with_ordinality || !partitions.is_empty(), "a table version or partition")?;
                absent(json_path.is_some(), "a path after a table")?;
                absent(sample.is_some(), "TABLESAMPLE")?;
                self.table(&name, alias)
            }
            TableFactor::Derived { lateral, subquery, alias, sample } => {
                absent(lateral, "LATERAL")?;
                absent(sample.is_some(), "TABLESAMPLE")?;
                self.derived(*subquery, alias)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } if table_with_joins.joins.is_empty() => {
                self.factor(table_with_joins.relation)
            }
            TableFactor::NestedJoin { .. } => Err(clause("a join in brackets")),
            TableFactor::TableFunction { .. } | TableFactor::Function { .. } => Err(table_function("TABLE")),
            TableFactor::UNNEST { .. } => Err(table_function("UNNEST")),
            TableFactor::JsonTable { .. } | TableFactor::OpenJsonTable { .. } => Err(table_function("JSON_TABLE")),
            TableFactor::XmlTable { .. } => Err(table_function("XMLTABLE")),
            TableFactor::SemanticView { .. } => Err(table_function("SEMANTIC_VIEW")),
            TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => Err(clause("PIVOT")),
            TableFactor::MatchRecognize { .. } => Err(clause("MATCH_RECOGNIZE")),
        }
    }

    fn table(&mut self, name: &ObjectName, alias: Option<TableAlias>) -> Result<(TableFactor, Relation), Refusal> {
        let [ObjectNamePart::Identifier(written)] = &name.0[..] else {
            let message = format!("{name} names a schema or catalog");
            return Err(Refusal::new(Code::UnknownTable, message, "write the table's name alone"));
        };
        let alias_name = alias.map(|alias| plain_alias(alias, "a table")).transpose()?;
        let word = fold(&written.value);
        if let Some(named) = self.named.iter().rev().find(|named| named.word == word).cloned() {
            let alias = alias_name.map_or_else(|| written.value.clone(), |name| name.value);
            self.reading(named.reads)?;
            let relation = given(&alias, &named.columns, named.single_row);
            return Ok((tree::table(&named.name, (alias != named.name).then_some(&alias)), relation));
        }
        let table = names::table(self.schema, written)?;
        self.reading(1)?;
        let mut relation = Relation::base(table, alias_name.as_ref());
        if alias_name.is_none() {
            relation.words.push(word);
        }
        let alias = alias_name.map(|name| name.value).filter(|alias| *alias != table.name);
        Ok((tree::table(&table.name, alias.as_deref()), relation))
    }

    /// Counts tables; those of a named query are read wherever it is named.
    fn reading(&mut self, tables: usize) -> Result<(), Refusal> {
        self.reads = self.reads.saturating_add(tables);
        let max = self.limits.max_relations;
        if self.reads <= max {
            return Ok(());
        }
        let message = format!("the statement reads more than {max} tables, counted as often as each is read");
        Err(Refusal::new(Code::TooLarge, message, "join fewer tables, and name each WITH query fewer times"))
    }

    fn derived(
        &mut self,
        subquery: datafusion::sql::sqlparser::ast::Query,
        alias: Option<TableAlias>,
    ) -> Result<(TableFactor, Relation), Refusal> {
        let mut checked = self.inner(subquery)?;
        let columns = match &alias {
            Some(alias) => self.renamed(alias, &mut checked.outputs)?,
            None => Vec::new(),
        };
        self.names_given += 1;
        let name = alias.map_or_else(|| format!("query_{}", self.names_given), |alias| alias.name.value);
        let Checked { tree: query, outputs, single_row } = checked;
        let relation = given(&name, &outputs, single_row);
        let mut factor = tree::derived(query, &name);
        if let TableFactor::Derived { alias: Some(alias), .. } = &mut factor {
            alias.columns = columns;
        }
        Ok((factor, relation))
    }

    /// Gives the outputs the names of `AS t (a, b)`.
    pub(super) fn renamed(
        &self,
        alias: &TableAlias,
        outputs: &mut [Output],
    ) -> Result<Vec<TableAliasColumnDef>, Refusal> {
        let TableAlias { explicit: _, name, columns, at } = alias;
        absent(at.is_some(), "AT after an alias")?;
        unreserved(name)?;
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        if columns.len() != outputs.len() {
            let message = format!("{name} names {} columns of {}", columns.len(), outputs.len());
            return Err(Refusal::new(Code::UnknownField, message, "name all of them or none"));
        }
        let mut renamed = Vec::new();
        for (TableAliasColumnDef { name, data_type }, output) in columns.iter().zip(outputs) {
            absent(data_type.is_some(), "a type after an alias")?;
            unreserved(name)?;
            output.name = name.value.clone();
            output.written = None;
            renamed.push(TableAliasColumnDef { name: tree::ident(&name.value), data_type: None });
        }
        Ok(renamed)
    }

    /// Checks the ON of every join. The relations are those of the innermost level, in the order of the FROM.
    pub(super) fn joins(&mut self, from: &mut [TableWithJoins]) -> Result<Ties, Refusal> {
        let mut ties = Ties::new();
        let mut at = 0;
        for TableWithJoins { relation: _, joins } in from {
            for Join { relation: _, global, join_operator } in joins {
                at += 1;
                absent(*global, "GLOBAL JOIN")?;
                let constraint = constraint(join_operator)?;
                if let Some(on) = self.on(std::mem::replace(constraint, JoinConstraint::None), at)? {
                    ties.extend(self.mentions(&on, at));
                    *constraint = JoinConstraint::On(on);
                }
            }
            at += 1;
        }
        Ok(ties)
    }

    fn on(&mut self, constraint: JoinConstraint, right: usize) -> Result<Option<Expr>, Refusal> {
        match constraint {
            JoinConstraint::On(condition) => Ok(Some(self.condition(condition, At::PLAIN)?)),
            JoinConstraint::Using(columns) => {
                let equal =
                    columns.iter().map(|column| self.same_in_both(column, right)).collect::<Result<Vec<_>, _>>()?;
                Ok(tree::all_of(equal))
            }
            JoinConstraint::Natural => Err(clause("NATURAL JOIN")),
            JoinConstraint::None => Ok(None),
        }
    }

    /// `USING (x)`: the column of one relation before equals that of the relation at `right`.
    fn same_in_both(&self, name: &ObjectName, right: usize) -> Result<Expr, Refusal> {
        let [ObjectNamePart::Identifier(name)] = &name.0[..] else { return Err(clause("a qualified name in USING")) };
        let relations = self.levels.last().map_or(&[][..], |level| &level.relations);
        let (before, after) = relations.split_at(right.min(relations.len()));
        let side = |relations: &[Relation]| -> Result<Expr, Refusal> {
            let found: Vec<Expr> = relations
                .iter()
                .flat_map(|relation| {
                    relation.find(&name.value).into_iter().map(|c| tree::qualified(&relation.alias, &c.name))
                })
                .collect();
            match &found[..] {
                [] => Err(names::unknown_field(name, relations)),
                [one] => Ok(one.clone()),
                several => Err(ambiguous("field", name, several.iter().filter_map(tree::column_name))),
            }
        };
        Ok(tree::binary(side(before)?, BinaryOperator::Eq, side(&after[..after.len().min(1)])?))
    }

    /// Pairs of the relation at `right` with others that a condition names.
    fn mentions(&self, condition: &Expr, right: usize) -> Ties {
        let named = self.named_relations(condition);
        if !named.contains(&right) {
            return Ties::new();
        }
        named.iter().filter(|&&at| at != right).map(|&at| (at.min(right), at.max(right))).collect()
    }

    fn named_relations(&self, node: &Expr) -> BTreeSet<usize> {
        let relations = self.levels.last().map_or(&[][..], |level| &level.relations);
        let mut named = BTreeSet::new();
        shape::any_expr(node, |expr| {
            if let Expr::CompoundIdentifier(parts) = expr {
                named.extend(relations.iter().position(|relation| relation.alias == parts[0].value));
            }
            false
        });
        named
    }

    /// Refuses a FROM whose relations no condition ties together.
    pub(super) fn tied(&self, mut ties: Ties, selection: Option<&Expr>) -> Result<(), Refusal> {
        let relations = self.levels.last().map_or(&[][..], |level| &level.relations);
        ties.extend(selection.map(|condition| self.equalities(condition)).unwrap_or_default());
        let mut group: Vec<usize> = (0..relations.len()).collect();
        for (a, b) in ties {
            let (keep, drop) = (group[a], group[b]);
            group.iter_mut().filter(|at| **at == drop).for_each(|at| *at = keep);
        }
        let groups: BTreeSet<usize> =
            relations.iter().zip(&group).filter(|(relation, _)| !relation.single_row).map(|(_, &at)| at).collect();
        if groups.len() > 1 {
            let message = "the tables of FROM are not tied by a condition";
            return Err(Refusal::new(Code::ClauseNotAllowed, message, "write JOIN … ON a.x = b.y for each table"));
        }
        Ok(())
    }

    /// Pairs that must be equal in some columns wherever the condition holds.
    fn equalities(&self, condition: &Expr) -> Ties {
        match condition {
            Expr::Nested(inner) => self.equalities(inner),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.equalities(left).union(&self.equalities(right)).copied().collect()
            }
            Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
                self.equalities(left).intersection(&self.equalities(right)).copied().collect()
            }
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
                match (self.named_relations(left).first(), self.named_relations(right).first()) {
                    (Some(&a), Some(&b)) if a != b => Ties::from([(a.min(b), a.max(b))]),
                    _ => Ties::new(),
                }
            }
            _ => Ties::new(),
        }
    }
}

/// What a sub-select or named query gives, as a relation.
fn given(alias: &str, outputs: &[Output], single_row: bool) -> Relation {
    let columns = outputs.iter().map(|output| {
        let Output { name, written, fact } = output.clone();
        let unaliased = fact.base.as_ref().filter(|(_, field)| super::select::cells(field) == name);
        let mut names = vec![name.to_ascii_lowercase()];
        names.extend(unaliased.map(|(_, field)| field.clone()));
        let mut words = vec![fold(&name), fold(&fact.label)];
        words.extend(written.as_deref().map(fold));
        Column { name, tokens: None, names, words, fact, shown: true }
    });
    Relation { alias: alias.to_owned(), words: vec![fold(alias)], columns: columns.collect(), single_row }
}

fn plain_alias(alias: TableAlias, what: &str) -> Result<Ident, Refusal> {
    let TableAlias { explicit: _, name, columns, at } = alias;
    absent(!columns.is_empty() || at.is_some(), &format!("a list of columns after {what}"))?;
    unreserved(&name)?;
    Ok(name)
}

/// Refuses a name that would hide a column of the program's own.
pub(super) fn unreserved(name: &Ident) -> Result<(), Refusal> {
    let lower = name.value.to_lowercase();
    if RESERVED_COLUMNS.contains(&lower.as_str()) {
        let message = format!("nothing can be called {lower}");
        return Err(Refusal::new(Code::ScopeCondition, message, "choose another alias").at(name.span));
    }
    Ok(())
}

fn constraint(operator: &mut JoinOperator) -> Result<&mut JoinConstraint, Refusal> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint) => Ok(constraint),
        other => {
            let name = format!("{other:?}");
            Err(clause(&format!("{} join", name.split(['(', ' ']).next().unwrap_or_default())))
        }
    }
}

fn table_function(name: &str) -> Refusal {
    Refusal::new(Code::FunctionNotAllowed, format!("{name} in FROM is a function"), "read from a table by its name")
}
