//! Random conditions: the scope stands beside every table at the top of its SELECT, and what is printed reads back.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Query, Select, TableFactor, Visit, Visitor};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use proptest::prelude::*;

use super::{KB, run};
use crate::sql::{parse, render};

fn conditions() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("qty_long > 5".to_owned()),
        Just("city_tks = 'paris'".to_owned()),
        Just("city_tks <> 'x'' OR 1=1 --'".to_owned()),
        Just("姓名 LIKE '%kb_id%'".to_owned()),
        Just("ri_qi_dt = '2024-01'".to_owned()),
        Just("price_flt / qty_long - 1 < 2 * 3".to_owned()),
        Just("qty_long IN (SELECT amount_long FROM stock WHERE amount_long > 1 OR city_tks = 'Paris')".to_owned()),
        Just("EXISTS (SELECT 1 FROM stock s WHERE s.city_tks = sales.city_tks OR s.amount_long < 0)".to_owned()),
        Just("CASE WHEN paid_kwd = '是' THEN qty_long ELSE 0 END = 1".to_owned()),
        Just("MATCH(city_tks, 'a)b', 'operator=OR')".to_owned()),
        Just("city_tks IS NULL".to_owned()),
        Just("qty_long BETWEEN 1 AND 3".to_owned()),
        "[ -~]{0,8}".prop_map(|text| format!("city_tks = '{}'", text.replace('\'', "''"))),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} OR {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} AND {b}")),
            inner.clone().prop_map(|a| format!("NOT {a}")),
            inner.prop_map(|a| format!("({a})")),
        ]
    })
}

/// Finds a SELECT that reads a table without its scope at the top.
struct Unscoped;

impl Visitor for Unscoped {
    type Break = String;
    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<String> {
        let tables = select
            .from
            .iter()
            .flat_map(|from| std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation)));
        for factor in tables {
            let TableFactor::Table { name, .. } = factor else { continue };
            let table = name.to_string();
            if !["sales", "stock"].contains(&table.as_str()) {
                continue;
            }
            let wanted = [format!("kb_id IN ('{KB}')"), format!("table_kwd = '{table}'")];
            let top = select.selection.as_ref().map(conjuncts).unwrap_or_default();
            if select.from.len() != 1
                || !select.from[0].joins.is_empty()
                || !wanted.iter().all(|part| top.contains(part))
            {
                return ControlFlow::Break(select.to_string());
            }
        }
        ControlFlow::Continue(())
    }
}

fn conjuncts(condition: &Expr) -> Vec<String> {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => [conjuncts(left), conjuncts(right)].concat(),
        other => vec![other.to_string()],
    }
}

fn check(query: &Query) -> Result<(), TestCaseError> {
    let text = render::embedded(query).map_err(|refusal| TestCaseError::fail(format!("{refusal}")))?;
    let read = parse::statements(&GenericDialect {}, &text).map_err(|error| TestCaseError::fail(error.to_string()))?;
    match read.visit(&mut Unscoped) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(select) => Err(TestCaseError::fail(format!("not scoped: {select} in {text}"))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_table_is_read_within_its_scope(condition in conditions(), shape in 0..6_usize) {
        let sql = match shape {
            0 => format!("SELECT * FROM sales WHERE {condition}"),
            1 => format!("SELECT city_tks, COUNT(*) FROM sales WHERE {condition} GROUP BY city_tks HAVING COUNT(*) > 1 LIMIT 3"),
            2 => format!("SELECT sales.qty_long FROM sales LEFT JOIN (SELECT amount_long FROM stock) t ON t.amount_long = sales.qty_long WHERE {condition}"),
            3 => format!("WITH r AS (SELECT * FROM sales WHERE {condition}) SELECT MAX(qty_long) FROM r UNION SELECT amount_long FROM stock"),
            4 => format!("SELECT a.amount_long FROM stock a JOIN sales ON a.amount_long = sales.qty_long AND ({condition})"),
            _ => format!("SELECT MIN(price_flt) FROM sales WHERE {condition}"),
        };
        if let Ok(select) = run(&sql) {
            check(select.statement())?;
            select.sources().map_or(Ok(()), check)?;
        }
    }
}
