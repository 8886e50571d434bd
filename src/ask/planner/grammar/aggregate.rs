//! Sums, averages, medians, extremes of a number over the rows that meet the conditions; and amounts asked with how many.

use super::super::frame::Frame;
use super::super::lexicon::Role;
use super::super::measure;
use super::super::reading::{Column, How, Key, Shape};
use super::{Bag, Found};

/// `the average M of …`, `how many M did X have`, `X 一共卖了多少台`.
pub fn aggregate(frame: &Frame) -> Vec<Found> {
    read(frame).into_iter().collect()
}

fn read(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let conditions = frame.all_conditions()?;
    let stated = stated(&mut bag)?;
    if stated == Some(How::Average) && bag.has(|role| matches!(role, Role::Row | Role::Single)) {
        bag.take(|role| matches!(role, Role::Per | Role::Single));
    }
    let counted = bag.take(|role| role == Role::HowMany).is_some();
    let asked = bag.has(|role| matches!(role, Role::What | Role::HowMuch));
    let traded = bag.take(|role| role == Role::Trade).is_some();
    bag.take(|role| {
        matches!(role, Role::NumberOf | Role::What | Role::HowMuch | Role::List | Role::Only | Role::Appear)
    });
    let each = bag.has(|role| matches!(role, Role::Respective | Role::Beside));
    bag.drop_joints();
    let measure = amount(&mut bag, traded && counted)?;
    if !bag.take_deeds(Some(measure)) {
        return None;
    }
    bag.drop_universals();
    bag.drop_row_names();
    bag.take(|role| matches!(role, Role::Row | Role::Person));
    let compared = frame.conditions.iter().any(|condition| condition.column == Column::Field(measure));
    if !bag.is_empty() || (compared && stated.is_none()) {
        return None;
    }
    let (how, added_up) = match stated {
        Some(How::Sum) if !bag.field(measure).is_some_and(measure::may_be_summed) => return None,
        Some(how) => (how, false),
        None => unstated(&mut bag, measure, counted, asked)?,
    };
    let shape = match frame.entities.as_ref().map(|entities| entities.column) {
        Some(Column::Field(key)) if each || stated.is_none() => {
            Shape::Grouped { by: vec![Key::of(key)], aggregate: Some((how, measure)), up: None }
        }
        Some(_) if each => return None,
        _ => Shape::Aggregate { how, column: measure },
    };
    Some(Found { added_up, ..Found::new(shape, conditions, bag.cost) })
}

/// The number that is put together: the one named, else the only quantity where things are sold or bought.
fn amount(bag: &mut Bag, traded: bool) -> Option<usize> {
    let named = bag.columns().iter().map(|(_, index)| *index).find(|index| bag.is_amount(*index));
    match named {
        Some(measure) => {
            bag.take_column(measure);
            Some(measure)
        }
        None if traded => {
            bag.cost += 0.05;
            bag.only(measure::is_quantity)
        }
        None => None,
    }
}

/// A sum that no word states, and whether that must be told.
fn unstated(bag: &mut Bag, measure: usize, counted: bool, asked: bool) -> Option<(How, bool)> {
    let frame = bag.frame();
    if frame.names_few_rows() && frame.entities.is_none() {
        return None;
    }
    let field = bag.field(measure)?;
    if counted && !measure::adds_up(field) {
        return None;
    }
    let sold = counted && measure::is_quantity(field);
    if counted && frame.entities.is_none() && frame.has_conditions() && (bag.is_counted(measure) || sold) {
        bag.cost += 0.1;
        return Some((How::Sum, sold));
    }
    if field.label.to_lowercase().starts_with("total") && !frame.has_conditions() {
        bag.cost += 0.08;
        return Some((How::Sum, false));
    }
    let narrowed = frame.has_conditions() && !frame.names_one_row() && !frame.lists_keys();
    if narrowed && (asked || counted) && measure::is_traded(field) && frame.names_many_rows() {
        return Some((How::Sum, true));
    }
    None
}

/// The aggregate that the question states; `Some(None)` where it states none, `None` where it states two.
pub fn stated(bag: &mut Bag) -> Option<Option<How>> {
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
