//! A reading as a statement: an AST, then its text. Nothing of the question is pasted; cells stand in literals.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, OrderByExpr, Query, SelectItem, UnaryOperator};

use super::dates::Grain;
use super::measure;
use super::reading::{Column, Condition, How, Key, Reading, Shape, Test, Top};
use super::tree::{
    Parts, aggregate, binary, count_distinct, derived, equal, function, item, name, number, operator, order_by,
    present, row, star, table, text,
};
use crate::schema::{Schema, Table};

/// The statement of a reading.
pub fn statement(reading: &Reading, schema: &Schema, chinese: bool) -> Option<String> {
    let table = schema.tables.get(reading.table)?;
    let printer = Printer { table, conditions: &reading.conditions, chinese };
    Some(printer.query(&reading.shape).to_string())
}

pub(super) struct Printer<'a> {
    pub(super) table: &'a Table,
    conditions: &'a [Condition],
    /// The language of words that an answer gives: yes and no.
    pub(super) chinese: bool,
}

impl Printer<'_> {
    fn query(&self, shape: &Shape) -> Query {
        match shape {
            Shape::Rows { columns } => self.plain(columns, self.filter(), Vec::new(), None),
            Shape::Cell { column } => self.plain(&[*column], self.filter(), Vec::new(), None),
            Shape::Different { column } => Parts {
                distinct: true,
                ..self.parts(vec![item(self.field(*column))], self.and(present(self.field(*column))))
            }
            .query(),
            Shape::Count => self.one(function("COUNT", star()), self.filter()),
            Shape::CountDifferent { column } => self.one(count_distinct(self.field(*column)), self.filter()),
            Shape::Aggregate { how, column } => self.one(aggregate(*how, self.field(*column)), self.filter()),
            Shape::Grouped { by, aggregate: how, up } => self.grouped(by, *how, *up),
            Shape::Leaders { by, aggregate, most, count } => self.leaders(by, *aggregate, *most, *count),
            Shape::Having { by, aggregate, op, bound, counted } => {
                self.having(*by, *aggregate, (*op, *bound), *counted)
            }
            Shape::Shares { by, summed } => self.shares(by, *summed),
            Shape::Combined { combine, first, second } => self.combined(*combine, first, second),
            Shape::Extreme { columns, measure, most, within } => self.extreme(columns, *measure, *most, *within),
            Shape::Ranked { columns, top } => {
                let shown = with(columns, top.measure);
                self.plain(&shown, self.and(present(self.field(top.measure))), vec![self.order(top)], Some(top.count))
            }
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

    pub(super) fn field(&self, index: usize) -> Expr {
        self.column(Column::Field(index))
    }

    pub(super) fn column(&self, column: Column) -> Expr {
        match column {
            Column::Field(index) => name(&self.table.fields.get(index).map(|field| field.column()).unwrap_or_default()),
            Column::Document => name("docnm_kwd"),
            Column::Sheet => name("sheet_kwd"),
        }
    }

    pub(super) fn parts(&self, items: Vec<SelectItem>, filter: Option<Expr>) -> Parts {
        Parts { items, from: vec![table(&self.table.name)], filter, ..Parts::default() }
    }

    pub(super) fn plain(
        &self,
        columns: &[usize],
        filter: Option<Expr>,
        order: Vec<OrderByExpr>,
        limit: Option<u64>,
    ) -> Query {
        let items = columns.iter().map(|column| item(self.field(*column))).collect();
        Parts { order, limit, ..self.parts(items, filter) }.query()
    }

    pub(super) fn one(&self, expr: Expr, filter: Option<Expr>) -> Query {
        self.parts(vec![item(expr)], filter).query()
    }

    pub(super) fn key(&self, key: &Key) -> Expr {
        let unit = match key.grain {
            Some(Grain::Year) => "year",
            Some(Grain::Quarter) => "quarter",
            Some(Grain::Month) => "month",
            Some(Grain::Day | Grain::Span) | None => return self.field(key.column),
        };
        function("DATE_TRUNC", vec![text(unit), self.field(key.column)])
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
        let best = vec![item(aggregate(how, self.field(measure)))];
        let best = Parts { items: best, from: vec![derived(inner.clone())], ..Parts::default() }.query();
        let best = binary(self.field(measure), BinaryOperator::Eq, Expr::Subquery(Box::new(best)));
        Parts { items, from: vec![derived(inner)], filter: Some(best), ..Parts::default() }.query()
    }

    fn order(&self, top: &Top) -> OrderByExpr {
        order_by(self.field(top.measure), !top.most)
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

    pub(super) fn filter(&self) -> Option<Expr> {
        self.conditions
            .iter()
            .map(|condition| self.condition(condition))
            .reduce(|a, b| binary(a, BinaryOperator::And, b))
    }

    pub(super) fn and(&self, more: Expr) -> Option<Expr> {
        Some(match self.filter() {
            Some(filter) => binary(filter, BinaryOperator::And, more),
            None => more,
        })
    }

    pub(super) fn condition(&self, condition: &Condition) -> Expr {
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

    pub(super) fn test(&self, condition: &Condition) -> Expr {
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
            Test::Average(op) => {
                let average = self.one(aggregate(How::Average, column.clone()), None);
                binary(column, operator(*op), Expr::Subquery(Box::new(average)))
            }
            Test::Other(op, other) => binary(column, operator(*op), self.field(*other)),
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
