//! From columns of cells to typed, named fields.
//!
//! Comes in: labels and cells, column by column. Goes out: a [`Field`] for each column and a value for each cell.
//! Must never happen: a cell that changes its value silently; two columns in one field; a type that depends on the order of files.
//!
//! [`Profile`] counts what cells say; [`decide`] makes one [`Decision`] of merged profiles; [`Decision::convert`] types a cell;
//! [`name_fields`] names the columns of a table; [`Shape`] tells which sheets are one table.

mod amount;
mod class;
mod clock;
mod convert;
mod date;
mod date_forms;
mod dates;
mod decision;
mod distinct;
mod field;
mod fold;
mod label;
mod name;
mod number;
mod plain;
mod profile;
mod rows;
mod shape;
mod summary;
mod tally;
mod unit;

#[cfg(test)]
mod tests;

pub use convert::{Converted, Typed};
pub use date::DateOrder;
pub use decision::{Conversion, Decision, Override, decide};
pub use field::{Field, RESERVED_COLUMNS, SOURCE_COLUMNS, Schema, Table};
pub use fold::fold;
pub use label::Label;
pub use name::{name_fields, recounted, table_name};
pub use profile::Profile;
pub use rows::{Repeat, RowSet, repeats};
pub use shape::{NearMiss, Shape, column_map};
