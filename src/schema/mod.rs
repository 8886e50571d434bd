//! From columns of cells to typed, named fields.
//!
//! Comes in: labels and cells, column by column. Goes out: a [`Field`] for each column and a value for each cell.
//! Must never happen: a cell that changes its value silently; two columns in one field; a type that depends on the order of files.

mod field;

pub use field::{Field, RESERVED_COLUMNS, SOURCE_COLUMNS, Schema, Table};
