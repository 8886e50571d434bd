//! Periods of a question bound to the column that tells when, or to the names of the table.

use chrono::Datelike;

use super::chunks::Meaning;
use super::dates::{Grain, Period, written_like};
use super::frame::{Node, Reducer};
use super::labels;
use super::lexicon::Role;
use super::reading::{Column, Condition, Op, Test};
use crate::schema::Field;
use crate::value::FieldType;

impl Reducer<'_> {
    /// Periods meet the column beside them, the table's names, or its only column of dates or years.
    pub(super) fn periods(&mut self) -> Option<()> {
        let mut at = 0;
        while at < self.nodes.len() {
            let Node::Open(Meaning::Period(period)) = self.nodes[at].clone() else {
                at += 1;
                continue;
            };
            let side = self.role(at.checked_sub(1)).filter(|role| order(*role).is_some());
            let after = self
                .role(Some(at + 1))
                .filter(|role| matches!(role, Role::Before | Role::After | Role::Since | Role::Until));
            let from = at - usize::from(side.is_some());
            let mut to = at + 1 + usize::from(side.is_none() && after.is_some());
            let mut bound = side.or(after);
            if self.role(Some(to)) == Some(Role::Inclusive) {
                bound = bound.map(included);
                to += 1;
            }
            let beside = [from.checked_sub(1), Some(to)]
                .into_iter()
                .find(|place| self.column(*place).is_some_and(|index| self.is_time(index)));
            let asked = beside
                .flatten()
                .is_some_and(|place| matches!(self.role(place.checked_sub(1)), Some(Role::Which | Role::What)));
            let column = beside.flatten().filter(|_| !asked).and_then(|place| self.column(Some(place)));
            if bound.is_none() && column.is_none() && !self.tells_periods(&period) {
                let documents = self.names.of_period(&period);
                if documents > 0 && (self.names.count() <= 1 || documents == self.names.count()) {
                    self.nodes.remove(at);
                    continue;
                }
            }
            let condition = self.period_condition(&period, bound, column)?;
            let start = if column.is_some() && beside.flatten() < Some(from) { from - 1 } else { from };
            let end = if column.is_some() && beside.flatten() >= Some(to) { to + 1 } else { to };
            self.nodes.splice(start..end, [Node::Done(condition)]);
            at = start + 1;
        }
        Some(())
    }

    /// A column of dates or years tells the rows of the period from others.
    fn tells_periods(&self, period: &Period) -> bool {
        self.table.fields.iter().any(|field| {
            let year = labels::is_year(field) && !labels::is_year_of(field);
            let Some((low, high)) = field.range.as_ref().filter(|_| year || field.kind == FieldType::DateTime) else {
                return false;
            };
            let (from, to) = (period.from.to_string(), period.to.to_string());
            let first = if year { from.get(..4).unwrap_or_default() } else { from.as_str() };
            low.as_str() < first || (if year { high.get(..4) >= to.get(..4) } else { *high >= to }) || field.nulls > 0
        })
    }

    fn is_time(&self, index: usize) -> bool {
        self.field(index).is_some_and(|field| {
            field.kind == FieldType::DateTime || labels::is_year(field) || !written(field, None).is_empty()
        })
    }

    fn period_condition(&self, period: &Period, bound: Option<Role>, column: Option<usize>) -> Option<Condition> {
        let column = match column {
            Some(column) => column,
            None => self.time_column(period)?,
        };
        let field = self.field(column)?;
        let test = match field.kind {
            FieldType::DateTime => days(period, bound),
            FieldType::Integer => years(period, bound)?,
            _ if bound.is_none() => Test::Cells(written(field, Some(period))),
            _ => return None,
        };
        Some(Condition { column: Column::Field(column), test, negated: false })
    }

    /// The one column that tells when; for a month the one named so.
    fn time_column(&self, period: &Period) -> Option<usize> {
        let all = || self.table.fields.iter().enumerate();
        let strict: Vec<usize> = all()
            .filter(|(_, field)| labels::is_year(field) && !labels::is_year_of(field))
            .map(|(index, _)| index)
            .collect();
        let loose: Vec<usize> = all().filter(|(_, field)| labels::is_year_of(field)).map(|(index, _)| index).collect();
        let years = if strict.is_empty() { loose } else { strict };
        if let ([only], true) = (years.as_slice(), matches!(period.grain, Grain::Year | Grain::Span)) {
            return Some(*only);
        }
        let dates: Vec<usize> =
            all().filter(|(_, field)| field.kind == FieldType::DateTime).map(|(index, _)| index).collect();
        let monthly = |index: &&usize| {
            self.field(**index)
                .is_some_and(|field| field.label.contains('月') || field.label.to_lowercase().contains("month"))
        };
        match dates.as_slice() {
            [only] => return Some(*only),
            [] => {}
            many => return many.iter().filter(|_| period.grain == Grain::Month).find(monthly).copied(),
        }
        let texts: Vec<usize> =
            all().filter(|(_, field)| !written(field, Some(period)).is_empty()).map(|(index, _)| index).collect();
        match texts.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

/// Words that order a period.
fn order(role: Role) -> Option<Op> {
    match role {
        Role::Before => Some(Op::Less),
        Role::After => Some(Op::More),
        Role::Since => Some(Op::AtLeast),
        Role::Until => Some(Op::AtMost),
        _ => None,
    }
}

/// The same bound with the period as one of them.
fn included(bound: Role) -> Role {
    match bound {
        Role::Before => Role::Until,
        Role::After => Role::Since,
        other => other,
    }
}

fn days(period: &Period, bound: Option<Role>) -> Test {
    match bound {
        Some(Role::Before) => Test::Days(None, Some(period.from)),
        Some(Role::After) => Test::Days(Some(period.to), None),
        Some(Role::Since) => Test::Days(Some(period.from), None),
        Some(Role::Until) => Test::Days(None, Some(period.to)),
        _ => Test::Days(Some(period.from), Some(period.to)),
    }
}

fn years(period: &Period, bound: Option<Role>) -> Option<Test> {
    if period.grain == Grain::Span && bound.is_none() {
        let (first, last) = (period.from, period.to.pred_opt()?);
        let whole = first.ordinal() == 1 && period.to.ordinal() == 1;
        return whole.then(|| Test::Range(f64::from(first.year()), f64::from(last.year())));
    }
    let year = f64::from(period.as_year()?);
    Some(match bound.and_then(order) {
        Some(op) => Test::Compare(op, year),
        None => Test::Numbers(vec![year]),
    })
}

/// Cells of a text column that would be the period, by the writing of its samples; with no period, of any.
fn written(field: &Field, period: Option<&Period>) -> Vec<String> {
    if field.exact().is_none() {
        return Vec::new();
    }
    let mut cells: Vec<String> = Vec::new();
    for sample in &field.samples {
        let own = period.cloned().or_else(|| super::dates::periods(sample).into_iter().next());
        let Some(cell) = own.and_then(|period| written_like(&period, sample)) else { continue };
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    cells
}
