//! Which groups meet a bound: `which T have a total M over 5`, `记录超过 3 条的 T`, and how many they are.

use super::super::bound::op;
use super::super::frame::{Frame, Part};
use super::super::labels;
use super::super::lexicon::Role;
use super::super::measure;
use super::super::reading::{Bound, Column, Condition, How, Op, Shape, Test};
use super::weigh::{Told, Weighing};
use super::{Bag, Found};
use crate::schema::Field;

/// Units of a number that count rows, and those that count people.
const ROW_UNITS: &[&str] = &["条", "次", "笔", "单"];
const PEOPLE_UNITS: &[&str] = &["人", "名", "位"];

/// Groups by their figure, and groups by their number of rows or people.
pub fn having(frame: &Frame) -> Vec<Found> {
    [figures(frame), counts(frame)].into_iter().flatten().collect()
}

fn figures(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let counted = asked(&mut bag)?;
    let (at, measure, op, bound) = frame.conditions.iter().enumerate().find_map(|(at, condition)| {
        let Column::Field(measure) = condition.column else { return None };
        let (op, bound) = match condition.test {
            Test::Compare(op, value) => (op, Bound::Number(value)),
            Test::Range(low, high) => (Op::Equal, Bound::Range(low, high)),
            _ => return None,
        };
        (!condition.negated).then_some((at, measure, op, bound))
    })?;
    let told = Told::of(&mut bag)?;
    bag.drop_joints();
    bag.take(|role| matches!(role, Role::NumberOf));
    bag.take_column(measure);
    let by = group(&mut bag)?;
    let mut conditions: Vec<Condition> = frame.conditions.clone();
    conditions.remove(at);
    let unbound = Frame { conditions: conditions.clone(), ..frame.clone() };
    let Weighing::Rows(how) = told.weigh(&unbound, by, measure)? else { return None };
    let plain = frame.entities.is_none() && bag.is_empty() && bag.is_amount(measure);
    let shape = Shape::Having { by, aggregate: Some((how, measure)), op, bound, counted };
    plain.then(|| Found::new(shape, conditions, bag.cost + 0.03))
}

fn counts(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let (op, number) = bound(frame)?;
    bag.take_number()?;
    bag.take(|role| super::super::bound::op(role).is_some());
    let unit = number.1.as_deref().unwrap_or_default();
    let rows = bag.take(|role| matches!(role, Role::Row | Role::Count { people: false } | Role::Times)).is_some()
        || ROW_UNITS.contains(&unit);
    let people = bag.take(|role| matches!(role, Role::Person | Role::Count { people: true })).is_some()
        || PEOPLE_UNITS.contains(&unit);
    let counted = asked(&mut bag)?;
    bag.take(|role| matches!(role, Role::Trade | Role::NumberOf));
    bag.drop_joints();
    let by = group(&mut bag)?;
    let aggregate = match (rows, people) {
        (true, false) => None,
        (false, true) => heads(&bag)?,
        _ => return None,
    };
    let shape = Shape::Having { by, aggregate, op, bound: Bound::Number(number.0), counted };
    (bag.is_empty() && frame.entities.is_none()).then(|| Found::new(shape, frame.conditions.clone(), bag.cost + 0.03))
}

/// Which groups, or how many of them.
fn asked(bag: &mut Bag) -> Option<bool> {
    let counted = bag.take(|role| role == Role::HowMany).is_some();
    let listed = bag.take(|role| matches!(role, Role::Which | Role::What | Role::List | Role::Who)).is_some();
    let heads = matches!(bag.frame().parts.first(), Some(Part::Column(_)));
    (counted || listed || heads).then_some(counted)
}

/// The one column that is left: a text whose values stand in several rows.
fn group(bag: &mut Bag) -> Option<usize> {
    let columns = bag.columns();
    let (_, by) = columns.first()?;
    let same = columns.iter().all(|(_, other)| other == by);
    bag.take_column(*by);
    let text = bag.field(*by).is_some_and(|field| field.exact().is_some());
    (same && text && measure::is_repeated(bag.frame().table, *by)).then_some(*by)
}

/// How people are counted: as rows where each row is one.
fn heads(bag: &Bag) -> Option<Option<(How, usize)>> {
    let person = bag.only(labels::is_person).or_else(|| bag.key_person())?;
    let field: &Field = bag.field(person)?;
    Some(if labels::is_unique(bag.frame().table, field) { None } else { Some((How::Different, person)) })
}

/// The number with the word that compares beside it.
fn bound(frame: &Frame) -> Option<(Op, (f64, Option<String>))> {
    let at = frame.parts.iter().position(|part| matches!(part, Part::Number(_)))?;
    let role = |at: Option<usize>| match frame.parts.get(at?)? {
        Part::Role(role) => op(*role),
        _ => None,
    };
    let op = role(at.checked_sub(1)).or_else(|| role(Some(at + 1)))?;
    match frame.parts.get(at)? {
        Part::Number(number) => Some((op, (number.value, number.unit.clone()))),
        _ => None,
    }
}
