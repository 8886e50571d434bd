//! Windows: functions that only make sense over one, and what stands after OVER.

use datafusion::sql::sqlparser::ast::{Expr, WindowFrame, WindowFrameBound, WindowSpec, WindowType};

use super::function::{Call, wrong_count};
use super::order::whole_number;
use super::{At, Guard, Typed, absent, clause, expression, mismatch};
use crate::sql::names::Kind;
use crate::sql::{Code, Refusal, tree};

pub(super) fn is_window_only(name: &str) -> bool {
    matches!(
        name,
        "ROW_NUMBER"
            | "RANK"
            | "DENSE_RANK"
            | "PERCENT_RANK"
            | "CUME_DIST"
            | "NTILE"
            | "LAG"
            | "LEAD"
            | "FIRST_VALUE"
            | "LAST_VALUE"
    )
}

impl Guard<'_> {
    pub(super) fn window_only(&mut self, call: Call, at: At) -> Result<Typed, Refusal> {
        let Call { name, args, star, distinct, clauses, filter, over, within_group } = call;
        let extra = star || distinct || !clauses.is_empty() || filter.is_some() || !within_group.is_empty();
        absent(extra, &format!("that clause in {name}"))?;
        let over = over.filter(|_| at.windows).ok_or_else(|| {
            let message = format!("{name} takes OVER (…) and stands in SELECT or ORDER BY");
            Refusal::new(Code::ExpressionNotAllowed, message, "rank in a sub-select and filter around it")
        })?;
        let inside = At { windows: false, fuzzy: false, aliases: false, ..at };
        let wanted = match name.as_str() {
            "ROW_NUMBER" | "RANK" | "DENSE_RANK" | "PERCENT_RANK" | "CUME_DIST" => 0..=0,
            "LAG" | "LEAD" => 1..=3,
            _ => 1..=1,
        };
        if !wanted.contains(&args.len()) {
            return Err(wrong_count(&name, "another number of arguments"));
        }
        let args = args.into_iter().map(|arg| self.expr(arg, inside)).collect::<Result<Vec<_>, _>>()?;
        if let [value, _, default] = &args[..] {
            same_kind(&name, value, default)?;
        }
        let kind = match name.as_str() {
            "PERCENT_RANK" | "CUME_DIST" => Kind::Decimal,
            "LAG" | "LEAD" | "FIRST_VALUE" | "LAST_VALUE" => args.first().map_or(Kind::Any, |arg| arg.kind),
            _ => Kind::Integer,
        };
        let mut function = tree::function(&name, args.into_iter().map(|arg| arg.expr));
        function.over = Some(self.window(over, inside)?);
        Ok(Typed::new(Expr::Function(function), kind))
    }

    pub(super) fn window(&mut self, over: WindowType, at: At) -> Result<WindowType, Refusal> {
        let WindowType::WindowSpec(spec) = over else { return Err(clause("a named window")) };
        let WindowSpec { window_name, partition_by, order_by, window_frame } = spec;
        absent(window_name.is_some(), "a named window")?;
        let partition_by =
            partition_by.into_iter().map(|key| Ok(self.expr(key, at)?.expr)).collect::<Result<Vec<_>, Refusal>>()?;
        let order_by = self.sort_keys(order_by, at)?;
        let window_frame = window_frame.map(frame).transpose()?;
        Ok(WindowType::WindowSpec(WindowSpec { window_name: None, partition_by, order_by, window_frame }))
    }
}

/// A default of another type would be cast to that of the value, and say something else.
fn same_kind(name: &str, value: &Typed, default: &Typed) -> Result<(), Refusal> {
    let is_alike = value.kind == default.kind
        || default.kind == Kind::Null
        || (value.kind, default.kind) == (Kind::Decimal, Kind::Integer)
        || (value.kind, default.kind) == (Kind::Flag, Kind::Text);
    let message = format!("the default {} of {name} is of another type than {}", default.expr, value.expr);
    if is_alike { Ok(()) } else { Err(mismatch(message, "give a default of the same type, or CAST the value")) }
}

fn frame(frame: WindowFrame) -> Result<WindowFrame, Refusal> {
    let WindowFrame { units, start_bound, end_bound } = frame;
    let start_bound = bound(start_bound)?;
    let end_bound = end_bound.map(bound).transpose()?;
    Ok(WindowFrame { units, start_bound, end_bound })
}

fn bound(bound: WindowFrameBound) -> Result<WindowFrameBound, Refusal> {
    let rows = |rows: Option<Box<Expr>>| match rows.as_deref().map(whole_number) {
        None => Ok(None),
        Some(Some(rows)) => Ok(Some(Box::new(tree::number(rows)))),
        Some(None) => Err(expression("a window bound that is no whole number")),
    };
    Ok(match bound {
        WindowFrameBound::CurrentRow => WindowFrameBound::CurrentRow,
        WindowFrameBound::Preceding(before) => WindowFrameBound::Preceding(rows(before)?),
        WindowFrameBound::Following(after) => WindowFrameBound::Following(rows(after)?),
    })
}
