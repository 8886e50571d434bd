//! A question as a typed query over one table.

use chrono::NaiveDate;

use super::dates::Grain;

/// A column: a field of the table by its index, or a readable source column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    Field(usize),
    Document,
    Sheet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// One of these cells.
    Cells(Vec<String>),
    /// One of these numbers.
    Numbers(Vec<f64>),
    Compare(Op, f64),
    /// Both ends included.
    Range(f64, f64),
    /// From, and up to but not with; an open end is `None`.
    Days(Option<NaiveDate>, Option<NaiveDate>),
    /// No value.
    Missing,
    /// Compared with the average of the column over all rows.
    Average(Op),
    /// Compared with another column of the row.
    Other(Op, usize),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub column: Column,
    pub test: Test,
    pub negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum How {
    Sum,
    Average,
    Median,
    Greatest,
    Least,
    /// The number of different values.
    Different,
}

/// What rows are grouped by: a column, or the periods of a column of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub column: usize,
    pub grain: Option<Grain>,
}

impl Key {
    /// The values of a column.
    pub fn of(column: usize) -> Self {
        Self { column, grain: None }
    }
}

/// What a group's figure is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    Number(f64),
    /// Both ends included.
    Range(f64, f64),
}

/// An aggregate, or the number of rows where there is none, over the rows that meet the conditions and one more.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub aggregate: Option<(How, usize)>,
    pub among: Option<Condition>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Figure(Figure),
    Number(f64),
}

/// How two figures become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Combine {
    /// The first by the second.
    Ratio,
    /// What the first has more than the second, by the second.
    Growth,
    /// Yes or no.
    Holds(Op),
}

/// The `count` greatest or least rows by a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Top {
    pub measure: usize,
    pub most: bool,
    pub count: u64,
}

/// What is asked of the rows that meet the conditions. Columns are field indices.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// The rows' columns, in sheet order.
    Rows {
        columns: Vec<usize>,
    },
    /// The value of a column in the one row that meets the conditions.
    Cell {
        column: usize,
    },
    /// The different values of a column.
    Different {
        column: usize,
    },
    Count,
    CountDifferent {
        column: usize,
    },
    Aggregate {
        how: How,
        column: usize,
    },
    /// For each value of the keys: the aggregate, or the count where there is none; ordered by it, `up` where told so.
    Grouped {
        by: Vec<Key>,
        aggregate: Option<(How, usize)>,
        up: Option<bool>,
    },
    /// The values of `by` whose rows together have the most or least of the aggregate (of rows where there is none), ties
    /// with them; or the first `count`.
    Leaders {
        by: Key,
        aggregate: Option<(How, usize)>,
        most: bool,
        count: Option<u64>,
    },
    /// The values of `by` whose aggregate (number of rows where there is none) meets a bound; how many they are if `counted`.
    Having {
        by: usize,
        aggregate: Option<(How, usize)>,
        op: Op,
        bound: Bound,
        counted: bool,
    },
    /// For each value of the keys: its part of the sum, or of the number of rows where there is none.
    Shares {
        by: Key,
        summed: Option<usize>,
    },
    /// Two figures put together as one.
    Combined {
        combine: Combine,
        first: Operand,
        second: Operand,
    },
    /// The rows with the extreme of the measure, ties with them; among the top rows of another measure where `within` is set.
    Extreme {
        columns: Vec<usize>,
        measure: usize,
        most: bool,
        within: Option<Top>,
    },
    Ranked {
        columns: Vec<usize>,
        top: Top,
    },
    /// The measure of the first less that of the second; without sign when not `signed`. `how` puts the rows of each
    /// together; `checked`: no answer where one of them has more rows than one.
    Difference {
        how: How,
        key: Column,
        first: Test,
        second: Test,
        measure: usize,
        signed: bool,
        checked: bool,
    },
    /// Greatest less least.
    Spread {
        measure: usize,
    },
    /// The row after (or before) those that meet the conditions, in sheet order.
    Neighbour {
        columns: Vec<usize>,
        next: bool,
    },
    /// The first (or last) row, in sheet order.
    Edge {
        columns: Vec<usize>,
        last: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Index in the schema.
    pub table: usize,
    pub conditions: Vec<Condition>,
    pub shape: Shape,
}

impl Reading {
    /// The same with the conditions in one order.
    pub fn in_order(&self) -> Self {
        let mut reading = self.clone();
        reading.conditions.sort_by_cached_key(|condition| format!("{condition:?}"));
        reading
    }

    /// Both ask for the same column and name the same cells, in other columns of labels.
    pub fn is_of_the_same_cells(&self, other: &Self) -> bool {
        let cells = |reading: &Self| {
            let mut tests: Vec<String> = reading.conditions.iter().map(|one| format!("{:?}", one.test)).collect();
            tests.sort_unstable();
            tests
        };
        let cell = matches!(self.shape, Shape::Cell { .. });
        cell && self.shape == other.shape && self.table == other.table && cells(self) == cells(other)
    }
}
