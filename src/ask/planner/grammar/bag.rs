//! The parts of a frame, taken out one by one until none is left.

use super::super::frame::{Frame, Part};
use super::super::labels;
use super::super::lexicon::Role;
use super::super::reading::Column;
use crate::schema::Field;
use crate::value::FieldType;

#[derive(Clone)]
pub struct Bag<'a> {
    frame: &'a Frame<'a>,
    parts: Vec<Option<Part>>,
    /// What reading the parts cost so far.
    pub cost: f32,
}

impl<'a> Bag<'a> {
    pub fn of(frame: &'a Frame<'a>) -> Self {
        Self { frame, parts: frame.parts.iter().cloned().map(Some).collect(), cost: 0.0 }
    }

    /// Takes every role that meets `wanted`; gives the place of the first.
    pub fn take(&mut self, wanted: impl Fn(Role) -> bool) -> Option<usize> {
        let mut first = None;
        for (at, part) in self.parts.iter_mut().enumerate() {
            if matches!(part, Some(Part::Role(role)) if wanted(*role)) {
                *part = None;
                first = first.or(Some(at));
            }
        }
        first
    }

    pub fn has(&self, wanted: impl Fn(Role) -> bool) -> bool {
        self.roles().any(|(_, role)| wanted(role))
    }

    pub fn roles(&self) -> impl Iterator<Item = (usize, Role)> + '_ {
        self.parts.iter().enumerate().filter_map(|(at, part)| match part {
            Some(Part::Role(role)) => Some((at, *role)),
            _ => None,
        })
    }

    /// The columns that are left, with their places.
    pub fn columns(&self) -> Vec<(usize, usize)> {
        let columns = self.parts.iter().enumerate();
        columns
            .filter_map(|(at, part)| match part {
                Some(Part::Column(index)) => Some((at, *index)),
                _ => None,
            })
            .collect()
    }

    /// Takes every mention of a column.
    pub fn take_column(&mut self, index: usize) {
        for part in &mut self.parts {
            if *part == Some(Part::Column(index)) {
                *part = None;
            }
        }
    }

    /// Takes the one number.
    pub fn take_number(&mut self) -> Option<f64> {
        let at = self.parts.iter().position(|part| matches!(part, Some(Part::Number(_))))?;
        match self.parts.get_mut(at)?.take() {
            Some(Part::Number(number)) => Some(number.value),
            _ => None,
        }
    }

    /// The role right before a place, as the question has it.
    pub fn before(&self, at: usize) -> Option<Role> {
        match self.frame.parts.get(at.checked_sub(1)?)? {
            Part::Role(role) => Some(*role),
            _ => None,
        }
    }

    /// How many, or the number of, stands right at the column, but for words such as different or total.
    pub fn is_counted(&self, index: usize) -> bool {
        let counts = |part: &&Part| matches!(part, Part::Role(Role::HowMany | Role::NumberOf));
        let passed = |part: &&Part| {
            use Role::{All, Distinct, More, NumberOf, Only, Sum, Total};
            matches!(part, Part::Role(Distinct | All | Total | Sum | NumberOf | More { .. } | Only))
        };
        let parts = &self.frame.parts;
        parts.iter().enumerate().filter(|(_, part)| **part == Part::Column(index)).any(|(at, _)| {
            let mut before = parts[..at].iter().rev();
            let near = before.clone().take_while(|part| passed(part) || counts(part));
            near.clone().any(|part| counts(&part))
                || before.find(|part| !passed(part)).is_some_and(|part| counts(&part))
                || parts.get(at + 1).is_some_and(|part| counts(&part))
        })
    }

    pub fn field(&self, index: usize) -> Option<&'a Field> {
        self.frame.table.fields.get(index)
    }

    pub fn is_number(&self, index: usize) -> bool {
        self.field(index).is_some_and(|field| field.kind.is_number())
    }

    pub fn is_measure(&self, index: usize) -> bool {
        self.field(index).is_some_and(|field| field.kind.is_number() || field.kind == FieldType::DateTime)
    }

    /// A number that is added up: no year, rank or order.
    pub fn is_amount(&self, index: usize) -> bool {
        self.field(index).is_some_and(|field| {
            field.kind.is_number()
                && !field.identifier
                && !labels::is_numbering(field)
                && !labels::is_year(field)
                && !labels::is_index(self.frame.table, field)
        })
    }

    /// Takes what only joins or repeats: `and`, `than`, `each`, `all X`, the kind of the named things.
    pub fn drop_joints(&mut self) {
        self.take(|role| {
            matches!(role, Role::And | Role::Than | Role::Beside | Role::Respective | Role::All | Role::Between)
        });
        if !self.has(|role| matches!(role, Role::Which | Role::Who | Role::HowMany | Role::List)) {
            self.take(|role| role == Role::Both);
        }
        for part in &mut self.parts {
            if matches!(part, Some(Part::Value(_))) {
                *part = None;
            }
        }
        let named: Vec<usize> = self
            .frame
            .named
            .iter()
            .copied()
            .chain(self.frame.entities.iter().map(|entities| entities.column))
            .filter_map(|column| match column {
                Column::Field(index) => Some(index),
                Column::Document | Column::Sheet => None,
            })
            .collect();
        for index in named {
            let asked = self.columns().iter().any(|(at, other)| *other == index && self.is_asked(*at));
            if !asked {
                self.take_column(index);
            }
        }
        if self.frame.entities.is_some() {
            self.take(|role| role == Role::Or);
        }
    }

    /// Takes deeds that the measure's own label stands for; `false` where there is one that it does not.
    pub fn take_deeds(&mut self, measure: Option<usize>) -> bool {
        if self.take(|role| role == Role::Scored).is_some() && measure.is_none() {
            return false;
        }
        if self.take(|role| role == Role::Deed).is_none() {
            return true;
        }
        self.cost += 0.03;
        measure.is_some_and(|index| !self.frame.partial.contains(&index))
    }

    /// Right behind which, what, who, list.
    pub fn is_asked(&self, at: usize) -> bool {
        matches!(self.before(at), Some(Role::Which | Role::What | Role::Who | Role::List | Role::Where | Role::When))
    }

    /// Drops `all X` where X is not needed.
    pub fn drop_universals(&mut self) {
        let universal: Vec<usize> = self
            .columns()
            .iter()
            .filter(|(at, _)| self.before(*at) == Some(Role::All))
            .map(|(_, index)| *index)
            .collect();
        for index in universal {
            self.take_column(index);
        }
    }

    /// Drops columns that name the rows and are not what is asked: `the capacity of the stadiums in …`.
    pub fn drop_row_names(&mut self) {
        for (at, index) in self.columns() {
            if labels::names_rows(self.frame.table, index) && !self.is_asked(at) {
                self.take_column(index);
                self.cost += 0.03;
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(Option::is_none)
    }

    pub fn frame(&self) -> &'a Frame<'a> {
        self.frame
    }

    /// The column that the question's own word asks for: who, where, when, which rows.
    pub fn implied_target(&mut self) -> Option<usize> {
        if self.take(|role| role == Role::Person).is_some() {
            self.take(|role| matches!(role, Role::Which | Role::What | Role::Who | Role::List));
            self.cost += 0.1;
            return self.only(labels::is_person).or_else(|| self.key_person());
        }
        if self.take(|role| role == Role::Who).is_some() {
            self.take(|role| matches!(role, Role::Which | Role::What));
            self.cost += 0.06;
            return self.only(labels::is_person).or_else(|| self.key_person());
        }
        if self.take(|role| role == Role::Row).is_some() {
            self.take(|role| matches!(role, Role::Which | Role::What | Role::List));
            self.cost += 0.06;
            return labels::key(self.frame.table);
        }
        if self.take(|role| role == Role::Where).is_some() {
            self.cost += 0.06;
            return self.only(labels::is_place);
        }
        if self.take(|role| role == Role::When).is_some() {
            self.cost += 0.06;
            let date = |field: &Field| field.kind == FieldType::DateTime;
            let daily = |field: &Field| {
                date(field) && !field.label.contains('月') && !field.label.to_lowercase().contains("month")
            };
            return self.only(date).or_else(|| self.only(daily)).or_else(|| self.only(labels::is_year));
        }
        None
    }

    /// The key where it lists people; of several columns of people, the key is the one meant.
    pub fn key_person(&self) -> Option<usize> {
        labels::key(self.frame.table).filter(|index| self.field(*index).is_some_and(labels::is_person))
    }

    pub fn only(&self, wanted: impl Fn(&Field) -> bool) -> Option<usize> {
        let mut found =
            self.frame.table.fields.iter().enumerate().filter(|(_, field)| wanted(field)).map(|(index, _)| index);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}
