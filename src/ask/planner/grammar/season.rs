//! Which period has the most: `which month had the highest M`, `哪一年的记录最多`.

use super::super::frame::Frame;
use super::super::lexicon::Role;
use super::super::reading::{Key, Shape};
use super::extreme::superlative;
use super::weigh::{Told, Weighing};
use super::{Bag, Found};
use crate::value::FieldType;

/// The periods of the only column of dates with the most or least of a figure, or of rows.
pub fn season(frame: &Frame) -> Vec<Found> {
    read(frame).into_iter().collect()
}

fn read(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let grain = bag.roles().find_map(|(_, role)| match role {
        Role::WhichTime(grain) => Some(grain),
        _ => None,
    })?;
    bag.take(|role| matches!(role, Role::WhichTime(_)));
    let date = bag.only(|field| field.kind == FieldType::DateTime)?;
    let (_, most, _) = superlative(&mut bag)?;
    let conditions = frame.all_conditions()?;
    let told = Told::of(&mut bag)?;
    bag.take_column(date);
    bag.drop_joints();
    let counts = bag.take(|role| matches!(role, Role::Row | Role::Person | Role::Count { .. } | Role::Times)).is_some();
    bag.take(|role| matches!(role, Role::NumberOf | Role::InTermsOf | Role::What));
    let columns = bag.columns();
    let aggregate = match columns.first() {
        None if counts => None,
        None => return None,
        Some((_, measure)) => {
            let same = columns.iter().all(|(_, other)| other == measure);
            let Weighing::Rows(how) = told.weigh_period(frame, *measure)? else { return None };
            bag.take_column(*measure);
            let deeds = bag.take_deeds(Some(*measure));
            (same && deeds && !counts && bag.is_amount(*measure)).then_some(Some((how, *measure)))?
        }
    };
    let by = Key { column: date, grain: Some(grain) };
    let shape = Shape::Leaders { by, aggregate, most, count: None };
    bag.is_empty().then(|| Found::new(shape, conditions, bag.cost))
}
