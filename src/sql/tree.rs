//! Nodes of the statement tree, built so that what is printed reads back as the same tree.

use chrono::NaiveDateTime;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    self, BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments,
    GroupByExpr, Ident, ObjectName, ObjectNamePart, Query, Select, SelectFlavor, SelectItem, SetExpr, TableAlias,
    TableFactor, TableWithJoins, TypedString, Value,
};
use datafusion::sql::sqlparser::keywords::ALL_KEYWORDS;

/// A name, quoted where it would not read back bare.
pub(super) fn ident(name: &str) -> Ident {
    let mut chars = name.chars();
    let plain = chars.next().is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let keyword = ALL_KEYWORDS.binary_search(&name.to_ascii_uppercase().as_str()).is_ok();
    if plain && !keyword { Ident::new(name) } else { Ident::with_quote('"', name) }
}

pub(super) fn object(name: &str) -> ObjectName {
    ObjectName(vec![ObjectNamePart::Identifier(ident(name))])
}

pub(super) fn column(name: &str) -> Expr {
    Expr::Identifier(ident(name))
}

pub(super) fn qualified(alias: &str, name: &str) -> Expr {
    Expr::CompoundIdentifier(vec![ident(alias), ident(name)])
}

/// The column's own name, without what stands before the dot.
pub(super) fn column_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(name) => Some(&name.value),
        Expr::CompoundIdentifier(parts) => parts.last().map(|name| name.value.as_str()),
        _ => None,
    }
}

pub(super) fn text(value: &str) -> Expr {
    Expr::value(Value::SingleQuotedString(value.to_owned()))
}

pub(super) fn number(value: impl ToString) -> Expr {
    Expr::value(Value::Number(value.to_string(), false))
}

pub(super) fn moment(at: NaiveDateTime) -> Expr {
    Expr::TypedString(TypedString {
        data_type: ast::DataType::Timestamp(None, ast::TimezoneInfo::None),
        value: Value::SingleQuotedString(at.format("%Y-%m-%d %H:%M:%S").to_string()).into(),
        uses_odbc_syntax: false,
    })
}

pub(crate) fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

/// Conditions that must all hold; each should be atomic or nested. `None` for none.
pub(super) fn all_of(conditions: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    conditions.into_iter().reduce(|all, next| binary(all, BinaryOperator::And, next))
}

pub(super) fn any_of(conditions: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    conditions.into_iter().reduce(|all, next| binary(all, BinaryOperator::Or, next))
}

pub(super) fn nested(expr: Expr) -> Expr {
    if matches!(expr, Expr::Nested(_)) { expr } else { Expr::Nested(Box::new(expr)) }
}

/// The expression in brackets unless it can be the operand of anything as it stands.
pub(super) fn operand(expr: Expr) -> Expr {
    match expr {
        Expr::Identifier(_)
        | Expr::CompoundIdentifier(_)
        | Expr::Value(_)
        | Expr::Function(_)
        | Expr::Nested(_)
        | Expr::Cast { .. }
        | Expr::Extract { .. }
        | Expr::Subquery(_) => expr,
        other => nested(other),
    }
}

pub(super) fn in_list(expr: Expr, values: impl IntoIterator<Item = Expr>, negated: bool) -> Expr {
    Expr::InList { expr: Box::new(expr), list: values.into_iter().collect(), negated }
}

pub(super) fn call(name: &str, args: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Function(function(name, args))
}

pub(crate) fn function(name: &str, args: impl IntoIterator<Item = Expr>) -> Function {
    let args = args.into_iter().map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))).collect();
    Function {
        name: ObjectName(vec![ObjectNamePart::Identifier(Ident::new(name))]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses: Vec::new() }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}

/// `CAST(expr AS data_type)`.
pub(super) fn cast(expr: Expr, data_type: ast::DataType) -> Expr {
    Expr::Cast { kind: ast::CastKind::Cast, expr: Box::new(expr), data_type, array: false, format: None }
}

/// `SELECT projection FROM from WHERE selection`, all else empty.
pub(crate) fn select(projection: Vec<SelectItem>, from: Vec<TableWithJoins>, selection: Option<Expr>) -> Select {
    Select {
        select_token: AttachedToken::empty(),
        optimizer_hints: Vec::new(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection,
        exclude: None,
        into: None,
        from,
        lateral_views: Vec::new(),
        prewhere: None,
        selection,
        connect_by: Vec::new(),
        group_by: GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        flavor: SelectFlavor::Standard,
    }
}

/// A query of nothing but its body.
pub(crate) fn query(body: SetExpr) -> Query {
    Query {
        with: None,
        body: Box::new(body),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    }
}

pub(super) fn table_alias(name: &str) -> TableAlias {
    TableAlias { explicit: true, name: ident(name), columns: Vec::new(), at: None }
}

pub(crate) fn table(name: &str, alias: Option<&str>) -> TableFactor {
    TableFactor::Table {
        name: object(name),
        alias: alias.map(table_alias),
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

pub(crate) fn derived(query: Query, alias: &str) -> TableFactor {
    TableFactor::Derived { lateral: false, subquery: Box::new(query), alias: Some(table_alias(alias)), sample: None }
}

/// One relation of a FROM, without joins.
pub(crate) fn alone(relation: TableFactor) -> TableWithJoins {
    TableWithJoins { relation, joins: Vec::new() }
}

pub(super) fn item(expr: Expr, alias: Option<&str>) -> SelectItem {
    match alias {
        Some(alias) => SelectItem::ExprWithAlias { expr, alias: ident(alias) },
        None => SelectItem::UnnamedExpr(expr),
    }
}
