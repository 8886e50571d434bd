//! Expressions: the closed set of those that are allowed, rebuilt with stored names and types.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, DateTimeField, Expr, Ident, Interval, Query, TypedString, UnaryOperator,
};

use super::{At, Guard, Typed, expression as not_allowed, literal, mismatch};
use crate::sql::names::{self, Column, Kind, Relation, fold};
use crate::sql::{Code, Refusal, tree};

impl Guard<'_> {
    pub(super) fn expr(&mut self, expr: Expr, at: At) -> Result<Typed, Refusal> {
        if self.depth == self.limits.max_expression_depth {
            let message = format!("an expression is nested more than {} deep", self.depth);
            return Err(Refusal::new(Code::TooDeep, message, "use fewer brackets and operators"));
        }
        self.depth += 1;
        let typed = self.allowed(expr, at);
        self.depth -= 1;
        typed
    }

    fn allowed(&mut self, expr: Expr, at: At) -> Result<Typed, Refusal> {
        match expr {
            Expr::Identifier(name) => self.name(None, &name, at),
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [qualifier, name] => self.name(Some(qualifier), name, at),
                _ => Err(not_allowed("a name of more than two parts")),
            },
            Expr::Value(value) => literal::plain(value.value),
            Expr::Nested(inner) => {
                let inner = self.expr(*inner, at)?;
                Ok(Typed { expr: tree::nested(inner.expr), ..inner })
            }
            Expr::BinaryOp { left, op, right } => self.binary(*left, op, *right, at),
            Expr::UnaryOp { op, expr } => self.unary(op, *expr, at),
            Expr::IsNull(inner) => Ok(truth(Expr::IsNull(Box::new(self.operand(*inner, at)?)))),
            Expr::IsNotNull(inner) => Ok(truth(Expr::IsNotNull(Box::new(self.operand(*inner, at)?)))),
            Expr::IsTrue(inner) => Ok(truth(Expr::IsTrue(self.truth_operand(*inner, at)?))),
            Expr::IsNotTrue(inner) => {
                let inner = self.opposed(true, |guard| guard.truth_operand(*inner, at))?;
                Ok(truth(Expr::IsNotTrue(inner)))
            }
            Expr::IsFalse(inner) => {
                let inner = self.opposed(true, |guard| guard.truth_operand(*inner, at))?;
                Ok(truth(Expr::IsFalse(inner)))
            }
            Expr::IsNotFalse(inner) => Ok(truth(Expr::IsNotFalse(self.truth_operand(*inner, at)?))),
            Expr::InList { expr, list, negated } => self.in_list(*expr, list, negated, at).map(truth),
            Expr::InSubquery { expr, subquery, negated } => {
                let expr = Box::new(self.operand(*expr, at)?);
                let subquery = Box::new(self.opposed(negated, |guard| guard.one_column(*subquery))?.0);
                Ok(truth(Expr::InSubquery { expr, subquery, negated }))
            }
            Expr::Exists { subquery, negated } => {
                let subquery = Box::new(self.opposed(negated, |guard| guard.inner(*subquery))?.tree);
                Ok(truth(Expr::Exists { subquery, negated }))
            }
            Expr::Subquery(query) => {
                let (query, kind) = self.one_column(*query)?;
                Ok(Typed::new(Expr::Subquery(Box::new(query)), kind))
            }
            Expr::Between { expr, negated, low, high } => self.between(*expr, negated, *low, *high, at).map(truth),
            Expr::Like { negated, any: false, expr, pattern, escape_char } => {
                self.like(*expr, *pattern, escape_char, negated, false, at).map(truth)
            }
            Expr::ILike { negated, any: false, expr, pattern, escape_char } => {
                self.like(*expr, *pattern, escape_char, negated, true, at).map(truth)
            }
            Expr::Case { case_token: _, end_token: _, operand, conditions, else_result } => {
                self.opposed(true, |guard| guard.case(operand, conditions, else_result, at.strict()))
            }
            Expr::Cast {
                kind: CastKind::Cast | CastKind::DoubleColon,
                expr,
                data_type,
                array: false,
                format: None,
            } => self.cast(*expr, data_type, at),
            Expr::Cast { .. } | Expr::Convert { .. } => Err(not_allowed("this kind of cast")),
            Expr::Extract { field, syntax: _, expr } => self.extract(field, *expr, at),
            Expr::Ceil { expr, field } => self.rounded(*expr, field, at, |expr, field| Expr::Ceil { expr, field }),
            Expr::Floor { expr, field } => self.rounded(*expr, field, at, |expr, field| Expr::Floor { expr, field }),
            Expr::Substring { expr, substring_from, substring_for, special: _, shorthand: _ } => {
                self.substring(*expr, substring_from, substring_for, at)
            }
            Expr::Trim { trim_where, trim_what, expr, trim_characters: None } => {
                self.trim(trim_where, trim_what, *expr, at)
            }
            Expr::TypedString(TypedString { data_type, value, uses_odbc_syntax: _ }) => {
                literal::typed(&data_type, value.value)
            }
            Expr::Interval(interval) => self.interval(interval),
            Expr::Function(function) => self.function(function, at),
            other => Err(not_allowed(&variant(&other))),
        }
    }

    /// A condition: something that is true or false. A flag by itself means that it is yes.
    pub(super) fn condition(&mut self, expr: Expr, at: At) -> Result<Expr, Refusal> {
        let typed = self.expr(expr, at)?;
        match typed.kind {
            Kind::Truth | Kind::Any | Kind::Null => Ok(typed.expr),
            Kind::Flag => Ok(tree::binary(typed.expr, BinaryOperator::Eq, tree::text("yes"))),
            _ => Err(mismatch(format!("{} is not a condition", typed.expr), "compare it with something")),
        }
    }

    /// Reads what is inside; under a negation no sub-select may take text for what is like it.
    pub(super) fn opposed<T>(
        &mut self,
        negated: bool,
        inside: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let before = self.negative;
        self.negative |= negated;
        let read = inside(self);
        self.negative = before;
        read
    }

    fn operand(&mut self, expr: Expr, at: At) -> Result<Expr, Refusal> {
        Ok(self.expr(expr, at.strict())?.expr)
    }

    fn truth_operand(&mut self, expr: Expr, at: At) -> Result<Box<Expr>, Refusal> {
        Ok(Box::new(tree::operand(self.condition(expr, at.strict())?)))
    }

    fn name(&mut self, qualifier: Option<&Ident>, name: &Ident, at: At) -> Result<Typed, Refusal> {
        if at.aliases
            && qualifier.is_none()
            && let Some(typed) = self.item_named(name)
        {
            return Ok(typed);
        }
        for (depth, level) in self.levels.iter().rev().enumerate() {
            let word = qualifier.map(|qualifier| fold(&qualifier.value));
            let reachable = level.relations.iter().filter(|r| word.as_ref().is_none_or(|word| r.words.contains(word)));
            let found: Vec<(&Relation, &Column)> = reachable
                .flat_map(|relation| relation.find(&name.value).into_iter().map(move |column| (relation, column)))
                .collect();
            match found[..] {
                [] => {}
                [(relation, found)] => return Ok(column(relation, found, depth > 0 || level.relations.len() > 1)),
                _ => return Err(names::ambiguous("field", name, found.iter().map(|(_, column)| column.name.as_str()))),
            }
        }
        Err(self.unknown(qualifier, name))
    }

    /// The select item of that name, as the expression it stands for.
    fn item_named(&self, name: &Ident) -> Option<Typed> {
        let (_, item) = self.aliased(name)?;
        Some(Typed { expr: tree::operand(item.expr.clone()), ..item.clone() })
    }

    /// The select item of that name with the name as the tree writes it.
    pub(super) fn aliased(&self, name: &Ident) -> Option<&(String, Typed)> {
        let word = fold(&name.value);
        self.levels.last()?.items.iter().find(|(alias, _)| fold(alias) == word)
    }

    fn unknown(&self, qualifier: Option<&Ident>, name: &Ident) -> Refusal {
        let relations: Vec<Relation> = self.levels.iter().rev().flat_map(|level| level.relations.clone()).collect();
        if let Some(qualifier) = qualifier {
            let word = fold(&qualifier.value);
            if !relations.iter().any(|relation| relation.words.contains(&word)) {
                let aliases: Vec<&str> = relations.iter().map(|relation| relation.alias.as_str()).collect();
                let message = format!("no relation is called {:?}", qualifier.value);
                return Refusal::new(Code::UnknownTable, message, format!("there are {}", aliases.join(", ")))
                    .at(qualifier.span);
            }
        }
        names::unknown_field(name, &relations)
    }

    fn one_column(&mut self, query: Query) -> Result<(Query, Kind), Refusal> {
        let checked = self.inner(query)?;
        match &checked.outputs[..] {
            [output] => Ok((checked.tree, output.fact.kind)),
            outputs => Err(mismatch(format!("a sub-select gives {} columns", outputs.len()), "let it give one")),
        }
    }

    fn binary(&mut self, left: Expr, op: BinaryOperator, right: Expr, at: At) -> Result<Typed, Refusal> {
        match op {
            BinaryOperator::And | BinaryOperator::Or => self.chain(left, op, right, at).map(truth),
            BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq => {
                let (left, right) = self.opposed(op == BinaryOperator::NotEq, |guard| {
                    Ok((guard.expr(left, at.strict())?, guard.expr(right, at.strict())?))
                })?;
                self.compare(left, op, right, at).map(truth)
            }
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo => {
                let (left, right) = (self.expr(left, at.strict())?, self.expr(right, at.strict())?);
                arithmetic(left, op, right)
            }
            BinaryOperator::StringConcat => {
                let (left, right) = (self.operand(left, at)?, self.operand(right, at)?);
                Ok(Typed::new(tree::binary(left, op, right), Kind::Text))
            }
            op => Err(not_allowed(&format!("the operator {op}"))),
        }
    }

    /// A chain of AND or of OR, however long, counts as one level.
    fn chain(&mut self, left: Expr, op: BinaryOperator, right: Expr, at: At) -> Result<Expr, Refusal> {
        let mut parts = vec![right];
        let mut rest = left;
        loop {
            match rest {
                Expr::BinaryOp { left, op: inner, right } if inner == op => {
                    parts.push(*right);
                    rest = *left;
                }
                first => {
                    parts.push(first);
                    break;
                }
            }
        }
        let parts = parts.into_iter().rev().map(|part| self.condition(part, at)).collect::<Result<Vec<_>, _>>()?;
        let whole = if op == BinaryOperator::And { tree::all_of(parts) } else { tree::any_of(parts) };
        whole.ok_or_else(|| not_allowed("an empty condition"))
    }

    fn unary(&mut self, op: UnaryOperator, inner: Expr, at: At) -> Result<Typed, Refusal> {
        match op {
            UnaryOperator::Not => {
                let inner = self.opposed(true, |guard| guard.condition(inner, at.strict()))?;
                Ok(truth(Expr::UnaryOp { op, expr: Box::new(inner) }))
            }
            UnaryOperator::Minus | UnaryOperator::Plus => {
                let inner = self.expr(inner, at.strict())?;
                number_only(&inner)?;
                let sign = if op == UnaryOperator::Minus { "-" } else { "" };
                let literal = inner.literal.map(|text| format!("{sign}{text}"));
                let expr = Expr::UnaryOp { op, expr: Box::new(inner.expr) };
                Ok(Typed { literal, ..Typed::new(expr, inner.kind) })
            }
            op => Err(not_allowed(&format!("the operator {op}"))),
        }
    }

    pub(super) fn case(
        &mut self,
        operand: Option<Box<Expr>>,
        conditions: Vec<CaseWhen>,
        else_result: Option<Box<Expr>>,
        at: At,
    ) -> Result<Typed, Refusal> {
        let operand = operand.map(|operand| self.expr(*operand, at)).transpose()?;
        let mut kinds = Vec::new();
        let mut whens = Vec::new();
        for CaseWhen { condition, result } in conditions {
            let condition = match &operand {
                Some(operand) => {
                    let value = self.expr(condition, at)?;
                    self.compare(operand.clone(), BinaryOperator::Eq, value, at)?
                }
                None => self.condition(condition, at)?,
            };
            let result = self.expr(result, at)?;
            kinds.push(result.kind);
            whens.push(CaseWhen { condition, result: result.expr });
        }
        let otherwise = else_result.map(|result| self.expr(*result, at)).transpose()?;
        kinds.extend(otherwise.as_ref().map(|result| result.kind));
        let expr = Expr::Case {
            case_token: datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken::empty(),
            end_token: datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken::empty(),
            operand: None,
            conditions: whens,
            else_result: otherwise.map(|result| Box::new(result.expr)),
        };
        let kind = match common(&kinds) {
            // Numbers beside texts are given as texts.
            Kind::Any if kinds.contains(&Kind::Text) && kinds.iter().all(|kind| is_text_or_number(*kind)) => Kind::Text,
            kind => kind,
        };
        Ok(Typed::new(expr, kind))
    }

    fn interval(&mut self, interval: Interval) -> Result<Typed, Refusal> {
        let Interval { value, leading_field, leading_precision, last_field, fractional_seconds_precision } = interval;
        let plain = leading_precision.is_none() && last_field.is_none() && fractional_seconds_precision.is_none();
        let text =
            self.expr(*value, At::PLAIN)?.literal.filter(|_| plain).ok_or_else(|| not_allowed("this interval"))?;
        let whole = match leading_field {
            Some(field) => format!("{text} {}", unit(&field).ok_or_else(|| not_allowed("this unit of an interval"))?),
            None => text.to_lowercase(),
        };
        let mut words = whole.split_whitespace();
        let (count, unit) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let known = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"]
            .contains(&unit.trim_end_matches('s'));
        if count.parse::<i32>().is_err() || !known || words.next().is_some() {
            return Err(not_allowed("this interval").hinted("write INTERVAL '3' DAY"));
        }
        let value = Box::new(tree::text(&whole));
        let interval = Interval {
            value,
            leading_field: None,
            leading_precision: None,
            last_field: None,
            fractional_seconds_precision: None,
        };
        Ok(Typed::new(Expr::Interval(interval), Kind::Span))
    }
}

/// A column as an expression.
pub(super) fn column(relation: &Relation, column: &Column, qualified: bool) -> Typed {
    let name = |name: &str| if qualified { tree::qualified(&relation.alias, name) } else { tree::column(name) };
    Typed {
        expr: name(&column.name),
        kind: column.fact.kind,
        fact: Some(column.fact.clone()),
        tokens: column.tokens.as_deref().map(name),
        literal: None,
    }
}

pub(super) fn truth(expr: Expr) -> Typed {
    Typed::new(expr, Kind::Truth)
}

/// The kind that several values have in common.
pub(super) fn common(kinds: &[Kind]) -> Kind {
    let mut kinds = kinds.iter().copied().filter(|kind| *kind != Kind::Null);
    let Some(first) = kinds.next() else { return Kind::Null };
    kinds.fold(first, |common, kind| match (common, kind) {
        (a, b) if a == b => a,
        (a, b) if a.is_number() && b.is_number() => Kind::Decimal,
        _ => Kind::Any,
    })
}

fn is_text_or_number(kind: Kind) -> bool {
    kind.is_number() || matches!(kind, Kind::Text | Kind::Flag | Kind::Null)
}

fn number_only(typed: &Typed) -> Result<(), Refusal> {
    match typed.kind {
        Kind::Integer | Kind::Decimal | Kind::Any | Kind::Null => Ok(()),
        _ => Err(mismatch(format!("{} is not a number", typed.expr), "use a field of numbers, or CAST(… AS DOUBLE)")),
    }
}

fn arithmetic(left: Typed, op: BinaryOperator, right: Typed) -> Result<Typed, Refusal> {
    let kind = match (left.kind, right.kind, &op) {
        (Kind::DateTime, Kind::Span, BinaryOperator::Plus | BinaryOperator::Minus) => Kind::DateTime,
        (Kind::Span, Kind::DateTime, BinaryOperator::Plus) => Kind::DateTime,
        (Kind::DateTime, Kind::DateTime, _) => {
            return Err(mismatch("two dates cannot be calculated with", "write DATEDIFF(later, earlier) for days"));
        }
        (Kind::Text, Kind::Text, BinaryOperator::Plus) => {
            return Err(mismatch("+ does not join texts", "write a || b"));
        }
        (a, b, op) => {
            number_only(&left)?;
            number_only(&right)?;
            let whole = a == Kind::Integer && b == Kind::Integer && *op != BinaryOperator::Divide;
            if whole { Kind::Integer } else { Kind::Decimal }
        }
    };
    Ok(Typed::new(tree::binary(left.expr, op, right.expr), kind))
}

fn unit(field: &DateTimeField) -> Option<String> {
    let word = field.to_string().to_lowercase();
    let word = word.trim_end_matches('s').to_owned();
    ["year", "quarter", "month", "week", "day", "hour", "minute", "second"].contains(&word.as_str()).then_some(word)
}

/// The name of an expression's variant.
fn variant(expr: &Expr) -> String {
    let name = format!("{expr:?}");
    name.split(['(', ' ', '{']).next().unwrap_or_default().to_owned()
}
