//! Chunks reduced to conditions, named entities and what is left to say what is asked.
//!
//! Comes in: one path of chunks. Goes out: a [`Frame`]. Must never happen: a number, a period or a cell that is dropped.

use std::collections::HashSet;
use std::sync::Arc;

use super::chunks::{Chunk, Meaning, Path};
use super::lexicon::Role;
use super::names::Names;
use super::numerals::Number;
use super::reading::{Column, Condition, Test};
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
pub(super) enum Node {
    Open(Meaning),
    Done(Condition),
}

pub(super) struct Reducer<'a> {
    pub(super) table: &'a Table,
    pub(super) names: &'a Names,
    pub(super) nodes: Vec<Node>,
    cost: f32,
    documents: Option<Arc<[String]>>,
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
        self.outsides()?;
        self.comparisons();
        self.against_columns();
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
                Node::Open(Meaning::Column(index, whole))
                    if self
                        .field(*index)
                        .is_some_and(|field| field.kind == FieldType::Flag && (*whole || !denies(&field.label))) =>
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

    pub(super) fn field(&self, index: usize) -> Option<&'a Field> {
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

    /// 以外 denies the cell before it, where nothing else does.
    fn outsides(&mut self) -> Option<()> {
        while let Some(at) = (0..self.nodes.len()).find(|at| self.role(Some(*at)) == Some(Role::Outside)) {
            let value = (0..at).rev().find(|at| matches!(self.nodes[*at], Node::Open(Meaning::Value { .. })))?;
            self.nodes.remove(at);
            if self.role(value.checked_sub(1)) != Some(Role::Not) {
                self.nodes.insert(value, Node::Open(Meaning::Role(Role::Not)));
            }
        }
        Some(())
    }

    fn meet(&mut self, documents: Arc<[String]>) {
        let all = self.names.count();
        if documents.is_empty() || all <= 1 {
            return;
        }
        self.documents = Some(match self.documents.take() {
            Some(before) if documents.len() == all => before,
            Some(before) if before.len() < all => {
                let named: HashSet<&String> = documents.iter().collect();
                before.iter().filter(|name| named.contains(name)).cloned().collect()
            }
            _ => documents,
        });
    }

    pub(super) fn column(&self, at: Option<usize>) -> Option<usize> {
        match self.nodes.get(at?)? {
            Node::Open(Meaning::Column(index, _)) => Some(*index),
            _ => None,
        }
    }

    pub(super) fn role(&self, at: Option<usize>) -> Option<Role> {
        match self.nodes.get(at?)? {
            Node::Open(Meaning::Role(role)) => Some(*role),
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
                Node::Open(Meaning::Column(..)) if negated => return None,
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
                Node::Open(Meaning::Missing(index)) => {
                    let column = Column::Field(index);
                    frame.conditions.push(Condition {
                        column,
                        test: Test::Missing,
                        negated: std::mem::take(&mut negated),
                    });
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
            if frame.conditions.iter().any(|condition| condition.column == column) {
                return None;
            }
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
        if frame
            .conditions
            .iter()
            .enumerate()
            .any(|(at, one)| frame.conditions[at + 1..].iter().any(|two| clash(one, two)))
        {
            return None;
        }
        if let Some(documents) = self.documents.take() {
            match documents.len() {
                0 => return None,
                length if length == self.names.count() => {}
                _ => frame.conditions.push(Condition {
                    column: Column::Document,
                    test: Test::Cells(documents.to_vec()),
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

/// Two conditions of one column that are no bounds of a range: no row can be meant to meet both.
fn clash(one: &Condition, two: &Condition) -> bool {
    let bounds = |test: &Test| matches!(test, Test::Compare(..) | Test::Days(..));
    one.column == two.column && !(bounds(&one.test) && bounds(&two.test))
}

/// A label that says no by itself (未付款): a part of it would say the contrary.
fn denies(label: &str) -> bool {
    ["未", "不", "非", "无", "没"].iter().any(|word| label.replace("是否", "").contains(word))
        || super::token::tokens(label).iter().any(|token| {
            matches!(token.text.as_str(), "not" | "no" | "never" | "without") || token.text.starts_with("un")
        })
}

/// Something joins the named things: two that only stand in one question are no pair.
fn joined(parts: &[Part]) -> bool {
    parts.iter().any(|part| {
        matches!(
            part,
            Part::Role(
                Role::And
                    | Role::Or
                    | Role::Than
                    | Role::Beside
                    | Role::Ratio
                    | Role::Difference
                    | Role::Over
                    | Role::Under
            )
        )
    })
}

fn gather(values: &mut Vec<(Column, Vec<Test>, bool)>, column: Column, test: Test, negated: bool) {
    match values.iter_mut().find(|(known, ..)| *known == column) {
        Some((_, tests, _)) if tests.contains(&test) => {}
        Some((_, tests, _)) => tests.push(test),
        None => values.push((column, vec![test], negated)),
    }
}
