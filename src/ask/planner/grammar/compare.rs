//! Two named things side by side: which has more, and by how much.

use super::super::frame::Frame;
use super::super::labels;
use super::super::lexicon::{Manner, Role};
use super::super::reading::{Column, How, Key, Shape};
use super::weigh::{Told, Weighing};
use super::{Bag, Found};

/// `which has more M, A or B`, `A 与 B 哪个的 M 更高`.
pub fn compare(frame: &Frame) -> Vec<Found> {
    read_compare(frame).into_iter().collect()
}

fn read_compare(frame: &Frame) -> Option<Found> {
    let entities = frame.entities.as_ref()?;
    let Column::Field(key) = entities.column else { return None };
    let conditions = frame.all_conditions()?;
    let mut bag = Bag::of(frame);
    let most = direction(&mut bag)?;
    let told = Told::of(&mut bag)?;
    if bag.has(|role| role == Role::Or) {
        bag.take(|role| role == Role::YesNo);
    }
    bag.drop_joints();
    bag.take(|role| {
        matches!(
            role,
            Role::Which
                | Role::What
                | Role::Who
                | Role::When
                | Role::Or
                | Role::Person
                | Role::NumberOf
                | Role::InTermsOf
                | Role::Not
                | Role::Total
        )
    });
    bag.take_column(key);
    let measure = only_measure(&mut bag)?;
    let deeds = bag.take_deeds(Some(measure));
    absorb_rows(&mut bag);
    let field = bag.field(measure)?;
    if !bag.is_empty() || !deeds || !field.kind.is_number() || labels::is_rank(field) {
        return None;
    }
    let shape = match told.weigh(frame, key, measure)? {
        Weighing::Rows(how) => Shape::Leaders { by: Key::of(key), aggregate: Some((how, measure)), most, count: None },
        Weighing::Row if frame.names_few_rows() => Shape::Extreme { columns: vec![key], measure, most, within: None },
        _ => return None,
    };
    Some(Found::new(shape, conditions, bag.cost))
}

/// More or less, where every word that says so agrees.
fn direction(bag: &mut Bag) -> Option<bool> {
    let told: Vec<bool> = bag
        .roles()
        .filter_map(|(_, role)| match role {
            Role::More { most }
            | Role::Super {
                most,
                manner: Manner::Amount | Manner::Many | Manner::Quality | Manner::Length | Manner::Price,
            } => Some(most),
            _ => None,
        })
        .collect();
    let first = *told.first()?;
    bag.take(|role| matches!(role, Role::More { .. } | Role::Super { .. }));
    told.iter().all(|other| *other == first).then_some(first)
}

/// The one number that is left; every mention of it is taken.
pub fn only_measure(bag: &mut Bag) -> Option<usize> {
    let columns = bag.columns();
    let mut measures = columns.iter().map(|(_, index)| *index).filter(|index| bag.is_number(*index));
    let first = measures.next()?;
    if measures.any(|other| other != first) {
        return None;
    }
    bag.take_column(first);
    Some(first)
}

/// A column that names the rows (地块 of 成交价格) needs no place in the answer.
pub fn absorb_rows(bag: &mut Bag) {
    for (_, index) in bag.columns() {
        if labels::names_rows(bag.frame().table, index) {
            bag.take_column(index);
            bag.cost += 0.05;
        }
    }
}

/// `the difference in M between A and B`, `how many more M did A have than B`; greatest less least without names.
pub fn difference(frame: &Frame) -> Vec<Found> {
    read_difference(frame).or_else(|| spread(frame)).into_iter().collect()
}

fn read_difference(frame: &Frame) -> Option<Found> {
    let entities = frame.entities.as_ref()?;
    let [first, second] = entities.tests.as_slice() else { return None };
    let mut bag = Bag::of(frame);
    let asked = bag.take(|role| role == Role::Difference).is_some();
    let mores: Vec<bool> = bag
        .roles()
        .filter_map(|(_, role)| match role {
            Role::More { most } => Some(most),
            _ => None,
        })
        .collect();
    let more = mores.first().copied().filter(|first| mores.iter().all(|other| other == first));
    if more.is_none() && !mores.is_empty() {
        return None;
    }
    let counted = bag.has(|role| matches!(role, Role::HowMany | Role::HowMuch));
    let asks_by_how_much = asked || (more.is_some() && counted);
    if !asks_by_how_much {
        return None;
    }
    let told = Told::of(&mut bag)?;
    bag.take(|role| {
        matches!(
            role,
            Role::More { .. }
                | Role::HowMany
                | Role::HowMuch
                | Role::What
                | Role::NumberOf
                | Role::Or
                | Role::InTermsOf
                | Role::Not
                | Role::Total
        )
    });
    bag.drop_joints();
    if let Column::Field(key) = entities.column {
        bag.take_column(key);
    }
    let measure = only_measure(&mut bag)?;
    let deeds = bag.take_deeds(Some(measure));
    absorb_rows(&mut bag);
    let how = match (told.weigh_any(frame, entities.column, measure)?, frame.names_few_rows()) {
        (Weighing::Rows(how), _) => how,
        (Weighing::Row, true) => How::Greatest,
        _ => return None,
    };
    if !deeds || !bag.is_empty() {
        return None;
    }
    let signed = more.is_some();
    let (first, second) = if more == Some(false) { (second, first) } else { (first, second) };
    let shape = Shape::Difference {
        how,
        key: entities.column,
        first: first.clone(),
        second: second.clone(),
        measure,
        signed,
        checked: how == How::Greatest && !frame.names_one_row(),
    };
    Some(Found::new(shape, frame.conditions.clone(), bag.cost))
}

/// `the difference between the highest and lowest M`.
fn spread(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    bag.take(|role| role == Role::Difference)?;
    let ends: Vec<bool> = bag
        .roles()
        .filter_map(|(_, role)| match role {
            Role::Super { most, .. } => Some(most),
            Role::Maximum => Some(true),
            Role::Minimum => Some(false),
            _ => None,
        })
        .collect();
    if frame.entities.is_some() || !ends.contains(&true) || !ends.contains(&false) {
        return None;
    }
    let conditions = frame.all_conditions()?;
    bag.take(|role| {
        matches!(role, Role::Super { .. } | Role::Maximum | Role::Minimum | Role::What | Role::HowMuch | Role::NumberOf)
    });
    bag.drop_joints();
    let measure = only_measure(&mut bag)?;
    bag.is_empty().then(|| Found::new(Shape::Spread { measure }, conditions, bag.cost))
}
