//! What the numbers of a column have in common, counted under each way of reading them.

use serde::{Deserialize, Serialize};

use super::amount::Amount;
use super::number::NumberText;
use super::plain::Plain;
use super::unit::Mark;

/// Marks of one column that are told apart; with more, only numbers without a mark are.
const MOST_MARKS: usize = 8;

/// Numbers read one way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) integers: u64,
    pub(super) decimals: u64,
    pub(super) zeros: u64,
    pub(super) places: u8,
    /// Least and greatest.
    #[serde(with = "exact")]
    pub(super) range: Option<(f64, f64)>,
}

/// Doubles as their bits: JSON readers may be off by the last of them.
mod exact {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(range: &Option<(f64, f64)>, to: S) -> Result<S::Ok, S::Error> {
        range.map(|(least, most)| (least.to_bits(), most.to_bits())).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<(f64, f64)>, D::Error> {
        let bits = Option::<(u64, u64)>::deserialize(from)?;
        Ok(bits.map(|(least, most)| (f64::from_bits(least), f64::from_bits(most))))
    }
}

impl Tally {
    pub(super) fn count(&self) -> u64 {
        self.integers + self.decimals
    }

    pub(super) fn add(&mut self, amount: &Amount) {
        self.integers += u64::from(amount.is_integer());
        self.decimals += u64::from(!amount.is_integer());
        self.zeros += u64::from(amount.value == 0.0);
        self.places = self.places.max(amount.places);
        self.widen((amount.value, amount.value));
    }

    /// Takes in only the zeros of another tally.
    pub(super) fn add_zeros(&mut self, other: &Tally) {
        if other.zeros > 0 {
            self.integers += other.zeros;
            self.zeros += other.zeros;
            self.widen((0.0, 0.0));
        }
    }

    fn widen(&mut self, (least, most): (f64, f64)) {
        self.range = Some(self.range.map_or((least, most), |(low, high)| (low.min(least), high.max(most))));
    }

    pub(super) fn merge(&mut self, other: &Tally) {
        self.integers += other.integers;
        self.decimals += other.decimals;
        self.zeros += other.zeros;
        self.places = self.places.max(other.places);
        if let Some(range) = other.range {
            self.widen(range);
        }
    }
}

/// Numbers that share a mark.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Group {
    pub(super) mark: Mark,
    /// No separator in them, or not text at all: one reading.
    pub(super) plain: Tally,
    pub(super) point: Tally,
    pub(super) comma: Tally,
    /// Multiplied by a scale in the cell.
    pub(super) scaled: u64,
    /// Texts with a separator, each counted once.
    pub(super) separated: u64,
}

impl Group {
    /// All numbers that can be read with this decimal sign.
    pub(super) fn read(&self, comma: bool) -> Tally {
        let mut all = self.plain.clone();
        all.merge(if comma { &self.comma } else { &self.point });
        all
    }

    fn count(&self) -> u64 {
        self.plain.count() + self.separated
    }

    fn add(&mut self, number: &NumberText) {
        self.scaled += u64::from(number.scaled);
        self.separated += u64::from(number.separated);
        match (number.separated, &number.point, &number.comma) {
            (false, Some(amount), _) => self.plain.add(amount),
            (_, point, comma) => {
                point.iter().for_each(|amount| self.point.add(amount));
                comma.iter().for_each(|amount| self.comma.add(amount));
            }
        }
    }

    fn merge(&mut self, other: &Group) {
        self.plain.merge(&other.plain);
        self.point.merge(&other.point);
        self.comma.merge(&other.comma);
        self.scaled += other.scaled;
        self.separated += other.separated;
    }
}

/// All numbers of a column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Numbers {
    /// Numbers without a mark.
    pub(super) bare: Group,
    pub(super) marked: Vec<Group>,
    /// Bare whole numbers in brackets.
    pub(super) weakly_negative: Tally,
    /// Other numbers in brackets.
    pub(super) negative: u64,
    /// Numbers with parted thousands.
    grouped: u64,
    /// There were more marks than are told apart: how many numbers had one.
    pub(super) scattered: Option<u64>,
}

impl Numbers {
    pub(super) fn add_plain(&mut self, plain: Plain) {
        let (point, comma) = plain.amounts();
        if matches!(plain, Plain::Whole { .. }) {
            return self.bare.plain.add(&point);
        }
        self.bare.separated += 1;
        self.bare.point.add(&point);
        comma.iter().for_each(|amount| self.bare.comma.add(amount));
    }

    pub(super) fn add(&mut self, number: &NumberText) {
        self.negative += u64::from(number.bracketed && !number.is_weakly_negative());
        self.grouped += u64::from(number.separated && number.point.is_some_and(|amount| amount.is_integer()));
        match &number.mark {
            Mark::None if number.is_weakly_negative() => number.point.iter().for_each(|a| self.weakly_negative.add(a)),
            Mark::None => self.bare.add(number),
            mark => match self.group(mark) {
                Some(group) => group.add(number),
                None => self.scattered = self.scattered.map(|count| count + 1),
            },
        }
    }

    pub(super) fn add_seconds(&mut self, amount: &Amount) {
        match self.group(&Mark::Seconds) {
            Some(group) => group.plain.add(amount),
            None => self.scattered = self.scattered.map(|count| count + 1),
        }
    }

    /// The group of a mark, made where it is new; `None` once the marks are scattered.
    fn group(&mut self, mark: &Mark) -> Option<&mut Group> {
        if self.scattered.is_some() {
            return None;
        }
        let at = self.marked.iter().position(|group| group.mark == *mark);
        if at.is_none() && self.marked.len() == MOST_MARKS {
            self.scatter();
            return None;
        }
        let at = at.unwrap_or_else(|| {
            self.marked.push(Group { mark: mark.clone(), ..Group::default() });
            self.marked.len() - 1
        });
        self.marked.get_mut(at)
    }

    fn scatter(&mut self) {
        let count: u64 = self.marked.drain(..).map(|group| group.count()).sum();
        self.scattered = Some(self.scattered.unwrap_or(0) + count);
    }

    /// Written as bookkeepers do, so that bare digits in brackets are below zero too.
    pub(super) fn is_booked(&self) -> bool {
        self.negative > 0 || self.grouped > 0 || self.marked.iter().any(|group| group.mark.is_currency())
    }

    pub(super) fn merge(&mut self, other: &Numbers) {
        self.bare.merge(&other.bare);
        self.weakly_negative.merge(&other.weakly_negative);
        self.negative += other.negative;
        self.grouped += other.grouped;
        if let Some(count) = other.scattered {
            self.scatter();
            self.scattered = self.scattered.map(|all| all + count);
        }
        for theirs in &other.marked {
            match self.group(&theirs.mark) {
                Some(group) => group.merge(theirs),
                None => self.scattered = self.scattered.map(|all| all + theirs.count()),
            }
        }
    }
}
