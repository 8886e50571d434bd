//! Expressions and SELECTs of our dialect as an AST.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Distinct, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, GroupByExpr, Ident, LimitClause, ObjectName, OrderBy, OrderByExpr,
    OrderByKind, OrderByOptions, Query, Select, SelectFlavor, SelectItem, SetExpr, TableAlias, TableFactor,
    TableWithJoins, UnaryOperator, Value,
};

use super::reading::{How, Op};

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

pub(super) fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
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
    let mut args: Vec<FunctionArg> =
        args.into_iter().map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))).collect();
    if args.is_empty() {
        args.push(FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
    }
    Expr::Function(Function {
        name: ObjectName::from(Ident::new(called)),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { duplicate_treatment, args, clauses: Vec::new() }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
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
    relation(TableFactor::Table {
        name: ObjectName::from(Ident::new(called)),
        alias: None,
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    })
}

pub(super) fn derived(query: Query) -> TableWithJoins {
    let alias = TableAlias { explicit: true, name: Ident::new("picked"), columns: Vec::new(), at: None };
    relation(TableFactor::Derived { lateral: false, subquery: Box::new(query), alias: Some(alias), sample: None })
}

pub(super) fn relation(relation: TableFactor) -> TableWithJoins {
    TableWithJoins { relation, joins: Vec::new() }
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
        let select = Select {
            select_token: AttachedToken::empty(),
            optimizer_hints: Vec::new(),
            distinct: self.distinct.then_some(Distinct::Distinct),
            select_modifiers: None,
            top: None,
            top_before_distinct: false,
            projection: self.items,
            exclude: None,
            into: None,
            from: self.from,
            lateral_views: Vec::new(),
            prewhere: None,
            selection: self.filter,
            connect_by: Vec::new(),
            group_by: GroupByExpr::Expressions(self.group, Vec::new()),
            cluster_by: Vec::new(),
            distribute_by: Vec::new(),
            sort_by: Vec::new(),
            having: self.having,
            named_window: Vec::new(),
            qualify: None,
            window_before_qualify: false,
            value_table_mode: None,
            flavor: SelectFlavor::Standard,
        };
        Query {
            with: None,
            body: Box::new(SetExpr::Select(Box::new(select))),
            order_by,
            limit_clause,
            fetch: None,
            locks: Vec::new(),
            for_clause: None,
            settings: None,
            format_clause: None,
            pipe_operators: Vec::new(),
        }
    }
}
