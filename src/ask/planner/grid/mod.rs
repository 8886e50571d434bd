//! Statements of accounts and the like: rows with labels, columns with years or header paths, one cell asked for.
//!
//! Comes in: the question's tokens, a table, the cells it names. Goes out: readings, each a row label with a column.
//! Must never happen: a word of the question that neither the row, the column nor the grammar of questions accounts for.

mod column;
mod label;
mod rest;
mod word;

use std::collections::BTreeSet;

use super::grammar::Scored;
use super::reading::{Column, Condition, Reading, Shape, Test};
use super::token::Token;
use crate::engine::Mention;
use crate::schema::Table;
use word::Asked;

/// Tokens of the question that something accounts for.
type Claims = BTreeSet<usize>;

/// Readings kept, the cheapest first.
const KEPT: usize = 6;
/// Tables with more rows list things; they are no statement.
const MOST_ROWS: u64 = 500;
/// One word of a label of several is close to nothing.
const DEFAULT_COLUMN_COST: f32 = 0.12;

/// One cell of a label column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pick {
    column: usize,
    /// One, or several that differ in brackets only.
    cells: Vec<String>,
    claims: Claims,
    cost: f32,
}

/// The table's parts: columns of row labels, columns of values.
pub(super) struct Grid<'a> {
    pub(super) table: &'a Table,
    pub(super) labels: Vec<usize>,
    pub(super) values: Vec<usize>,
}

/// Every reading of the question as one cell of the table.
pub fn read(question: &str, tokens: &[Token], table: &Table, index: usize, mentions: &[Mention]) -> Vec<Scored> {
    let Some(grid) = Grid::of(table) else { return Vec::new() };
    let asked = Asked::of(question, tokens);
    let rows = label::rows(&grid, &asked, mentions);
    let mut found: Vec<Scored> = Vec::new();
    for row in &rows {
        for column in &grid.values {
            found.extend(grid.reading(row, *column, &asked, index));
        }
    }
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    found.truncate(KEPT);
    found
}

impl<'a> Grid<'a> {
    /// The parts of a table that is laid out so.
    fn of(table: &'a Table) -> Option<Self> {
        let labels: Vec<usize> =
            (0..table.fields.len()).take_while(|index| column::is_label(&table.fields[*index])).take(3).collect();
        let values: Vec<usize> = (labels.len()..table.fields.len()).collect();
        let unheaded = labels.iter().any(|index| column::is_unheaded(&table.fields[*index]));
        let dated = values.iter().filter(|index| !column::years(&table.fields[**index]).is_empty()).count() >= 2;
        let keyed = labels.len() == 1 && super::labels::is_unique(table, &table.fields[labels[0]]);
        let paths = values.iter().filter(|index| table.fields[**index].label.contains('-')).count() >= 4;
        let laid_out = unheaded || dated || keyed || paths;
        (laid_out && !labels.is_empty() && !values.is_empty() && table.rows <= MOST_ROWS).then_some(Self {
            table,
            labels,
            values,
        })
    }

    fn reading(&self, row: &[Pick], column: usize, asked: &Asked, index: usize) -> Option<Scored> {
        let mut claims: Claims = row.iter().flat_map(|pick| pick.claims.iter().copied()).collect();
        let row_cost: f32 = row.iter().map(|pick| pick.cost).sum();
        let (header, header_cost) = column::claims(&self.table.fields[column], asked, &claims)?;
        if self.has_sibling(column, header_cost, &header, asked) {
            return None;
        }
        let named = !header.is_empty();
        if !named && self.only_number() != Some(column) {
            return None;
        }
        claims.extend(header);
        let rest = rest::rest(self, row, column, asked, &claims)?;
        let default = if named { 0.0 } else { DEFAULT_COLUMN_COST };
        let conditions = row.iter().map(|pick| Condition {
            column: Column::Field(pick.column),
            test: Test::Cells(pick.cells.clone()),
            negated: false,
        });
        let reading = Reading { table: index, conditions: conditions.collect(), shape: Shape::Cell { column } };
        Some(Scored {
            cost: row_cost + header_cost + default + rest.cost,
            outsiders: rest.outsiders,
            read_as: self.read_as(row, asked),
            ..Scored::plain(reading)
        })
    }

    /// The header is read in part, and the part is in another header as well.
    fn has_sibling(&self, column: usize, cost: f32, header: &Claims, asked: &Asked) -> bool {
        let shares = |other: &usize| *other != column && column::has(&self.table.fields[*other], header, asked);
        cost >= column::UNREAD_COST && !header.is_empty() && self.values.iter().any(shares)
    }

    /// The column of numbers where there is one only.
    fn only_number(&self) -> Option<usize> {
        let mut numbers = self.values.iter().copied().filter(|index| self.table.fields[*index].kind.is_number());
        numbers.next().filter(|_| numbers.next().is_none())
    }

    /// Labels that the question names in part or in other words.
    fn read_as(&self, row: &[Pick], asked: &Asked) -> Vec<(String, Vec<String>)> {
        let loose = row.iter().filter(|pick| pick.cost > 0.0);
        loose.map(|pick| (asked.said(&pick.claims), pick.cells.clone())).collect()
    }
}
