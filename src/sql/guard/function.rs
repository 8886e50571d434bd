//! Functions: the closed list of those that are allowed, under the one name that the tree uses for each.

use datafusion::sql::sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArgumentList,
    FunctionArguments, OrderByExpr, WindowType,
};

use super::{At, Guard, Typed, absent, expression, mismatch};
use crate::sql::names::Kind;
use crate::sql::{Code, Refusal, tree};

/// A function call taken apart, nothing of it lost.
pub(super) struct Call {
    /// Upper case, as written.
    pub name: String,
    pub args: Vec<Expr>,
    /// `COUNT(*)`.
    pub star: bool,
    pub distinct: bool,
    /// ORDER BY and SEPARATOR inside the brackets.
    pub clauses: Vec<FunctionArgumentClause>,
    pub filter: Option<Box<Expr>>,
    pub over: Option<WindowType>,
    pub within_group: Vec<OrderByExpr>,
}

impl Guard<'_> {
    pub(super) fn function(&mut self, function: Function, at: At) -> Result<Typed, Refusal> {
        let call = taken_apart(function)?;
        if let Some(aggregate) = super::aggregate::named(&call.name) {
            return self.aggregate(aggregate, call, at);
        }
        if super::window::is_window_only(&call.name) {
            return self.window_only(call, at);
        }
        let is_scalar = call.filter.is_none() && call.over.is_none() && call.within_group.is_empty();
        absent(
            !is_scalar || call.star || call.distinct || !call.clauses.is_empty(),
            &format!("that clause after {}", call.name),
        )?;
        let Call { name, args, star: _, distinct: _, clauses: _, filter: _, over: _, within_group: _ } = call;
        if name == "MATCH" {
            return self.match_words(args);
        }
        match self.temporal(&name, args, at)? {
            Answer::Typed(typed) => Ok(*typed),
            Answer::NotMine(args) => self.scalar(&name, args, at),
        }
    }

    /// `MATCH(field, 'words'[, 'options'])`.
    fn match_words(&mut self, args: Vec<Expr>) -> Result<Typed, Refusal> {
        let mut args = args.into_iter();
        let (Some(field), Some(words), options, None) = (args.next(), args.next(), args.next(), args.next()) else {
            return Err(wrong_count("MATCH", "a field, words and options"));
        };
        let field = self.expr(field, At::PLAIN)?;
        let words =
            self.expr(words, At::PLAIN)?.literal.ok_or_else(|| expression("MATCH of words that are no literal"))?;
        let options = options.map(|options| self.expr(options, At::PLAIN)).transpose()?;
        let options = options.map(|typed| match_options(&typed.literal.unwrap_or_default())).transpose()?;
        let tokens = field.tokens.ok_or_else(|| {
            mismatch(format!("MATCH cannot search in {}", field.expr), "MATCH takes a text field of a table itself")
        })?;
        let args = [Some(tokens), Some(tree::text(&words)), options.map(|options| tree::text(&options))];
        Ok(Typed::new(tree::call("MATCH", args.into_iter().flatten()), Kind::Truth))
    }
}

/// What a family of functions makes of a call.
pub(super) enum Answer {
    Typed(Box<Typed>),
    /// No function of the family; the arguments back.
    NotMine(Vec<Expr>),
}

/// `operator=AND;minimum_should_match=30%`, in that form or not at all.
fn match_options(options: &str) -> Result<String, Refusal> {
    let mut read = Vec::new();
    for option in options.split(';').filter(|option| !option.trim().is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or_default();
        let (key, value) = (key.trim().to_lowercase(), value.trim().to_uppercase());
        let digits = value.trim_end_matches('%');
        let known = match key.as_str() {
            "operator" => matches!(value.as_str(), "AND" | "OR"),
            "minimum_should_match" => {
                digits.parse::<u8>().is_ok_and(|share| share <= 100) && value.len() - digits.len() <= 1
            }
            _ => false,
        };
        if !known {
            let refusal = expression(&format!("the MATCH option {option:?}"));
            return Err(refusal.hinted("the options are 'operator=AND', 'operator=OR' and 'minimum_should_match=30%'"));
        }
        read.push(format!("{key}={value}"));
    }
    Ok(read.join(";"))
}

fn taken_apart(function: Function) -> Result<Call, Refusal> {
    let Function { name, uses_odbc_syntax, parameters, args, filter, null_treatment, over, within_group } = function;
    let name = name.to_string().replace(['"', '`'], "").to_uppercase();
    absent(uses_odbc_syntax, "{fn …}")?;
    absent(parameters != FunctionArguments::None, "a function with parameters")?;
    absent(null_treatment.is_some(), "IGNORE or RESPECT NULLS")?;
    let mut call =
        Call { name, args: Vec::new(), star: false, distinct: false, clauses: Vec::new(), filter, over, within_group };
    let list = match args {
        FunctionArguments::None => return Ok(call),
        FunctionArguments::Subquery(_) => return Err(expression("a SELECT as the argument of a function")),
        FunctionArguments::List(list) => list,
    };
    let FunctionArgumentList { duplicate_treatment, args, clauses } = list;
    call.distinct = duplicate_treatment == Some(DuplicateTreatment::Distinct);
    call.clauses = clauses;
    for arg in args {
        match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => call.args.push(expr),
            FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => call.star = true,
            FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(_) | FunctionArgExpr::WildcardWithOptions(_)) => {
                return Err(expression("t.* in a function"));
            }
            FunctionArg::Named { .. } | FunctionArg::ExprNamed { .. } => return Err(expression("a named argument")),
        }
    }
    Ok(call)
}

pub(super) fn wrong_count(name: &str, wanted: &str) -> Refusal {
    Refusal::new(Code::FunctionNotAllowed, format!("{name} takes {wanted}"), format!("give {name} {wanted}"))
}

pub(super) fn unknown(name: &str) -> Refusal {
    Refusal::new(
        Code::FunctionNotAllowed,
        format!("the function {name} is not allowed"),
        "use COUNT, SUM, AVG, MIN, MAX, MEDIAN, ROUND, ABS, CASE, COALESCE, CAST, SUBSTRING, CONCAT, YEAR, MONTH, DATE_TRUNC, \
         DATEDIFF, MATCH and the like",
    )
}
