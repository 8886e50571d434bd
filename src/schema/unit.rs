//! Units and scales, as they stand behind a number in a cell or in the brackets of a label.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What a number in a cell is a number of. All numbers of one column share it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Mark {
    #[default]
    None,
    Percent,
    /// A duration, in seconds.
    Seconds,
    Currency(Cow<'static, str>),
    Unit(Cow<'static, str>),
}

impl Mark {
    /// The unit's text; `None` where there is none.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Mark::None => None,
            Mark::Percent => Some("%"),
            Mark::Seconds => Some("seconds"),
            Mark::Currency(text) | Mark::Unit(text) => Some(text),
        }
    }

    pub(super) fn is_currency(&self) -> bool {
        matches!(self, Mark::Currency(_))
    }
}

/// Longest first where one begins another.
const CURRENCIES: [&str; 36] = [
    "人民币",
    "US$",
    "HK$",
    "NT$",
    "A$",
    "C$",
    "S$",
    "R$",
    "RMB",
    "CNY",
    "USD",
    "EUR",
    "GBP",
    "JPY",
    "HKD",
    "TWD",
    "KRW",
    "AUD",
    "CAD",
    "CHF",
    "SGD",
    "INR",
    "¥",
    "$",
    "€",
    "£",
    "₩",
    "₹",
    "₽",
    "元",
    "美元",
    "欧元",
    "港元",
    "日元",
    "英镑",
    "港币",
];

const UNITS: [&str; 118] = [
    "kg",
    "g",
    "mg",
    "t",
    "lb",
    "lbs",
    "oz",
    "km",
    "m",
    "cm",
    "mm",
    "mi",
    "ft",
    "yd",
    "km2",
    "m2",
    "km²",
    "m²",
    "m³",
    "m3",
    "cm²",
    "cm³",
    "sqm",
    "ha",
    "l",
    "L",
    "ml",
    "mL",
    "kWh",
    "MWh",
    "kW",
    "MW",
    "W",
    "kV",
    "V",
    "mA",
    "Hz",
    "kHz",
    "MHz",
    "GHz",
    "B",
    "KB",
    "MB",
    "GB",
    "TB",
    "kb",
    "°C",
    "℃",
    "°F",
    "°",
    "K",
    "Pa",
    "kPa",
    "MPa",
    "bar",
    "pcs",
    "h",
    "hr",
    "hrs",
    "min",
    "mins",
    "s",
    "sec",
    "ms",
    "km/h",
    "mph",
    "人",
    "个",
    "件",
    "台",
    "套",
    "吨",
    "公斤",
    "千克",
    "克",
    "斤",
    "米",
    "厘米",
    "毫米",
    "公里",
    "千米",
    "平方米",
    "平米",
    "平方公里",
    "立方米",
    "亩",
    "公顷",
    "升",
    "毫升",
    "天",
    "小时",
    "分钟",
    "秒",
    "岁",
    "次",
    "篇",
    "本",
    "张",
    "箱",
    "瓶",
    "辆",
    "户",
    "家",
    "条",
    "双",
    "只",
    "页",
    "倍",
    "分",
    "名",
    "位",
    "人次",
    "学时",
    "课时",
    "票",
    "年",
    "个月",
    "度",
];

/// Powers of ten; longest first where one begins another.
const SCALES: [(&str, i32); 9] =
    [("万亿", 12), ("千亿", 11), ("百亿", 10), ("亿", 8), ("千万", 7), ("百万", 6), ("十万", 5), ("万", 4), ("千", 3)];

const SCALE_WORDS: [(&str, i32); 8] = [
    ("thousand", 3),
    ("thousands", 3),
    ("million", 6),
    ("millions", 6),
    ("billion", 9),
    ("billions", 9),
    ("trillion", 12),
    ("trillions", 12),
];

const SHORT_SCALES: [(&str, i32); 6] = [("k", 3), ("m", 6), ("mn", 6), ("b", 9), ("bn", 9), ("tn", 12)];

/// Words that follow a number without being its unit.
const NOT_UNITS: [&str; 16] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "bce", "north", "east", "west",
];

/// Bytes of the longest unit with its scale.
const LONGEST: usize = 24;

/// The currency that `text` begins with, and what follows it.
pub(super) fn currency_before(text: &str) -> Option<(&'static str, &str)> {
    if text.as_bytes().first().is_none_or(u8::is_ascii_digit) {
        return None;
    }
    if let Some(rest) = text.strip_prefix('￥') {
        return Some(("¥", rest));
    }
    CURRENCIES.iter().find_map(|&currency| Some((currency, text.strip_prefix(currency)?)))
}

/// What stands behind a number: its mark and the power of ten it multiplies by. `None` for anything that is no unit.
pub(super) fn suffix(text: &str, spaced: bool, with_currency: bool) -> Option<(Mark, i32)> {
    match text {
        "" => return Some((Mark::None, 0)),
        "%" => return Some((Mark::Percent, -2)),
        _ if text.len() > LONGEST
            || text.starts_with(|c: char| c.is_ascii() && !c.is_ascii_alphabetic() && c != '$') =>
        {
            return None;
        }
        _ => {}
    }
    known(text)
        .map(|mark| (mark, 0))
        .or_else(|| scaled(text))
        .or_else(|| scale_words(text, with_currency))
        .or_else(|| counted_word(text, spaced).map(|mark| (mark, 0)))
}

fn known(text: &str) -> Option<Mark> {
    let currency = CURRENCIES.iter().find(|&&currency| currency == text).map(|&c| Mark::Currency(Cow::Borrowed(c)));
    currency.or_else(|| UNITS.iter().find(|&&unit| unit == text).map(|&unit| Mark::Unit(Cow::Borrowed(unit))))
}

fn scaled(text: &str) -> Option<(Mark, i32)> {
    let (scale, rest) = scale_before(text)?;
    if rest.is_empty() { Some((Mark::None, scale)) } else { Some((known(rest)?, scale)) }
}

/// The Chinese scale that `text` begins with, and what follows it: `万元` is `(4, "元")`.
pub(super) fn scale_before(text: &str) -> Option<(i32, &str)> {
    SCALES.iter().find_map(|&(word, scale)| Some((scale, text.strip_prefix(word)?.trim_start())))
}

fn scale_words(text: &str, with_currency: bool) -> Option<(Mark, i32)> {
    let lower = text.to_ascii_lowercase();
    let (word, rest) = lower.split_once(' ').unwrap_or((&lower, ""));
    let short = if with_currency { SHORT_SCALES.as_slice() } else { &[] };
    let &(_, scale) = SCALE_WORDS.iter().chain(short).find(|(name, _)| *name == word)?;
    let mark = if rest.is_empty() { Mark::None } else { known(&text[text.len() - rest.len()..])? };
    Some((mark, scale))
}

/// `12 laps`, `1,205 Spaces`: an English word that all cells of a column may share.
fn counted_word(text: &str, spaced: bool) -> Option<Mark> {
    let bytes = text.as_bytes();
    let is_word = spaced && (3..=12).contains(&bytes.len()) && bytes[0].is_ascii_alphabetic();
    if !is_word || !bytes[1..].iter().all(u8::is_ascii_lowercase) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    if NOT_UNITS.contains(&&lower[..3]) || NOT_UNITS.contains(&lower.as_str()) {
        return None;
    }
    let singular = lower.strip_suffix('s').unwrap_or(&lower).to_owned();
    Some(Mark::Unit(Cow::Owned(singular)))
}

/// The unit that the text in a label's brackets, or after its `/`, is: `万元`, `元/吨`, `USD`, `US$ million`, `%`; `in Years` is `Years`.
pub(super) fn label_unit(text: &str) -> Option<&str> {
    let text = ["in ", "In "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text).trim();
    is_label_unit(text).then_some(text)
}

fn is_label_unit(text: &str) -> bool {
    text == "%" || text.split('/').all(|part| is_label_part(part.trim()))
}

fn is_label_part(part: &str) -> bool {
    !part.is_empty() && (known(part).is_some() || scaled(part).is_some() || part.split_whitespace().all(is_label_word))
}

fn is_label_word(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    known(word).is_some()
        || [
            "in", "of", "day", "days", "hours", "years", "year", "month", "months", "seconds", "minutes", "percent",
            "pct",
        ]
        .contains(&lower.as_str())
        || SCALE_WORDS.iter().any(|(name, _)| *name == lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_number() {
        for (text, unit, scale) in [
            ("%", Some("%"), -2),
            ("kg", Some("kg"), 0),
            ("万", None, 4),
            ("万元", Some("元"), 4),
            ("亿美元", Some("美元"), 8),
            ("千克", Some("千克"), 0),
            ("million", None, 6),
            ("billion USD", Some("USD"), 9),
            ("laps", Some("lap"), 0),
        ] {
            let (mark, power) = suffix(text, true, false).expect(text);
            assert_eq!((mark.text(), power), (unit, scale), "{text}");
        }
        for text in ["th", "*", "[1]", "A", "March", "east", "k"] {
            assert_eq!(suffix(text, true, false), None, "{text}");
        }
    }

    #[test]
    fn units_of_labels() {
        for text in ["万元", "元/吨", "USD", "US$ million", "in millions", "%", "㎡".replace('㎡', "m²").as_str()]
        {
            assert!(label_unit(text).is_some(), "{text}");
        }
        for text in ["男，女", "厂家", "", "选填"] {
            assert_eq!(label_unit(text), None, "{text}");
        }
    }
}
