//! One figure for each value of a column or each period: sums, averages, extremes, counts.

use super::super::frame::{Frame, Part};
use super::super::labels;
use super::super::lexicon::{Manner, Role};
use super::super::measure;
use super::super::reading::{How, Key, Shape};
use super::aggregate::stated;
use super::{Bag, Found};
use crate::value::FieldType;

/// `各 T 的 M 总和，从高到低`, `total M by T, highest first`, `每个月的 M`, `每个 T 有多少条记录`.
pub fn group(frame: &Frame) -> Vec<Found> {
    [amounts(frame), counts(frame)].into_iter().flatten().collect()
}

fn amounts(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let both = |pair: &[Part]| matches!(pair, [Part::Role(Role::Average), Part::Role(Role::Per)]);
    if frame.parts.windows(2).any(both) {
        return None;
    }
    let conditions = frame.all_conditions()?;
    let mut keys = keys(&mut bag)?;
    let up = order(&mut bag)?;
    let stated = match (stated(&mut bag)?, extreme(&mut bag)?) {
        (Some(_), Some(_)) => return None,
        (stated, extreme) => stated.or(extreme),
    };
    bag.take(|role| {
        matches!(
            role,
            Role::NumberOf
                | Role::What
                | Role::HowMuch
                | Role::HowMany
                | Role::List
                | Role::Respective
                | Role::InTermsOf
        )
    });
    bag.drop_joints();
    let columns = bag.columns();
    let measure = columns.iter().map(|(_, index)| *index).find(|index| bag.is_amount(*index))?;
    bag.take_column(measure);
    keys.retain(|key| key.column != measure);
    bag.take(|role| matches!(role, Role::Row | Role::Person));
    if !bag.take_deeds(Some(measure)) || !bag.is_empty() || keys.is_empty() {
        return None;
    }
    let field = bag.field(measure)?;
    let single =
        keys.iter().any(|key| key.grain.is_none() && frame.is_unique(super::super::reading::Column::Field(key.column)));
    let (how, added_up) = match stated {
        Some(How::Sum) if !measure::may_be_summed(field) => return None,
        Some(how) => (how, false),
        None if single && conditions.is_empty() => {
            let columns = keys.iter().map(|key| key.column).chain([measure]).collect();
            return up.is_none().then(|| Found::new(Shape::Rows { columns }, conditions, bag.cost + 0.05));
        }
        None if measure::is_traded(field) => (How::Sum, true),
        None => return None,
    };
    let shape = Shape::Grouped { by: keys, aggregate: Some((how, measure)), up };
    Some(Found { added_up, ..Found::new(shape, conditions, bag.cost) })
}

/// Rows, or people, for each key.
fn counts(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let conditions = frame.all_conditions()?;
    let keys = keys(&mut bag)?;
    let up = order(&mut bag)?;
    let counts = bag.take(|role| role == Role::Count { people: false }).is_some();
    let heads = bag.take(|role| role == Role::Count { people: true }).is_some();
    if bag.take(|role| matches!(role, Role::HowMany | Role::NumberOf)).is_none() && !counts && !heads {
        return None;
    }
    let different = bag.take(|role| role == Role::Distinct).is_some();
    let people = bag.take(|role| role == Role::Person).is_some() || heads;
    let rows = bag.take(|role| role == Role::Row).is_some() || counts;
    bag.take(|role| matches!(role, Role::What | Role::List | Role::Appear | Role::Respective | Role::InTermsOf));
    bag.drop_joints();
    let mut counted: Vec<usize> = bag.columns().iter().map(|(_, index)| *index).collect();
    counted.dedup();
    counted.iter().for_each(|index| bag.take_column(*index));
    if people && counted.is_empty() {
        let person = bag.only(labels::is_person).or_else(|| bag.key_person())?;
        if !measure::is_repeated(frame.table, person) {
            return bag
                .is_empty()
                .then(|| Found::new(Shape::Grouped { by: keys, aggregate: None, up }, conditions, bag.cost));
        }
        counted.push(person);
    }
    let aggregate = match counted.as_slice() {
        [] if different => return None,
        [] if rows => None,
        [] => return None,
        [only] if !different && bag.field(*only).is_some_and(|field| labels::is_unique(frame.table, field)) => None,
        [only] if bag.field(*only)?.exact().is_some() && (different || frame.is_traded()) => {
            Some((How::Different, *only))
        }
        _ => return None,
    };
    bag.is_empty().then(|| Found::new(Shape::Grouped { by: keys, aggregate, up }, conditions, bag.cost))
}

/// What is grouped by: columns behind 各, 每, 按, `by`, `per`, `for each`, with those joined to them; periods of the only date.
pub fn keys(bag: &mut Bag) -> Option<Vec<Key>> {
    let mut keys: Vec<Key> = Vec::new();
    let grains: Vec<_> = bag
        .roles()
        .filter_map(|(_, role)| match role {
            Role::PerTime(grain) => Some(grain),
            _ => None,
        })
        .collect();
    for grain in grains {
        let date = bag.only(|field| field.kind == FieldType::DateTime);
        keys.push(Key { column: date?, grain: Some(grain) });
    }
    let mut grouped = !keys.is_empty();
    bag.take(|role| matches!(role, Role::PerTime(_)));
    for (at, index) in bag.columns() {
        if bag.is_amount(index) || bag.field(index)?.kind == FieldType::Decimal {
            continue;
        }
        grouped |= groups(bag, at);
        if keys.iter().any(|key| key.column == index) {
            bag.take_column(index);
        } else if groups(bag, at) || (grouped && joined(bag, at)) {
            keys.push(Key { column: index, grain: None });
            bag.take_column(index);
        }
    }
    bag.take(|role| role == Role::Per);
    (grouped && keys.len() <= 3).then_some(keys)
}

/// 各, 每, 按 or `by` stands right before the column.
fn groups(bag: &Bag, at: usize) -> bool {
    matches!(bag.before(at), Some(Role::Per | Role::InTermsOf))
}

/// The column follows another column, with no more than an `and` between.
fn joined(bag: &Bag, at: usize) -> bool {
    let parts = &bag.frame().parts;
    let column = |at: Option<usize>| matches!(at.and_then(|at| parts.get(at)), Some(Part::Column(_)));
    let and = matches!(at.checked_sub(1).and_then(|at| parts.get(at)), Some(Part::Role(Role::And)));
    column(at.checked_sub(1)) || (and && column(at.checked_sub(2)))
}

/// Up or down, where the question tells; `None` where it tells both.
fn order(bag: &mut Bag) -> Option<Option<bool>> {
    let told: Vec<bool> = bag
        .roles()
        .filter_map(|(_, role)| match role {
            Role::Order { up } => Some(up),
            _ => None,
        })
        .collect();
    bag.take(|role| matches!(role, Role::Order { .. }));
    match told.as_slice() {
        [] => Some(None),
        [first, rest @ ..] => rest.iter().all(|other| other == first).then_some(Some(*first)),
    }
}

/// `各 T 最高的 M`: the extreme of each; `None` where an entity is asked for.
fn extreme(bag: &mut Bag) -> Option<Option<How>> {
    let told: Vec<bool> = bag
        .roles()
        .filter_map(|(_, role)| match role {
            Role::Super { most, manner: Manner::Amount } => Some(most),
            _ => None,
        })
        .collect();
    if told.is_empty() {
        return Some(None);
    }
    if bag.has(|role| matches!(role, Role::Which | Role::Who | Role::Where | Role::When)) || told.len() > 1 {
        return None;
    }
    bag.take(|role| matches!(role, Role::Super { manner: Manner::Amount, .. }));
    Some(Some(if told[0] { How::Greatest } else { How::Least }))
}
