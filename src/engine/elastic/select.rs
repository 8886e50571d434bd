//! Runs a scoped statement over the tables it names, at one moment of the server.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::logical_expr::{LogicalPlan, ScalarUDF};
use datafusion::sql::sqlparser::ast::{Expr, LimitClause, Query, Value};

use super::cited::Cited;
use super::matching::answers;
use super::moment::Moment;
use super::place::Place;
use super::provider::Provider;
use super::pushdown::Pushdown;
use super::{Elastic, EngineError, ResultSet, Snapshot};
use crate::engine::matching::{MatchFunction, calls};
use crate::engine::outcome::{casts_to_whole, relations, result, round_sums};
use crate::engine::overflow;
use crate::query::{Rows, Running, Session, SourceCount};
use crate::sql::{Refusal, ScopedSelect, render};

/// The text of a statement for DataFusion.
type Print = fn(&Query) -> Result<String, Refusal>;

impl Elastic {
    pub(super) async fn run(
        &self,
        select: &ScopedSelect,
        snapshot: &Snapshot,
        max_rows: usize,
        max_sources: usize,
    ) -> Result<ResultSet, EngineError> {
        let mut print: Print = render::embedded;
        let names = relations(select);
        let mut places = self.places(snapshot, |at| names.contains(&snapshot.schema.tables[at].name));
        let cast = casts_to_whole(select.statement());
        let exact = overflow::may_overflow(&print(select.statement())?, &names, &places, cast);
        if exact {
            print = render::embedded_exact;
            let exact = |place: &Arc<Place>| Place { schema: overflow::exact(&place.schema), ..place.as_ref().clone() };
            places = places.iter().map(|place| Arc::new(exact(place))).collect();
        }
        let statement = print(select.statement())?;
        let sources = select.sources().map(print).transpose()?;
        let exact = exact && !overflow::has_doubles(&statement);
        let running = Running { partitions: 1, growth: select.text_growth(), exact };
        let session = self.session(&statement, sources.as_deref(), places, running).await?;
        let (mut rows, sources) = match sources {
            None => plain(&session, (select.statement(), print), max_rows, max_sources).await?,
            Some(sources) => {
                let rows = session.rows(planned(&session, &statement).await?, max_rows).await?;
                (rows, cited(&session, planned(&session, &sources).await?, max_sources).await?)
            }
        };
        round_sums(&mut rows, select);
        Ok(result(rows, sources))
    }

    async fn session(
        &self,
        statement: &str,
        sources: Option<&str>,
        places: Vec<Arc<Place>>,
        running: Running,
    ) -> Result<Session, EngineError> {
        let (moment, places) = Moment::open(&self.cluster, places).await?;
        let session = self.sessions.open(running, Ok)?;
        session.rule(Arc::new(Pushdown));
        for place in &places {
            session
                .table(&place.name, Arc::new(Provider { moment: moment.clone(), place: place.clone(), top: None }))?;
        }
        let mut calls = calls(statement);
        calls.extend(sources.map(self::calls).unwrap_or_default());
        if !calls.is_empty() {
            let answers: HashMap<_, _> = answers(&moment, &places, calls).await?;
            session.function(ScalarUDF::new_from_impl(MatchFunction::new(answers)));
        }
        Ok(session)
    }
}

/// The plan that a statement runs by.
async fn planned(session: &Session, statement: &str) -> Result<LogicalPlan, EngineError> {
    Ok(session.optimized(&session.plan(statement).await?)?)
}

/// A select that gives one row for each: where the server counts them all, only the first are read.
async fn plain(
    session: &Session,
    (query, print): (&Query, Print),
    max_rows: usize,
    max_sources: usize,
) -> Result<(Rows, SourceCount), EngineError> {
    let plan = planned(session, &print(query)?).await?;
    let counted = match query.limit_clause.is_none() && query.fetch.is_none() {
        true => Cited::of_plain(&plan),
        false => None,
    };
    let Some(counted) = counted else { return Ok(session.plain(plan, max_rows, max_sources).await?) };
    let all = counted.read(0).await?;
    let first = planned(session, &print(&first_rows(query.clone(), max_rows.max(max_sources)))?).await?;
    let (mut rows, mut sources) = session.plain(first, max_rows, max_sources).await?;
    rows.total = all.total;
    (sources.total, sources.documents) = (all.total, all.documents);
    Ok((rows, sources))
}

/// The query with a limit.
fn first_rows(mut query: Query, rows: usize) -> Query {
    let limit = Expr::value(Value::Number(rows.to_string(), false));
    query.limit_clause = Some(LimitClause::LimitOffset { limit: Some(limit), offset: None, limit_by: Vec::new() });
    query
}

/// The rows that the answer stands on, counted by the server where it can.
async fn cited(session: &Session, sources: LogicalPlan, max_sources: usize) -> Result<SourceCount, EngineError> {
    match Cited::of(&sources) {
        Some(cited) => cited.read(max_sources).await,
        None => Ok(session.sources(sources, max_sources).await?),
    }
}
