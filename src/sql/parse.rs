//! Text to one query.
//!
//! Comes in: the text of a statement. Goes out: its tree. Must never happen: two statements, or one that is no SELECT.

use datafusion::sql::sqlparser::ast::{Expr, Query, Statement};
use datafusion::sql::sqlparser::dialect::Dialect;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Location, Span, Token};

use super::dialect::ReplyDialect;
use super::{Code, Refusal};
use crate::config::SqlLimits;

/// Words that begin a statement which is no SELECT.
const OTHER_STATEMENTS: [&str; 46] = [
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "REPLACE",
    "CREATE",
    "ALTER",
    "DROP",
    "TRUNCATE",
    "GRANT",
    "REVOKE",
    "SET",
    "RESET",
    "USE",
    "SHOW",
    "DESCRIBE",
    "DESC",
    "EXPLAIN",
    "ANALYZE",
    "PRAGMA",
    "ATTACH",
    "DETACH",
    "COPY",
    "EXPORT",
    "IMPORT",
    "LOAD",
    "UNLOAD",
    "INSTALL",
    "CALL",
    "EXEC",
    "EXECUTE",
    "PREPARE",
    "BEGIN",
    "START",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT",
    "LOCK",
    "UNLOCK",
    "VACUUM",
    "CACHE",
    "UNCACHE",
    "COMMENT",
    "VALUES",
    "REFRESH",
];

/// Whether the word begins a statement, SELECT and WITH not among them.
pub(super) fn begins_other_statement(word: &str) -> bool {
    OTHER_STATEMENTS.iter().any(|verb| verb.eq_ignore_ascii_case(word))
}

/// The one query of a statement's text.
pub(super) fn query(sql: &str, limits: &SqlLimits) -> Result<Query, Refusal> {
    let chars = sql.chars().count();
    if chars > limits.max_chars {
        return Err(Refusal::new(
            Code::TooLong,
            format!("the statement has {chars} characters, {} are allowed", limits.max_chars),
            "write a shorter statement",
        ));
    }
    if let Some(at) = sql.find('\0') {
        return Err(Refusal::new(Code::Syntax, format!("a NUL character at byte {at}"), "remove it"));
    }
    only_query(statements(&ReplyDialect, sql).map_err(|error| unreadable(sql, &error))?)
}

/// One condition on its own, as a row predicate is written.
pub(super) fn condition(text: &str) -> Result<Expr, Refusal> {
    let mut parser = Parser::new(&ReplyDialect).try_with_sql(text).map_err(|error| unreadable(text, &error))?;
    let expr = parser.parse_expr().map_err(|error| unreadable(text, &error))?;
    parser.expect_token(&Token::EOF).map_err(|error| unreadable(text, &error))?;
    Ok(expr)
}

/// All statements of a text.
pub(super) fn statements(dialect: &dyn Dialect, sql: &str) -> Result<Vec<Statement>, ParserError> {
    Parser::new(dialect).with_recursion_limit(150).try_with_sql(sql)?.parse_statements()
}

fn only_query(mut statements: Vec<Statement>) -> Result<Query, Refusal> {
    match (statements.pop(), statements.is_empty()) {
        (None, _) => Err(Refusal::new(Code::NoStatement, "there is no statement", "write one SELECT")),
        (Some(_), false) => Err(Refusal::new(Code::ManyStatements, "more than one statement", "write one SELECT")),
        (Some(Statement::Query(query)), true) => Ok(*query),
        (Some(other), true) => Err(not_select(&other.to_string())),
    }
}

fn not_select(text: &str) -> Refusal {
    let verb = text.split_whitespace().next().unwrap_or_default().to_uppercase();
    Refusal::new(Code::NotSelect, format!("{verb} is not a SELECT"), "only one SELECT can be run")
}

fn unreadable(sql: &str, error: &ParserError) -> Refusal {
    let first = sql.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if begins_other_statement(first) {
        return not_select(first);
    }
    let detail = match error {
        ParserError::TokenizerError(detail) | ParserError::ParserError(detail) => detail.clone(),
        ParserError::RecursionLimitExceeded => {
            return Refusal::new(
                Code::TooDeep,
                "the statement is nested too deeply",
                "use fewer brackets and sub-selects",
            );
        }
    };
    let refusal = Refusal::new(Code::Syntax, format!("not readable as SQL: {detail}"), "write standard SQL");
    place(&detail).map_or(refusal.clone(), |span| refusal.at(span))
}

/// `… at Line: 1, Column: 14`.
fn place(detail: &str) -> Option<Span> {
    let (_, tail) = detail.rsplit_once("Line: ")?;
    let (line, column) = tail.split_once(", Column: ")?;
    let start = Location { line: line.parse().ok()?, column: column.trim().parse().ok()? };
    Some(Span { start, end: start })
}
