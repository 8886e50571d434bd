//! Shapes of questions: each reads a frame whole or not at all.
//!
//! Comes in: a [`Frame`]. Goes out: readings with what each costs over the frame.
//! Must never happen: a part of the frame that a shape leaves unread.

mod aggregate;
mod bag;
mod compare;
mod count;
mod extreme;
mod group;
mod having;
mod lookup;
mod order;
mod pair;
mod season;
mod share;
mod weigh;

use super::frame::{Entities, Frame};
use super::reading::{Column, Condition, Reading, Shape, Test};

pub use bag::Bag;

/// A reading with its cost.
pub struct Scored {
    pub reading: Reading,
    pub cost: f32,
    pub doubtful: bool,
    /// Rows are added up that no word of the question adds up.
    pub added_up: bool,
    /// A cell that the question names is read as something else: taken by no means.
    pub passed_over: bool,
    /// Words that name a cell without being it, with the cells.
    pub read_as: Vec<(String, Vec<String>)>,
    /// Names and years of the question that the table says nothing of.
    pub outsiders: Vec<String>,
}

impl Scored {
    /// A reading without cost or doubt.
    pub fn plain(reading: Reading) -> Self {
        Self {
            reading,
            cost: 0.0,
            doubtful: false,
            added_up: false,
            passed_over: false,
            read_as: Vec::new(),
            outsiders: Vec::new(),
        }
    }
}

/// Every reading of a frame.
pub fn readings(frame: &Frame, table: usize) -> Vec<Scored> {
    let shapes: [fn(&Frame) -> Vec<Found>; 14] = [
        extreme::extreme,
        extreme::frequent,
        compare::compare,
        compare::difference,
        count::count,
        aggregate::aggregate,
        group::group,
        lookup::lookup,
        order::ranked,
        order::placed,
        having::having,
        pair::pair,
        season::season,
        share::share,
    ];
    let found = shapes.iter().flat_map(|shape| shape(frame));
    found
        .map(|found| Scored {
            cost: frame.cost + found.cost,
            doubtful: found.doubtful,
            added_up: found.added_up,
            ..Scored::plain(Reading { table, conditions: found.conditions, shape: found.shape })
        })
        .collect()
}

/// What a shape found.
pub struct Found {
    pub shape: Shape,
    pub conditions: Vec<Condition>,
    pub cost: f32,
    /// It may be what is meant, and may as well not: never taken, but it stands against the others.
    pub doubtful: bool,
    pub added_up: bool,
}

impl Found {
    fn new(shape: Shape, conditions: Vec<Condition>, cost: f32) -> Self {
        Self { shape, conditions, cost, doubtful: false, added_up: false }
    }
}

impl Frame<'_> {
    /// The conditions with the entities as one of them; `None` where they can't be one.
    pub fn all_conditions(&self) -> Option<Vec<Condition>> {
        let mut conditions = self.conditions.clone();
        if let Some(entities) = &self.entities {
            conditions.push(entities.condition()?);
        }
        Some(conditions)
    }

    /// One of the named columns tells each row from all others.
    pub fn names_one_row(&self) -> bool {
        let number = |condition: &&Condition| matches!(&condition.test, Test::Numbers(numbers) if numbers.len() == 1);
        let numbers = self.conditions.iter().filter(number).map(|condition| condition.column);
        let mut columns =
            self.named.iter().copied().chain(numbers).chain(self.entities.iter().map(|entities| entities.column));
        columns.any(|column| self.is_unique(column))
    }

    /// As [`Frame::names_one_row`], but for a cell or two of the column that stand twice.
    pub fn names_few_rows(&self) -> bool {
        let mut columns = self.named.iter().copied().chain(self.entities.iter().map(|entities| entities.column));
        columns.any(|column| match column {
            Column::Field(index) => super::labels::is_nearly_unique(self.table, index),
            Column::Document | Column::Sheet => false,
        })
    }

    /// Every condition is of a column whose values repeat, or a span of time.
    pub fn names_many_rows(&self) -> bool {
        self.conditions.iter().all(|condition| match (condition.column, &condition.test) {
            (Column::Field(_), Test::Days(..)) | (Column::Document | Column::Sheet, _) => true,
            (Column::Field(index), _) => super::measure::is_repeated(self.table, index),
        })
    }

    /// Several values of the column that names the rows, or of one that hardly repeats, are named.
    pub fn lists_keys(&self) -> bool {
        self.entities.as_ref().is_some_and(|entities| match entities.column {
            Column::Field(index) => {
                super::labels::key(self.table) == Some(index) || !super::measure::is_repeated(self.table, index)
            }
            Column::Document | Column::Sheet => false,
        })
    }

    /// A condition compares an amount of single rows, where all rows of an entity together may be meant.
    pub fn bounds_amounts(&self, entity: usize) -> bool {
        let bound = |test: &Test| matches!(test, Test::Compare(..) | Test::Range(..) | Test::Average(_));
        super::measure::is_repeated(self.table, entity)
            && self.conditions.iter().any(|condition| {
                matches!(condition.column, Column::Field(index) if bound(&condition.test)
                    && self.table.fields.get(index).is_some_and(super::measure::is_traded))
            })
    }

    /// Amounts are traded here: an entity that stands in several rows is one all the same.
    pub fn is_traded(&self) -> bool {
        self.table.fields.iter().any(super::measure::is_traded)
    }

    pub fn is_unique(&self, column: Column) -> bool {
        match column {
            Column::Field(index) => {
                self.table.fields.get(index).is_some_and(|field| super::labels::is_unique(self.table, field))
            }
            Column::Document | Column::Sheet => false,
        }
    }

    pub fn has_conditions(&self) -> bool {
        !self.conditions.is_empty() || self.entities.is_some()
    }
}

impl Entities {
    /// Any of them.
    pub fn condition(&self) -> Option<Condition> {
        let mut cells = Vec::new();
        let mut numbers = Vec::new();
        for test in &self.tests {
            match test {
                Test::Cells(more) => cells.extend(more.iter().cloned()),
                Test::Numbers(more) => numbers.extend(more),
                _ => return None,
            }
        }
        let test = match (cells.is_empty(), numbers.is_empty()) {
            (false, true) => Test::Cells(cells),
            (true, false) => Test::Numbers(numbers),
            _ => return None,
        };
        Some(Condition { column: self.column, test, negated: false })
    }
}
