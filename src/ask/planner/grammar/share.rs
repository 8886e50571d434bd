//! Parts of a whole: `what share of M is A's`, `A 的 M 占比`, `各 T 的 M 占比`.

use super::super::frame::Frame;
use super::super::lexicon::Role;
use super::super::measure;
use super::super::reading::{Column, Combine, Condition, Figure, How, Operand, Shape, Test};
use super::group::keys;
use super::{Bag, Found};
use crate::value::FieldType;

/// The part of the named rows, or of each group.
pub fn share(frame: &Frame) -> Vec<Found> {
    [part(frame), parts(frame)].into_iter().flatten().collect()
}

fn part(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let summed = whole(&mut bag)?;
    let span = |condition: &Condition| matches!(condition.test, Test::Days(..));
    let (base, named): (Vec<Condition>, Vec<Condition>) = frame.conditions.iter().cloned().partition(span);
    let [among] = named.as_slice() else { return None };
    let aggregate = summed.map(|column| (How::Sum, column));
    let figure = |among: Option<Condition>| Operand::Figure(Figure { aggregate, among });
    let shape = Shape::Combined { combine: Combine::Ratio, first: figure(Some(among.clone())), second: figure(None) };
    (bag.is_empty() && frame.entities.is_none()).then(|| Found::new(shape, base, bag.cost + 0.03))
}

fn parts(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let keys = keys(&mut bag)?;
    let [by] = keys.as_slice() else { return None };
    if frame.conditions.iter().any(|condition| !matches!(condition.test, Test::Days(..))) {
        return None;
    }
    let summed = whole(&mut bag)?;
    let shape = Shape::Shares { by: *by, summed };
    (bag.is_empty() && frame.entities.is_none()).then(|| Found::new(shape, frame.conditions.clone(), bag.cost + 0.03))
}

/// A condition is a yes or no, so that rows are what it divides.
fn flagged(frame: &Frame) -> bool {
    frame.conditions.iter().any(|condition| {
        matches!(condition.column, Column::Field(index)
            if frame.table.fields.get(index).is_some_and(|field| field.kind == FieldType::Flag))
    })
}

/// What the whole is: the sum of a column, or all rows (`Some(None)`).
fn whole(bag: &mut Bag) -> Option<Option<usize>> {
    bag.take(|role| role == Role::Share)?;
    let counts = bag
        .take(|role| matches!(role, Role::Row | Role::Person | Role::Count { .. } | Role::NumberOf | Role::HowMany))
        .is_some();
    bag.take(|role| {
        matches!(role, Role::What | Role::HowMuch | Role::Total | Role::Sum | Role::List | Role::InTermsOf)
    });
    bag.drop_joints();
    let columns = bag.columns();
    let Some((_, column)) = columns.first() else { return (counts || flagged(bag.frame())).then_some(None) };
    let same = columns.iter().all(|(_, other)| other == column);
    bag.take_column(*column);
    let adds_up = bag.field(*column).is_some_and(measure::adds_up);
    (same && adds_up && !counts && bag.is_amount(*column)).then_some(Some(*column))
}
