//! Sums, averages, medians, extremes of a number, whole or for each group; and amounts asked with how many.

use super::super::frame::Frame;
use super::super::lexicon::Role;
use super::super::reading::{Column, How, Shape};
use super::{Bag, Found};

/// `the average M of …`, `how many M did X have`, `各 T 的 M 总和`.
pub fn aggregate(frame: &Frame) -> Vec<Found> {
    read(frame).or_else(|| grouped_count(frame)).into_iter().collect()
}

fn read(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let conditions = frame.all_conditions()?;
    let stated = stated(&mut bag)?;
    let counted = bag.take(|role| role == Role::HowMany).is_some();
    bag.take(|role| role == Role::NumberOf);
    bag.take(|role| matches!(role, Role::What | Role::HowMuch | Role::List | Role::Only | Role::Appear));
    let grouped = bag.take(|role| role == Role::Per).is_some();
    bag.drop_joints();
    let columns = bag.columns();
    let measure = columns.iter().map(|(_, index)| *index).find(|index| bag.is_amount(*index))?;
    bag.take_column(measure);
    if !bag.take_deeds(Some(measure)) {
        return None;
    }
    if !grouped {
        bag.drop_universals();
        bag.drop_row_names();
    }
    let groups: Vec<usize> = bag.columns().iter().map(|(_, index)| *index).collect();
    groups.iter().for_each(|index| bag.take_column(*index));
    bag.take(|role| matches!(role, Role::Row | Role::Person));
    if !bag.is_empty() || groups.iter().any(|index| *index != groups[0]) || (groups.is_empty() == grouped) {
        return None;
    }
    if frame.conditions.iter().any(|condition| condition.column == Column::Field(measure)) && stated.is_none() {
        return None;
    }
    let leads = bag.field(measure).is_some_and(|field| field.label.to_lowercase().starts_with("total"));
    let how = match stated {
        Some(how) => how,
        None if frame.names_few_rows() && frame.entities.is_none() => return None,
        None if counted && frame.entities.is_none() && frame.has_conditions() && bag.is_counted(measure) => {
            bag.cost += 0.1;
            How::Sum
        }
        None if leads && !frame.has_conditions() => {
            bag.cost += 0.08;
            How::Sum
        }
        None => return None,
    };
    let shape = match groups.first() {
        Some(by) => Shape::Grouped { by: *by, aggregate: Some((how, measure)) },
        None => Shape::Aggregate { how, column: measure },
    };
    Some(Found::new(shape, conditions, bag.cost))
}

/// The aggregate that the question states; `Some(None)` where it states none, `None` where it states two.
fn stated(bag: &mut Bag) -> Option<Option<How>> {
    let how = |role| match role {
        Role::Sum | Role::Total => Some(How::Sum),
        Role::Average => Some(How::Average),
        Role::Median => Some(How::Median),
        Role::Maximum => Some(How::Greatest),
        Role::Minimum => Some(How::Least),
        _ => None,
    };
    let mut all: Vec<How> = bag.roles().filter_map(|(_, role)| how(role)).collect();
    all.dedup();
    bag.take(|role| how(role).is_some());
    match all.as_slice() {
        [] => Some(None),
        [only] => Some(Some(*only)),
        _ => None,
    }
}

/// `每个 T 有多少 …`: rows for each value.
fn grouped_count(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let conditions = frame.all_conditions()?;
    bag.take(|role| role == Role::Per)?;
    bag.take(|role| matches!(role, Role::HowMany | Role::NumberOf))?;
    bag.take(|role| matches!(role, Role::What | Role::List | Role::Row | Role::Person | Role::Appear));
    let columns = bag.columns();
    let by = columns.iter().find(|(at, _)| bag.before(*at) == Some(Role::Per)).map(|(_, index)| *index)?;
    bag.take_column(by);
    bag.drop_joints();
    let unique =
        |index: usize| bag.field(index).is_some_and(|field| super::super::labels::is_unique(frame.table, field));
    let counted: Vec<usize> = bag.columns().iter().map(|(_, index)| *index).collect();
    if !counted.iter().all(|index| unique(*index)) {
        return None;
    }
    counted.iter().for_each(|index| bag.take_column(*index));
    bag.is_empty().then(|| Found::new(Shape::Grouped { by, aggregate: None }, conditions, bag.cost))
}
