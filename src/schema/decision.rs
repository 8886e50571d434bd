//! One type for a column, decided over all of its cells.
//!
//! Comes in: the merged [`Profile`] of a column, its [`Label`], what the user said. Goes out: a [`Decision`] that converts cells.
//! Must never happen: a type that loses an identifier; more than 5 % of the telling cells unfit, unless the user said so.

use serde::{Deserialize, Serialize};

use super::clock;
use super::date::DateOrder;
use super::dates::Span;
use super::label::Label;
use super::profile::Profile;
use super::summary::Summary;
use super::tally::{Group, Tally};
use super::unit::{self, Mark};
use crate::value::{FieldType, Role};

/// What the user decided about a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    pub kind: FieldType,
}

/// How the cells of a column become values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    pub kind: FieldType,
    /// The unit of the numbers. `%` is of cells that are percents, stored as fractions; `percent` is of a label that says `%`
    /// over plain numbers, stored as they are.
    pub unit: Option<String>,
    /// A number that names things and is not added up.
    pub identifier: bool,
    pub date_order: DateOrder,
    /// No date of the column says which order it is: month first is assumed.
    pub date_order_assumed: bool,
    /// `,` is the decimal sign.
    pub decimal_comma: bool,
    /// Every point of the column may part thousands as well: it is taken for the decimal sign.
    #[serde(default)]
    pub decimal_point_assumed: bool,
    /// Numbers in brackets, which are read as below zero.
    pub negative_brackets: u64,
    /// Bare digits in brackets are below zero.
    pub(super) booked: bool,
    /// What the numbers in the cells are marked with.
    pub(super) mark: Mark,
    /// Whole numbers are dates in eight digits.
    pub(super) compact_dates: bool,
    /// `2024-01` is a month.
    pub(super) months: bool,
    /// The user chose the type.
    pub(super) forced: bool,
    role: Role,
    pub(super) summary: Summary,
}

/// What the value of a cell depends on: rows converted under equal ones may stand in one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conversion {
    kind: FieldType,
    date_order: DateOrder,
    decimal_comma: bool,
    booked: bool,
    mark: Mark,
    compact_dates: bool,
    months: bool,
    forced: bool,
    #[serde(default)]
    role: Role,
}

impl Conversion {
    /// The user chose the type.
    pub fn is_forced(&self) -> bool {
        self.forced
    }

    /// What the field is for.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The same, whoever chose it and whatever for.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        *self == Self { forced: self.forced, role: self.role, ..other.clone() }
    }
}

/// A fit column has at most one unfit cell in this many.
const UNFIT_ONE_IN: u64 = 20;
/// Phone, card and account numbers are at least this.
const LEAST_DIGITS_NUMBER: f64 = 1e6;
/// Seconds; no time of day has as many.
const DAY: f64 = 86_400.0;

/// Decides the type of a column.
pub fn decide(profile: &Profile, label: &Label, user: Option<&Override>) -> Decision {
    let readings = Readings { profile, label, forced: user.is_some() };
    let decision = match user {
        Some(user) => readings.forced_to(user.kind),
        None => {
            readings.flag().or_else(|| readings.date()).or_else(|| readings.number()).unwrap_or_else(|| readings.text())
        }
    };
    Decision { forced: user.is_some(), ..decision }
}

impl Decision {
    /// The same for a field that is for this.
    pub fn serving(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// How it converts cells.
    pub fn conversion(&self) -> Conversion {
        Conversion {
            kind: self.kind,
            date_order: self.date_order,
            decimal_comma: self.decimal_comma,
            booked: self.booked,
            mark: self.mark.clone(),
            compact_dates: self.compact_dates,
            months: self.months,
            forced: self.forced,
            role: self.role,
        }
    }

    /// Cells that are neither blank, marker nor error and have no value of the type: null in it, and to be reported.
    pub fn unfit(&self) -> u64 {
        self.summary.unfit
    }

    /// A text column of times of day or durations such as `10:30`, as far as its samples tell.
    pub fn holds_times(&self) -> bool {
        let samples = &self.summary.samples;
        self.kind == FieldType::Text
            && !samples.is_empty()
            && samples.iter().all(|sample| clock::scan(sample.trim()).is_some())
    }
}

/// A column and the ways to read it.
struct Readings<'a> {
    profile: &'a Profile,
    label: &'a Label,
    forced: bool,
}

/// The numbers of a column under one mark and decimal sign.
struct Numeric {
    tally: Tally,
    mark: Mark,
    comma: bool,
    scaled: u64,
}

impl Readings<'_> {
    fn base(&self, kind: FieldType, fits: u64) -> Decision {
        Decision {
            kind,
            unit: self.label.unit.clone(),
            identifier: false,
            date_order: DateOrder::default(),
            date_order_assumed: false,
            decimal_comma: false,
            decimal_point_assumed: false,
            negative_brackets: 0,
            booked: false,
            mark: Mark::None,
            compact_dates: false,
            months: false,
            forced: false,
            role: Role::default(),
            summary: Summary::new(self.profile, kind, fits),
        }
    }

    fn forced_to(&self, kind: FieldType) -> Decision {
        match kind {
            FieldType::Text => self.text(),
            FieldType::Flag => self.base(FieldType::Flag, self.profile.yes + self.profile.no),
            FieldType::DateTime => self.as_date(),
            FieldType::Integer => self.as_number(kind, self.most(|tally| (tally.integers, tally.count()))),
            FieldType::Decimal => self.as_number(kind, self.best()),
        }
    }

    fn is_fit(&self, fits: u64) -> bool {
        let telling = self.profile.telling();
        fits > 0 && (telling - fits) * UNFIT_ONE_IN <= telling
    }

    fn text(&self) -> Decision {
        self.base(FieldType::Text, self.profile.cells - self.profile.blank - self.profile.errors)
    }

    fn flag(&self) -> Option<Decision> {
        let words = self.profile.yes + self.profile.no;
        let flag = words > 0 && words == self.profile.telling() && !self.label.says_name();
        flag.then(|| self.base(FieldType::Flag, words))
    }

    fn date(&self) -> Option<Decision> {
        let decision = self.as_date();
        self.is_fit(decision.summary.fits).then_some(decision)
    }

    fn as_date(&self) -> Decision {
        let dates = &self.profile.dates;
        let (order, assumed) = dates.order();
        let compact = self.forced || (self.label.says_date() && self.all_compact());
        let months = self.forced || dates.seasons < dates.months.count || self.label.says_month();
        let span = dates.read(order, compact, months);
        let mut decision = self.base(FieldType::DateTime, span.count);
        decision.summary.range = dates_text(&span);
        Decision {
            date_order: order,
            date_order_assumed: assumed,
            compact_dates: compact,
            months,
            unit: None,
            ..decision
        }
    }

    /// Every number of the column is a date in eight digits.
    fn all_compact(&self) -> bool {
        let numbers = &self.profile.numbers;
        let compact = self.profile.dates.compact.count;
        compact > 0 && numbers.marked.is_empty() && compact == numbers.bare.plain.count() + numbers.bare.separated
    }

    fn number(&self) -> Option<Decision> {
        let best = self.best();
        let fit = self.is_fit(best.tally.count()) && !self.names_things(&best) && !self.mixes(&best);
        fit.then(|| self.as_number(if best.is_whole() { FieldType::Integer } else { FieldType::Decimal }, best))
    }

    /// The reading under which most cells are numbers.
    fn best(&self) -> Numeric {
        self.most(|tally| (tally.count(), 0))
    }

    /// The reading of which most cells fit, as `fits` counts them.
    fn most(&self, fits: impl Fn(&Tally) -> (u64, u64)) -> Numeric {
        let numbers = &self.profile.numbers;
        let bare = std::iter::once(None).chain(numbers.marked.iter().map(Some));
        let readings = bare.flat_map(|group| [false, true].map(|comma| self.numeric(group, comma)));
        readings
            .chain(self.clocks())
            .reduce(|best, next| if next.beats(&best, &fits) { next } else { best })
            .unwrap_or_else(|| self.numeric(None, false))
    }

    /// Durations as text, where nothing but text stands beside them.
    fn clocks(&self) -> Option<Numeric> {
        let seconds = self.profile.numbers.marked.iter().any(|group| group.mark == Mark::Seconds);
        (!seconds && self.reads_clocks()).then(|| {
            let mut tally = Tally::default();
            self.add_clocks(&mut tally);
            Numeric { tally, mark: Mark::Seconds, comma: false, scaled: 0 }
        })
    }

    /// Texts such as `1:02:03` are read as seconds: the label or a cell says that they are no times of day.
    fn reads_clocks(&self) -> bool {
        let longest = self.profile.clocks.range.map_or(0.0, |(_, most)| most);
        self.forced || self.label.says_duration() || longest >= DAY
    }

    /// `10:30` may be minutes and seconds: only the user can say that it is hours and minutes.
    fn add_clocks(&self, tally: &mut Tally) {
        tally.merge(&self.profile.clocks);
        if self.forced {
            tally.merge(&self.profile.short_clocks);
        }
    }

    /// Numbers with a mark; those of a currency may stand beside bare ones, those of a percent beside zeros.
    fn numeric(&self, group: Option<&Group>, comma: bool) -> Numeric {
        let bare = &self.profile.numbers.bare;
        let group = group.unwrap_or(bare);
        let mut numeric = Numeric { tally: group.read(comma), mark: group.mark.clone(), comma, scaled: group.scaled };
        let bare_too = group.mark == Mark::None || group.mark.is_currency();
        if bare_too && self.profile.numbers.is_booked() {
            numeric.tally.merge(&self.profile.numbers.weakly_negative);
        }
        if group.mark.is_currency() {
            numeric.tally.merge(&bare.read(comma));
            numeric.scaled += bare.scaled;
        } else if group.mark == Mark::Percent {
            numeric.tally.add_zeros(&bare.read(comma));
        } else if group.mark == Mark::Seconds {
            self.add_clocks(&mut numeric.tally);
        }
        numeric
    }

    /// Phone numbers, accounts, versions and padded codes are no quantities.
    fn names_things(&self, best: &Numeric) -> bool {
        let least = best.tally.range.map_or(0.0, |(least, _)| least);
        let count = best.tally.count();
        self.profile.identifiers > 0
            || self.label.says_version()
            || (best.is_whole() && self.profile.phones == count)
            || (best.is_whole() && self.label.says_digits() && least >= LEAST_DIGITS_NUMBER)
    }

    /// Two currencies, or scales both in the label and in some cells only.
    fn mixes(&self, best: &Numeric) -> bool {
        let currencies = self.profile.numbers.marked.iter().filter(|group| group.mark.is_currency()).count();
        let scaled = best.scaled > 0 && best.scaled < best.tally.count();
        currencies > 1 || (scaled && self.label.unit.as_deref().is_some_and(|unit| unit::scale_before(unit).is_some()))
    }

    fn as_number(&self, kind: FieldType, best: Numeric) -> Decision {
        let fits = if kind == FieldType::Integer { best.tally.integers } else { best.tally.count() };
        let mut decision = self.base(kind, fits);
        decision.summary.decimals = if kind == FieldType::Integer { 0 } else { best.tally.places };
        decision.summary.range = best.tally.range.map(|(least, most)| (number_text(least), number_text(most)));
        let numbers = &self.profile.numbers;
        let booked = numbers.is_booked();
        let negative_brackets = numbers.negative + if booked { numbers.weakly_negative.count() } else { 0 };
        Decision {
            negative_brackets,
            booked,
            unit: self.unit(&best),
            identifier: self.label.says_identifier() || self.label.says_digits() || self.is_year(&best),
            decimal_comma: best.comma,
            decimal_point_assumed: !self.forced && self.may_part_thousands(&best),
            mark: best.mark,
            ..decision
        }
    }

    /// The point is the decimal sign, and each of them may as well part thousands: `1.200`, `2.500`.
    fn may_part_thousands(&self, best: &Numeric) -> bool {
        let numbers = &self.profile.numbers;
        let bare = best.mark == Mark::None || best.mark.is_currency();
        let marked = numbers.marked.iter().filter(|group| group.mark == best.mark);
        let groups = || marked.clone().chain(bare.then_some(&numbers.bare));
        let points = groups().any(|group| group.point.decimals > 0);
        let thousands = |group: &Group| group.comma.decimals == 0 && group.comma.integers == group.separated;
        !best.comma && points && groups().all(thousands)
    }

    fn is_year(&self, best: &Numeric) -> bool {
        let years = best.tally.range.is_some_and(|(least, most)| least >= 1000.0 && most <= 2100.0);
        best.is_whole() && years && (self.label.says_year() || self.label.says_date())
    }

    /// The unit of the stored numbers: the label's, unless the cells' own says more.
    fn unit(&self, best: &Numeric) -> Option<String> {
        let own = best.mark.text().map(str::to_owned);
        match (self.label.unit.as_deref(), &best.mark) {
            (_, Mark::Percent | Mark::Seconds) => own,
            (Some("%"), _) => best.exceeds_one().then(|| "percent".to_owned()),
            (Some(unit), _) if best.scaled > 0 => own.or_else(|| unscaled(unit)),
            (Some(unit), _) => Some(unit.to_owned()),
            (None, _) => own,
        }
    }
}

/// `万元` without its scale.
fn unscaled(unit: &str) -> Option<String> {
    let rest = unit::scale_before(unit).map_or(unit, |(_, rest)| rest);
    (!rest.is_empty()).then(|| rest.to_owned())
}

impl Numeric {
    fn is_whole(&self) -> bool {
        self.tally.decimals == 0 && !matches!(self.mark, Mark::Percent | Mark::Seconds)
    }

    /// More cells fit; on equal counts the reading that came first stays.
    fn beats(&self, other: &Numeric, fits: impl Fn(&Tally) -> (u64, u64)) -> bool {
        let key = |numeric: &Numeric| (fits(&numeric.tally), numeric.mark.text().map(str::to_owned));
        let (count, mark) = key(self);
        let (best, best_mark) = key(other);
        count > best || (count == best && !self.comma && mark > best_mark)
    }

    /// Numbers under a label that says `%` are percents as written only where one is too large for a fraction.
    fn exceeds_one(&self) -> bool {
        self.tally.range.is_some_and(|(least, most)| least < -1.0 || most > 1.0)
    }
}

fn number_text(x: f64) -> String {
    crate::value::decimal_text(x)
}

fn dates_text(span: &Span) -> Option<(String, String)> {
    let (first, last) = span.range()?;
    Some((crate::value::datetime_text(&first), crate::value::datetime_text(&last)))
}
