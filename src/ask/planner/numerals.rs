//! Numbers in digits and in words, Chinese and English, with scale and unit.

use super::token::{Kind, Token};

/// A number as the question gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// Scaled: `1.2亿` is 120000000. A percent is as written: `5%` is 5 with the unit `%`.
    pub value: f64,
    pub unit: Option<String>,
    /// Written in digits without scale, unit or separator: may be a year.
    pub bare: bool,
    /// Written with a scale: `2万`, 三百万, `3 million`.
    pub scaled: bool,
}

const UNITS: &[&str] = &[
    "元",
    "块",
    "块钱",
    "人民币",
    "美元",
    "%",
    "percent",
    "岁",
    "平方米",
    "平米",
    "公里",
    "千米",
    "米",
    "公斤",
    "dollars",
    "dollar",
    "usd",
    "km",
    "kg",
    "miles",
    "mile",
    "mph",
    "meters",
    "metres",
    "m",
    "个",
    "套",
    "家",
    "人",
    "名",
    "位",
    "次",
    "件",
    "条",
    "台",
    "years",
    "year",
];

/// The number that begins at the first token, and how many tokens it takes.
pub fn number(tokens: &[Token]) -> Option<(Number, usize)> {
    let mut at = usize::from(is_currency(tokens.first()?));
    let currency = at == 1;
    let (mut value, taken, digits) =
        digits(&tokens[at..]).or_else(|| han(&tokens[at..])).or_else(|| english(&tokens[at..]))?;
    at += taken;
    let plain = digits && !tokens[at - 1].text.contains([',', '.']);
    let (scale, taken) = scale(&tokens[at..]);
    value *= scale;
    at += taken;
    let (unit, taken) = unit(&tokens[at..]);
    at += taken;
    let bare = plain && taken == 0 && scale == 1.0 && !currency;
    let scaled = scale != 1.0 || (!digits && value >= 1e4);
    Some((Number { value, unit: unit.or(currency.then(|| "$".to_owned())), bare, scaled }, at))
}

fn is_currency(token: &Token) -> bool {
    matches!(token.text.as_str(), "$" | "¥" | "€" | "£")
}

fn digits(tokens: &[Token]) -> Option<(f64, usize, bool)> {
    let token = tokens.first().filter(|token| token.kind == Kind::Number)?;
    let value = token.text.replace([',', '，'], "").parse().ok()?;
    Some((value, 1, true))
}

fn scale(tokens: &[Token]) -> (f64, usize) {
    let scale = |token: &Token| match token.text.as_str() {
        "万" => Some(1e4),
        "亿" => Some(1e8),
        "千" | "thousand" | "k" => Some(1e3),
        "百" | "hundred" => Some(1e2),
        "million" | "m" => Some(1e6),
        "billion" | "bn" => Some(1e9),
        "dozen" => Some(12.0),
        _ => None,
    };
    let mut product = 1.0;
    let mut taken = 0;
    while let Some(factor) = tokens.get(taken).and_then(scale) {
        product *= factor;
        taken += 1;
    }
    (product, taken)
}

fn unit(tokens: &[Token]) -> (Option<String>, usize) {
    for length in [3, 2, 1] {
        let Some(span) = tokens.get(..length) else { continue };
        let text: String = span.iter().map(|token| token.text.as_str()).collect();
        if UNITS.contains(&text.as_str()) {
            return (Some(text), length);
        }
    }
    (None, 0)
}

fn han_digit(text: &str) -> Option<f64> {
    let digits = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    match text {
        "两" => Some(2.0),
        "〇" => Some(0.0),
        _ => digits.iter().position(|digit| *digit == text).map(|value| value as f64),
    }
}

/// `三百二十`, `十五`, `两千万`.
fn han(tokens: &[Token]) -> Option<(f64, usize, bool)> {
    let (mut total, mut section, mut digit, mut taken) = (0.0, 0.0, None, 0);
    // What a last digit counts in: 一万五 is 15000, 一万零五 10005.
    let mut step = 1.0;
    for token in tokens.iter().take_while(|token| token.kind == Kind::Han) {
        let small = match token.text.as_str() {
            "十" => 10.0,
            "百" => 100.0,
            "千" => 1000.0,
            _ => 0.0,
        };
        if let Some(value) = han_digit(&token.text) {
            // 二五 and 两三 are no number that a reader is sure of.
            if digit.is_some_and(|before| before != 0.0) {
                return None;
            }
            step = if value == 0.0 { 1.0 } else { step };
            digit = Some(value);
        } else if small > 0.0 {
            section += digit.take().unwrap_or(1.0) * small;
            step = small / 10.0;
        } else if matches!(token.text.as_str(), "万" | "亿") && taken > 0 {
            let factor = if token.text == "万" { 1e4 } else { 1e8 };
            total = (total + section + digit.take().unwrap_or(0.0)) * factor;
            section = 0.0;
            step = factor / 10.0;
        } else {
            break;
        }
        taken += 1;
    }
    (taken > 0).then(|| (total + section + digit.unwrap_or(0.0) * step, taken, false))
}

/// `three`, `twenty-five`, `two hundred`: scales follow in [`scale`].
fn english(tokens: &[Token]) -> Option<(f64, usize, bool)> {
    const SMALL: &[&str] = &[
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let small = |token: &Token| SMALL.iter().position(|word| *word == token.text).map(|value| value as f64);
    let first = tokens.first()?;
    if let Some(one) = one_of(tokens) {
        return Some(one);
    }
    if let Some(value) = small(first) {
        return Some((value, 1, false));
    }
    let tens = TENS.iter().position(|word| *word == first.text)? as f64 * 10.0 + 20.0;
    let dash = usize::from(tokens.get(1).is_some_and(|token| token.text == "-"));
    match tokens.get(1 + dash).and_then(small).filter(|value| (1.0..10.0).contains(value)) {
        Some(value) => Some((tens + value, 2 + dash, false)),
        None => Some((tens, 1, false)),
    }
}

/// `a million`, `half a dozen`: the scale follows.
fn one_of(tokens: &[Token]) -> Option<(f64, usize, bool)> {
    let half = usize::from(tokens.first()?.text == "half");
    let article = tokens.get(half).is_some_and(|token| matches!(token.text.as_str(), "a" | "an"));
    let scaled = tokens
        .get(half + 1)
        .is_some_and(|token| matches!(token.text.as_str(), "dozen" | "hundred" | "thousand" | "million" | "billion"));
    (article && scaled).then_some((if half == 1 { 0.5 } else { 1.0 }, half + 1, false))
}

/// A range `a-b`, `a至b`, `between a and b`: both ends and how many tokens.
pub fn range(tokens: &[Token]) -> Option<(Number, Number, usize)> {
    let opener = tokens.first().is_some_and(|token| matches!(token.text.as_str(), "between" | "from"));
    let mut at = usize::from(opener);
    let (mut low, taken) = number(tokens.get(at..)?)?;
    at += taken;
    let joint = tokens.get(at)?.text.clone();
    let (high, taken) = number(tokens.get(at + 1..)?)?;
    let end = at + 1 + taken;
    let closed = tokens.get(end).zip(tokens.get(end + 1)).is_some_and(|(a, b)| a.text == "之" && b.text == "间");
    let ranged = match joint.as_str() {
        "-" | "~" | "到" | "至" | "to" => true,
        "and" => opener,
        "和" | "与" | "、" => closed,
        _ => false,
    };
    if !ranged {
        return None;
    }
    if low.bare && !high.bare {
        low.value *= shared_scale(&tokens[at + 1..end]);
    }
    low.unit = low.unit.or_else(|| high.unit.clone());
    (low.value <= high.value).then_some((low, high, end + if closed { 2 } else { 0 }))
}

/// `1-2万`: the scale of the upper end is that of the lower as well.
fn shared_scale(upper: &[Token]) -> f64 {
    let skip = usize::from(upper.first().is_some_and(is_currency)) + 1;
    upper.get(skip..).map_or(1.0, |rest| scale(rest).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::planner::token::tokens;

    #[test]
    fn numbers_are_read_in_digits_and_words() {
        for (text, value) in [
            ("1,764,948", 1_764_948.0),
            ("$1,000,000", 1_000_000.0),
            ("1.2亿", 120_000_000.0),
            ("三百万", 3_000_000.0),
            ("十五", 15.0),
            ("两千三百", 2_300.0),
            ("一万五", 15_000.0),
            ("两千五", 2_500.0),
            ("一万零五", 10_005.0),
            ("三百二", 320.0),
            ("二十五", 25.0),
            ("a million", 1_000_000.0),
            ("half a million", 500_000.0),
            ("1.5万", 15_000.0),
            ("百万", 1_000_000.0),
            ("two dozen", 24.0),
            ("twenty-five", 25.0),
            ("3 million", 3_000_000.0),
        ] {
            assert_eq!(number(&tokens(text)).map(|(number, _)| number.value), Some(value), "{text}");
        }
    }

    #[test]
    fn ranges_take_both_ends() {
        for (text, low, high) in [
            ("20000-30000元", 2e4, 3e4),
            ("5000至10000元之间", 5e3, 1e4),
            ("between 3 and 7", 3.0, 7.0),
            ("1-2万", 1e4, 2e4),
            ("3和5之间", 3.0, 5.0),
        ] {
            let (a, b, _) = range(&tokens(text)).expect(text);
            assert_eq!((a.value, b.value), (low, high), "{text}");
        }
        assert!(range(&tokens("3 and 5")).is_none());
    }
}
