//! Values of named rows, and the rows that meet conditions.

use super::super::frame::Frame;
use super::super::labels;
use super::super::lexicon::Role;
use super::super::measure;
use super::super::reading::{Column, Shape, Test};
use super::{Bag, Found};
use crate::schema::Field;
use crate::value::FieldType;

/// `what is the M of X`, `which T have M over 5`, `A 和 B 的 M 分别是多少`, `X 是不是 F`.
pub fn lookup(frame: &Frame) -> Vec<Found> {
    read(frame).or_else(|| different(frame)).into_iter().collect()
}

fn read(frame: &Frame) -> Option<Found> {
    if !frame.has_conditions() {
        return None;
    }
    let conditions = frame.all_conditions()?;
    let mut bag = Bag::of(frame);
    let counted = bag.take(|role| role == Role::HowMany).is_some();
    let how_much = bag.take(|role| role == Role::HowMuch).is_some();
    let yes_no = bag.take(|role| role == Role::YesNo).is_some();
    let only_these = bag.take(|role| role == Role::Only).is_some();
    if bag.take(|role| role == Role::NumberOf).is_some() && !frame.names_few_rows() {
        return None;
    }
    if bag.take(|role| role == Role::Total).is_some() {
        bag.cost += 0.1;
        if !frame.names_few_rows() {
            return None;
        }
    }
    let joined = bag.has(|role| role == Role::And);
    bag.drop_joints();
    let mut columns = asked(&mut bag)?;
    if columns.len() > 1 && !joined {
        return None;
    }
    let only = if columns.len() == 1 && bag.is_number(columns[0]) { Some(columns[0]) } else { None };
    if !bag.take_deeds(only) {
        return None;
    }
    let asks_rows = bag.take(|role| matches!(role, Role::Which | Role::What | Role::List | Role::HowMuch)).is_some();
    if !bag.is_empty() {
        return None;
    }
    let totals = columns.iter().any(|index| {
        bag.is_amount(*index) && bag.field(*index).is_some_and(|field| field.label.to_lowercase().starts_with("total"))
    });
    if totals && !frame.names_few_rows() && !frame.names_one_row() {
        return None;
    }
    let traded = columns.iter().any(|index| bag.field(*index).is_some_and(measure::is_traded));
    if traded && !frame.names_few_rows() && !frame.lists_keys() && frame.names_many_rows() {
        return None;
    }
    let amounts = columns.iter().all(|index| bag.is_number(*index));
    if counted && (!amounts || !frame.names_few_rows() || !columns.iter().all(|index| bag.is_counted(*index))) {
        return None;
    }
    if yes_no && !columns.iter().all(|index| is_yes_no(&bag, *index)) {
        return None;
    }
    let spoken = counted || how_much || yes_no || asks_rows || bag.cost > 0.0;
    if !spoken {
        bag.cost += 0.05;
    }
    if frame.named.is_empty() && frame.entities.is_none() && !asks_rows && bag.cost < 0.05 {
        bag.cost += 0.1;
    }
    if frame.conditions.iter().any(|condition| {
        columns
            .iter()
            .any(|index| condition.column == Column::Field(*index) && matches!(condition.test, Test::Cells(_)))
    }) {
        bag.cost += 0.3;
    }
    if columns.iter().any(|column| frame.bounds_amounts(*column)) {
        return None;
    }
    if let [column] = columns.as_slice()
        && asks_rows
        && frame.entities.is_none()
        && bag.field(*column).is_some_and(|field| field.exact().is_some())
        && measure::is_repeated(frame.table, *column)
        && frame.names_many_rows()
    {
        let denied = only_these || conditions.iter().any(|condition| condition.negated);
        return (!denied).then(|| Found::new(Shape::Different { column: *column }, conditions, bag.cost));
    }
    label_rows(frame, &mut columns);
    Some(Found::new(Shape::Rows { columns }, conditions, bag.cost))
}

/// The columns that the answer shows.
fn asked(bag: &mut Bag) -> Option<Vec<usize>> {
    let mut columns: Vec<usize> = Vec::new();
    for (at, index) in bag.columns() {
        if bag.columns().len() > 1 && !bag.is_asked(at) && names_rows(bag, index) {
            bag.cost += 0.05;
        } else if !columns.contains(&index) {
            columns.push(index);
        }
        bag.take_column(index);
    }
    let some =
        |bag: &Bag, wanted: fn(&Field) -> bool| columns.iter().any(|index| bag.field(*index).is_some_and(wanted));
    if some(bag, labels::is_agent) {
        bag.take(|role| role == Role::Who);
    }
    if some(bag, |field| field.kind == FieldType::DateTime || labels::is_year(field)) {
        bag.take(|role| role == Role::When);
    }
    let asks = bag.has(|role| matches!(role, Role::Who | Role::Where | Role::When));
    let implied = if asks { Some(bag.implied_target()?) } else { bag.implied_target() };
    if let Some(target) = implied.filter(|target| !columns.contains(target)) {
        if !columns.iter().all(|index| names_rows(bag, *index)) {
            return None;
        }
        if bag.frame().named.contains(&Column::Field(target)) {
            return None;
        }
        columns = vec![target];
    }
    (!columns.is_empty() && columns.len() <= 2).then_some(columns)
}

/// A text column without repeats that is not asked for only says what the rows are.
fn names_rows(bag: &Bag, index: usize) -> bool {
    labels::names_rows(bag.frame().table, index)
}

fn is_yes_no(bag: &Bag, index: usize) -> bool {
    const WORDS: &[&str] = &["是", "否", "yes", "no", "y", "n", "true", "false", "有", "无"];
    bag.field(index).is_some_and(|field| {
        field.kind == crate::value::FieldType::Flag
            || (field.distinct == Some(2)
                && !field.samples.is_empty()
                && field.samples.iter().all(|sample| WORDS.contains(&sample.to_lowercase().as_str())))
    })
}

/// Where several things are named, each value stands beside its name.
fn label_rows(frame: &Frame, columns: &mut Vec<usize>) {
    if let Some(Column::Field(key)) = frame.entities.as_ref().map(|entities| entities.column)
        && !columns.contains(&key)
    {
        columns.insert(0, key);
    }
}

/// `what are the different T`.
fn different(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    bag.take(|role| role == Role::Distinct)?;
    let conditions = frame.all_conditions()?;
    bag.take(|role| matches!(role, Role::Which | Role::What | Role::List))?;
    bag.drop_joints();
    let columns = bag.columns();
    let [(_, column)] = columns.as_slice() else { return None };
    bag.take_column(*column);
    bag.is_empty().then(|| Found::new(Shape::Different { column: *column }, conditions, bag.cost))
}
