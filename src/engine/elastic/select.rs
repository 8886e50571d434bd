//! Runs a scoped statement over the tables it names, at one moment of the server.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::logical_expr::{LogicalPlan, ScalarUDF};

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
use crate::query::{Session, SourceCount};
use crate::sql::{ScopedSelect, render};

impl Elastic {
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
        let mut places = self.places(snapshot, |at| names.contains(&snapshot.schema.tables[at].name));
        if overflow::may_overflow(&statement, &names, &places, casts_to_whole(select.statement())) {
            statement = render::embedded_exact(select.statement())?;
            sources = select.sources().map(render::embedded_exact).transpose()?;
            let exact = |place: &Arc<Place>| Place { schema: overflow::exact(&place.schema), ..place.as_ref().clone() };
            places = places.iter().map(|place| Arc::new(exact(place))).collect();
        }
        let session = self.session(&statement, sources.as_deref(), places).await?;
        let (mut rows, sources) = match sources {
            None => session.plain(planned(&session, &statement).await?, max_rows, max_sources).await?,
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
    ) -> Result<Session, EngineError> {
        let (moment, places) = Moment::open(&self.cluster, places).await?;
        let session = self.sessions.open(1)?;
        session.rule(Arc::new(Pushdown));
        for place in &places {
            session.table(&place.name, Arc::new(Provider { moment: moment.clone(), place: place.clone() }))?;
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

/// The rows that the answer stands on, counted by the server where it can.
async fn cited(session: &Session, sources: LogicalPlan, max_sources: usize) -> Result<SourceCount, EngineError> {
    match Cited::of(&sources) {
        Some(cited) => cited.read(max_sources).await,
        None => Ok(session.sources(sources, max_sources).await?),
    }
}
