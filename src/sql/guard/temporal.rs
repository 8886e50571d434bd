//! Functions of dates, under the names `EXTRACT`, `DATE_TRUNC`, `DATE_FORMAT` and `DATEDIFF` in the tree.

use chrono::NaiveTime;
use datafusion::sql::sqlparser::ast::{BinaryOperator, DateTimeField, Expr, ExtractSyntax};

use super::formats::{self, Family};
use super::function::{Answer, wrong_count};
use super::literal::date_literal;
use super::{At, Guard, Typed, expression, mismatch};
use crate::sql::names::Kind;
use crate::sql::{Code, Refusal, tree};

const UNITS: [&str; 8] = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"];

impl Guard<'_> {
    /// A call of a date function; the arguments back if it is none.
    pub(super) fn temporal(&mut self, name: &str, args: Vec<Expr>, at: At) -> Result<Answer, Refusal> {
        let at = at.strict();
        let typed = match (name, args.len()) {
            ("CURRENT_DATE" | "CURDATE" | "TODAY" | "NOW" | "CURRENT_TIMESTAMP" | "GETDATE" | "LOCALTIMESTAMP", 0) => {
                self.now()?
            }
            ("DATE" | "TO_DATE", 1) => day(self.date_arg(args, 0, at)?),
            ("DATE_TRUNC" | "DATETRUNC", 2) => self.truncated(args, at)?,
            ("DATE_FORMAT", 2) => self.format(args, 0, Family::Mysql, at)?,
            ("TO_CHAR", 2) => self.format(args, 0, Family::Letters, at)?,
            ("STRFTIME", 2) => {
                let first_is_format = matches!(args[0], Expr::Value(_));
                self.format(args, usize::from(first_is_format), Family::Strftime, at)?
            }
            ("DATEDIFF" | "DATE_DIFF" | "TIMESTAMPDIFF", 2 | 3) => self.days_between(name, args, at)?,
            ("DATE_ADD" | "ADDDATE", 2) => self.shifted(args, BinaryOperator::Plus, at)?,
            ("DATE_SUB" | "SUBDATE", 2) => self.shifted(args, BinaryOperator::Minus, at)?,
            ("DATE_PART" | "DATEPART", 2) => self.part(args, at)?,
            ("DAYOFWEEK", 1) => {
                let date = self.date_arg(args, 0, at)?;
                let sunday_first =
                    tree::binary(extract(DateTimeField::Dow, date.expr), BinaryOperator::Plus, tree::number(1));
                Typed::new(tree::nested(sunday_first), Kind::Integer)
            }
            (name, 1) => match field(name) {
                Some(field) => Typed::new(extract(field, self.date_arg(args, 0, at)?.expr), Kind::Integer),
                None => return Ok(Answer::NotMine(args)),
            },
            _ => return Ok(Answer::NotMine(args)),
        };
        Ok(Answer::Typed(Box::new(typed)))
    }

    pub(super) fn extract(&mut self, wanted: DateTimeField, expr: Expr, at: At) -> Result<Typed, Refusal> {
        let name = wanted.to_string();
        let field = field(&name).ok_or_else(|| expression(&format!("EXTRACT({name} …)")))?;
        Ok(Typed::new(extract(field, self.date_arg(vec![expr], 0, at.strict())?.expr), Kind::Integer))
    }

    fn part(&mut self, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let name = self.unit(&args[0])?;
        let field = field(&name).ok_or_else(|| expression(&format!("DATE_PART('{name}', …)")))?;
        Ok(Typed::new(extract(field, self.date_arg(args, 1, at)?.expr), Kind::Integer))
    }

    fn now(&self) -> Result<Typed, Refusal> {
        let today = self.today.ok_or_else(|| {
            Refusal::new(Code::FunctionNotAllowed, "what today is, is not known here", "write the date as a literal")
        })?;
        let text = today.format("%Y-%m-%d").to_string();
        Ok(Typed::literal(tree::moment(today.and_time(NaiveTime::MIN)), Kind::DateTime, &text))
    }

    /// Argument `number` as a date.
    fn date_arg(&mut self, args: Vec<Expr>, number: usize, at: At) -> Result<Typed, Refusal> {
        let arg = args.into_iter().nth(number).ok_or_else(|| wrong_count("a date function", "a date"))?;
        let value = self.expr(arg, at)?;
        match (value.kind, &value.literal) {
            (Kind::DateTime | Kind::Any, _) => Ok(value),
            (Kind::Text, Some(text)) if text.eq_ignore_ascii_case("now") => self.now(),
            (Kind::Text, Some(text)) => date_literal(text),
            _ => Err(mismatch(format!("{} is not a date", value.expr), "use a field of dates")),
        }
    }

    /// A unit of time, as a literal or a bare word.
    fn unit(&mut self, arg: &Expr) -> Result<String, Refusal> {
        let word = match arg {
            Expr::Identifier(name) => name.value.clone(),
            arg => self.expr(arg.clone(), At::PLAIN)?.literal.unwrap_or_default(),
        };
        Ok(word.to_lowercase().trim_end_matches('s').to_owned())
    }

    fn truncated(&mut self, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let unit = self.unit(&args[0])?;
        if !UNITS.contains(&unit.as_str()) {
            return Err(
                expression(&format!("DATE_TRUNC('{unit}', …)")).hinted(format!("the units are {}", UNITS.join(", ")))
            );
        }
        let date = self.date_arg(args, 1, at)?;
        Ok(Typed::new(tree::call("DATE_TRUNC", [tree::text(&unit), date.expr]), Kind::DateTime))
    }

    fn format(&mut self, args: Vec<Expr>, date_at: usize, family: Family, at: At) -> Result<Typed, Refusal> {
        let format = self
            .expr(args[1 - date_at].clone(), at)?
            .literal
            .ok_or_else(|| expression("a format that is no literal"))?;
        let format = formats::neutral(&format, family)?;
        Ok(formatted(self.date_arg(args, date_at, at)?.expr, &format))
    }

    /// `DATEDIFF(later, earlier)` in days, also written with a unit and the earlier date first.
    fn days_between(&mut self, name: &str, args: Vec<Expr>, at: At) -> Result<Typed, Refusal> {
        let (later, earlier) = if args.len() == 3 {
            let unit = self.unit(&args[0])?;
            if unit != "day" {
                return Err(
                    expression(&format!("{name} in {unit}s")).hinted("take the days, or YEAR and MONTH of each date")
                );
            }
            (2, 1)
        } else {
            (0, 1)
        };
        let later = self.date_arg(args.clone(), later, at)?;
        let earlier = self.date_arg(args, earlier, at)?;
        Ok(Typed::new(tree::call("DATEDIFF", [later.expr, earlier.expr]), Kind::Integer))
    }

    fn shifted(&mut self, args: Vec<Expr>, op: BinaryOperator, at: At) -> Result<Typed, Refusal> {
        let span = self.expr(args[1].clone(), at)?;
        if span.kind != Kind::Span {
            return Err(mismatch("a date is moved by an interval", "write INTERVAL '3' DAY"));
        }
        let date = self.date_arg(args, 0, at)?;
        let moved = tree::binary(tree::operand(date.expr), op, span.expr);
        Ok(Typed::new(tree::nested(moved), Kind::DateTime))
    }
}

fn extract(field: DateTimeField, date: Expr) -> Expr {
    Expr::Extract { field, syntax: ExtractSyntax::From, expr: Box::new(date) }
}

fn field(name: &str) -> Option<DateTimeField> {
    Some(match name.to_uppercase().as_str() {
        "YEAR" => DateTimeField::Year,
        "QUARTER" => DateTimeField::Quarter,
        "MONTH" => DateTimeField::Month,
        "WEEK" | "WEEKOFYEAR" => DateTimeField::Week(None),
        "DAY" | "DAYOFMONTH" => DateTimeField::Day,
        "DOW" => DateTimeField::Dow,
        "ISODOW" => DateTimeField::Isodow,
        "DOY" | "DAYOFYEAR" => DateTimeField::Doy,
        "HOUR" => DateTimeField::Hour,
        "MINUTE" => DateTimeField::Minute,
        "SECOND" => DateTimeField::Second,
        _ => return None,
    })
}

/// The first moment of the day.
pub(super) fn day(date: Typed) -> Typed {
    if date.literal.is_some() {
        return date;
    }
    let fact = date.fact.map(|fact| crate::sql::names::Fact { base: None, ..fact });
    Typed { fact, ..Typed::new(tree::call("DATE_TRUNC", [tree::text("day"), date.expr]), Kind::DateTime) }
}

pub(super) fn formatted(date: Expr, format: &str) -> Typed {
    Typed::new(tree::call("DATE_FORMAT", [date, tree::text(format)]), Kind::Text)
}
