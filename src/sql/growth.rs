//! How many times longer the texts of a statement can get than the cells that they are made of.
//!
//! Comes in: a tree of allowed nodes. Goes out: an upper bound, 1 for a statement that makes no text longer.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, JoinConstraint, JoinOperator,
    OrderByKind, Query, Select, SelectItem, SetExpr, TableFactor, Value,
};

use super::shape;

/// Bytes that stand for one cell where a literal is weighed against it.
const CELL: f64 = 100.0;
/// A number, a date or a truth value as text.
const PLAIN: f64 = 0.4;
/// A text put together of many rows, whose length has a limit of its own.
const OF_ROWS: f64 = 32.0;

/// The bound over all expressions of a query; the columns of one SELECT that grow are added up.
pub(super) fn of(query: &Query) -> f64 {
    let mut growth = Growth { named: Vec::new(), most: 1.0 };
    growth.query(query);
    growth.most
}

struct Growth<'q> {
    /// Named queries in sight with the growth of their columns.
    named: Vec<(&'q str, f64)>,
    most: f64,
}

impl<'q> Growth<'q> {
    /// The growth of what a query gives.
    fn query(&mut self, query: &'q Query) -> f64 {
        let in_sight = self.named.len();
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            let given = self.query(&cte.query);
            self.named.push((&cte.alias.name.value, given));
        }
        let (cells, given) = self.body(&query.body);
        let order = query.order_by.as_ref().map(|order| &order.kind);
        if let Some(OrderByKind::Expressions(keys)) = order {
            keys.iter().for_each(|key| self.note(&key.expr, cells.max(given)));
        }
        self.named.truncate(in_sight);
        given
    }

    /// The growth of the cells that a body reads, and of what it gives.
    fn body(&mut self, body: &'q SetExpr) -> (f64, f64) {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => {
                let given = self.query(query);
                (given, given)
            }
            SetExpr::SetOperation { left, right, .. } => {
                let (left, right) = (self.body(left).1, self.body(right).1);
                (left.max(right), left.max(right))
            }
            _ => (1.0, 1.0),
        }
    }

    fn select(&mut self, select: &'q Select) -> (f64, f64) {
        let mut cells = 1.0f64;
        for from in &select.from {
            cells = cells.max(self.factor(&from.relation));
            for join in &from.joins {
                cells = cells.max(self.factor(&join.relation));
            }
        }
        let joins = select.from.iter().flat_map(|from| &from.joins);
        joins.filter_map(|join| condition(&join.join_operator)).for_each(|on| self.note(on, cells));
        let conditions = [&select.selection, &select.having, &select.qualify].into_iter().flatten();
        conditions.chain(shape::group_keys(select)).for_each(|expr| self.note(expr, cells));
        let items = select.projection.iter().map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => self.expr(expr, cells),
            _ => cells,
        });
        let items: Vec<f64> = items.collect();
        self.most = self.most.max(items.iter().filter(|growth| **growth > 1.0).sum());
        (cells, items.into_iter().fold(0.0, f64::max))
    }

    fn factor(&mut self, factor: &'q TableFactor) -> f64 {
        match factor {
            TableFactor::Derived { subquery, .. } => self.query(subquery),
            TableFactor::Table { name, .. } => {
                let name = name.0.last().and_then(|part| part.as_ident()).map_or("", |name| &name.value);
                self.named.iter().rev().find(|(named, _)| *named == name).map_or(1.0, |(_, growth)| *growth)
            }
            _ => 1.0,
        }
    }

    fn note(&mut self, expr: &'q Expr, cells: f64) {
        let growth = self.expr(expr, cells);
        self.most = self.most.max(growth);
    }

    /// The growth of an expression over cells of that growth.
    fn expr(&mut self, expr: &'q Expr, cells: f64) -> f64 {
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => cells,
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(text) => text.len() as f64 / CELL,
                _ => PLAIN,
            },
            Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
                self.expr(left, cells) + self.expr(right, cells)
            }
            Expr::Function(function) => self.function(function, cells),
            Expr::Subquery(query) => self.query(query),
            Expr::Case { .. }
            | Expr::Cast { .. }
            | Expr::Nested(_)
            | Expr::Substring { .. }
            | Expr::Trim { .. }
            | Expr::UnaryOp { .. } => self.longest(expr, cells).max(PLAIN),
            Expr::Exists { subquery: query, .. } => {
                self.query(query);
                PLAIN
            }
            Expr::InSubquery { expr, subquery, .. } => {
                self.note(expr, cells);
                self.query(subquery);
                PLAIN
            }
            other => {
                let longest = self.longest(other, cells);
                self.most = self.most.max(longest);
                PLAIN
            }
        }
    }

    /// The largest growth among the parts of an expression.
    fn longest(&mut self, expr: &'q Expr, cells: f64) -> f64 {
        parts(expr).into_iter().map(|part| self.expr(part, cells)).fold(0.0, f64::max)
    }

    fn function(&mut self, function: &'q Function, cells: f64) -> f64 {
        let args = arguments(function);
        let grown: Vec<f64> = args.iter().map(|arg| self.expr(arg, cells)).collect();
        let longest = grown.iter().copied().fold(0.0, f64::max);
        match (function.name.to_string().as_str(), &grown[..]) {
            ("CONCAT", grown) => grown.iter().sum(),
            ("REPLACE", [text, _, by]) => text * (by * CELL / shortest(args[1])).max(1.0),
            ("STRING_AGG", _) => OF_ROWS * longest.max(1.0),
            _ => longest.max(PLAIN),
        }
    }
}

/// Bytes of a literal; of anything else one may be all that it has.
fn shortest(expr: &Expr) -> f64 {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => text.len().max(1) as f64,
            _ => 1.0,
        },
        _ => 1.0,
    }
}

fn condition(operator: &JoinOperator) -> Option<&Expr> {
    match operator {
        JoinOperator::Join(JoinConstraint::On(on))
        | JoinOperator::Inner(JoinConstraint::On(on))
        | JoinOperator::Left(JoinConstraint::On(on))
        | JoinOperator::LeftOuter(JoinConstraint::On(on))
        | JoinOperator::Right(JoinConstraint::On(on))
        | JoinOperator::RightOuter(JoinConstraint::On(on))
        | JoinOperator::FullOuter(JoinConstraint::On(on))
        | JoinOperator::CrossJoin(JoinConstraint::On(on)) => Some(on),
        _ => None,
    }
}

fn arguments(function: &Function) -> Vec<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return Vec::new() };
    let args = list.args.iter().filter_map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    args.collect()
}

/// What stands in an expression, without the queries in it.
fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Nested(inner)
        | Expr::UnaryOp { expr: inner, .. }
        | Expr::Cast { expr: inner, .. }
        | Expr::Substring { expr: inner, .. }
        | Expr::Trim { expr: inner, .. }
        | Expr::IsNull(inner)
        | Expr::IsNotNull(inner)
        | Expr::IsTrue(inner)
        | Expr::IsNotTrue(inner)
        | Expr::IsFalse(inner)
        | Expr::IsNotFalse(inner)
        | Expr::Extract { expr: inner, .. }
        | Expr::Ceil { expr: inner, .. }
        | Expr::Floor { expr: inner, .. } => vec![inner],
        Expr::BinaryOp { left, right, .. } => vec![left, right],
        Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => vec![expr, pattern],
        Expr::Between { expr, low, high, .. } => vec![expr, low, high],
        Expr::InList { expr, list, .. } => std::iter::once(&**expr).chain(list).collect(),
        Expr::Case { conditions, else_result, .. } => {
            let whens = conditions.iter().flat_map(|when| [&when.condition, &when.result]);
            whens.chain(else_result.as_deref()).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::{dialect::GenericDialect, parser::Parser};

    use super::*;

    #[test]
    fn the_bound_is_what_the_parts_can_grow_to() {
        let ten = "x".repeat(10);
        for (statement, want) in [
            ("SELECT a, b, c FROM t".to_owned(), 1.0),
            ("SELECT SUM(a) FROM t GROUP BY b".to_owned(), 1.0),
            ("SELECT a || b || c FROM t".to_owned(), 3.0),
            ("SELECT CONCAT(a, b), a || b FROM t".to_owned(), 4.0),
            ("SELECT REPLACE(a, '，', ',') FROM t".to_owned(), 1.0),
            (format!("SELECT REPLACE(REPLACE(a, 'x', '{ten}'), 'x', '{ten}') FROM t"), 100.0),
            (format!("SELECT COUNT(*) FROM t WHERE LENGTH(REPLACE(a, 'x', '{ten}')) > 3"), 10.0),
            (
                "WITH p AS (SELECT a || a AS b FROM t), q AS (SELECT b || b AS c FROM p) SELECT c || c FROM q"
                    .to_owned(),
                8.0,
            ),
            ("SELECT COUNT(*) FROM (SELECT a || a AS b FROM t) u JOIN t ON u.b || u.b = t.a".to_owned(), 4.0),
            ("SELECT CASE WHEN a = 'x' THEN b || b ELSE a END FROM t ORDER BY a || b || c".to_owned(), 6.0),
            ("SELECT a FROM t WHERE b IN (SELECT c || c FROM t) AND a || a LIKE 'x%'".to_owned(), 2.0),
        ] {
            let query = Parser::new(&GenericDialect {}).try_with_sql(&statement).expect("tokens").parse_query();
            let growth = of(&query.expect("a query"));
            assert!((growth - want).abs() < 0.5, "{statement}: {growth}");
        }
    }
}
