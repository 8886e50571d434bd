//! A reading as a statement: an AST, then its text. Nothing of the question is pasted; cells stand in literals.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, OrderByExpr, Query, SelectItem, UnaryOperator};

use super::dates::Grain;
use super::measure;
use super::reading::{Column, Condition, How, Key, Reading, Shape, Test, Top};
use super::tree::{
    Parts, aggregate, binary, case, count_distinct, derived, equal, function, item, name, named, number, operator,
    order_by, present, row, star, table, text,
};
use crate::schema::{Schema, Table};
use crate::value::FieldType;

/// The statement of a reading.
pub fn statement(reading: &Reading, schema: &Schema) -> Option<String> {
    let table = schema.tables.get(reading.table)?;
    let printer = Printer { table, conditions: &reading.conditions };
    Some(printer.query(&reading.shape).to_string())
}

struct Printer<'a> {
    table: &'a Table,
    conditions: &'a [Condition],
}

impl Printer<'_> {
    fn query(&self, shape: &Shape) -> Query {
        match shape {
            Shape::Rows { columns } => self.plain(columns, self.filter(), Vec::new(), None),
            Shape::Different { column } => Parts {
                distinct: true,
                ..self.parts(vec![item(self.field(*column))], self.and(present(self.field(*column))))
            }
            .query(),
            Shape::Count => self.one(function("COUNT", star()), self.filter()),
            Shape::CountDifferent { column } => self.one(count_distinct(self.field(*column)), self.filter()),
            Shape::Aggregate { how, column } => self.one(aggregate(*how, self.field(*column)), self.filter()),
            Shape::Grouped { by, aggregate: how, up } => self.grouped(by, *how, *up),
            Shape::Leaders { by, how, measure, most, count } => self.leaders(*by, (*how, *measure), *most, *count),
            Shape::Extreme { columns, measure, most, within } => self.extreme(columns, *measure, *most, *within),
            Shape::Ranked { columns, top } => {
                let shown = with(columns, top.measure);
                self.plain(&shown, self.and(present(self.field(top.measure))), vec![self.order(top)], Some(top.count))
            }
            Shape::Frequent { by, most } => self.frequent(*by, *most),
            Shape::Difference { how, key, first, second, measure, signed, checked } => {
                self.difference(*key, [first, second], (*how, *measure), *signed, *checked)
            }
            Shape::Spread { measure } => {
                let column = || self.field(*measure);
                let spread =
                    binary(aggregate(How::Greatest, column()), BinaryOperator::Minus, aggregate(How::Least, column()));
                self.one(self.rounded(spread, *measure), self.filter())
            }
            Shape::Neighbour { columns, next } => self.neighbour(columns, *next),
            Shape::Edge { columns, last } => {
                let order = order_by(row(), !last);
                self.plain(columns, self.filter(), vec![order], Some(1))
            }
        }
    }

    fn field(&self, index: usize) -> Expr {
        self.column(Column::Field(index))
    }

    fn column(&self, column: Column) -> Expr {
        match column {
            Column::Field(index) => name(&self.table.fields.get(index).map(|field| field.column()).unwrap_or_default()),
            Column::Document => name("docnm_kwd"),
            Column::Sheet => name("sheet_kwd"),
        }
    }

    fn parts(&self, items: Vec<SelectItem>, filter: Option<Expr>) -> Parts {
        Parts { items, from: vec![table(&self.table.name)], filter, ..Parts::default() }
    }

    fn plain(&self, columns: &[usize], filter: Option<Expr>, order: Vec<OrderByExpr>, limit: Option<u64>) -> Query {
        let items = columns.iter().map(|column| item(self.field(*column))).collect();
        Parts { order, limit, ..self.parts(items, filter) }.query()
    }

    fn one(&self, expr: Expr, filter: Option<Expr>) -> Query {
        self.parts(vec![item(expr)], filter).query()
    }

    fn key(&self, key: &Key) -> Expr {
        let unit = match key.grain {
            Some(Grain::Year) => "year",
            Some(Grain::Quarter) => "quarter",
            Some(Grain::Month) => "month",
            Some(Grain::Day | Grain::Span) | None => return self.field(key.column),
        };
        function("DATE_TRUNC", vec![text(unit), self.field(key.column)])
    }

    /// By the aggregate, the greatest first; periods in their own order.
    fn grouped(&self, by: &[Key], how: Option<(How, usize)>, up: Option<bool>) -> Query {
        let value = || match how {
            Some((how, column)) => aggregate(how, self.field(column)),
            None => function("COUNT", star()),
        };
        let keys: Vec<Expr> = by.iter().map(|key| self.key(key)).collect();
        let items = keys.iter().cloned().chain([value()]).map(item).collect();
        let timed = by.iter().position(|key| measure::is_time(self.table, key.column)).filter(|_| up.is_none());
        let mut order: Vec<OrderByExpr> = timed.map(|at| order_by(keys[at].clone(), true)).into_iter().collect();
        order.push(order_by(value(), up.unwrap_or(false)));
        Parts { group: keys, order, ..self.parts(items, self.filter()) }.query()
    }

    fn leaders(&self, by: usize, (how, measure): (How, usize), most: bool, count: Option<u64>) -> Query {
        let value = || aggregate(how, self.field(measure));
        let told = binary(present(self.field(by)), BinaryOperator::And, present(self.field(measure)));
        let filter = || self.and(told.clone());
        let group = || vec![self.field(by)];
        let items = vec![item(self.field(by)), item(value())];
        if count.is_some() {
            let order = vec![order_by(value(), !most)];
            return Parts { group: group(), order, limit: count, ..self.parts(items, filter()) }.query();
        }
        let sums = Parts { group: group(), ..self.parts(vec![named(value(), "v")], filter()) }.query();
        let having = binary(value(), BinaryOperator::Eq, best_of("v", sums, most));
        Parts { group: group(), having: Some(having), ..self.parts(items, filter()) }.query()
    }

    fn extreme(&self, columns: &[usize], measure: usize, most: bool, within: Option<Top>) -> Query {
        let how = if most { How::Greatest } else { How::Least };
        let Some(top) = within else {
            let sparse =
                columns.iter().filter(|column| self.table.fields.get(**column).is_some_and(|field| field.nulls > 0));
            let told = sparse
                .map(|column| present(self.field(*column)))
                .chain(self.filter())
                .reduce(|a, b| binary(b, BinaryOperator::And, a));
            let best = self.one(aggregate(how, self.field(measure)), told.clone());
            let best = binary(self.field(measure), BinaryOperator::Eq, Expr::Subquery(Box::new(best)));
            let filter = Some(match told {
                Some(told) => binary(told, BinaryOperator::And, best),
                None => best,
            });
            let items = with(columns, measure).iter().map(|column| item(self.field(*column))).collect();
            let distinct = columns.iter().all(|column| measure::is_repeated(self.table, *column));
            return Parts { distinct, ..self.parts(items, filter) }.query();
        };
        let inner = self.plain(
            &with(&with(columns, measure), top.measure),
            self.and(present(self.field(top.measure))),
            vec![self.order(&top)],
            Some(top.count),
        );
        let items = with(columns, measure).iter().map(|column| item(self.field(*column))).collect();
        let order = vec![order_by(self.field(measure), !most)];
        Parts {
            items,
            from: vec![derived(inner)],
            filter: Some(present(self.field(measure))),
            order,
            limit: Some(1),
            ..Parts::default()
        }
        .query()
    }

    fn order(&self, top: &Top) -> OrderByExpr {
        order_by(self.field(top.measure), !top.most)
    }

    fn frequent(&self, by: usize, most: bool) -> Query {
        let filter = || self.and(present(self.field(by)));
        let counts =
            Parts { group: vec![self.field(by)], ..self.parts(vec![named(function("COUNT", star()), "n")], filter()) }
                .query();
        let having = binary(function("COUNT", star()), BinaryOperator::Eq, best_of("n", counts, most));
        let items = vec![item(self.field(by)), item(function("COUNT", star()))];
        Parts { group: vec![self.field(by)], having: Some(having), ..self.parts(items, filter()) }.query()
    }

    fn difference(
        &self,
        key: Column,
        sides: [&Test; 2],
        (how, measure): (How, usize),
        signed: bool,
        checked: bool,
    ) -> Query {
        let side = |test: &Test| {
            let condition = self.test(&Condition { column: key, test: test.clone(), negated: false });
            aggregate(how, case(condition, self.field(measure)))
        };
        let value = binary(side(sides[0]), BinaryOperator::Minus, side(sides[1]));
        let value = if signed { value } else { function("ABS", vec![value]) };
        let either = sides.map(|test| self.test(&Condition { column: key, test: test.clone(), negated: false }));
        let [a, b] = either;
        let filter = self.and(Expr::Nested(Box::new(binary(a, BinaryOperator::Or, b))));
        let having = checked.then(|| binary(function("COUNT", star()), BinaryOperator::LtEq, number(2.0)));
        Parts { having, ..self.parts(vec![item(self.rounded(value, measure))], filter) }.query()
    }

    /// To the places that the cells show: a difference of decimals has the noise of binary fractions.
    fn rounded(&self, value: Expr, measure: usize) -> Expr {
        match self.table.fields.get(measure).filter(|field| field.kind == FieldType::Decimal) {
            Some(field) => function("ROUND", vec![value, number(f64::from(field.decimals))]),
            None => value,
        }
    }

    fn neighbour(&self, columns: &[usize], next: bool) -> Query {
        let (near, op, edge) = if next {
            (How::Greatest, BinaryOperator::Gt, How::Least)
        } else {
            (How::Least, BinaryOperator::Lt, How::Greatest)
        };
        let anchor = self.one(aggregate(near, row()), self.filter());
        let beyond = binary(row(), op, Expr::Subquery(Box::new(anchor)));
        let place = self.one(aggregate(edge, row()), Some(beyond));
        self.plain(columns, Some(binary(row(), BinaryOperator::Eq, Expr::Subquery(Box::new(place)))), Vec::new(), None)
    }

    fn filter(&self) -> Option<Expr> {
        self.conditions
            .iter()
            .map(|condition| self.condition(condition))
            .reduce(|a, b| binary(a, BinaryOperator::And, b))
    }

    fn and(&self, more: Expr) -> Option<Expr> {
        Some(match self.filter() {
            Some(filter) => binary(filter, BinaryOperator::And, more),
            None => more,
        })
    }

    fn condition(&self, condition: &Condition) -> Expr {
        let test = self.test(condition);
        if !condition.negated {
            return test;
        }
        match test {
            Expr::InList { expr, list, negated } => Expr::InList { expr, list, negated: !negated },
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
                Expr::BinaryOp { left, op: BinaryOperator::NotEq, right }
            }
            other => Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(Expr::Nested(Box::new(other))) },
        }
    }

    fn test(&self, condition: &Condition) -> Expr {
        let column = self.column(condition.column);
        match &condition.test {
            Test::Cells(cells) => equal(column, cells.iter().map(|cell| text(cell)).collect()),
            Test::Numbers(numbers) => equal(column, numbers.iter().map(|value| number(*value)).collect()),
            Test::Compare(op, value) => binary(column, operator(*op), number(*value)),
            Test::Range(low, high) => Expr::Between {
                expr: Box::new(column),
                negated: false,
                low: Box::new(number(*low)),
                high: Box::new(number(*high)),
            },
            Test::Missing => Expr::IsNull(Box::new(column)),
            Test::Days(from, to) => {
                let from = from.map(|day| binary(column.clone(), BinaryOperator::GtEq, text(&day.to_string())));
                let to = to.map(|day| binary(column.clone(), BinaryOperator::Lt, text(&day.to_string())));
                let both = [from, to].into_iter().flatten().reduce(|a, b| binary(a, BinaryOperator::And, b));
                both.unwrap_or_else(|| present(column))
            }
        }
    }
}

fn with(columns: &[usize], measure: usize) -> Vec<usize> {
    let mut all = columns.to_vec();
    if !all.contains(&measure) {
        all.push(measure);
    }
    all
}

/// The greatest or least of what a query gives under an alias, as a value.
fn best_of(alias: &str, query: Query, most: bool) -> Expr {
    let how = if most { How::Greatest } else { How::Least };
    let items = vec![item(aggregate(how, name(alias)))];
    Expr::Subquery(Box::new(Parts { items, from: vec![derived(query)], ..Parts::default() }.query()))
}
