//! The words that label totals.

use super::totals::Suspect;
use crate::value::Cell;

const TOTAL_WORDS: [&str; 28] = [
    "合计",
    "总计",
    "小计",
    "共计",
    "汇总",
    "总合计",
    "合计数",
    "总数",
    "本页小计",
    "本页合计",
    "本月合计",
    "累计",
    "本年累计",
    "合計",
    "總計",
    "小計",
    "共計",
    "總數",
    "total",
    "subtotal",
    "sub-total",
    "grandtotal",
    "totals",
    "grandtotals",
    "sum",
    "sumtotal",
    "overalltotal",
    "total:",
];

/// What a row below the data tells of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    Sum,
    Mean,
    Least,
    Most,
    Count,
}

const FIGURE_WORDS: [(Figure, &[&str]); 4] = [
    (Figure::Mean, &["平均", "平均值", "平均数", "平均分", "均值", "average", "averages", "avg", "avg.", "mean"]),
    (Figure::Least, &["最小", "最小值", "最低", "最低分", "最低值", "minimum", "min", "min.", "lowest"]),
    (Figure::Most, &["最大", "最大值", "最高", "最高分", "最高值", "maximum", "max", "max.", "highest"]),
    (Figure::Count, &["计数", "个数", "条数", "count", "counts"]),
];

/// The figure that a label is the word of.
fn figure(text: &str) -> Option<Figure> {
    let begins = text.trim_start().chars().next();
    if text.len() > MAX_LABEL || !begins.is_some_and(|c| "平均最计个条AaMmLlHhCc".contains(c)) {
        return None;
    }
    let word = folded(text);
    FIGURE_WORDS.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(figure, _)| *figure)
}

fn folded(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, ':' | '：')).flat_map(char::to_lowercase).collect()
}

/// Longer texts are not labels of totals.
const MAX_LABEL: usize = 96;

/// Labels before the first number, the first cell first.
const MAX_LABELS: usize = 4;

/// What the labels of a row say; `cells` begins with the first that is not blank.
pub(super) fn suspect(cells: &[Cell<'_>]) -> Option<Suspect> {
    let mut labels = cells.iter().take(MAX_LABELS).filter(|cell| !cell.is_blank()).map_while(|cell| match cell {
        Cell::Text(text) => Some(text.as_ref()),
        _ => None,
    });
    let first = labels.next()?;
    if is_total_word(first) {
        return Some(Suspect::Totals);
    }
    if let Some(figure) = figure(first) {
        return Some(Suspect::Figure(figure));
    }
    (names_total(first) || labels.any(is_total_word)).then_some(Suspect::NamedTotals)
}

fn is_total_word(text: &str) -> bool {
    let begins = text.trim_start().chars().next();
    if text.len() > MAX_LABEL || !begins.is_some_and(|c| "合总小共汇本累總TtSsGgOo".contains(c)) {
        return false;
    }
    TOTAL_WORDS.contains(&folded(text).as_str())
}

const CHINESE: [&str; 10] = ["合计", "总计", "小计", "共计", "汇总", "累计", "合計", "總計", "小計", "共計"];
const ENGLISH: [&str; 4] = ["total", "totals", "subtotal", "subtotals"];

/// `合计（元）`, `华东小计`, `Total number of shops`, `North Total`.
fn names_total(text: &str) -> bool {
    let text = text.trim();
    if text.len() > MAX_LABEL {
        return false;
    }
    let chinese = |c: Option<char>| c.is_some_and(|c| "合总小共汇累總计計".contains(c));
    let end = text.trim_end_matches([':', '：', ' ']);
    if chinese(text.chars().next()) || end.ends_with(['计', '計', '总']) {
        return CHINESE.iter().any(|word| text.starts_with(word) || end.ends_with(word));
    }
    if !text.starts_with(['T', 't', 'S', 's']) && !end.ends_with(['l', 'L', 's', 'S']) {
        return false;
    }
    let word_is = |word: Option<&str>| word.is_some_and(|word| ENGLISH.iter().any(|w| word.eq_ignore_ascii_case(w)));
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next();
    word_is(first) || word_is(words.next_back())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_totals() {
        let say = |text: &'static str| suspect(&[Cell::Text(text.into()), Cell::Integer(1)]);
        for text in ["合计", "总 计：", "Grand Total", "TOTAL", "小计"] {
            assert_eq!(say(text), Some(Suspect::Totals), "{text}");
        }
        for text in ["合计（元）", "华东区小计", "行政 汇总", "Total number of shops", "North Total", "Subtotal (EUR)"]
        {
            assert_eq!(say(text), Some(Suspect::NamedTotals), "{text}");
        }
        assert_eq!(say("平均分"), Some(Suspect::Figure(Figure::Mean)));
        assert_eq!(say("MAX:"), Some(Suspect::Figure(Figure::Most)));
        for (figure, words) in FIGURE_WORDS {
            for word in words {
                let upper: &str = &word.to_uppercase();
                assert_eq!([word, upper].map(super::figure), [Some(figure); 2], "{word}");
            }
        }
        for text in ["会计", "统计", "Totally", "Summit", "累", "总经理"] {
            assert_eq!(say(text), None, "{text}");
        }
    }
}
