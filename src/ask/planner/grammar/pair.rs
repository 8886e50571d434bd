//! Two figures put together: is the one more than the other, how many times, how much it grew.

use chrono::{Datelike, Months};

use super::super::frame::{Entities, Frame, Part};
use super::super::lexicon::Role;
use super::super::reading::{Column, Combine, Condition, Figure, How, Op, Operand, Shape, Test};
use super::compare::{absorb_rows, only_measure};
use super::weigh::{Told, Weighing};
use super::{Bag, Found};

/// `did A have more M than B`, `A 的 M 是否超过 5`, `A 是 B 的几倍`, `2 月 M 环比增长多少`.
pub fn pair(frame: &Frame) -> Vec<Found> {
    [more(frame), bounded(frame), ratio(frame), growth(frame)].into_iter().flatten().collect()
}

/// Yes where A has more (or less) than B.
fn more(frame: &Frame) -> Option<Found> {
    let entities = frame.entities.as_ref()?;
    let mut bag = Bag::of(frame);
    bag.take(|role| role == Role::YesNo)?;
    let over = stands_between(frame, Role::Over);
    let most = if over || stands_between(frame, Role::Under) {
        bag.take(|role| matches!(role, Role::Over | Role::Under));
        Some(over)
    } else {
        one_direction(&mut bag).filter(|_| stands_between(frame, Role::Than))
    }?;
    if bag.has(|role| matches!(role, Role::Or | Role::And | Role::Beside)) {
        return None;
    }
    let aggregate = aggregate(&mut bag, entities)?;
    let op = if most { Op::More } else { Op::Less };
    combined(&bag, Combine::Holds(op), aggregate, entities)
}

/// The first by the second.
fn ratio(frame: &Frame) -> Option<Found> {
    let entities = frame.entities.as_ref()?;
    let mut bag = Bag::of(frame);
    bag.take(|role| role == Role::Ratio)?;
    bag.take(|role| matches!(role, Role::HowMany | Role::HowMuch | Role::What));
    let aggregate = aggregate(&mut bag, entities)?;
    combined(&bag, Combine::Ratio, aggregate, entities)
}

fn combined(bag: &Bag, combine: Combine, aggregate: Option<(How, usize)>, entities: &Entities) -> Option<Found> {
    let [first, second] = entities.tests.as_slice() else { return None };
    let figure = |test: &Test| {
        let among = Condition { column: entities.column, test: test.clone(), negated: false };
        Operand::Figure(Figure { aggregate, among: Some(among) })
    };
    let shape = Shape::Combined { combine, first: figure(first), second: figure(second) };
    bag.is_empty().then(|| Found::new(shape, bag.frame().conditions.clone(), bag.cost))
}

/// What is computed of each; `Some(None)` counts rows.
fn aggregate(bag: &mut Bag, entities: &Entities) -> Option<Option<(How, usize)>> {
    let frame = bag.frame();
    let told = Told::of(bag)?;
    let counts = bag.take(|role| matches!(role, Role::Row | Role::Count { people: false })).is_some();
    bag.take(|role| matches!(role, Role::NumberOf | Role::InTermsOf | Role::Total));
    bag.drop_joints();
    if let Column::Field(key) = entities.column {
        bag.take_column(key);
    }
    if counts && bag.columns().is_empty() {
        return Some(None);
    }
    let measure = only_measure(bag)?;
    let deeds = bag.take_deeds(Some(measure));
    absorb_rows(bag);
    if counts || !deeds {
        return None;
    }
    match told.weigh_any(frame, entities.column, measure)? {
        Weighing::Rows(how) => Some(Some((how, measure))),
        Weighing::Row if frame.names_one_row() => Some(Some((How::Greatest, measure))),
        _ => None,
    }
}

/// More or less, where one word says it.
fn one_direction(bag: &mut Bag) -> Option<bool> {
    let told: Vec<bool> = bag
        .roles()
        .filter_map(|(_, role)| match role {
            Role::More { most } => Some(most),
            _ => None,
        })
        .collect();
    bag.take(|role| matches!(role, Role::More { .. }));
    match told.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// The word stands between the first named thing and the second.
fn stands_between(frame: &Frame, wanted: Role) -> bool {
    let value = |part: &Part| matches!(part, Part::Value(_));
    let Some(first) = frame.parts.iter().position(value) else { return false };
    let Some(last) = frame.parts.iter().rposition(value) else { return false };
    frame.parts[first..last].contains(&Part::Role(wanted))
}

/// Yes where the figure of the named rows meets a bound.
fn bounded(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    bag.take(|role| role == Role::YesNo)?;
    if frame.entities.is_some() {
        return None;
    }
    let told = Told::of(&mut bag)?;
    bag.drop_joints();
    let bounds = |condition: &&Condition| matches!(condition.test, Test::Compare(..));
    let mut bounded = frame.conditions.iter().filter(bounds);
    let bound = bounded.next().filter(|_| bounded.next().is_none())?;
    let (Column::Field(measure), Test::Compare(op, value)) = (bound.column, &bound.test) else { return None };
    let others: Vec<Condition> = frame.conditions.iter().filter(|other| *other != bound).cloned().collect();
    let named = frame.named.first().copied().filter(|_| frame.named.len() == 1 && others.len() == 1)?;
    let how = match told.weigh_any(frame, named, measure)? {
        Weighing::Rows(how) => how,
        Weighing::Row if frame.names_one_row() => How::Greatest,
        _ => return None,
    };
    let figure = Operand::Figure(Figure { aggregate: Some((how, measure)), among: None });
    let shape = Shape::Combined { combine: Combine::Holds(*op), first: figure, second: Operand::Number(*value) };
    (bag.is_empty() && !bound.negated).then(|| Found::new(shape, others, bag.cost))
}

/// A sum of a period against that of the period before, or of the same a year before.
fn growth(frame: &Frame) -> Option<Found> {
    let mut bag = Bag::of(frame);
    let yearly = bag.roles().find_map(|(_, role)| match role {
        Role::Growth { yearly } => Some(yearly),
        _ => None,
    })?;
    bag.take(|role| matches!(role, Role::Growth { .. } | Role::What | Role::HowMuch | Role::HowMany | Role::NumberOf));
    let told = Told::of(&mut bag)?;
    bag.drop_joints();
    let measure = only_measure(&mut bag)?;
    let span = |condition: &&Condition| matches!(condition.test, Test::Days(Some(_), Some(_))) && !condition.negated;
    let now = frame.conditions.iter().find(span)?;
    let before = Condition { test: earlier(&now.test, yearly)?, ..now.clone() };
    let others: Vec<Condition> = frame.conditions.iter().filter(|other| *other != now).cloned().collect();
    let Weighing::Rows(how) = told.weigh_any(frame, now.column, measure)? else { return None };
    let figure = |among: Condition| Operand::Figure(Figure { aggregate: Some((how, measure)), among: Some(among) });
    let shape = Shape::Combined { combine: Combine::Growth, first: figure(now.clone()), second: figure(before) };
    (bag.is_empty() && frame.entities.is_none()).then(|| Found::new(shape, others, bag.cost))
}

/// Whole months before a span of whole months: as many as it has, or twelve.
fn earlier(test: &Test, yearly: bool) -> Option<Test> {
    let Test::Days(Some(from), Some(to)) = test else { return None };
    let length = (to.year() - from.year()) * 12 + to.month() as i32 - from.month() as i32;
    let whole = from.day() == 1 && to.day() == 1 && matches!(length, 1 | 3 | 12);
    let back = Months::new(if yearly { 12 } else { u32::try_from(length).ok()? });
    whole.then_some(Test::Days(Some(from.checked_sub_months(back)?), Some(to.checked_sub_months(back)?)))
}
