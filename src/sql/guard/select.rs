//! One SELECT: its items, conditions and groups.

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Ident, ObjectName, ObjectNamePart, Select, SelectFlavor, SelectItem,
    SelectItemQualifiedWildcardKind, Top, TopQuantity, WildcardAdditionalOptions, visit_expressions_mut,
};

use super::from::unreserved;
use super::{At, Guard, Level, Output, Typed, absent, clause};
use crate::sql::names::{Fact, Relation, fold};
use crate::sql::{Code, Refusal, shape, tree};

/// A checked SELECT whose level is still open, for the ORDER BY behind it.
pub(super) struct Opened {
    pub tree: Select,
    pub outputs: Vec<Output>,
    pub top: Option<Expr>,
    pub single_row: bool,
}

/// An item with the name that the statement gives it.
struct Item {
    typed: Typed,
    alias: Option<Ident>,
    /// As the statement names it.
    written: String,
    /// As people read it, where no field says so.
    label: String,
}

impl Guard<'_> {
    /// Opens a level and leaves it open. `named` items all get names, as a query around them needs.
    pub(super) fn select(&mut self, select: Select, named: bool) -> Result<Opened, Refusal> {
        let Select {
            select_token: _,
            optimizer_hints,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            mut from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        absent(!optimizer_hints.is_empty() || select_modifiers.is_some(), "a hint")?;
        absent(exclude.is_some(), "EXCLUDE")?;
        absent(into.is_some(), "INTO")?;
        absent(!lateral_views.is_empty(), "LATERAL VIEW")?;
        absent(prewhere.is_some(), "PREWHERE")?;
        absent(!connect_by.is_empty(), "CONNECT BY")?;
        absent(
            !cluster_by.is_empty() || !distribute_by.is_empty() || !sort_by.is_empty(),
            "CLUSTER, DISTRIBUTE or SORT BY",
        )?;
        absent(!named_window.is_empty(), "WINDOW")?;
        absent(value_table_mode.is_some(), "AS STRUCT or AS VALUE")?;
        absent(flavor != SelectFlavor::Standard, "FROM before SELECT")?;
        absent(from.is_empty() && !shape::any_expr(&projection, is_subquery), "SELECT without FROM")?;
        let distinct = distinct.map(plain_distinct).transpose()?.flatten();
        let top = top.map(top_rows).transpose()?;

        let relations = self.relations(&mut from)?;
        self.levels.push(Level { relations, ..Level::default() });
        let ties = self.joins(&mut from)?;
        let selection = selection.and_then(|condition| self.without_kb(condition));
        let at = At { fuzzy: !self.negative, ..At::WHERE };
        let selection = selection.map(|condition| self.condition(condition, at)).transpose()?;
        self.tied(ties, selection.as_ref())?;
        let (projection, outputs) = self.projection(projection, named)?;
        let keys = self.group_by(group_by)?;
        let having = having.map(|condition| self.condition(condition, At::HAVING)).transpose()?;
        let at = At { aliases: true, windows: true, ..At::HAVING };
        let qualify = qualify.map(|condition| self.condition(condition, at)).transpose()?;

        let mut tree = tree::select(projection, from, selection);
        tree.distinct = distinct;
        tree.group_by = GroupByExpr::Expressions(keys, Vec::new());
        tree.having = having;
        tree.qualify = qualify;
        self.grouped(&tree)?;
        let single_row = tree.from.is_empty() || shape::is_grouped(&tree) && shape::group_keys(&tree).is_empty();
        Ok(Opened { tree, outputs, top, single_row })
    }

    fn projection(&mut self, items: Vec<SelectItem>, named: bool) -> Result<(Vec<SelectItem>, Vec<Output>), Refusal> {
        let mut projected = Vec::new();
        for item in items {
            projected.extend(self.item(item)?);
        }
        let mut taken = HashSet::new();
        let (mut tree, mut outputs) = (Vec::new(), Vec::new());
        for (at, item) in projected.into_iter().enumerate() {
            let (name, given) = name_of(&item, at, named, &mut taken);
            outputs.push(output(&item, name));
            let alias = given.then(|| outputs[at].name.clone());
            tree.push(tree::item(item.typed.expr.clone(), alias.as_deref()));
            let Some(level) = self.levels.last_mut() else { continue };
            level.numbered.push(item.typed.expr.clone());
            if let Some(alias) = item.alias {
                level.items.push((alias.value, item.typed));
            }
        }
        Ok((tree, outputs))
    }

    fn item(&mut self, item: SelectItem) -> Result<Vec<Item>, Refusal> {
        match item {
            SelectItem::UnnamedExpr(expr) => {
                let written = tree::column_name(&expr).map_or_else(|| expr.to_string(), str::to_owned);
                let label = self.labelled(expr.clone());
                Ok(vec![Item { typed: self.expr(expr, At::SELECT)?, alias: None, written, label }])
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                if tree::column_name(&expr).is_none_or(|name| !name.eq_ignore_ascii_case(&alias.value)) {
                    unreserved(&alias)?;
                }
                let written = alias.value.clone();
                let label = written.clone();
                Ok(vec![Item { typed: self.expr(expr, At::SELECT)?, alias: Some(alias), written, label }])
            }
            SelectItem::ExprWithAliases { .. } => Err(clause("several aliases for one expression")),
            SelectItem::Wildcard(options) => {
                plain_wildcard(options)?;
                Ok(self.fields(|_| true))
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                plain_wildcard(options)?;
                self.fields_of(&name)
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _) => {
                Err(clause("* of an expression"))
            }
        }
    }

    /// An expression with labels in place of stored names, for people.
    fn labelled(&self, mut expr: Expr) -> String {
        let relations = self.levels.last().map_or(&[][..], |level| &level.relations);
        let label = |name: &str| match relations.iter().flat_map(|relation| relation.find(name)).collect::<Vec<_>>()[..]
        {
            [column] => Some(Ident::new(column.fact.label.clone())),
            _ => None,
        };
        let _ = visit_expressions_mut(&mut expr, |expr| {
            if let Some(label) = tree::column_name(expr).and_then(label) {
                *expr = Expr::Identifier(label);
            }
            ControlFlow::<()>::Continue(())
        });
        expr.to_string()
    }

    fn fields_of(&self, name: &ObjectName) -> Result<Vec<Item>, Refusal> {
        let [ObjectNamePart::Identifier(name)] = &name.0[..] else { return Err(clause("a qualified name before .*")) };
        let word = fold(&name.value);
        let items = self.fields(|relation| relation.words.contains(&word));
        if items.is_empty() {
            let message = format!("no relation is called {:?}", name.value);
            return Err(Refusal::new(Code::UnknownTable, message, "write an alias of FROM before .*").at(name.span));
        }
        Ok(items)
    }

    /// What `*` stands for.
    fn fields(&self, of: impl Fn(&Relation) -> bool) -> Vec<Item> {
        let relations = self.levels.last().map_or(&[][..], |level| &level.relations);
        let chosen = relations.iter().filter(|relation| of(relation));
        let columns =
            chosen.flat_map(|relation| relation.columns.iter().filter(|c| c.shown).map(move |c| (relation, c)));
        columns
            .map(|(relation, column)| Item {
                typed: super::expression::column(relation, column, relations.len() > 1),
                alias: None,
                written: column.name.clone(),
                label: column.fact.label.clone(),
            })
            .collect()
    }

    fn group_by(&mut self, group_by: GroupByExpr) -> Result<Vec<Expr>, Refusal> {
        let GroupByExpr::Expressions(keys, modifiers) = group_by else { return Err(clause("GROUP BY ALL")) };
        absent(!modifiers.is_empty(), "ROLLUP, CUBE or TOTALS")?;
        let keys = keys.into_iter().map(|key| self.group_key(key)).collect::<Result<Vec<_>, _>>()?;
        Ok(keys.into_iter().filter(|key| !matches!(key, Expr::Value(_))).collect())
    }

    /// A group key; the name or the number of an item stands for the item.
    fn group_key(&mut self, key: Expr) -> Result<Expr, Refusal> {
        if let Some(number) = super::order::whole_number(&key) {
            return self.numbered(number);
        }
        if let Expr::Identifier(name) = &key
            && let Some(meaning) = self.item_or_column(name)?
        {
            return Ok(meaning);
        }
        Ok(self.expr(key, At::PLAIN)?.expr)
    }

    /// The item of that name. A stored field of the same name may not mean another thing.
    fn item_or_column(&self, name: &Ident) -> Result<Option<Expr>, Refusal> {
        let Some(level) = self.levels.last() else { return Ok(None) };
        let word = fold(&name.value);
        let Some((_, item)) = level.items.iter().find(|(alias, _)| fold(alias) == word) else { return Ok(None) };
        let stored = name.value.to_ascii_lowercase();
        let columns: Vec<&str> = level
            .relations
            .iter()
            .flat_map(|relation| &relation.columns)
            .filter(|column| column.names.contains(&stored))
            .map(|column| column.name.as_str())
            .collect();
        if columns.is_empty() || columns.contains(&tree::column_name(&item.expr).unwrap_or_default()) {
            return Ok(Some(item.expr.clone()));
        }
        let meanings = ["a field", "a select item"].into_iter();
        Err(crate::sql::names::ambiguous("field", name, meanings))
    }

    fn numbered(&self, number: u64) -> Result<Expr, Refusal> {
        let items = self.levels.last().map_or(&[][..], |level| &level.numbered);
        let item = usize::try_from(number).ok().and_then(|number| items.get(number.checked_sub(1)?));
        item.cloned().ok_or_else(|| {
            let message = format!("GROUP BY {number}, but there are {} columns", items.len());
            Refusal::new(Code::UnknownField, message, "name the column to group by")
        })
    }
}

fn is_unnamed(expr: &Expr) -> bool {
    is_subquery(expr) || matches!(expr, Expr::Cast { .. })
}

fn is_subquery(expr: &Expr) -> bool {
    matches!(expr, Expr::Subquery(_))
}

/// The name of an item, and whether the tree must write it.
fn name_of(item: &Item, at: usize, named: bool, taken: &mut HashSet<String>) -> (String, bool) {
    let column = tree::column_name(&item.typed.expr);
    let (name, given) = match (&item.alias, column) {
        (Some(alias), column) => (alias.value.clone(), column != Some(alias.value.as_str())),
        (None, Some(column)) => (column.to_owned(), false),
        // DataFusion calls all sub-selects the same, and does not name casts.
        (None, None) if named || shape::any_expr(&item.typed.expr, is_unnamed) => (format!("column_{}", at + 1), true),
        (None, None) => (item.typed.expr.to_string(), false),
    };
    if taken.insert(name.to_lowercase()) {
        return (name, given);
    }
    let base = if item.alias.is_none() && column.is_none() { "column" } else { name.as_str() };
    let free = (2..).map(|number| format!("{base}_{number}")).find(|name| taken.insert(name.to_lowercase()));
    (free.unwrap_or(name), true)
}

fn output(item: &Item, name: String) -> Output {
    let fact = item.typed.fact.clone().unwrap_or_else(|| Fact::computed(item.typed.kind, &item.label));
    let stored = fact.base.as_ref().is_some_and(|(_, field)| *field == item.written || cells(field) == item.written);
    let label = if item.alias.is_some() && !stored { item.label.clone() } else { fact.label.clone() };
    let written = (name != item.written).then(|| item.written.clone());
    Output { name, written, fact: Fact { label, ..fact } }
}

/// The column with the cells of a field.
pub(super) fn cells(field: &str) -> String {
    match field.strip_suffix("_tks") {
        Some(stem) => format!("{stem}_kwd"),
        None => field.to_owned(),
    }
}

fn plain_distinct(distinct: Distinct) -> Result<Option<Distinct>, Refusal> {
    match distinct {
        Distinct::Distinct => Ok(Some(Distinct::Distinct)),
        Distinct::All => Ok(None),
        Distinct::On(_) => Err(clause("DISTINCT ON")),
    }
}

fn top_rows(top: Top) -> Result<Expr, Refusal> {
    let Top { with_ties, percent, quantity } = top;
    absent(with_ties || percent, "TOP WITH TIES or PERCENT")?;
    match quantity {
        Some(TopQuantity::Constant(rows)) => Ok(tree::number(rows)),
        Some(TopQuantity::Expr(expr)) => Ok(expr),
        None => Err(clause("TOP without a number")),
    }
}

fn plain_wildcard(options: WildcardAdditionalOptions) -> Result<(), Refusal> {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias,
    } = options;
    absent(opt_ilike.is_some() || opt_exclude.is_some() || opt_except.is_some(), "* with some columns left out")?;
    absent(opt_replace.is_some() || opt_rename.is_some() || opt_alias.is_some(), "* with other names")
}
