//! What every engine does before and after a statement runs in DataFusion.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{DataType, Expr, Query, visit_expressions, visit_relations};

use super::{ResultSet, RowKey, Source};
use crate::query::{Rows, SourceCount, SourceRow};
use crate::sql::ScopedSelect;
use crate::value::Value;

/// Whether a value is cast to a whole number.
pub(super) fn casts_to_whole(query: &Query) -> bool {
    let is_cast = |expr: &Expr| matches!(expr, Expr::Cast { data_type: DataType::BigInt(None), .. });
    let found = visit_expressions(query, |expr| match is_cast(expr) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// Names that stand where a table does.
pub(super) fn relations(select: &ScopedSelect) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |query: &Query| {
        let _: ControlFlow<()> = visit_relations(query, |name| {
            names.extend(name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.to_lowercase()));
            ControlFlow::Continue(())
        });
    };
    add(select.statement());
    select.sources().into_iter().for_each(&mut add);
    names
}

/// Most places that a sum is rounded to, and the size from which on a double no longer holds them.
const MAX_SUM_PLACES: u8 = 9;
const MAX_SUM: f64 = 1e15;

/// A sum of decimals has no more places than its terms; everything else is left as it is.
pub(super) fn round_sums(rows: &mut Rows, select: &ScopedSelect) {
    for (at, column) in select.columns().iter().enumerate() {
        let Some(places) = column.decimals.filter(|places| column.summed && *places <= MAX_SUM_PLACES) else {
            continue;
        };
        for row in &mut rows.rows {
            if let Some(Value::Decimal(x)) = row.get_mut(at)
                && x.abs() < MAX_SUM
            {
                *x = rounded(*x, places);
            }
        }
    }
}

/// Through the decimal text, so that 1.005 to two places is what its digits say.
fn rounded(x: f64, places: u8) -> f64 {
    format!("{x:.*}", usize::from(places)).parse().unwrap_or(x)
}

/// Rows and sources of one statement as its result.
pub(super) fn result(rows: Rows, sources: SourceCount) -> ResultSet {
    ResultSet {
        rows: rows.rows,
        total: rows.total,
        sources: sources.rows.into_iter().map(source).collect(),
        sources_total: sources.total,
        documents: sources.documents.into_iter().collect(),
    }
}

fn source(row: SourceRow) -> Source {
    Source { key: RowKey(row.key), doc_no: row.doc_no, sheet: row.sheet, row: row.row }
}
