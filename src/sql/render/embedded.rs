//! The dialect of the embedded engine, DataFusion.
//!
//! Division gives a fraction, and null by zero; `MATCH` is `sw_match(table, field, words, options, row_key)`;
//! dates go by `to_char`, `date_trunc` and `extract`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, DataType, DateTimeField, ExactNumberInfo, Expr, ExtractSyntax, Function, FunctionArg,
    FunctionArgExpr, FunctionArguments, Ident, Query, Select, SetExpr, Statement, TableFactor, Value, ValueWithSpan,
    VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;

use crate::sql::{Code, Refusal, parse, tree};

/// Digits of the decimals that hold every whole number of 64 bits.
const WHOLE_DIGITS: u64 = 19;

/// The statement's text for DataFusion.
pub fn embedded(query: &Query) -> Result<String, Refusal> {
    rendered(query, false)
}

/// The same with casts to whole numbers as decimals, which fail aloud where 64 bits would wrap.
pub fn embedded_exact(query: &Query) -> Result<String, Refusal> {
    rendered(query, true)
}

fn rendered(query: &Query, exact: bool) -> Result<String, Refusal> {
    let mut query = query.clone();
    if let ControlFlow::Break(refusal) = query.visit(&mut Rewriting { tables: Vec::new(), exact }) {
        return Err(refusal);
    }
    let text = printed(&query);
    let read = parse::statements(&GenericDialect {}, &text).unwrap_or_default();
    match &read[..] {
        [Statement::Query(read)] if **read == query => Ok(text),
        _ => Err(Refusal::new(
            Code::NotRunnable,
            format!("the statement does not read back as written: {text}"),
            "write it more simply",
        )),
    }
}

/// The tree as text. sqlparser takes a doubled quote, and one behind a backslash, for one that is escaped already: so all are
/// doubled first.
fn printed(query: &Query) -> String {
    let mut query = query.clone();
    let _: ControlFlow<()> = query.visit(&mut Doubling);
    query.to_string()
}

struct Doubling;

impl VisitorMut for Doubling {
    type Break = ();

    fn post_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<()> {
        if let Value::SingleQuotedString(text) = &mut value.value {
            *text = text.replace('\'', "''");
        }
        ControlFlow::Continue(())
    }
}

/// Rewrites expressions from the inside out, knowing which table each alias is.
struct Rewriting {
    /// For each SELECT around the node: alias and table.
    tables: Vec<Vec<(String, String)>>,
    /// Whole numbers are cast to decimals.
    exact: bool,
}

impl VisitorMut for Rewriting {
    type Break = Refusal;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Refusal> {
        let factors = select
            .from
            .iter()
            .flat_map(|from| std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation)));
        self.tables.push(factors.filter_map(table_of).collect());
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<Refusal> {
        self.tables.pop();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Refusal> {
        match expr {
            Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => {
                let dividend = tree::cast(take(left), DataType::Double(ExactNumberInfo::None));
                **left = dividend;
                **right = not_zero(take(right));
            }
            Expr::BinaryOp { left: _, op: BinaryOperator::Modulo, right } => **right = not_zero(take(right)),
            Expr::Cast { data_type: DataType::BigInt(None), .. } if self.exact => {
                let digits = DataType::Decimal(ExactNumberInfo::PrecisionAndScale(WHOLE_DIGITS, 0));
                *expr = tree::cast(take(expr), digits);
            }
            Expr::Function(function) => match self.function(function) {
                Ok(Some(rewritten)) => *expr = rewritten,
                Ok(None) => {}
                Err(refusal) => return ControlFlow::Break(refusal),
            },
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Rewriting {
    fn function(&self, function: &mut Function) -> Result<Option<Expr>, Refusal> {
        let name = function.name.to_string();
        match name.as_str() {
            "MATCH" => self.matching(arguments(function)).map(Some),
            "DATE_FORMAT" => Ok(Some(tree::call("to_char", arguments(function)))),
            "DATEDIFF" => Ok(days_between(arguments(function))),
            "AVG" | "MEDIAN" | "STDDEV_SAMP" | "STDDEV_POP" | "VAR_SAMP" | "VAR_POP" | "CORR" | "PERCENTILE_CONT" => {
                in_doubles(function);
                Ok(None)
            }
            "SIGN" => Ok(Some(tree::call("signum", arguments(function)))),
            _ => Ok(None),
        }
    }

    fn matching(&self, args: Vec<Expr>) -> Result<Expr, Refusal> {
        let mut args = args.into_iter();
        let (field, words, options) = (args.next(), args.next(), args.next());
        let (alias, name) = match field {
            Some(Expr::Identifier(name)) => (None, name.value),
            Some(Expr::CompoundIdentifier(parts)) => (
                parts.first().map(|part| part.value.clone()),
                parts.last().map(|part| part.value.clone()).unwrap_or_default(),
            ),
            _ => return Err(unmatched()),
        };
        let table = self.table(alias.as_deref()).ok_or_else(unmatched)?;
        let key = alias.map_or_else(|| tree::column("row_key"), |alias| tree::qualified(&alias, "row_key"));
        let words = words.ok_or_else(unmatched)?;
        let options = options.unwrap_or_else(|| tree::text(""));
        Ok(tree::call("sw_match", [tree::text(&table), tree::text(&name), words, options, key]))
    }

    /// The table behind an alias, or the only one of the innermost SELECT.
    fn table(&self, alias: Option<&str>) -> Option<String> {
        match alias {
            Some(alias) => {
                let known = self.tables.iter().rev().flatten();
                known.into_iter().find(|(name, _)| name == alias).map(|(_, table)| table.clone())
            }
            None => self.tables.last()?.first().map(|(_, table)| table.clone()),
        }
    }
}

/// Casts what a mean is taken over: of whole numbers it need not be whole.
fn in_doubles(function: &mut Function) {
    let double = |expr: &mut Expr| *expr = tree::cast(take(expr), DataType::Double(ExactNumberInfo::None));
    match (&mut function.args, &mut function.within_group[..]) {
        (FunctionArguments::List(list), []) => {
            for arg in &mut list.args {
                if let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = arg {
                    double(expr);
                }
            }
        }
        (_, keys) => keys.iter_mut().for_each(|key| double(&mut key.expr)),
    }
}

fn unmatched() -> Refusal {
    Refusal::new(
        Code::NotRunnable,
        "MATCH stands where its table cannot be told",
        "let MATCH name a field of a table in FROM",
    )
}

/// Alias and table of a relation that is a table, or the scoped SELECT over one.
fn table_of(factor: &TableFactor) -> Option<(String, String)> {
    match factor {
        TableFactor::Table { name, alias, .. } => {
            let table = name.0.last()?.as_ident()?.value.clone();
            Some((alias.as_ref().map_or_else(|| table.clone(), |alias| alias.name.value.clone()), table))
        }
        TableFactor::Derived { subquery, alias: Some(alias), .. } => match &*subquery.body {
            SetExpr::Select(select) if select.projection.len() == 1 => {
                let (_, table) = table_of(&select.from.first()?.relation)?;
                Some((alias.name.value.clone(), table))
            }
            _ => None,
        },
        _ => None,
    }
}

fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Identifier(Ident::new("")))
}

/// The divisor, null where it is zero.
fn not_zero(divisor: Expr) -> Expr {
    match &divisor {
        Expr::Value(value) if matches!(&value.value, Value::Number(text, _) if text.parse::<f64>().is_ok_and(|x| x != 0.0)) => {
            divisor
        }
        _ => tree::call("NULLIF", [divisor, tree::number(0)]),
    }
}

fn arguments(function: &mut Function) -> Vec<Expr> {
    let FunctionArguments::List(list) = &mut function.args else { return Vec::new() };
    let args = std::mem::take(&mut list.args).into_iter();
    args.filter_map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    })
    .collect()
}

/// Midnights between two moments: the difference of the days' seconds, in days.
fn days_between(args: Vec<Expr>) -> Option<Expr> {
    let seconds = |date: Expr| Expr::Extract {
        field: DateTimeField::Epoch,
        syntax: ExtractSyntax::From,
        expr: Box::new(tree::call("date_trunc", [tree::text("day"), date])),
    };
    let mut args = args.into_iter();
    let difference = tree::binary(seconds(args.next()?), BinaryOperator::Minus, seconds(args.next()?));
    let days = tree::binary(tree::nested(difference), BinaryOperator::Divide, tree::number(86_400));
    Some(tree::cast(days, DataType::BigInt(None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_reads_back_as_itself() {
        for text in ["O'Brien", "a''b", r"\' OR 1=1 --", "'", "''", r"C:\tmp\", r"\''", "x'' 'y"] {
            let sql = "SELECT a FROM t WHERE a = 'x'";
            let parsed = parse::statements(&GenericDialect {}, sql).expect("a statement");
            let Some(Statement::Query(mut query)) = parsed.into_iter().next() else { panic!("a query") };
            let SetExpr::Select(select) = query.body.as_mut() else { panic!("a select") };
            let Some(Expr::BinaryOp { right, .. }) = &mut select.selection else { panic!("a condition") };
            **right = tree::text(text);
            let refused = embedded(&query).err();
            assert!(refused.is_none(), "{text}: {refused:?}");
        }
    }
}
