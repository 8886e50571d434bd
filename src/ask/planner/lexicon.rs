//! Function words of questions in Chinese and English, as data: what a phrase does in a question, whatever the table.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::dates::Grain;
use super::phrases::PHRASES;
use super::token::tokens;

/// What a superlative is about when no measure stands beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Manner {
    /// Highest, largest.
    Amount,
    /// Most, fewest: of a measure, or of rows.
    Many,
    /// Best, worst.
    Quality,
    /// Earliest, latest, oldest, newest.
    Time,
    /// Longest, shortest.
    Length,
    /// Tallest.
    Height,
    /// Cheapest, most expensive.
    Price,
    /// Most often.
    Frequency,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Says nothing of its own.
    Filler,
    /// A light verb: has, got, achieved.
    Verb,
    /// A verb that picks rows by itself (won, finished): only a measure of its own name may stand for it.
    Deed,
    /// Scored: picks rows, unless a measure is asked or compared.
    Scored,
    /// Which, what, list: asks for a column or rows.
    Which,
    What,
    List,
    Who,
    Where,
    When,
    HowMany,
    HowMuch,
    YesNo,
    Sum,
    /// Total: a sum, or a part of a label.
    Total,
    Average,
    Median,
    Maximum,
    Minimum,
    /// The number of …, the amount of ….
    NumberOf,
    Super {
        most: bool,
        manner: Manner,
    },
    More {
        most: bool,
    },
    Than,
    Over,
    AtLeast,
    Under,
    AtMost,
    Equal,
    Between,
    And,
    Or,
    Not,
    Difference,
    Distinct,
    Per,
    /// Each of those named: 分别, respectively.
    Respective,
    Before,
    After,
    Since,
    Until,
    Next,
    Previous,
    First,
    Last,
    /// `top 5`, 前五.
    Top,
    Bottom,
    /// The only one.
    Only,
    /// Is listed, appears, shows up: counts rows.
    Appear,
    InTermsOf,
    /// How many times.
    Times,
    /// Rows of a table as such: rows, records, 条.
    Row,
    /// A noun for people.
    Person,
    /// All, any: no condition.
    All,
    /// `从高到低`, `highest first`.
    Order {
        up: bool,
    },
    /// `每个月`, `by month`: groups by periods.
    PerTime(Grain),
    /// `哪个月`, `which month`: asks for a period.
    WhichTime(Grain),
    /// Both of two: of rows of several groups at once it can't be told by one condition.
    Both,
    /// 以外 behind what is left out.
    Outside,
    /// Beside what something is compared with: 相比, `compared to`.
    Beside,
    /// A part of the whole: 占比, `percentage`.
    Share,
    /// How many times as much: 倍, `ratio`.
    Ratio,
    /// Against the period before: 环比.
    Growth {
        yearly: bool,
    },
    /// One row by itself: 单笔, `single`.
    Single,
    /// Bought, sold: of a quantity.
    Trade,
    /// The number of rows, or of people: 笔数, 人数.
    Count {
        people: bool,
    },
    /// The bound is one of them: （含2020年）.
    Inclusive,
}

/// The longest phrase, in tokens.
pub const LONGEST: usize = 12;

fn table() -> &'static HashMap<String, Vec<Role>> {
    static TABLE: OnceLock<HashMap<String, Vec<Role>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<String, Vec<Role>> = HashMap::new();
        for (role, phrases) in PHRASES {
            for phrase in phrases.split('|').map(|phrase| phrase.strip_prefix("the ").unwrap_or(phrase)) {
                let roles = table.entry(key(tokens(phrase).iter().map(|token| token.text.as_str()))).or_default();
                if !roles.contains(role) {
                    roles.push(*role);
                }
            }
        }
        table
    })
}

/// Tokens joined as the table's keys are.
pub fn key<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.collect::<Vec<_>>().join(" ")
}

/// What a phrase may do.
pub fn roles(key: &str) -> &'static [Role] {
    table().get(key).map_or(&[], Vec::as_slice)
}

/// A phrase that can be passed over.
pub fn is_filler(key: &str) -> bool {
    roles(key).contains(&Role::Filler)
}
