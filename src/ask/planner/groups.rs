//! Statements about groups: one figure for each, the leaders, those that meet a bound, and each one's part of the whole.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, OrderByExpr, Query};

use super::measure;
use super::print::Printer;
use super::reading::{Bound, How, Key, Op};
use super::tree::{
    Parts, aggregate, binary, derived, function, item, name, named, number, operator, order_by, present, star,
};

impl Printer<'_> {
    /// The aggregate of a group; its number of rows where there is none.
    pub(super) fn value(&self, how: Option<(How, usize)>) -> Expr {
        match how {
            Some((how, column)) => aggregate(how, self.field(column)),
            None => function("COUNT", star()),
        }
    }

    /// By the aggregate, the greatest first; periods in their own order.
    pub(super) fn grouped(&self, by: &[Key], how: Option<(How, usize)>, up: Option<bool>) -> Query {
        let value = || self.value(how);
        let keys: Vec<Expr> = by.iter().map(|key| self.key(key)).collect();
        let items = keys.iter().cloned().chain([value()]).map(item).collect();
        let timed = by.iter().position(|key| measure::is_time(self.table, key.column)).filter(|_| up.is_none());
        let mut order: Vec<OrderByExpr> = timed.map(|at| order_by(keys[at].clone(), true)).into_iter().collect();
        order.push(order_by(value(), up.unwrap_or(false)));
        Parts { group: keys, order, ..self.parts(items, self.filter()) }.query()
    }

    /// The greatest or least groups by the figure: the first `count`, or all that have the extreme.
    pub(super) fn leaders(&self, by: &Key, how: Option<(How, usize)>, most: bool, count: Option<u64>) -> Query {
        let told = self.told(by.column, how);
        let filter = || self.and(told.clone());
        let value = || self.value(how);
        let items = vec![item(self.key(by)), item(value())];
        let group = vec![self.key(by)];
        if count.is_some() {
            let order = vec![order_by(value(), !most)];
            return Parts { group, order, limit: count, ..self.parts(items, filter()) }.query();
        }
        let alias = if how.is_some() { "v" } else { "n" };
        let figures = Parts { group: group.clone(), ..self.parts(vec![named(value(), alias)], filter()) }.query();
        let having = binary(value(), BinaryOperator::Eq, best_of(alias, figures, most));
        Parts { group, having: Some(having), ..self.parts(items, filter()) }.query()
    }

    /// Rows that have a group, and a value where one is put together.
    fn told(&self, by: usize, how: Option<(How, usize)>) -> Expr {
        let told = present(self.field(by));
        match how {
            Some((_, column)) => binary(told, BinaryOperator::And, present(self.field(column))),
            None => told,
        }
    }

    pub(super) fn having(
        &self,
        by: usize,
        how: Option<(How, usize)>,
        (op, bound): (Op, Bound),
        counted: bool,
    ) -> Query {
        let value = || self.value(how);
        let meets = match bound {
            Bound::Number(bound) => binary(value(), operator(op), number(bound)),
            Bound::Range(low, high) => Expr::Between {
                expr: Box::new(value()),
                negated: false,
                low: Box::new(number(low)),
                high: Box::new(number(high)),
            },
        };
        let filter = self.and(self.told(by, how));
        let mut items = vec![item(self.field(by))];
        if !counted {
            items.push(item(value()));
        }
        let order = if counted { Vec::new() } else { vec![order_by(value(), false)] };
        let groups =
            Parts { group: vec![self.field(by)], having: Some(meets), order, ..self.parts(items, filter) }.query();
        if !counted {
            return groups;
        }
        Parts { items: vec![item(function("COUNT", star()))], from: vec![derived(groups)], ..Parts::default() }.query()
    }

    /// Each group's part of the whole, the greatest first.
    pub(super) fn shares(&self, by: &Key, summed: Option<usize>) -> Query {
        let how = summed.map(|column| (How::Sum, column));
        let whole = self.one(self.value(how), self.filter());
        let share = || binary(self.value(how), BinaryOperator::Divide, Expr::Subquery(Box::new(whole.clone())));
        let items = vec![item(self.key(by)), item(share())];
        let order: Vec<OrderByExpr> = vec![order_by(share(), false)];
        Parts { group: vec![self.key(by)], order, ..self.parts(items, self.filter()) }.query()
    }
}

/// The greatest or least of what a query gives under an alias, as a value.
fn best_of(alias: &str, query: Query, most: bool) -> Expr {
    let how = if most { How::Greatest } else { How::Least };
    let items = vec![item(aggregate(how, name(alias)))];
    Expr::Subquery(Box::new(Parts { items, from: vec![derived(query)], ..Parts::default() }.query()))
}
