//! How an entity is weighed whose rows are compared: by single rows, or by all its rows together.

use super::super::frame::Frame;
use super::super::labels;
use super::super::lexicon::Role;
use super::super::measure;
use super::super::reading::{Column, How};
use super::Bag;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weighing {
    /// Row by row: each entity has one, or the question says so.
    Row,
    Rows(How),
    /// The question may mean either.
    Doubtful,
}

/// What the question says of how rows are put together: 总, 平均, 单笔.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told {
    single: bool,
    average: bool,
    total: bool,
}

impl Told {
    /// Takes the words from the bag; `None` where they contradict each other.
    pub fn of(bag: &mut Bag) -> Option<Self> {
        let told = Self {
            single: bag.take(|role| role == Role::Single).is_some(),
            average: bag.take(|role| role == Role::Average).is_some(),
            total: bag.take(|role| matches!(role, Role::Sum | Role::Total)).is_some(),
        };
        let count = [told.single, told.average, told.total].iter().filter(|told| **told).count();
        (count <= 1).then_some(told)
    }

    pub fn is_silent(self) -> bool {
        !self.average && !self.total
    }

    /// As [`Told::weigh`], for any column: files, sheets and spans of time have many rows each.
    pub fn weigh_any(self, frame: &Frame, entity: Column, measure: usize) -> Option<Weighing> {
        let spans =
            frame.table.fields.iter().enumerate().any(|(index, field)| {
                entity == Column::Field(index) && field.kind == crate::value::FieldType::DateTime
            });
        match entity {
            Column::Field(index) if !spans => self.weigh(frame, index, measure),
            _ => self.weigh_period(frame, measure),
        }
    }

    /// The rows of a period, a sheet or a file together.
    pub fn weigh_period(self, frame: &Frame, measure: usize) -> Option<Weighing> {
        let field = frame.table.fields.get(measure).filter(|field| field.kind.is_number() && !field.identifier)?;
        match (self.average, self.single) {
            (true, _) => Some(Weighing::Rows(How::Average)),
            (_, true) => None,
            _ if measure::is_traded(field) || (self.total && measure::adds_up(field)) => Some(Weighing::Rows(How::Sum)),
            _ => Some(Weighing::Doubtful),
        }
    }

    pub fn weigh(self, frame: &Frame, entity: usize, measure: usize) -> Option<Weighing> {
        let field = frame.table.fields.get(measure)?;
        let repeated = measure::is_repeated(frame.table, entity) && !frame.names_few_rows();
        if self.average {
            let counts = field.kind.is_number() && !field.identifier;
            return counts.then_some(Weighing::Rows(How::Average));
        }
        if self.single || !repeated || !field.kind.is_number() {
            return Some(Weighing::Row);
        }
        let fixed = frame.conditions.iter().any(|condition| {
            matches!(condition.column, Column::Field(index) if frame.table.fields.get(index).is_some_and(
                |field| field.distinct.is_some_and(|distinct| distinct > 0 && distinct + field.nulls >= frame.table.rows)))
        });
        if fixed {
            return Some(Weighing::Row);
        }
        match (measure::adds_up(field), self.total) {
            (true, true) => Some(Weighing::Rows(How::Sum)),
            (true, false) if measure::is_traded(field) => Some(Weighing::Rows(How::Sum)),
            (true, false) if is_uncounted_key(frame, entity) && !varies_in_time(frame) => {
                Some(Weighing::Rows(How::Sum))
            }
            (true, false) => Some(Weighing::Doubtful),
            (false, true) => None,
            (false, false) if measure::is_price(field) => Some(Weighing::Row),
            (false, false) => Some(Weighing::Doubtful),
        }
    }
}

/// The column that names the rows, with too many values to count: the sum is the row's own figure where it names one.
fn is_uncounted_key(frame: &Frame, entity: usize) -> bool {
    labels::key(frame.table) == Some(entity)
        && frame.table.fields.get(entity).is_some_and(|field| field.distinct.is_none())
}

/// Rows of several times are left in: figures of an entity at several times may be no sum.
fn varies_in_time(frame: &Frame) -> bool {
    frame.table.fields.iter().enumerate().any(|(index, field)| {
        measure::is_time(frame.table, index)
            && field.distinct != Some(1)
            && !frame.conditions.iter().any(|condition| condition.column == Column::Field(index))
    })
}
