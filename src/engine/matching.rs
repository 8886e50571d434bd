//! `sw_match(table, field, words, options, row_key)`: each distinct call is answered by the search index before the
//! statement runs, and stands in the plan as a look-up of the row key. A null cell gives null, so NOT leaves it out.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::array::{Array, AsArray, BooleanArray};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Value, visit_expressions,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use super::rowset::Bits;

/// The function's name in the dialect of DataFusion.
pub(super) const MATCH: &str = "sw_match";

/// One distinct call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub table: String,
    pub field: String,
    pub words: String,
    pub options: String,
}

/// The answer for one segment.
#[derive(Debug, Default)]
pub(super) struct SegmentHits {
    pub rows: Bits,
    pub nulls: Bits,
}

/// The answer to one call, by segment number.
pub(super) type Hits = HashMap<u32, SegmentHits>;

/// The distinct calls in a rendered statement.
pub(super) fn calls(sql: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    if !sql.contains(MATCH) {
        return calls;
    }
    let Ok(statements) = Parser::parse_sql(&GenericDialect {}, sql) else { return calls };
    let _: ControlFlow<()> = visit_expressions(&statements, |expr| {
        if let Some(call) = call(expr)
            && !calls.contains(&call)
        {
            calls.push(call);
        }
        ControlFlow::Continue(())
    });
    calls
}

fn call(expr: &Expr) -> Option<Call> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::List(list) = &function.args else { return None };
    if !function.name.to_string().eq_ignore_ascii_case(MATCH) {
        return None;
    }
    let mut texts = list.args.iter().map_while(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    });
    Some(Call { table: texts.next()?, field: texts.next()?, words: texts.next()?, options: texts.next()? })
}

/// The function over the answers of one statement.
#[derive(Debug)]
pub(super) struct MatchFunction {
    /// Tells the functions of two statements apart.
    id: u64,
    signature: Signature,
    answers: HashMap<Call, Arc<Hits>>,
}

impl MatchFunction {
    pub(super) fn new(answers: HashMap<Call, Arc<Hits>>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { id, signature: Signature::any(5, Volatility::Immutable), answers }
    }
}

impl PartialEq for MatchFunction {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for MatchFunction {}

impl Hash for MatchFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl ScalarUDFImpl for MatchFunction {
    fn name(&self) -> &str {
        MATCH
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types.last() {
            Some(DataType::UInt64) => Ok(DataType::Boolean),
            _ => plan_err!("MATCH is asked of the rows of a table"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let text = |at: usize| match args.args.get(at) {
            Some(ColumnarValue::Scalar(text)) => text.try_as_str().flatten().map(str::to_owned),
            _ => None,
        };
        let (Some(table), Some(field), Some(words), Some(options)) = (text(0), text(1), text(2), text(3)) else {
            return exec_err!("MATCH takes literal texts");
        };
        let Some(hits) = self.answers.get(&Call { table, field, words, options }) else {
            return exec_err!("MATCH was not answered before the statement ran");
        };
        let keys = args.args[4].to_array(args.number_rows)?;
        let keys = keys.as_primitive::<UInt64Type>();
        let mut last: (Option<u32>, Option<&SegmentHits>) = (None, None);
        let mut look_up = |key: u64| {
            let segment = (key >> 32) as u32;
            if last.0 != Some(segment) {
                last = (Some(segment), hits.get(&segment));
            }
            let row = key as u32 as usize;
            let found = last.1?;
            (!found.nulls.contains(row)).then(|| found.rows.contains(row))
        };
        let answer: BooleanArray = match keys.null_count() {
            0 => keys.values().iter().map(|&key| look_up(key)).collect(),
            _ => keys.iter().map(|key| key.and_then(&mut look_up)).collect(),
        };
        Ok(ColumnarValue::Array(Arc::new(answer)))
    }
}

/// How many of the words a cell needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Need {
    All,
    AtLeast(usize),
    Percent(usize),
}

impl Need {
    /// Reads `operator=AND`, `operator=OR;minimum_should_match=30%`; OR alone is one word.
    pub(super) fn read(options: &str) -> Option<Self> {
        let mut need = Need::AtLeast(1);
        for option in options.split(';').map(str::trim).filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=')?;
            need = match (name.trim().to_lowercase().as_str(), value.trim().to_lowercase().as_str()) {
                ("operator", "and") => Need::All,
                ("operator", "or") => need,
                ("minimum_should_match", value) => match value.strip_suffix('%') {
                    Some(percent) => Need::Percent(percent.trim().parse().ok().filter(|percent| *percent <= 100)?),
                    None => Need::AtLeast(value.parse().ok()?),
                },
                _ => return None,
            };
        }
        Some(need)
    }

    /// Words needed of so many; at least one.
    pub(super) fn of(self, words: usize) -> usize {
        match self {
            Need::All => words,
            Need::AtLeast(least) => least.min(words),
            Need::Percent(percent) => words * percent / 100,
        }
        .max(1)
    }
}
