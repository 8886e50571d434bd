//! Expressions and SELECTs of our dialect as an AST.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Distinct, DuplicateTreatment, Expr, FunctionArg, FunctionArgExpr, FunctionArguments,
    GroupByExpr, Ident, LimitClause, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, Query, SelectItem, SetExpr,
    TableWithJoins, UnaryOperator, Value,
};

use super::reading::{How, Op};
use crate::sql::tree;
pub(super) use crate::sql::tree::binary;

/// The parts of one SELECT.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) distinct: bool,
    pub(super) items: Vec<SelectItem>,
    pub(super) from: Vec<TableWithJoins>,
    pub(super) filter: Option<Expr>,
    pub(super) group: Vec<Expr>,
    pub(super) having: Option<Expr>,
    pub(super) order: Vec<OrderByExpr>,
    pub(super) limit: Option<u64>,
}

pub(super) fn operator(op: Op) -> BinaryOperator {
    match op {
        Op::Less => BinaryOperator::Lt,
        Op::AtMost => BinaryOperator::LtEq,
        Op::More => BinaryOperator::Gt,
        Op::AtLeast => BinaryOperator::GtEq,
        Op::Equal => BinaryOperator::Eq,
    }
}

pub(super) fn equal(column: Expr, mut list: Vec<Expr>) -> Expr {
    match (list.pop(), list.is_empty()) {
        (Some(only), true) => binary(column, BinaryOperator::Eq, only),
        (Some(last), false) => {
            list.push(last);
            Expr::InList { expr: Box::new(column), list, negated: false }
        }
        (None, _) => present(column),
    }
}

pub(super) fn present(column: Expr) -> Expr {
    Expr::IsNotNull(Box::new(column))
}

pub(super) fn name(column: &str) -> Expr {
    Expr::Identifier(Ident::new(column))
}

pub(super) fn row() -> Expr {
    name("row_long")
}

/// A literal that prints as exactly this value. The printer leaves a quote alone that is doubled or behind a backslash
/// (taking it for escaped already), so every quote is doubled here: then it leaves all of them as they are.
pub(super) fn text(value: &str) -> Expr {
    Expr::value(Value::SingleQuotedString(value.replace('\'', "''")))
}

pub(super) fn number(value: f64) -> Expr {
    let digits = crate::value::decimal_text(value.abs());
    let literal = Expr::value(Value::Number(digits, false));
    if value < 0.0 { Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(literal) } } else { literal }
}

pub(super) fn item(expr: Expr) -> SelectItem {
    SelectItem::UnnamedExpr(expr)
}

pub(super) fn named(expr: Expr, alias: &str) -> SelectItem {
    SelectItem::ExprWithAlias { expr, alias: Ident::new(alias) }
}

pub(super) fn star() -> Vec<Expr> {
    Vec::new()
}

/// A call; no argument stands for `*`.
pub(super) fn function(called: &str, args: Vec<Expr>) -> Expr {
    call(called, args, None)
}

pub(super) fn count_distinct(column: Expr) -> Expr {
    call("COUNT", vec![column], Some(DuplicateTreatment::Distinct))
}

pub(super) fn call(called: &str, args: Vec<Expr>, duplicate_treatment: Option<DuplicateTreatment>) -> Expr {
    let star = args.is_empty();
    let mut function = tree::function(called, args);
    if let FunctionArguments::List(list) = &mut function.args {
        list.duplicate_treatment = duplicate_treatment;
        list.args.extend(star.then_some(FunctionArg::Unnamed(FunctionArgExpr::Wildcard)));
    }
    Expr::Function(function)
}

pub(super) fn aggregate(how: How, column: Expr) -> Expr {
    let called = match how {
        How::Different => return count_distinct(column),
        How::Sum => "SUM",
        How::Average => "AVG",
        How::Median => "MEDIAN",
        How::Greatest => "MAX",
        How::Least => "MIN",
    };
    function(called, vec![column])
}

pub(super) fn case(condition: Expr, result: Expr) -> Expr {
    choose(vec![(condition, result)])
}

/// The result of the first condition that holds; null where none does.
pub(super) fn choose(cases: Vec<(Expr, Expr)>) -> Expr {
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: cases.into_iter().map(|(condition, result)| CaseWhen { condition, result }).collect(),
        else_result: None,
    }
}

pub(super) fn order_by(expr: Expr, ascending: bool) -> OrderByExpr {
    OrderByExpr { expr, options: OrderByOptions { asc: Some(ascending), nulls_first: None }, with_fill: None }
}

pub(super) fn table(called: &str) -> TableWithJoins {
    tree::alone(tree::table(called, None))
}

pub(super) fn derived(query: Query) -> TableWithJoins {
    tree::alone(tree::derived(query, "picked"))
}

impl Parts {
    pub(super) fn query(self) -> Query {
        let order_by = (!self.order.is_empty())
            .then_some(OrderBy { kind: OrderByKind::Expressions(self.order), interpolate: None });
        let limit_clause = self.limit.map(|limit| LimitClause::LimitOffset {
            limit: Some(Expr::value(Value::Number(limit.to_string(), false))),
            offset: None,
            limit_by: Vec::new(),
        });
        let mut select = tree::select(self.items, self.from, self.filter);
        select.distinct = self.distinct.then_some(Distinct::Distinct);
        select.group_by = GroupByExpr::Expressions(self.group, Vec::new());
        select.having = self.having;
        let query = tree::query(SetExpr::Select(Box::new(select)));
        Query { order_by, limit_clause, ..query }
    }
}
