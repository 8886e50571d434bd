//! Numbers of a question bound to the column that they are compared with.

use super::chunks::Meaning;
use super::frame::{Node, Reducer};
use super::labels;
use super::lexicon::Role;
use super::numerals::Number;
use super::reading::{Column, Condition, Op, Test};
use crate::schema::Field;

impl Reducer<'_> {
    /// `column op number`, `op number column`, `number op` beside a column, `column number`.
    pub(super) fn comparisons(&mut self) {
        self.aggregates_first();
        let mut at = 0;
        while at < self.nodes.len() {
            let Node::Open(Meaning::Number(number)) = &self.nodes[at] else {
                at += 1;
                continue;
            };
            let number = number.clone();
            match self.comparison(at, &number) {
                Some((from, mut to, mut condition)) => {
                    if self.role(Some(to)) == Some(Role::Inclusive) {
                        include(&mut condition.test);
                        to += 1;
                    }
                    self.nodes.splice(from..to, [Node::Done(condition)]);
                    at = from + 1;
                }
                None => at += 1,
            }
        }
    }

    /// `M 合计超过 5` reads as `合计 M 超过 5`, 是否 and a named cell as well.
    fn aggregates_first(&mut self) {
        for at in 0..self.nodes.len() {
            let aggregate =
                matches!(self.role(Some(at + 1)), Some(Role::Sum | Role::Total | Role::Average | Role::YesNo));
            let named = matches!(self.nodes.get(at + 1), Some(Node::Open(Meaning::Value { .. })));
            if (aggregate || named)
                && self.numeric(Some(at)).is_some()
                && self.role(Some(at + 2)).and_then(op).is_some()
            {
                self.nodes.swap(at, at + 1);
            }
        }
    }

    /// The condition around a number: the nodes it takes and what it says.
    fn comparison(&self, at: usize, number: &Number) -> Option<(usize, usize, Condition)> {
        let before = at.checked_sub(1);
        let before2 = at.checked_sub(2);
        let (op_before, op_after) = (self.role(before).and_then(op), self.role(Some(at + 1)).and_then(op));
        let make = |column: usize, op: Op| self.compare(column, op, number);
        if let Some(op) = op_before {
            let right = self.numeric(Some(at + 1));
            let left = self.numeric(before2).filter(|column| right.is_none() || !self.is_asked(before2, *column));
            return match (left, right) {
                (Some(column), _) => Some((at - 2, at + 1, make(column, op)?)),
                (None, Some(column)) => Some((at - 1, at + 2, make(column, op)?)),
                (None, None) => None,
            };
        }
        if let Some(op) = op_after {
            if let Some(column) = self.numeric(before) {
                return Some((at - 1, at + 2, make(column, op)?));
            }
            let column = self.numeric(Some(at + 2))?;
            return Some((at, at + 3, make(column, op)?));
        }
        let ranked = |place| {
            matches!(self.role(place), Some(Role::Super { .. } | Role::Top | Role::Bottom | Role::First | Role::Last))
        };
        if let Some(column) = self.numeric(before).filter(|_| !ranked(before2)) {
            return Some((at - 1, at + 1, make(column, Op::Equal)?));
        }
        let column = self
            .numeric(Some(at + 1))
            .filter(|_| !ranked(before) && !matches!(self.role(before), Some(Role::Which | Role::List)))?;
        Some((at, at + 2, make(column, Op::Equal)?))
    }

    /// A column that the question asks for, or one that names rows by number: rather not the one compared.
    fn is_asked(&self, at: Option<usize>, column: usize) -> bool {
        let before = at.and_then(|at| self.role(at.checked_sub(1)));
        matches!(before, Some(Role::Which | Role::What | Role::First | Role::Last | Role::HowMany | Role::List))
            || self.field(column).is_some_and(|field| field.identifier || labels::is_year(field))
    }

    fn numeric(&self, at: Option<usize>) -> Option<usize> {
        self.column(at).filter(|index| self.field(*index).is_some_and(|field| field.kind.is_number()))
    }

    fn compare(&self, column: usize, op: Op, number: &Number) -> Option<Condition> {
        let value = in_unit(self.field(column)?, number)?;
        let test = if op == Op::Equal { Test::Numbers(vec![value]) } else { Test::Compare(op, value) };
        Some(Condition { column: Column::Field(column), test, negated: false })
    }

    /// `M above the average`, `M 高于平均 M`, and a number beside another: `M 低于 N`.
    pub(super) fn against_columns(&mut self) {
        let mut at = 0;
        while at < self.nodes.len() {
            if let Some((end, condition)) = self.average(at).or_else(|| self.other(at)) {
                self.nodes.splice(at..end, [Node::Done(condition)]);
            }
            at += 1;
        }
    }

    fn average(&self, at: usize) -> Option<(usize, Condition)> {
        let left = self.numeric(Some(at));
        let from = at + usize::from(left.is_some());
        let op = self.role(Some(from)).and_then(op)?;
        if self.role(Some(from + 1)) != Some(Role::Average) {
            return None;
        }
        let right = self.numeric(Some(from + 2)).filter(|right| left.is_none_or(|left| left == *right));
        let column = left.or(right)?;
        let end = from + 2 + usize::from(right.is_some());
        Some((end, Condition { column: Column::Field(column), test: Test::Average(op), negated: false }))
    }

    fn other(&self, at: usize) -> Option<(usize, Condition)> {
        let (left, right) = (self.numeric(Some(at))?, self.numeric(Some(at + 2))?);
        let op = self.role(Some(at + 1)).and_then(op).filter(|_| left != right)?;
        Some((at + 3, Condition { column: Column::Field(left), test: Test::Other(op, right), negated: false }))
    }

    pub(super) fn ranges(&mut self) -> Option<()> {
        let mut at = 0;
        while at < self.nodes.len() {
            let Node::Open(Meaning::Range(low, high)) = self.nodes[at].clone() else {
                at += 1;
                continue;
            };
            let before = at.checked_sub(1);
            let skip = usize::from(matches!(self.role(before), Some(Role::Between)));
            let left = at.checked_sub(1 + skip);
            let (from, to, column) = match (self.numeric(left), self.numeric(Some(at + 1))) {
                (Some(column), _) => (at - 1 - skip, at + 1, column),
                (None, Some(column)) => (at - skip, at + 2, column),
                (None, None) => return None,
            };
            let field = self.field(column)?;
            let test = Test::Range(in_unit(field, &low)?, in_unit(field, &high)?);
            self.nodes
                .splice(from..to, [Node::Done(Condition { column: Column::Field(column), test, negated: false })]);
            at = from + 1;
        }
        Some(())
    }
}

/// The bound is one of them.
fn include(test: &mut Test) {
    if let Test::Compare(op, _) = test {
        *op = match *op {
            Op::More => Op::AtLeast,
            Op::Less => Op::AtMost,
            other => other,
        };
    }
}

pub(super) fn op(role: Role) -> Option<Op> {
    match role {
        Role::Over => Some(Op::More),
        Role::AtLeast => Some(Op::AtLeast),
        Role::Under => Some(Op::Less),
        Role::AtMost => Some(Op::AtMost),
        Role::Equal => Some(Op::Equal),
        _ => None,
    }
}

/// The number in the unit of the field; `None` where that can't be told.
fn in_unit(field: &Field, number: &Number) -> Option<f64> {
    let unit = field.unit.as_deref().unwrap_or_default();
    let value = number.value;
    match number.unit.as_deref() {
        Some("%" | "percent") => percent(field, value),
        Some("元" | "块" | "块钱" | "人民币" | "$" | "美元" | "dollars" | "dollar" | "usd") => {
            match unit.chars().next() {
                Some('万') => Some(value / 1e4),
                Some('亿') => Some(value / 1e8),
                _ => Some(value),
            }
        }
        _ if number.scaled && unit.starts_with('万') && value >= 1e4 => Some(value / 1e4),
        _ if number.scaled && unit.starts_with('亿') && value >= 1e8 => Some(value / 1e8),
        _ if unit == "%" && value > 1.0 => percent(field, value),
        _ => Some(value),
    }
}

/// A percent is stored as a fraction where the cells had the sign (unit `%`), else as written.
fn percent(field: &Field, value: f64) -> Option<f64> {
    match field.unit.as_deref() {
        Some("%") => Some(value / 100.0),
        Some("percent") => Some(value),
        _ => {
            let greatest: f64 = field.range.as_ref()?.1.parse().ok()?;
            (greatest > 1.0).then_some(value)
        }
    }
}
