//! Functions of one row on numbers and texts, and casts.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, CeilFloorKind, DataType, DateTimeField, Expr, TrimWhereField,
};

use super::expression::common;
use super::function::{unknown, wrong_count};
use super::literal::date_literal;
use super::temporal::{day, formatted};
use super::{At, Guard, Typed, expression, mismatch};
use crate::sql::names::{Fact, Kind, Places};
use crate::sql::{Refusal, tree};

/// What an argument is read as.
#[derive(Debug, Clone, Copy)]
enum Arg {
    Number,
    Text,
    Any,
}

/// Name as written, name in the tree, arguments, and what it gives (`None`: what its arguments have in common).
type Scalar = (&'static str, &'static str, &'static [Arg], Option<Kind>);

const SCALARS: [Scalar; 19] = [
    ("ABS", "ABS", &[Arg::Number], None),
    ("SQRT", "SQRT", &[Arg::Number], Some(Kind::Decimal)),
    ("POWER", "POWER", &[Arg::Number, Arg::Number], Some(Kind::Decimal)),
    ("POW", "POWER", &[Arg::Number, Arg::Number], Some(Kind::Decimal)),
    ("SIGN", "SIGN", &[Arg::Number], Some(Kind::Decimal)),
    ("LOWER", "LOWER", &[Arg::Text], Some(Kind::Text)),
    ("LCASE", "LOWER", &[Arg::Text], Some(Kind::Text)),
    ("UPPER", "UPPER", &[Arg::Text], Some(Kind::Text)),
    ("UCASE", "UPPER", &[Arg::Text], Some(Kind::Text)),
    ("LENGTH", "CHAR_LENGTH", &[Arg::Text], Some(Kind::Integer)),
    ("LEN", "CHAR_LENGTH", &[Arg::Text], Some(Kind::Integer)),
    ("CHAR_LENGTH", "CHAR_LENGTH", &[Arg::Text], Some(Kind::Integer)),
    ("CHARACTER_LENGTH", "CHAR_LENGTH", &[Arg::Text], Some(Kind::Integer)),
    ("LTRIM", "LTRIM", &[Arg::Text], Some(Kind::Text)),
    ("RTRIM", "RTRIM", &[Arg::Text], Some(Kind::Text)),
    ("REPLACE", "REPLACE", &[Arg::Text, Arg::Text, Arg::Text], Some(Kind::Text)),
    ("LEFT", "LEFT", &[Arg::Text, Arg::Number], Some(Kind::Text)),
    ("RIGHT", "RIGHT", &[Arg::Text, Arg::Number], Some(Kind::Text)),
    ("NULLIF", "NULLIF", &[Arg::Any, Arg::Any], None),
];

impl Guard<'_> {
    pub(super) fn scalar(&mut self, name: &str, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let at = at.strict();
        match name {
            "ROUND" => self.round(args, at),
            "MOD" => self.modulo(args, at),
            "CEILING" => self.ceiling(args, at),
            "IF" | "IIF" => self.choice(args, at),
            "CONCAT" => self.of_any_number(name, args, Some(Kind::Text), at),
            "COALESCE" | "IFNULL" | "NVL" => self.of_any_number("COALESCE", args, None, at),
            "GREATEST" | "LEAST" => self.of_any_number(name, args, None, at),
            name => {
                let scalar = SCALARS.iter().find(|(written, ..)| *written == name).ok_or_else(|| unknown(name))?;
                self.fixed(scalar, args, at)
            }
        }
    }

    fn fixed(&mut self, scalar: &Scalar, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let (written, name, wanted, gives) = scalar;
        if args.len() != wanted.len() {
            return Err(wrong_count(written, &format!("{} arguments", wanted.len())));
        }
        let mut typed = Vec::new();
        for (arg, wanted) in args.into_iter().zip(*wanted) {
            typed.push(match wanted {
                Arg::Number => self.number_arg(arg, at)?,
                Arg::Text => self.text_arg(arg, at)?,
                Arg::Any => self.expr(arg, at)?,
            });
        }
        let kind = gives.map_or_else(|| of_one_kind(written, &typed), Ok)?;
        Ok(Typed::new(tree::call(name, typed.into_iter().map(|arg| arg.expr)), kind))
    }

    fn of_any_number(&mut self, name: &str, args: Vec<Expr>, gives: Option<Kind>, at: At) -> Result<Typed, Refusal> {
        if args.is_empty() {
            return Err(wrong_count(name, "at least one argument"));
        }
        let text = gives == Some(Kind::Text);
        let typed = args.into_iter().map(|arg| if text { self.text_arg(arg, at) } else { self.expr(arg, at) });
        let typed = typed.collect::<Result<Vec<_>, _>>()?;
        let kind = gives.map_or_else(|| of_one_kind(name, &typed), Ok)?;
        Ok(Typed::new(tree::call(name, typed.into_iter().map(|arg| arg.expr)), kind))
    }

    /// A rounded value keeps the label and unit of what was rounded.
    fn round(&mut self, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let mut args = args.into_iter();
        let (Some(value), places, None) = (args.next(), args.next(), args.next()) else {
            return Err(wrong_count("ROUND", "a number and its places"));
        };
        let value = self.number_arg(value, at)?;
        let places = places.map(|places| self.expr(places, at)).transpose()?;
        let count = places.as_ref().map_or(Some(0), |places| places.literal.as_deref()?.parse::<i8>().ok());
        let count = count.ok_or_else(|| expression("ROUND to places that are no literal"))?;
        let decimals = u8::try_from(count).unwrap_or(0);
        let (decimals, places_say) = (Some(decimals), Places::Exact);
        let fact =
            value.fact.map(|fact| Fact { kind: Kind::Decimal, decimals, places: places_say, base: None, ..fact });
        let args = std::iter::once(value.expr).chain(places.map(|places| places.expr));
        Ok(Typed { fact, ..Typed::new(tree::call("ROUND", args), Kind::Decimal) })
    }

    fn modulo(&mut self, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let mut args = args.into_iter();
        let (Some(left), Some(right), None) = (args.next(), args.next(), args.next()) else {
            return Err(wrong_count("MOD", "two numbers"));
        };
        let (left, right) = (self.number_arg(left, at)?, self.number_arg(right, at)?);
        let kind = common(&[left.kind, right.kind]);
        let remainder = tree::binary(tree::operand(left.expr), BinaryOperator::Modulo, tree::operand(right.expr));
        Ok(Typed::new(tree::nested(remainder), kind))
    }

    /// `IF(condition, a, b)` is a CASE.
    fn choice(&mut self, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let mut args = args.into_iter();
        let (Some(condition), Some(result), otherwise, None) = (args.next(), args.next(), args.next(), args.next())
        else {
            return Err(wrong_count("IF", "a condition and two values"));
        };
        self.case(None, vec![CaseWhen { condition, result }], otherwise.map(Box::new), at)
    }

    fn ceiling(&mut self, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let [arg] = <[Expr; 1]>::try_from(args).map_err(|_| wrong_count("CEILING", "one number"))?;
        let field = CeilFloorKind::DateTimeField(DateTimeField::NoDateTime);
        self.rounded(arg, field, at, |expr, field| Expr::Ceil { expr, field })
    }

    /// `CEIL` and `FLOOR`, to whole numbers only.
    pub(super) fn rounded(
        &mut self,
        expr: Expr,
        field: CeilFloorKind,
        at: At,
        build: impl Fn(Box<Expr>, CeilFloorKind) -> Expr,
    ) -> Result<Typed, Refusal> {
        let CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) = field else {
            return Err(expression("this rounding"));
        };
        let value = self.number_arg(expr, at.strict())?;
        Ok(Typed::new(build(Box::new(value.expr), field), Kind::Decimal))
    }

    pub(super) fn substring(
        &mut self,
        expr: Expr,
        from: Option<Box<Expr>>,
        length: Option<Box<Expr>>,
        at: At,
    ) -> Result<Typed, Refusal> {
        let at = at.strict();
        let expr = Box::new(self.text_arg(expr, at)?.expr);
        let mut number =
            |part: Option<Box<Expr>>| part.map(|part| Ok(Box::new(self.number_arg(*part, at)?.expr))).transpose();
        let (substring_from, substring_for) = (number(from)?, number(length)?);
        let substring = Expr::Substring { expr, substring_from, substring_for, special: true, shorthand: false };
        Ok(Typed::new(substring, Kind::Text))
    }

    pub(super) fn trim(
        &mut self,
        trim_where: Option<TrimWhereField>,
        trim_what: Option<Box<Expr>>,
        expr: Expr,
        at: At,
    ) -> Result<Typed, Refusal> {
        let expr = Box::new(self.text_arg(expr, at.strict())?.expr);
        let trim_what =
            trim_what.map(|what| Ok::<_, Refusal>(Box::new(self.text_arg(*what, at.strict())?.expr))).transpose()?;
        let trim = Expr::Trim { trim_where, trim_what, expr, trim_characters: None };
        Ok(Typed::new(trim, Kind::Text))
    }

    pub(super) fn cast(&mut self, expr: Expr, data_type: DataType, at: At) -> Result<Typed, Refusal> {
        let value = self.expr(expr, at.strict())?;
        match (target(&data_type), value.kind) {
            (Some(Kind::DateTime), Kind::DateTime) if data_type == DataType::Date => Ok(day(value)),
            (Some(Kind::DateTime), Kind::DateTime) => Ok(value),
            (Some(Kind::DateTime), Kind::Text) => match &value.literal {
                Some(text) => date_literal(text),
                None => Err(mismatch(format!("{} is text, not a date", value.expr), "use a field of dates")),
            },
            (Some(Kind::Text), Kind::DateTime) => Ok(formatted(value.expr, "%Y-%m-%d")),
            (Some(kind @ Kind::Integer), _) => Ok(converted(value, DataType::BigInt(None), kind)),
            (Some(kind @ Kind::Decimal), _) => {
                Ok(converted(value, DataType::Double(datafusion::sql::sqlparser::ast::ExactNumberInfo::None), kind))
            }
            (Some(kind @ Kind::Text), _) => Ok(converted(value, DataType::Varchar(None), kind)),
            _ => Err(mismatch(
                format!("a cast of {} to {data_type} is not allowed", value.expr),
                "cast to BIGINT, DOUBLE, VARCHAR or DATE",
            )),
        }
    }

    pub(super) fn number_arg(&mut self, expr: Expr, at: At) -> Result<Typed, Refusal> {
        let value = self.expr(expr, at)?;
        match value.kind {
            Kind::Integer | Kind::Decimal | Kind::Any | Kind::Null => Ok(value),
            _ => {
                Err(mismatch(format!("{} is not a number", value.expr), "use a field of numbers, or CAST(… AS DOUBLE)"))
            }
        }
    }

    /// Anything as text; a date as its day.
    fn text_arg(&mut self, expr: Expr, at: At) -> Result<Typed, Refusal> {
        let value = self.expr(expr, at)?;
        match value.kind {
            Kind::DateTime => Ok(formatted(value.expr, "%Y-%m-%d")),
            Kind::Integer | Kind::Decimal => Ok(converted(value, DataType::Varchar(None), Kind::Text)),
            Kind::Truth | Kind::Span => Err(mismatch(format!("{} is not text", value.expr), "use a text field")),
            _ => Ok(value),
        }
    }
}

/// The kind of all arguments; texts go with nothing else.
fn of_one_kind(name: &str, args: &[Typed]) -> Result<Kind, Refusal> {
    let kind = common(&args.iter().map(|arg| arg.kind).collect::<Vec<_>>());
    if kind == Kind::Any && args.iter().any(|arg| arg.kind == Kind::Text) {
        return Err(mismatch(format!("the arguments of {name} are of different types"), "CAST them to one type"));
    }
    Ok(kind)
}

/// A cast value keeps the label and unit of its field, and is no longer the field.
fn converted(value: Typed, data_type: DataType, kind: Kind) -> Typed {
    let fact = value.fact.map(|fact| Fact { kind, base: None, ..fact });
    Typed { fact, ..Typed::new(tree::cast(value.expr, data_type), kind) }
}

fn target(data_type: &DataType) -> Option<Kind> {
    match data_type {
        DataType::Int(_)
        | DataType::Integer(_)
        | DataType::BigInt(_)
        | DataType::SmallInt(_)
        | DataType::TinyInt(_) => Some(Kind::Integer),
        DataType::Signed
        | DataType::SignedInteger
        | DataType::Int64
        | DataType::UnsignedInteger
        | DataType::Unsigned => Some(Kind::Integer),
        DataType::Double(_) | DataType::DoublePrecision | DataType::Float(_) | DataType::Float64 | DataType::Real => {
            Some(Kind::Decimal)
        }
        DataType::Decimal(_) | DataType::Numeric(_) | DataType::Dec(_) => Some(Kind::Decimal),
        DataType::Varchar(_) | DataType::Char(_) | DataType::Text | DataType::String(_) | DataType::Nvarchar(_) => {
            Some(Kind::Text)
        }
        DataType::CharVarying(_) | DataType::Character(_) | DataType::CharacterVarying(_) => Some(Kind::Text),
        DataType::Date | DataType::Datetime(_) | DataType::Timestamp(..) => Some(Kind::DateTime),
        _ => None,
    }
}
