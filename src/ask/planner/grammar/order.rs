//! Rows by rank and by place: the top n, the first and last, the one before and after.

use super::super::frame::{Frame, Part};
use super::super::labels;
use super::super::lexicon::{Manner, Role};
use super::super::reading::{How, Key, Shape, Top};
use super::weigh::{Told, Weighing};
use super::{Bag, Found};

/// `M 排名前三的 T …`: takes the top and its measure where a superlative follows for another measure.
pub fn leading_top(bag: &mut Bag) -> Option<Top> {
    let parts = &bag.frame().parts;
    let at = parts.iter().position(|part| matches!(part, Part::Role(Role::Top | Role::Bottom)))?;
    let most = parts.get(at) == Some(&Part::Role(Role::Top));
    let (Some(Part::Number(number)), Some(Part::Column(measure))) = (parts.get(at + 1), parts.get(at.checked_sub(1)?))
    else {
        return None;
    };
    let superlative = parts.iter().skip(at).any(|part| matches!(part, Part::Role(Role::Super { .. })));
    if !superlative
        || !bag.is_measure(*measure)
        || number.value.fract() != 0.0
        || !(1.0..=1000.0).contains(&number.value)
    {
        return None;
    }
    let top = Top { measure: *measure, most, count: number.value as u64 };
    bag.take(|role| matches!(role, Role::Top | Role::Bottom));
    bag.take_number();
    bag.take_column(*measure);
    Some(top)
}

/// `top 5 T by M`, `M 排名前五的 T`, `哪五家 T 的 M 最高`.
pub fn ranked(frame: &Frame) -> Vec<Found> {
    read_ranked(frame).into_iter().collect()
}

fn read_ranked(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    if !number_ranks(frame) {
        return None;
    }
    if frame.parts.iter().any(|part| matches!(part, Part::Number(number) if number.unit.as_deref() == Some("%"))) {
        return None;
    }
    let count = bag.take_number()?;
    if count.fract() != 0.0 || !(1.0..=1000.0).contains(&count) || frame.entities.is_some() {
        return None;
    }
    let most = direction(&mut bag)?;
    let conditions = frame.all_conditions()?;
    let told = Told::of(&mut bag)?;
    bag.drop_joints();
    bag.take(|role| {
        matches!(role, Role::InTermsOf | Role::NumberOf | Role::Which | Role::What | Role::List | Role::Row)
    });
    let measures: Vec<usize> =
        bag.columns().iter().map(|(_, index)| *index).filter(|index| bag.is_measure(*index)).collect();
    let measure = *measures.first().filter(|first| measures.iter().all(|other| other == *first))?;
    if bag.field(measure).is_none_or(labels::is_rank) {
        return None;
    }
    bag.take_column(measure);
    if !bag.take_deeds(Some(measure)) {
        return None;
    }
    let mut columns: Vec<usize> = bag.columns().iter().map(|(_, index)| *index).collect();
    columns.dedup();
    if columns.is_empty() {
        let key = bag.implied_target().or_else(|| labels::key(frame.table))?;
        bag.take(|role| matches!(role, Role::Who | Role::Person));
        columns.push(key);
    }
    for column in &columns {
        bag.take_column(*column);
    }
    bag.take(|role| matches!(role, Role::Who | Role::Person));
    if !bag.is_empty() || columns.len() != 1 {
        return None;
    }
    let count = count as u64;
    let weighing = told.weigh(frame, columns[0], measure)?;
    let shape = match weighing {
        Weighing::Rows(how) => {
            Shape::Leaders { by: Key::of(columns[0]), aggregate: Some((how, measure)), most, count: Some(count) }
        }
        _ => Shape::Ranked { columns, top: Top { measure, most, count } },
    };
    Some(Found { doubtful: weighing == Weighing::Doubtful, ..Found::new(shape, conditions, bag.cost) })
}

/// The number stands beside what ranks or asks: `top 5`, `哪五家`, `最高的10个`.
fn number_ranks(frame: &Frame) -> bool {
    let Some(at) = frame.parts.iter().position(|part| matches!(part, Part::Number(_))) else { return false };
    let before = at.checked_sub(1).and_then(|place| frame.parts.get(place));
    let ranks = |part: Option<&Part>| matches!(part, Some(Part::Role(Role::Top | Role::Bottom | Role::Super { .. })));
    ranks(before) || ranks(frame.parts.get(at + 1)) || matches!(before, Some(Part::Role(Role::Which | Role::List)))
}

/// Up or down, where every word that says so agrees.
fn direction(bag: &mut Bag) -> Option<bool> {
    let told: Vec<bool> = bag
        .roles()
        .filter_map(|(_, role)| match role {
            Role::Top => Some(true),
            Role::Bottom => Some(false),
            Role::Super { most, manner: Manner::Amount | Manner::Many | Manner::Price } => Some(most),
            _ => None,
        })
        .collect();
    let first = *told.first()?;
    bag.take(|role| matches!(role, Role::Top | Role::Bottom | Role::Super { .. }));
    told.iter().all(|other| *other == first).then_some(first)
}

/// The row after or before a named one; the first or last row.
pub fn placed(frame: &Frame) -> Vec<Found> {
    neighbour(frame).into_iter().chain(edge(frame)).collect()
}

fn neighbour(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let next = bag.take(|role| role == Role::Next).is_some();
    let previous = bag.take(|role| role == Role::Previous).is_some();
    if next == previous
        || frame.entities.is_some()
        || frame.named.len() != 1
        || frame.conditions.len() != 1
        || frame.table.sheets.len() > 1
    {
        return None;
    }
    let anchor = *frame.named.first()?;
    bag.take(|role| matches!(role, Role::Which | Role::What | Role::Respective));
    bag.drop_joints();
    let mut columns: Vec<usize> = bag.columns().iter().map(|(_, index)| *index).collect();
    columns.dedup();
    if columns.is_empty() && bag.has(|role| role == Role::Who) {
        columns.extend(bag.implied_target());
    }
    if columns.is_empty() {
        columns.extend(match anchor {
            super::super::reading::Column::Field(index) => Some(index),
            _ => None,
        });
        bag.cost += 0.1;
    }
    for column in &columns {
        bag.take_column(*column);
    }
    let shape = Shape::Neighbour { columns: columns.clone(), next };
    (bag.is_empty() && columns.len() == 1 && frame.is_unique(anchor))
        .then(|| Found::new(shape, frame.conditions.clone(), bag.cost + 0.02))
}

/// `when was the first order placed`: the least of the only dates.
fn first_date(bag: &Bag, last: bool) -> Option<Found> {
    let mut bag = bag.clone();
    bag.take(|role| role == Role::When)?;
    bag.take(|role| role == Role::Row)?;
    bag.drop_joints();
    let column = bag.only(|field| field.kind == crate::value::FieldType::DateTime)?;
    bag.take_column(column);
    let how = if last { How::Greatest } else { How::Least };
    let conditions = bag.frame().all_conditions()?;
    bag.is_empty().then(|| Found::new(Shape::Aggregate { how, column }, conditions, bag.cost + 0.05))
}

/// `the first year that …` is the least year; else the first row in sheet order where no date tells otherwise.
fn edge(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let first = bag.take(|role| role == Role::First).is_some();
    let last = bag.take(|role| role == Role::Last).is_some();
    if first == last || frame.entities.is_some() {
        return None;
    }
    let conditions = frame.all_conditions()?;
    if let Some(found) = first_date(&bag, last) {
        return Some(found);
    }
    let listed = bag.take(|role| role == Role::Appear).is_some();
    if !listed && !bag.columns().iter().any(|(at, _)| matches!(bag.before(*at), Some(Role::First | Role::Last))) {
        return None;
    }
    bag.take(|role| matches!(role, Role::Which | Role::What | Role::When));
    bag.drop_joints();
    let mut columns: Vec<usize> = bag.columns().iter().map(|(_, index)| *index).collect();
    columns.dedup();
    let [column] = columns.as_slice() else { return None };
    bag.take_column(*column);
    let field = bag.field(*column)?;
    if !bag.is_empty() {
        return None;
    }
    let times = frame
        .table
        .fields
        .iter()
        .filter(|field| field.kind == crate::value::FieldType::DateTime || labels::is_year(field))
        .count();
    if labels::is_year(field) || field.kind == crate::value::FieldType::DateTime {
        let how = if last { How::Greatest } else { How::Least };
        return Some(Found::new(Shape::Aggregate { how, column: *column }, conditions, bag.cost + 0.02));
    }
    if (times > 0 && !listed) || frame.table.sheets.len() > 1 {
        return None;
    }
    Some(Found::new(Shape::Edge { columns, last }, conditions, bag.cost + 0.1))
}
