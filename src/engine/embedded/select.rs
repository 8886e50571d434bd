//! Runs a scoped statement over the views of the tables it names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use datafusion::logical_expr::ScalarUDF;

use super::citing;
use super::coded;
use super::provider::Provider;
use super::search::{self, Shards};
use super::store::Store;
use super::view::{SegmentView, View};
use super::{Embedded, EngineError, ResultSet, Snapshot, blocking};
use crate::engine::cells::{column_of, words};
use crate::engine::matching::{Call, Hits, MatchFunction, Need, SegmentHits, calls};
use crate::engine::outcome::{casts_to_whole, relations, result, round_sums};
use crate::engine::overflow::{self, Extent};
use crate::engine::rowset::Bits;
use crate::query::{Rows, Running, Session, SourceCount};
use crate::sql::{Code, Refusal, ScopedSelect, render};
use crate::tokens;

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
        let exact = overflow::may_overflow(&statement, &names, &views, cast);
        if exact {
            statement = render::embedded_exact(select.statement())?;
            sources = select.sources().map(render::embedded_exact).transpose()?;
            let exact = |view: &Arc<View>| View { schema: overflow::exact(&view.schema), ..view.as_ref().clone() };
            views = views.iter().map(|view| Arc::new(exact(view))).collect();
        }
        let session = self.session(&statement, sources.as_deref(), &views, select, exact).await?;
        let (mut rows, sources) = match sources {
            None => {
                let plan = session.optimized(&session.plan(&statement).await?)?;
                session.plain(plan, max_rows, max_sources).await?
            }
            Some(sources) => with_sources(&session, &statement, &sources, max_rows, max_sources).await?,
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
        exact: bool,
    ) -> Result<Session, EngineError> {
        let running = Running {
            partitions: self.partitions(views, select),
            growth: select.text_growth(),
            exact: exact && !overflow::has_doubles(statement),
        };
        let session = self.sessions.open(running, coded::grouped)?;
        for view in views {
            session.table(&view.name, Arc::new(Provider::new(self.store.clone(), view.clone())))?;
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

/// A statement and the select of its sources, which share what both compute.
async fn with_sources(
    session: &Session,
    statement: &str,
    sources: &str,
    max_rows: usize,
    max_sources: usize,
) -> Result<(Rows, SourceCount), EngineError> {
    let shared = session.shared(session.plan(statement).await?, session.plan(sources).await?).await?;
    let rows = session.rows(session.optimized(&shared.statement)?, max_rows).await?;
    let sources = session.optimized(&shared.sources)?;
    if let Some(scan) = citing::only_scan(&sources).cloned() {
        let state = session.state();
        let counted = Session::apart(async move { Ok(citing::sources(&scan, &state, max_sources).await?) }).await?;
        if let Some(counted) = counted {
            return Ok((rows, counted));
        }
    }
    Ok((rows, session.sources(sources, max_sources).await?))
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
    let column = column_of(&call.field);
    let need = Need::read(&call.options).ok_or_else(|| refused(format!("MATCH has no option {}", call.options)))?;
    let words = words(&call.words);
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
) -> Result<Bits, EngineError> {
    let has = |name: &str| {
        let own = tokens::tokens(name);
        !words.is_empty() && words.iter().filter(|word| own.contains(word)).count() >= need.of(words.len())
    };
    let documents = view.documents.all.iter().filter(|document| has(&document.name));
    let numbers = documents.map(|document| document.no as usize).collect();
    let named = SegmentView { docs: Some(Arc::new(numbers)), ..segment.clone() };
    let mut rows = Bits::default();
    for group in 0..segment.footer.groups.len() {
        let live = named.live(store, group)?.unwrap_or_default();
        let first = segment.footer.first_row(group);
        live.iter().enumerate().filter(|(_, live)| **live).for_each(|(row, _)| rows.insert(first + row));
    }
    Ok(rows)
}

fn nulls(store: &Store, segment: &SegmentView, column: &str) -> Result<Bits, EngineError> {
    let footer = &segment.footer;
    let mut nulls = Bits::default();
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
