//! Statements that put two figures together: difference, ratio, growth, yes or no.
//!
//! Must never happen: yes or no where a figure is missing.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Query};

use super::print::Printer;
use super::reading::{Column, Combine, Condition, Figure, How, Operand, Test};
use super::tree::{Parts, aggregate, binary, case, choose, function, item, number, operator, present, star, text};
use crate::value::FieldType;

impl Printer<'_> {
    pub(super) fn difference(
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
    pub(super) fn rounded(&self, value: Expr, measure: usize) -> Expr {
        match self.table.fields.get(measure).filter(|field| field.kind == FieldType::Decimal) {
            Some(field) => function("ROUND", vec![value, number(f64::from(field.decimals))]),
            None => value,
        }
    }

    /// The combination, and behind it what it is made of.
    pub(super) fn combined(&self, combine: Combine, first: &Operand, second: &Operand) -> Query {
        let (one, two) = (self.operand(first), self.operand(second));
        let quotient =
            |value: Expr| binary(value, BinaryOperator::Divide, function("NULLIF", vec![two.clone(), number(0.0)]));
        let less = || binary(one.clone(), BinaryOperator::Minus, two.clone());
        let value = match combine {
            Combine::Ratio => quotient(one.clone()),
            Combine::Growth => quotient(Expr::Nested(Box::new(less()))),
            Combine::Holds(op) => {
                let figures = [(first, &one), (second, &two)];
                let figures = figures.into_iter().filter(|(operand, _)| matches!(operand, Operand::Figure(_)));
                self.verdict(binary(one.clone(), operator(op), two.clone()), figures.map(|(_, figure)| figure.clone()))
            }
        };
        let mut items = vec![item(value), item(one.clone())];
        if matches!(second, Operand::Figure(_)) {
            items.push(item(two.clone()));
        }
        self.parts(items, self.either(first, second)).query()
    }

    /// Yes or no; neither where one of the figures is missing.
    fn verdict(&self, holds: Expr, figures: impl Iterator<Item = Expr>) -> Expr {
        let (yes, no) = if self.chinese { ("是", "否") } else { ("yes", "no") };
        let told = figures.map(present).reduce(|a, b| binary(a, BinaryOperator::And, b));
        let otherwise = told.map(|told| (told, text(no)));
        choose([(holds, text(yes))].into_iter().chain(otherwise).collect())
    }

    fn operand(&self, operand: &Operand) -> Expr {
        match operand {
            Operand::Number(value) => number(*value),
            Operand::Figure(Figure { aggregate: how, among }) => match (how, among) {
                (how, None) => self.value(*how),
                (Some((how, column)), Some(among)) => aggregate(*how, case(self.condition(among), self.field(*column))),
                (None, Some(among)) => function("COUNT", vec![case(self.condition(among), number(1.0))]),
            },
        }
    }

    /// The rows of either figure.
    fn either(&self, first: &Operand, second: &Operand) -> Option<Expr> {
        let among = |operand: &Operand| match operand {
            Operand::Figure(Figure { among, .. }) => Some(among.clone()),
            Operand::Number(_) => None,
        };
        let all: Option<Vec<Condition>> = [among(first), among(second)].into_iter().flatten().collect();
        let tests = all.unwrap_or_default();
        let any = tests.iter().map(|test| self.condition(test)).reduce(|a, b| binary(a, BinaryOperator::Or, b));
        match any {
            Some(any) if tests.len() > 1 => self.and(Expr::Nested(Box::new(any))),
            Some(any) => self.and(any),
            None => self.filter(),
        }
    }
}
