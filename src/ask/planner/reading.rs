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
    /// The values of `by` whose rows together have the most or least of the measure, ties with them; or the first `count`.
    Leaders {
        by: usize,
        how: How,
        measure: usize,
        most: bool,
        count: Option<u64>,
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
    /// The value of `by` with the most or fewest rows, ties with it.
    Frequent {
        by: usize,
        most: bool,
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
