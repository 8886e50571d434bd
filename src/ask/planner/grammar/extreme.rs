//! Which has the most: rows with the extreme of a measure, and values that occur most often.

use super::super::frame::Frame;
use super::super::labels;
use super::super::lexicon::{Manner, Role};
use super::super::measure::is_repeated;
use super::super::reading::{Condition, How, Key, Shape, Top};
use super::order::leading_top;
use super::weigh::{Told, Weighing};
use super::{Bag, Found};
use crate::schema::Field;
use crate::value::FieldType;

/// `which T has the most M`, `M 最高的是哪个 T`, `what is the highest M`, also among the top n of another measure.
pub fn extreme(frame: &Frame) -> Vec<Found> {
    read(frame).into_iter().collect()
}

fn read(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let within = leading_top(&mut bag);
    let (at, most, manner) = superlative(&mut bag)?;
    let conditions = frame.all_conditions()?;
    bag.drop_joints();
    let told = Told::of(&mut bag)?;
    bag.take(|role| matches!(role, Role::InTermsOf | Role::NumberOf | Role::Only));
    let stated = measure(&bag, at, within);
    let measure = stated.or_else(|| implied_measure(&mut bag, manner))?;
    let most = if manner == Manner::Time && bag.field(measure).is_some_and(labels::is_age) { !most } else { most };
    bag.take_column(measure);
    let field = bag.field(measure)?;
    if is_label(&bag, measure) && !labels::is_rank(field) && manner != Manner::Time {
        return None;
    }
    let most = match (labels::is_rank(field), manner) {
        (true, Manner::Quality) => !most,
        (true, _) => return None,
        _ => most,
    };
    if matches!(manner, Manner::Frequency) {
        return None;
    }
    if !bag.take_deeds(Some(measure)) {
        return None;
    }
    let asks_value = bag.has(|role| matches!(role, Role::What | Role::HowMuch | Role::HowMany));
    if asks_value && !bag.has(|role| matches!(role, Role::Which | Role::Who)) {
        bag.drop_universals();
    }
    let target = target(&mut bag)?;
    bag.take(|role| matches!(role, Role::Which | Role::What | Role::List | Role::HowMuch | Role::HowMany));
    bag.drop_universals();
    if !bag.is_empty() {
        return None;
    }
    let cost = bag.cost + if within.is_some() { 0.02 } else { 0.0 };
    let Some(target) = target else {
        let plain = asks_value && stated.is_some() && told.is_silent() && within.is_none() && frame.entities.is_none();
        let how = if most { How::Greatest } else { How::Least };
        return (plain && bag.is_measure(measure))
            .then(|| Found::new(Shape::Aggregate { how, column: measure }, conditions, cost));
    };
    let weighing = told.weigh(frame, target, measure)?;
    let shape = match weighing {
        Weighing::Rows(how) if within.is_none() => {
            Shape::Leaders { by: Key::of(target), aggregate: Some((how, measure)), most, count: None }
        }
        Weighing::Rows(_) => return None,
        _ if frame.entities.as_ref().is_none_or(|_| frame.names_few_rows()) => {
            Shape::Extreme { columns: vec![target], measure, most, within }
        }
        _ => return None,
    };
    Some(Found { doubtful: weighing == Weighing::Doubtful, ..Found::new(shape, conditions, cost) })
}

/// The superlative, where all that the question has agree.
pub fn superlative(bag: &mut Bag) -> Option<(usize, bool, Manner)> {
    let supers: Vec<(usize, bool, Manner)> = bag
        .roles()
        .filter_map(|(at, role)| match role {
            Role::Super { most, manner } => Some((at, most, manner)),
            Role::Maximum => Some((at, true, Manner::Amount)),
            Role::Minimum => Some((at, false, Manner::Amount)),
            _ => None,
        })
        .collect();
    let (at, most, manner) = *supers.first()?;
    if supers.iter().any(|(_, other, _)| *other != most) {
        return None;
    }
    bag.take(|role| matches!(role, Role::Super { .. } | Role::Maximum | Role::Minimum));
    Some((at, most, manner))
}

/// The column that is compared: the number beside the superlative that is not what is asked for.
fn measure(bag: &Bag, at: usize, within: Option<Top>) -> Option<usize> {
    let mut numbers: Vec<(usize, usize)> =
        bag.columns().into_iter().filter(|(_, index)| bag.is_measure(*index)).collect();
    numbers.retain(|(_, index)| within.is_none_or(|top| top.measure != *index));
    let mut kinds: Vec<usize> = numbers.iter().map(|(_, index)| *index).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.len() > 1 {
        numbers.retain(|(place, index)| {
            !bag.is_asked(*place) && bag.before(*place) != Some(Role::All) && !is_label(bag, *index)
        });
    }
    let stated =
        numbers.iter().find(|(place, _)| bag.frame().parts.get(place.wrapping_sub(1)).is_some_and(is_in_terms_of));
    let after = numbers.iter().find(|(place, _)| *place > at);
    let before = numbers.iter().rev().find(|(place, _)| *place < at);
    let adjacent = before.filter(|(place, _)| place + 1 == at).or(after).or(before);
    let (place, index) = *stated.or(adjacent)?;
    (!bag.is_asked(place)).then_some(index)
}

/// The one column that a superlative is about by itself: the longest is of a length, the oldest of an age or a date.
fn implied_measure(bag: &mut Bag, manner: Manner) -> Option<usize> {
    let numeric =
        |words: &'static [&'static str]| move |field: &Field| field.kind.is_number() && labels::says(field, words);
    bag.cost += 0.08;
    if manner == Manner::Price && bag.has(|role| role == Role::Row) {
        return None;
    }
    match manner {
        Manner::Length => bag.only(numeric(&["length", "distance", "duration", "period", "长度", "距离", "时长"])),
        Manner::Height => bag.only(numeric(&["height", "elevation", "altitude", "高度", "身高"])),
        Manner::Price => bag.only(numeric(&["price", "cost", "fee", "价格", "单价", "均价", "售价"])),
        Manner::Time => match (
            bag.only(labels::is_age),
            bag.only(|field| field.kind == FieldType::DateTime || labels::is_year(field)),
        ) {
            (Some(age), None) => Some(age),
            (None, Some(date)) => Some(date),
            _ => None,
        },
        _ => None,
    }
}

fn is_in_terms_of(part: &super::super::frame::Part) -> bool {
    matches!(part, super::super::frame::Part::Role(Role::InTermsOf))
}

/// Numbers that name rows rather than measure them.
fn is_label(bag: &Bag, index: usize) -> bool {
    bag.field(index)
        .is_some_and(|field| field.identifier || labels::is_year(field) || labels::is_index(bag.frame().table, field))
}

/// `Some(None)` where the value itself is asked for; `None` where there are two answers to give.
fn target(bag: &mut Bag) -> Option<Option<usize>> {
    let asked: Vec<usize> = dedup(bag.columns().iter().filter(|(at, _)| bag.is_asked(*at)).map(|(_, index)| *index));
    let all: Vec<usize> = dedup(bag.columns().iter().map(|(_, index)| *index));
    let chosen = match (asked.as_slice(), all.as_slice()) {
        ([only], _) | ([], [only]) => Some(*only),
        ([], []) => None,
        _ => return None,
    };
    match chosen {
        Some(index) => {
            if bag.has(|role| role == Role::Who) && !bag.field(index).is_some_and(labels::is_agent) {
                return None;
            }
            bag.take_column(index);
            bag.take(|role| role == Role::Who || role == Role::Person);
            absorb_key(bag, index);
            Some(Some(index))
        }
        None => {
            let wanted = bag.has(|role| {
                matches!(role, Role::Who | Role::Where | Role::When | Role::Person | Role::Row | Role::Which)
            });
            let implied = bag.implied_target();
            if implied.is_some() {
                return Some(implied);
            }
            match (wanted, &bag.frame().entities) {
                (true, Some(entities)) => match entities.column {
                    super::super::reading::Column::Field(index) => Some(Some(index)),
                    _ => None,
                },
                (true, None) => None,
                (false, _) => Some(None),
            }
        }
    }
}

/// `the date of the game that …`: a column that names the rows needs no place in the answer.
fn absorb_key(bag: &mut Bag, target: usize) {
    let left = dedup(bag.columns().iter().map(|(_, index)| *index));
    for index in left {
        if index != target && (labels::names_rows(bag.frame().table, index) || is_label(bag, index)) {
            bag.take_column(index);
            bag.cost += 0.05;
        }
    }
}

/// Something is measured here that `the most` may be of, and of which it may not be said.
fn has_amounts(bag: &Bag) -> bool {
    (0..bag.frame().table.fields.len()).any(|index| bag.is_amount(index))
}

fn dedup(items: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut found = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// `which T occurs most often`, `which T has the most Xs` where X names things and is no number.
pub fn frequent(frame: &Frame) -> Vec<Found> {
    read_frequent(frame).into_iter().collect()
}

/// `which T has the most different X`.
fn most_different(mut bag: Bag, by: usize, columns: &[usize], most: bool, conditions: Vec<Condition>) -> Option<Found> {
    bag.take(|role| matches!(role, Role::Which | Role::What | Role::Who | Role::Trade));
    let mut others = columns.iter().copied().filter(|index| *index != by);
    let other = others.next().filter(|_| others.next().is_none())?;
    bag.take_column(other);
    let text = |index: usize| bag.field(index).is_some_and(|field| field.exact().is_some());
    let aggregate = Some((How::Different, other));
    let shape = Shape::Leaders { by: Key::of(by), aggregate, most, count: None };
    (bag.is_empty() && text(by) && text(other) && is_repeated(bag.frame().table, by))
        .then(|| Found::new(shape, conditions, bag.cost + 0.03))
}

fn read_frequent(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let (_, most, manner) = superlative(&mut bag)?;
    let conditions = frame.all_conditions()?;
    if !matches!(manner, Manner::Many | Manner::Frequency) || frame.entities.is_some() {
        return None;
    }
    bag.drop_joints();
    let different = bag.take(|role| role == Role::Distinct).is_some();
    let told = bag.has(|role| {
        matches!(role, Role::NumberOf | Role::Times | Role::Appear | Role::Row | Role::Count { .. } | Role::Person)
    });
    bag.take(|role| {
        matches!(
            role,
            Role::NumberOf | Role::Times | Role::Appear | Role::Row | Role::Total | Role::Count { people: false }
        )
    });
    let columns = dedup(bag.columns().iter().map(|(_, index)| *index));
    let asked = dedup(bag.columns().iter().filter(|(at, _)| bag.is_asked(*at)).map(|(_, index)| *index));
    let by = match (asked.as_slice(), columns.as_slice()) {
        ([only], _) | ([], [only]) => *only,
        _ => return None,
    };
    if bag.columns().iter().any(|(at, index)| *index == by && bag.before(*at) == Some(Role::NumberOf)) {
        return None;
    }
    if bag.has(|role| role == Role::Who) && !bag.field(by).is_some_and(labels::is_agent) {
        return None;
    }
    bag.take_column(by);
    if different {
        return most_different(bag, by, &columns, most, conditions);
    }
    if manner == Manner::Many && !told && columns.len() == 1 && has_amounts(&bag) {
        return None;
    }
    bag.take(|role| matches!(role, Role::Which | Role::What | Role::Who));
    for index in columns.into_iter().filter(|index| *index != by) {
        if bag.is_amount(index) || (frame.is_traded() && is_repeated(frame.table, index)) {
            return None;
        }
        bag.take_column(index);
        bag.cost += 0.05;
    }
    let heads = bag.take(|role| matches!(role, Role::Person | Role::Count { people: true })).is_some();
    let person = if heads { bag.only(labels::is_person) } else { None };
    if person.is_some_and(|person| person != by && is_repeated(frame.table, person)) {
        return None;
    }
    let field = bag.field(by)?;
    let countable = field.exact().is_some() && !labels::is_unique(frame.table, field);
    (bag.is_empty() && countable).then(|| {
        Found::new(Shape::Leaders { by: Key::of(by), aggregate: None, most, count: None }, conditions, bag.cost + 0.05)
    })
}
