//! Chunks reduced to conditions, named entities and what is left to say what is asked.
//!
//! Comes in: one path of chunks. Goes out: a [`Frame`]. Must never happen: a number, a period or a cell that is dropped.

use super::chunks::{Chunk, Meaning, Path};
use super::dates::{Grain, Period, written_like};
use super::labels;
use super::lexicon::Role;
use super::names::Names;
use super::numerals::Number;
use super::reading::{Column, Condition, Op, Test};
use crate::schema::{Field, Table};
use crate::value::FieldType;

/// A part that says what is asked, in the question's order.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Column(usize),
    Number(Number),
    Role(Role),
    /// Where a named cell stood.
    Value(Column),
}

/// Two or more named things of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Entities {
    pub column: Column,
    pub tests: Vec<Test>,
}

/// A path with its conditions taken out.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    pub table: &'a Table,
    pub parts: Vec<Part>,
    pub conditions: Vec<Condition>,
    /// Columns whose condition is a named cell.
    pub named: Vec<Column>,
    pub entities: Option<Entities>,
    /// A label beside a cell named its kind.
    pub kind_named: bool,
    /// Columns whose label is named in part only.
    pub partial: Vec<usize>,
    pub cost: f32,
}

/// A step of the reduction: still a chunk's meaning, or a finished condition.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Open(Meaning),
    Done(Condition),
}

struct Reducer<'a> {
    table: &'a Table,
    names: &'a Names,
    nodes: Vec<Node>,
    cost: f32,
    documents: Option<Vec<String>>,
}

/// What a flag in a question costs where it is a condition (国有企业) and not what is asked.
const FLAG_COST: f32 = 0.05;

/// Reduces a path: none where a number or a period finds no column; two where a flag may be asked for or be a condition.
pub fn frames<'a>(path: &Path, table: &'a Table, names: &'a Names) -> Vec<Frame<'a>> {
    let nodes: Vec<Node> = path.chunks.iter().map(|Chunk { meaning, .. }| Node::Open(meaning.clone())).collect();
    let asked = Reducer { table, names, nodes, cost: path.cost, documents: None };
    let flagged = asked.with_flags();
    [Some(asked), flagged].into_iter().flatten().filter_map(Reducer::reduced).collect()
}

impl<'a> Reducer<'a> {
    fn reduced(mut self) -> Option<Frame<'a>> {
        self.contexts();
        self.comparisons();
        self.periods()?;
        self.ranges()?;
        self.finish()
    }

    /// The same with flags as conditions.
    fn with_flags(&self) -> Option<Self> {
        let mut cost = self.cost;
        let nodes: Vec<Node> = self
            .nodes
            .iter()
            .map(|node| match node {
                Node::Open(Meaning::Column(index, _))
                    if self.field(*index).is_some_and(|field| field.kind == FieldType::Flag) =>
                {
                    cost += FLAG_COST;
                    Node::Done(Condition {
                        column: Column::Field(*index),
                        test: Test::Cells(vec!["yes".to_owned()]),
                        negated: false,
                    })
                }
                other => other.clone(),
            })
            .collect();
        (nodes != self.nodes).then_some(Self { table: self.table, names: self.names, nodes, cost, documents: None })
    }

    fn field(&self, index: usize) -> Option<&'a Field> {
        self.table.fields.get(index)
    }

    /// Takes the table's names out; what they say about documents is kept.
    fn contexts(&mut self) {
        let mut kept = Vec::new();
        for node in std::mem::take(&mut self.nodes) {
            match node {
                Node::Open(Meaning::Context(documents)) => self.meet(documents),
                other => kept.push(other),
            }
        }
        self.nodes = kept;
    }

    fn meet(&mut self, documents: Vec<String>) {
        if documents.is_empty() || self.names.count() <= 1 {
            return;
        }
        let met = match self.documents.take() {
            Some(before) => before.into_iter().filter(|name| documents.contains(name)).collect(),
            None => documents,
        };
        self.documents = Some(met);
    }

    fn column(&self, at: Option<usize>) -> Option<usize> {
        match self.nodes.get(at?)? {
            Node::Open(Meaning::Column(index, _)) => Some(*index),
            _ => None,
        }
    }

    fn role(&self, at: Option<usize>) -> Option<Role> {
        match self.nodes.get(at?)? {
            Node::Open(Meaning::Role(role)) => Some(*role),
            _ => None,
        }
    }

    /// `column op number`, `op number column`, `number op` beside a column, `column number`.
    fn comparisons(&mut self) {
        let mut at = 0;
        while at < self.nodes.len() {
            let Node::Open(Meaning::Number(number)) = &self.nodes[at] else {
                at += 1;
                continue;
            };
            let number = number.clone();
            match self.comparison(at, &number) {
                Some((from, to, condition)) => {
                    self.nodes.splice(from..to, [Node::Done(condition)]);
                    at = from + 1;
                }
                None => at += 1,
            }
        }
    }

    /// The condition around a number: the nodes it takes and what it says.
    fn comparison(&self, at: usize, number: &Number) -> Option<(usize, usize, Condition)> {
        let before = at.checked_sub(1);
        let before2 = at.checked_sub(2);
        let (op_before, op_after) = (self.role(before).and_then(op), self.role(Some(at + 1)).and_then(op));
        let make = |column: usize, op: Op| self.compare(column, op, number);
        if let Some(op) = op_before {
            let right = self.numeric(Some(at + 1));
            let left = self.numeric(before2).filter(|column| right.is_none() || !self.is_asked(before2, *column));
            return match (left, right) {
                (Some(column), _) => Some((at - 2, at + 1, make(column, op)?)),
                (None, Some(column)) => Some((at - 1, at + 2, make(column, op)?)),
                (None, None) => None,
            };
        }
        if let Some(op) = op_after {
            if let Some(column) = self.numeric(before) {
                return Some((at - 1, at + 2, make(column, op)?));
            }
            let column = self.numeric(Some(at + 2))?;
            return Some((at, at + 3, make(column, op)?));
        }
        let ranked = |place| {
            matches!(self.role(place), Some(Role::Super { .. } | Role::Top | Role::Bottom | Role::First | Role::Last))
        };
        if let Some(column) = self.numeric(before).filter(|_| !ranked(before2)) {
            return Some((at - 1, at + 1, make(column, Op::Equal)?));
        }
        let column = self
            .numeric(Some(at + 1))
            .filter(|_| !ranked(before) && !matches!(self.role(before), Some(Role::Which | Role::List)))?;
        Some((at, at + 2, make(column, Op::Equal)?))
    }

    /// A column that the question asks for, or one that names rows by number: rather not the one compared.
    fn is_asked(&self, at: Option<usize>, column: usize) -> bool {
        let before = at.and_then(|at| self.role(at.checked_sub(1)));
        matches!(before, Some(Role::Which | Role::What | Role::First | Role::Last | Role::HowMany | Role::List))
            || self.field(column).is_some_and(|field| field.identifier || labels::is_year(field))
    }

    fn numeric(&self, at: Option<usize>) -> Option<usize> {
        self.column(at).filter(|index| self.field(*index).is_some_and(|field| field.kind.is_number()))
    }

    fn compare(&self, column: usize, op: Op, number: &Number) -> Option<Condition> {
        let value = in_unit(self.field(column)?, number)?;
        let test = if op == Op::Equal { Test::Numbers(vec![value]) } else { Test::Compare(op, value) };
        Some(Condition { column: Column::Field(column), test, negated: false })
    }

    fn ranges(&mut self) -> Option<()> {
        let mut at = 0;
        while at < self.nodes.len() {
            let Node::Open(Meaning::Range(low, high)) = self.nodes[at].clone() else {
                at += 1;
                continue;
            };
            let before = at.checked_sub(1);
            let skip = usize::from(matches!(self.role(before), Some(Role::Between)));
            let left = at.checked_sub(1 + skip);
            let (from, to, column) = match (self.numeric(left), self.numeric(Some(at + 1))) {
                (Some(column), _) => (at - 1 - skip, at + 1, column),
                (None, Some(column)) => (at - skip, at + 2, column),
                (None, None) => return None,
            };
            let field = self.field(column)?;
            let test = Test::Range(in_unit(field, &low)?, in_unit(field, &high)?);
            self.nodes
                .splice(from..to, [Node::Done(Condition { column: Column::Field(column), test, negated: false })]);
            at = from + 1;
        }
        Some(())
    }

    /// Periods meet the column beside them, the table's names, or its only column of dates or years.
    fn periods(&mut self) -> Option<()> {
        let mut at = 0;
        while at < self.nodes.len() {
            let Node::Open(Meaning::Period(period)) = self.nodes[at].clone() else {
                at += 1;
                continue;
            };
            let side = self.role(at.checked_sub(1)).filter(|role| order(*role).is_some());
            let after = self
                .role(Some(at + 1))
                .filter(|role| matches!(role, Role::Before | Role::After | Role::Since | Role::Until));
            let from = at - usize::from(side.is_some());
            let to = at + 1 + usize::from(side.is_none() && after.is_some());
            let bound = side.or(after);
            let beside = [from.checked_sub(1), Some(to)]
                .into_iter()
                .find(|place| self.column(*place).is_some_and(|index| self.is_time(index)));
            let asked = beside
                .flatten()
                .is_some_and(|place| matches!(self.role(place.checked_sub(1)), Some(Role::Which | Role::What)));
            let column = beside.flatten().filter(|_| !asked).and_then(|place| self.column(Some(place)));
            if bound.is_none() && column.is_none() {
                let documents = self.names.of_period(&period);
                if !documents.is_empty() && (self.names.count() <= 1 || documents.len() == self.names.count()) {
                    self.nodes.remove(at);
                    continue;
                }
            }
            let condition = self.period_condition(&period, bound, column)?;
            let start = if column.is_some() && beside.flatten() < Some(from) { from - 1 } else { from };
            let end = if column.is_some() && beside.flatten() >= Some(to) { to + 1 } else { to };
            self.nodes.splice(start..end, [Node::Done(condition)]);
            at = start + 1;
        }
        Some(())
    }

    fn is_time(&self, index: usize) -> bool {
        self.field(index).is_some_and(|field| {
            field.kind == FieldType::DateTime || labels::is_year(field) || !written(field, None).is_empty()
        })
    }

    fn period_condition(&self, period: &Period, bound: Option<Role>, column: Option<usize>) -> Option<Condition> {
        let column = match column {
            Some(column) => column,
            None => self.time_column(period)?,
        };
        let field = self.field(column)?;
        let test = match field.kind {
            FieldType::DateTime => days(period, bound),
            FieldType::Integer => years(period, bound)?,
            _ if bound.is_none() => Test::Cells(written(field, Some(period))),
            _ => return None,
        };
        Some(Condition { column: Column::Field(column), test, negated: false })
    }

    /// The one column that tells when; for a month the one named so.
    fn time_column(&self, period: &Period) -> Option<usize> {
        let all = || self.table.fields.iter().enumerate();
        let strict: Vec<usize> = all()
            .filter(|(_, field)| labels::is_year(field) && !labels::is_year_of(field))
            .map(|(index, _)| index)
            .collect();
        let loose: Vec<usize> = all().filter(|(_, field)| labels::is_year_of(field)).map(|(index, _)| index).collect();
        let years = if strict.is_empty() { loose } else { strict };
        if let ([only], Some(_)) = (years.as_slice(), period.as_year()) {
            return Some(*only);
        }
        let dates: Vec<usize> =
            all().filter(|(_, field)| field.kind == FieldType::DateTime).map(|(index, _)| index).collect();
        let monthly = |index: &&usize| {
            self.field(**index)
                .is_some_and(|field| field.label.contains('月') || field.label.to_lowercase().contains("month"))
        };
        match dates.as_slice() {
            [only] => return Some(*only),
            [] => {}
            many => return many.iter().filter(|_| period.grain == Grain::Month).find(monthly).copied(),
        }
        let texts: Vec<usize> =
            all().filter(|(_, field)| !written(field, Some(period)).is_empty()).map(|(index, _)| index).collect();
        match texts.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Gathers named cells, drops what only joins them, and leaves the rest in order.
    fn finish(mut self) -> Option<Frame<'a>> {
        let mut frame = Frame {
            table: self.table,
            parts: Vec::new(),
            conditions: Vec::new(),
            named: Vec::new(),
            entities: None,
            kind_named: false,
            partial: Vec::new(),
            cost: 0.0,
        };
        let mut values: Vec<(Column, Vec<Test>, bool)> = Vec::new();
        let mut negated = false;
        frame.kind_named = self.absorb_labels();
        for node in std::mem::take(&mut self.nodes) {
            match node {
                Node::Open(Meaning::Role(Role::Not)) => negated = true,
                Node::Open(Meaning::Role(role)) => frame.parts.push(Part::Role(role)),
                Node::Open(Meaning::Column(index, whole)) => {
                    frame.parts.push(Part::Column(index));
                    if !whole {
                        frame.partial.push(index);
                    }
                }
                Node::Open(Meaning::Number(number)) => frame.parts.push(Part::Number(number)),
                Node::Open(Meaning::Value { column, cells, .. }) => {
                    gather(&mut values, column, Test::Cells(cells), std::mem::take(&mut negated));
                    frame.parts.push(Part::Value(column));
                }
                Node::Done(Condition {
                    column,
                    test: test @ (Test::Numbers(_) | Test::Days(Some(_), Some(_))),
                    ..
                }) => {
                    gather(&mut values, column, test, std::mem::take(&mut negated));
                }
                Node::Done(mut condition) => {
                    condition.negated = std::mem::take(&mut negated);
                    frame.conditions.push(condition);
                }
                Node::Open(Meaning::Range(..) | Meaning::Period(_) | Meaning::Context(_)) => return None,
            }
        }
        if negated {
            return None;
        }
        self.settle(values, &mut frame)?;
        frame.cost = self.cost;
        Some(frame)
    }

    fn settle(&mut self, values: Vec<(Column, Vec<Test>, bool)>, frame: &mut Frame<'a>) -> Option<()> {
        for (column, mut tests, negated) in values {
            if tests.len() == 1 {
                let test = tests.pop()?;
                if !negated && self.holds_everywhere(column, &test) {
                    continue;
                }
                if matches!(test, Test::Cells(_)) && !negated {
                    frame.named.push(column);
                }
                frame.conditions.push(Condition { column, test, negated });
            } else if frame.entities.is_none() && !negated && joined(&frame.parts) {
                frame.entities = Some(Entities { column, tests });
            } else {
                return None;
            }
        }
        if let Some(documents) = self.documents.take() {
            match documents.len() {
                0 => return None,
                length if length == self.names.count() => {}
                _ => frame.conditions.push(Condition {
                    column: Column::Document,
                    test: Test::Cells(documents),
                    negated: false,
                }),
            }
        } else if self.names.count() > 1 {
            self.cost += 0.02;
        }
        Some(())
    }

    /// The column has one value only, and it is this.
    fn holds_everywhere(&self, column: Column, test: &Test) -> bool {
        let Column::Field(index) = column else { return false };
        let Some(field) = self.field(index).filter(|field| field.distinct == Some(1) && field.nulls == 0) else {
            return false;
        };
        let value = field.range.as_ref().and_then(|(low, _)| low.parse::<f64>().ok());
        matches!(test, Test::Numbers(numbers) if value.is_some_and(|value| numbers.contains(&value)))
    }

    /// A label right beside a cell of its own column only names its kind, unless it is what is asked.
    fn absorb_labels(&mut self) -> bool {
        let mut absorbed = false;
        let mut at = 0;
        while at < self.nodes.len() {
            let Some(index) = self.column(Some(at)) else {
                at += 1;
                continue;
            };
            let asked = matches!(
                self.role(at.checked_sub(1)),
                Some(Role::Which | Role::What | Role::HowMany | Role::NumberOf | Role::Distinct | Role::List)
            );
            let beside =
                [at.checked_sub(1), Some(at + 1)].into_iter().flatten().any(|place| self.is_value_of(place, index));
            if beside && !asked {
                self.nodes.remove(at);
                absorbed = true;
            } else {
                at += 1;
            }
        }
        absorbed
    }

    fn is_value_of(&self, at: usize, index: usize) -> bool {
        matches!(self.nodes.get(at), Some(Node::Open(Meaning::Value { column: Column::Field(field), .. })) if *field == index)
    }
}

/// Something joins the named things: two that only stand in one question are no pair.
fn joined(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Role(Role::And | Role::Or | Role::Than)))
}

fn gather(values: &mut Vec<(Column, Vec<Test>, bool)>, column: Column, test: Test, negated: bool) {
    match values.iter_mut().find(|(known, ..)| *known == column) {
        Some((_, tests, _)) if tests.contains(&test) => {}
        Some((_, tests, _)) => tests.push(test),
        None => values.push((column, vec![test], negated)),
    }
}

fn op(role: Role) -> Option<Op> {
    match role {
        Role::Over => Some(Op::More),
        Role::AtLeast => Some(Op::AtLeast),
        Role::Under => Some(Op::Less),
        Role::AtMost => Some(Op::AtMost),
        Role::Equal => Some(Op::Equal),
        _ => None,
    }
}

/// Words that order a period.
fn order(role: Role) -> Option<Op> {
    match role {
        Role::Before => Some(Op::Less),
        Role::After => Some(Op::More),
        Role::Since => Some(Op::AtLeast),
        Role::Until => Some(Op::AtMost),
        _ => None,
    }
}

fn days(period: &Period, bound: Option<Role>) -> Test {
    match bound {
        Some(Role::Before) => Test::Days(None, Some(period.from)),
        Some(Role::After) => Test::Days(Some(period.to), None),
        Some(Role::Since) => Test::Days(Some(period.from), None),
        Some(Role::Until) => Test::Days(None, Some(period.to)),
        _ => Test::Days(Some(period.from), Some(period.to)),
    }
}

fn years(period: &Period, bound: Option<Role>) -> Option<Test> {
    let year = f64::from(period.as_year()?);
    Some(match bound.and_then(order) {
        Some(op) => Test::Compare(op, year),
        None => Test::Numbers(vec![year]),
    })
}

/// Cells of a text column that would be the period, by the writing of its samples; with no period, of any.
fn written(field: &Field, period: Option<&Period>) -> Vec<String> {
    if field.exact().is_none() {
        return Vec::new();
    }
    let mut cells: Vec<String> = Vec::new();
    for sample in &field.samples {
        let own = period.cloned().or_else(|| super::dates::periods(sample).into_iter().next());
        let Some(cell) = own.and_then(|period| written_like(&period, sample)) else { continue };
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    cells
}

/// The number in the unit of the field; `None` where that can't be told.
fn in_unit(field: &Field, number: &Number) -> Option<f64> {
    let unit = field.unit.as_deref().unwrap_or_default();
    let value = number.value;
    match number.unit.as_deref() {
        Some("%" | "percent") => percent(field, value),
        Some("元" | "块" | "块钱" | "人民币" | "$" | "美元" | "dollars" | "dollar" | "usd") => {
            match unit.chars().next() {
                Some('万') => Some(value / 1e4),
                Some('亿') => Some(value / 1e8),
                _ => Some(value),
            }
        }
        _ if unit.starts_with('万') && value >= 1e4 => Some(value / 1e4),
        _ if unit.starts_with('亿') && value >= 1e8 => Some(value / 1e8),
        _ if unit == "%" && value > 1.0 => percent(field, value),
        _ => Some(value),
    }
}

/// A percent is stored as a fraction where the cells had the sign (unit `%`), else as written.
fn percent(field: &Field, value: f64) -> Option<f64> {
    match field.unit.as_deref() {
        Some("%") => Some(value / 100.0),
        Some("percent") => Some(value),
        _ => {
            let greatest: f64 = field.range.as_ref()?.1.parse().ok()?;
            (greatest > 1.0).then_some(value)
        }
    }
}
