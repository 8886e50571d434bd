//! What is looked at once an answer is there: whether it is one row, whether the border of a list cuts a tie.

use super::print;
use super::reading::{Reading, Shape, Top};
use crate::schema::Schema;

/// What an answer must be looked at for.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    Nothing,
    /// One row answers; more of them, or none, are no answer. The others are as good readings of the same words, each with how
    /// it is told: of all, one alone may have a row.
    OneRow {
        others: Vec<(String, String)>,
    },
    /// The list ends after `count` rows: this statement gives one more, whose last column is what the rows are ordered by.
    Border {
        sql: String,
        count: u64,
    },
}

/// The check of a reading.
pub fn check(reading: &Reading, schema: &Schema, chinese: bool) -> Check {
    let longer = |shape: Shape, count: u64| {
        let reading = Reading { shape, ..reading.clone() };
        print::statement(&reading, schema, chinese).map_or(Check::Nothing, |sql| Check::Border { sql, count })
    };
    match &reading.shape {
        Shape::Ranked { columns, top } => longer(ranked(columns, top), top.count),
        Shape::Extreme { columns, within: Some(top), .. } => longer(ranked(columns, top), top.count),
        Shape::Leaders { by, aggregate, most, count: Some(count) } => {
            let shape = Shape::Leaders { by: *by, aggregate: *aggregate, most: *most, count: Some(count + 1) };
            longer(shape, *count)
        }
        Shape::Cell { .. } => Check::OneRow { others: Vec::new() },
        _ => Check::Nothing,
    }
}

fn ranked(columns: &[usize], top: &Top) -> Shape {
    Shape::Ranked { columns: columns.to_vec(), top: Top { count: top.count + 1, ..*top } }
}
