//! Runs a scoped statement over the views of the tables it names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::logical_expr::ScalarUDF;
use datafusion::sql::sqlparser::ast::{DataType, Expr, Query, visit_expressions, visit_relations};

use super::matching::{Call, Hits, MatchFunction, SegmentHits, calls};
use super::overflow;
use super::provider::Provider;
use super::search::{self, Need, Shards};
use super::store::Store;
use super::view::{SegmentView, View};
use super::{Embedded, EngineError, ResultSet, RowKey, Snapshot, blocking};
use crate::engine::Source;
use crate::query::{Rows, Session, SourceCount, SourceRow};
use crate::sql::{Code, Refusal, ScopedSelect, render};
use crate::tokens;
use crate::value::Value;

/// Below so many rows one partition is faster than several.
const MIN_ROWS_TO_SPLIT: u64 = 50_000;

impl Embedded {
    pub(super) async fn run(
        &self,
        select: &ScopedSelect,
        snapshot: &Snapshot,
        max_rows: usize,
        max_sources: usize,
    ) -> Result<ResultSet, EngineError> {
        let mut statement = render::embedded(select.statement())?;
        let mut sources = select.sources().map(render::embedded).transpose()?;
        let names = relations(select);
        let mut views = self.views(snapshot, |index| names.contains(&snapshot.schema.tables[index].name))?;
        let cast = casts_to_whole(select.statement());
        if overflow::may_overflow(&statement, &names, &views, cast) {
            statement = render::embedded_exact(select.statement())?;
            sources = select.sources().map(render::embedded_exact).transpose()?;
            views = views.iter().map(|view| Arc::new(overflow::exact(view))).collect();
        }
        let session = self.session(&statement, sources.as_deref(), &views, select).await?;
        let (mut rows, sources) = match sources {
            None => session.plain(&statement, max_rows, max_sources).await?,
            Some(sources) => (session.rows(&statement, max_rows).await?, session.sources(&sources, max_sources).await?),
        };
        round_sums(&mut rows, select);
        Ok(result(rows, sources))
    }

    async fn session(
        &self,
        statement: &str,
        sources: Option<&str>,
        views: &[Arc<View>],
        select: &ScopedSelect,
    ) -> Result<Session, EngineError> {
        let session = self.sessions.open(self.partitions(views, select))?;
        for view in views {
            session.table(&view.name, Arc::new(Provider { store: self.store.clone(), view: view.clone() }))?;
        }
        let mut calls = calls(statement);
        calls.extend(sources.map(self::calls).unwrap_or_default());
        if !calls.is_empty() {
            let (store, shards, views) = (self.store.clone(), self.shards.clone(), views.to_vec());
            let answers = blocking(move || answers(&store, &shards, &views, calls)).await?;
            session.function(ScalarUDF::new_from_impl(MatchFunction::new(answers)));
        }
        Ok(session)
    }

    /// A plain select without an order keeps that of the sheet, so it runs as one partition.
    fn partitions(&self, views: &[Arc<View>], select: &ScopedSelect) -> usize {
        let rows: u64 = views.iter().map(|view| view.rows()).sum();
        let in_sheet_order = select.is_plain() && select.statement().order_by.is_none();
        match self.store.limits().partitions {
            _ if rows < MIN_ROWS_TO_SPLIT || in_sheet_order => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            partitions => partitions,
        }
    }
}

fn casts_to_whole(query: &Query) -> bool {
    let is_cast = |expr: &Expr| matches!(expr, Expr::Cast { data_type: DataType::BigInt(None), .. });
    let found = visit_expressions(query, |expr| match is_cast(expr) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    found.is_break()
}

/// Names that stand where a table does.
fn relations(select: &ScopedSelect) -> Vec<String> {
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

fn answers(
    store: &Store,
    shards: &Shards,
    views: &[Arc<View>],
    calls: Vec<Call>,
) -> Result<HashMap<Call, Arc<Hits>>, EngineError> {
    let mut answers = HashMap::new();
    for call in calls {
        if let Entry::Vacant(place) = answers.entry(call) {
            let hits = answer(store, shards, views, place.key())?;
            place.insert(Arc::new(hits));
        }
    }
    Ok(answers)
}

fn answer(store: &Store, shards: &Shards, views: &[Arc<View>], call: &Call) -> Result<Hits, EngineError> {
    let refused = |message: String| Refusal::new(Code::NotRunnable, message, "MATCH takes a text field of its table");
    let view = views.iter().find(|view| view.name == call.table);
    let view = view.ok_or_else(|| refused(format!("MATCH names the table {}", call.table)))?;
    let column = match call.field.strip_suffix("_tks") {
        Some(stem) => format!("{stem}_kwd"),
        None => call.field.clone(),
    };
    let need = Need::read(&call.options).ok_or_else(|| refused(format!("MATCH has no option {}", call.options)))?;
    let mut words = tokens::tokens(&call.words);
    words.sort();
    words.dedup();
    search::build(store, &[view.as_ref()])?;
    let hits = view.segments().map(|segment| {
        let rows = match column.as_str() {
            "docnm_kwd" => of_documents(store, view, segment, &words, need)?,
            column => shards.having(store, &segment.footer, column, &words, need)?,
        };
        Ok((segment.footer.no, SegmentHits { rows, nulls: nulls(store, segment, &column)? }))
    });
    hits.collect()
}

/// Rows of the documents whose name has enough of the words.
fn of_documents(
    store: &Store,
    view: &View,
    segment: &SegmentView,
    words: &[String],
    need: Need,
) -> Result<super::rowset::Bits, EngineError> {
    let has = |name: &str| {
        let own = tokens::tokens(name);
        !words.is_empty() && words.iter().filter(|word| own.contains(word)).count() >= need.of(words.len())
    };
    let documents = view.documents.all.iter().filter(|document| has(&document.name));
    let numbers = documents.map(|document| document.no as usize).collect();
    let named = SegmentView { docs: Some(Arc::new(numbers)), ..segment.clone() };
    let mut rows = super::rowset::Bits::default();
    for group in 0..segment.footer.groups.len() {
        let live = named.live(store, group)?.unwrap_or_default();
        let first = segment.footer.first_row(group);
        live.iter().enumerate().filter(|(_, live)| **live).for_each(|(row, _)| rows.insert(first + row));
    }
    Ok(rows)
}

fn nulls(store: &Store, segment: &SegmentView, column: &str) -> Result<super::rowset::Bits, EngineError> {
    let footer = &segment.footer;
    let mut nulls = super::rowset::Bits::default();
    for group in 0..footer.groups.len() {
        if column == "docnm_kwd" || (footer.has(column) && !footer.has_nulls(group, column)) {
            continue;
        }
        let array = store.column(footer, group, column)?;
        let is_null = |row: usize| array.as_ref().is_none_or(|array| array.is_null(row));
        let first = footer.first_row(group);
        (0..footer.groups[group]).filter(|&row| is_null(row)).for_each(|row| nulls.insert(first + row));
    }
    Ok(nulls)
}

/// Most places that a sum is rounded to, and the size from which on a double no longer holds them.
const MAX_SUM_PLACES: u8 = 9;
const MAX_SUM: f64 = 1e15;

/// A sum of decimals has no more places than its terms; everything else is left as it is.
fn round_sums(rows: &mut Rows, select: &ScopedSelect) {
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

fn result(rows: Rows, sources: SourceCount) -> ResultSet {
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
