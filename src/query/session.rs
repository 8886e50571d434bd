//! One session for each statement, over a catalog of its own.

use std::sync::Arc;

use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemoryCatalogProvider, MemoryCatalogProviderList, MemorySchemaProvider,
    SchemaProvider, TableProvider,
};
use datafusion::execution::context::{SQLOptions, SessionContext, SessionState};
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::GreedyMemoryPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{FunctionRegistry, SendableRecordBatchStream, SessionStateBuilder};
use datafusion::logical_expr::{AggregateUDF, LogicalPlan, ScalarUDF};
use datafusion::optimizer::OptimizerRule;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::SessionConfig;
use tokio::task::JoinSet;

use super::QueryError;
use super::joined_text::JoinedText;
use crate::config::SqlLimits;
use crate::sql::{Code, Refusal};

const CATALOG: &str = "sheetwise";
const SCHEMA: &str = "tables";

/// What all sessions of an engine share: functions and one memory limit.
#[derive(Debug)]
pub struct Sessions {
    state: SessionState,
    batch_rows: usize,
    /// Bytes of text that the rows given may hold.
    max_kept: usize,
}

/// How one statement runs.
#[derive(Debug, Clone, Copy)]
pub struct Running {
    pub partitions: usize,
    /// Times that its texts can grow: its batches have fewer rows, so that they need no more memory.
    pub growth: f64,
    /// Numbers with a point are decimals and no doubles.
    pub exact: bool,
}

/// Rows that a batch has at least, and the part of the memory that the rows given may hold.
const MIN_BATCH_ROWS: f64 = 16.0;
const KEPT: usize = 64;

impl Sessions {
    /// `batch_rows` is the size of the batches that operators pass on.
    pub fn new(limits: &SqlLimits, batch_rows: usize) -> Result<Self, QueryError> {
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(GreedyMemoryPool::new(limits.max_memory_bytes)))
            .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
            .build_arc()?;
        let mut state = SessionStateBuilder::new()
            .with_config(config(batch_rows))
            .with_runtime_env(runtime)
            .with_default_features()
            .with_table_function_list(Vec::new())
            .build();
        state.register_udaf(Arc::new(AggregateUDF::new_from_impl(JoinedText::new(limits.max_text_bytes))))?;
        let batch_rows = batch_rows.max(1);
        Ok(Self { state, batch_rows, max_kept: limits.max_memory_bytes / KEPT })
    }

    /// A session that knows no table yet. `improved` has the last word on an optimized plan: it gives one with the same rows and
    /// columns.
    pub fn open(&self, running: Running, improved: Improve) -> Result<Session, QueryError> {
        let Running { partitions, growth, exact } = running;
        let mut state = self.state.clone();
        let tables = Arc::new(MemorySchemaProvider::new());
        let catalog = MemoryCatalogProvider::new();
        catalog.register_schema(SCHEMA, tables.clone())?;
        let catalogs = MemoryCatalogProviderList::new();
        catalogs.register_catalog(CATALOG.to_owned(), Arc::new(catalog));
        state.register_catalog_list(Arc::new(catalogs));
        let config = state.config_mut();
        config.options_mut().execution.target_partitions = partitions.max(1);
        config.options_mut().sql_parser.parse_float_as_decimal = exact;
        if growth > 1.0 {
            let rows = (self.batch_rows as f64 / growth).max(MIN_BATCH_ROWS) as usize;
            *config = config.clone().with_batch_size(rows.min(self.batch_rows));
            config.options_mut().execution.enforce_batch_size_in_joins = true;
        }
        let context = SessionContext::new_with_state(state);
        Ok(Session { context, tables, improved, max_kept: self.max_kept })
    }
}

fn config(batch_rows: usize) -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_default_catalog_and_schema(CATALOG, SCHEMA)
        .with_create_default_catalog_and_schema(false)
        .with_information_schema(false)
        .with_batch_size(batch_rows.max(1));
    config.options_mut().sql_parser.default_null_ordering = "nulls_last".to_owned();
    config
}

/// What an engine makes of an optimized plan.
pub type Improve = fn(LogicalPlan) -> datafusion::common::Result<LogicalPlan>;

/// A place where one statement runs.
#[derive(Clone)]
pub struct Session {
    context: SessionContext,
    tables: Arc<MemorySchemaProvider>,
    improved: Improve,
    pub(super) max_kept: usize,
}

impl Session {
    /// Makes a table known by its name.
    pub fn table(&self, name: &str, table: Arc<dyn TableProvider>) -> Result<(), QueryError> {
        self.tables.register_table(name.to_owned(), table)?;
        Ok(())
    }

    pub fn function(&self, function: ScalarUDF) {
        self.context.register_udf(function);
    }

    /// Adds a rule that rewrites plans after all others.
    pub fn rule(&self, rule: Arc<dyn OptimizerRule + Send + Sync>) {
        self.context.add_optimizer_rule(rule);
    }

    /// Plans one statement that only reads.
    pub async fn plan(&self, sql: &str) -> Result<LogicalPlan, QueryError> {
        let plan = self.context.state().create_logical_plan(sql).await?;
        SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false)
            .verify_plan(&plan)?;
        match plan {
            LogicalPlan::Explain(_) | LogicalPlan::Analyze(_) | LogicalPlan::DescribeTable(_) => {
                Err(Refusal::new(Code::NotSelect, "only a SELECT runs", "write one SELECT").into())
            }
            plan => Ok(plan),
        }
    }

    /// The plan as it will run.
    pub fn optimized(&self, plan: &LogicalPlan) -> Result<LogicalPlan, QueryError> {
        Ok((self.improved)(self.context.state().optimize(plan)?)?)
    }

    /// What a table of this session plans a scan with.
    pub fn state(&self) -> SessionState {
        self.context.state()
    }

    pub(super) async fn physical(&self, optimized: &LogicalPlan) -> Result<Arc<dyn ExecutionPlan>, QueryError> {
        let state = self.context.state();
        Ok(state.query_planner().create_physical_plan(optimized, &state).await?)
    }

    /// Starts an optimized plan.
    pub(super) async fn stream(&self, optimized: &LogicalPlan) -> Result<SendableRecordBatchStream, QueryError> {
        Ok(execute_stream(self.physical(optimized).await?, self.context.task_ctx())?)
    }

    pub(super) fn context(&self) -> &SessionContext {
        &self.context
    }

    /// Runs to the end; where the caller no longer waits, everything it started stops.
    pub async fn apart<T: Send + 'static>(
        work: impl Future<Output = Result<T, QueryError>> + Send + 'static,
    ) -> Result<T, QueryError> {
        let mut tasks = JoinSet::new();
        tasks.spawn(work);
        match tasks.join_next().await {
            Some(Ok(done)) => done,
            Some(Err(error)) => Err(QueryError::Failed(format!("the query stopped: {error}"))),
            None => Err(QueryError::Failed("the query did not start".to_owned())),
        }
    }
}
