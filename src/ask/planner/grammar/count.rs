//! How many: rows, different values.

use super::super::frame::Frame;
use super::super::labels;
use super::super::lexicon::Role;
use super::super::measure;
use super::super::reading::{Column, Condition, Shape, Test};
use super::{Bag, Found};

/// `how many X …`, `the number of different X`, `how many times is V listed`.
pub fn count(frame: &Frame) -> Vec<Found> {
    read(frame).into_iter().collect()
}

fn read(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let conditions = frame.all_conditions()?;
    let counts = bag.take(|role| role == Role::Count { people: false }).is_some();
    let heads = bag.take(|role| role == Role::Count { people: true }).is_some();
    let asked = bag.take(|role| matches!(role, Role::HowMany | Role::NumberOf)).is_some() || counts || heads;
    if !asked || (frame.entities.is_some() && !bag.has(|role| matches!(role, Role::Or | Role::And))) {
        return None;
    }
    bag.take(|role| matches!(role, Role::What | Role::List | Role::Total | Role::Sum));
    if heads || counts {
        bag.take(|role| role == Role::HowMuch);
    }
    let different = bag.take(|role| role == Role::Distinct).is_some();
    let occurrences = bag.take(|role| matches!(role, Role::Times)).is_some();
    let appears = bag.take(|role| role == Role::Appear).is_some();
    let rows = bag.take(|role| role == Role::Row).is_some() || counts;
    let named: Vec<usize> = frame.named.iter().filter_map(field_of).collect();
    let of_named = bag.columns().iter().any(|(_, index)| named.contains(index));
    for index in &named {
        bag.take_column(*index);
    }
    bag.drop_joints();
    if !bag.take_deeds(compared(frame)) {
        return None;
    }
    let people = bag.take(|role| role == Role::Person).is_some() || heads;
    let mut columns: Vec<usize> = bag.columns().iter().map(|(_, index)| *index).collect();
    columns.dedup();
    columns.iter().for_each(|index| bag.take_column(*index));
    if !bag.is_empty() || columns.len() > 1 {
        return None;
    }
    let counted = columns.first().copied();
    if counted
        .is_some_and(|column| !bag.is_counted(column) || (people && !bag.field(column).is_some_and(labels::is_person)))
    {
        return None;
    }
    let shape = match counted {
        Some(column) if bag.is_amount(column) => return None,
        Some(column) if different => Shape::CountDifferent { column },
        Some(column) => counted_rows(&mut bag, column, appears || rows)?,
        None if different => return None,
        None if occurrences && !frame.has_conditions() => return None,
        None if people => {
            let column = bag.only(labels::is_person).or_else(|| bag.key_person())?;
            bag.cost += 0.1;
            if measure::is_repeated(frame.table, column) { Shape::CountDifferent { column } } else { Shape::Count }
        }
        None if rows || occurrences || of_named || frame.kind_named => Shape::Count,
        None => return None,
    };
    Some(Found::new(shape, conditions, bag.cost))
}

/// Rows where each is one of the things counted; else their different values where nothing narrows the rows.
fn counted_rows(bag: &mut Bag, column: usize, appears: bool) -> Option<Shape> {
    let frame = bag.frame();
    let field = bag.field(column)?;
    let unique = labels::is_unique(frame.table, field);
    if unique {
        return Some(if field.nulls == 0 { Shape::Count } else { Shape::CountDifferent { column } });
    }
    bag.cost += 0.08;
    if labels::is_year(field) {
        return Some(Shape::CountDifferent { column });
    }
    if frame.has_conditions() {
        let leading = frame.table.fields.iter().position(|field| field.exact().is_some()) == Some(column);
        let repeated = measure::is_repeated(frame.table, column);
        if repeated && frame.conditions.iter().any(|condition| condition.negated) && frame.is_traded() {
            return None;
        }
        return match (leading, repeated) {
            _ if measure::completes_grid(frame.table, column) => Some(Shape::Count),
            _ if frame.bounds_amounts(column) => None,
            (_, true) if frame.is_traded() && field.exact().is_some() => Some(Shape::CountDifferent { column }),
            (true, _) => Some(Shape::Count),
            _ => None,
        };
    }
    (appears || field.exact().is_some()).then_some(Shape::CountDifferent { column })
}

/// The number that a condition compares.
fn compared(frame: &Frame) -> Option<usize> {
    let numeric =
        |condition: &&Condition| matches!(condition.test, Test::Compare(..) | Test::Range(..) | Test::Numbers(_));
    frame.conditions.iter().find(numeric).and_then(|condition| field_of(&condition.column))
}

fn field_of(column: &Column) -> Option<usize> {
    match column {
        Column::Field(index) => Some(*index),
        Column::Document | Column::Sheet => None,
    }
}
