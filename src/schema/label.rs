//! A label, taken apart: the name itself, synonyms, allowed values and unit, and what the words say about the type.

use unicode_normalization::UnicodeNormalization;

use super::fold::fold;
use super::unit;

/// What the user wrote above a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Whole, as written.
    pub text: String,
    /// Without brackets and what follows `/`.
    pub name: String,
    pub synonyms: Vec<String>,
    /// Values that the label lists, `性别（男，女）`.
    pub allowed: Vec<String>,
    pub unit: Option<String>,
}

/// Characters of a label that are looked at.
const MOST_CHARS: usize = 1_000;
/// Values in brackets are no longer than this, in characters.
const LONGEST_VALUE: usize = 20;

impl Label {
    pub fn parse(text: &str) -> Self {
        let mut label =
            Self { text: text.to_owned(), name: String::new(), synonyms: Vec::new(), allowed: Vec::new(), unit: None };
        let normal: String = text.nfkc().take(MOST_CHARS).collect();
        let (kept, dropped, mut behind) = parts(&normal);
        dropped.iter().for_each(|part| label.bracketed(part));
        while let Some(rest) = behind {
            let (kept, dropped, next) = parts(rest);
            dropped.iter().for_each(|part| label.bracketed(part));
            label.behind_slash(kept.trim());
            behind = next;
        }
        label.name = label.percent(kept.trim()).to_owned();
        label
    }

    fn bracketed(&mut self, part: &str) {
        let part = part.trim();
        let part =
            ["单位:", "单位", "unit:", "Unit:"].iter().find_map(|word| part.strip_prefix(word)).unwrap_or(part).trim();
        let values: Vec<&str> = part.split([',', '、', '/', ';', '|', '，']).map(str::trim).collect();
        let listed = values.len() > 1 && values.iter().all(|v| !v.is_empty() && v.chars().count() <= LONGEST_VALUE);
        if let Some(unit) = unit::label_unit(part) {
            self.unit.get_or_insert(unit.to_owned());
        } else if listed {
            self.allowed.extend(values.into_iter().map(str::to_owned));
        } else if !part.is_empty() {
            self.synonyms.push(part.to_owned());
        }
    }

    fn behind_slash(&mut self, part: &str) {
        match unit::label_unit(part) {
            Some(unit) if self.unit.is_none() => self.unit = Some(unit.to_owned()),
            _ if part.is_empty() => {}
            _ => self.synonyms.push(part.to_owned()),
        }
    }

    /// `涨幅%` has its unit at its end.
    fn percent<'a>(&mut self, name: &'a str) -> &'a str {
        match name.strip_suffix('%').map(str::trim_end) {
            Some(short) => {
                self.unit.get_or_insert("%".to_owned());
                short
            }
            None => name,
        }
    }

    /// Cells of the column are words: `NO` is Norway and `True` a family there.
    pub(super) fn says_name(&self) -> bool {
        let name = fold(&self.name);
        let chinese = ["姓名", "名字", "名称", "人名", "国家", "国别", "代码", "编码", "语言", "语种", "标题", "备注"];
        let english = [
            "name", "names", "surname", "country", "nation", "code", "iso", "language", "lang", "title", "author",
            "word", "comment", "comments", "remark", "remarks", "note", "notes", "text",
        ];
        chinese.iter().any(|word| name.ends_with(word))
            || english_words(&self.name).last().is_some_and(|word| english.contains(&word.as_str()))
    }

    /// Times in the column are how long something took.
    pub(super) fn says_duration(&self) -> bool {
        let name = fold(&self.name);
        let chinese = ["时长", "用时", "耗时", "历时", "工时"];
        let english = ["duration", "elapsed", "runtime", "uptime", "downtime"];
        chinese.iter().any(|word| name.contains(word))
            || english_words(&self.name).iter().any(|word| english.contains(&word.as_str()))
    }

    /// The column holds dates, so eight digits may be one.
    pub(super) fn says_date(&self) -> bool {
        let name = fold(&self.name);
        ["日期", "时间", "生日", "年月日", "date", "time"].iter().any(|word| name.contains(word)) || name == "日"
    }

    pub(super) fn says_month(&self) -> bool {
        let name = fold(&self.name);
        self.says_date() || name == "月" || name.contains("月份") || last_word(&name) == "month"
    }

    pub(super) fn says_year(&self) -> bool {
        let name = fold(&self.name);
        let chinese = name.ends_with('年')
            || ["年份", "年度", "届", "赛季", "成立", "建成"].iter().any(|word| name.contains(word));
        let english = ["year", "season", "founded", "established", "built", "opened", "released", "born"];
        !name.contains(|c: char| c.is_ascii_digit()) && (chinese || words(&name).any(|word| english.contains(&word)))
    }

    /// Long digits in the column are the number of a phone, a card or an account.
    pub(super) fn says_digits(&self) -> bool {
        let name = fold(&self.name);
        let chinese = [
            "电话",
            "手机",
            "号码",
            "手机号",
            "联系方式",
            "传真",
            "身份证",
            "身份证号",
            "证件号",
            "卡号",
            "账号",
            "帐号",
        ];
        let english = ["phone", "mobile", "tel", "telephone", "fax", "cellphone", "account"];
        let words = english_words(&self.name);
        let numbered = words.last().is_some_and(|word| ["number", "no", "num"].contains(&word.as_str()))
            && words
                .iter()
                .any(|word| english.contains(&word.as_str()) || ["contact", "card", "cell"].contains(&word.as_str()));
        chinese.iter().any(|word| name.ends_with(word)) || english.contains(&last_word(&name)) || numbered
    }

    pub(super) fn says_version(&self) -> bool {
        let name = fold(&self.name);
        name.ends_with("版本") || name.ends_with("版本号") || last_word(&name) == "version"
    }

    /// Numbers in the column name things or give their order; they are not added up.
    pub(super) fn says_identifier(&self) -> bool {
        let name = fold(&self.name);
        let ends = ["号", "编码", "代码", "邮编", "排名", "名次", "排行", "位次", "年级", "班级", "楼层"];
        let whole = ["月", "月份", "季度", "星期", "周", "期数", "届"];
        let english = [
            "id", "no", "no.", "code", "number", "rank", "ranking", "index", "#", "zip", "postcode", "month",
            "position", "pos", "zipcode", "postal", "fips", "geoid", "uid", "uuid", "key", "barcode", "sku", "isbn",
        ];
        ends.iter().any(|word| name.ends_with(word))
            || whole.contains(&name.as_str())
            || english.contains(&last_word(&name))
            || english_words(&self.name).last().is_some_and(|word| english.contains(&word.as_str()))
    }
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split([' ', '_', '-'])
}

fn last_word(name: &str) -> &str {
    words(name).last().unwrap_or_default()
}

/// The English words of a name, lower case: `orderId`, `order_id` and `Order ID 2` end with `id`.
fn english_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let begins = !before.is_ascii_alphabetic() || (before.is_ascii_lowercase() && c.is_ascii_uppercase());
        match words.last_mut() {
            _ if !c.is_ascii_alphabetic() => {}
            Some(word) if !begins => word.push(c.to_ascii_lowercase()),
            _ => words.push(c.to_ascii_lowercase().to_string()),
        }
        before = c;
    }
    words
}

/// The label without its brackets up to the first `/` outside them, the insides of the brackets, and what follows the `/`.
fn parts(text: &str) -> (String, Vec<&str>, Option<&str>) {
    let mut kept = String::new();
    let mut dropped = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['(', '/']) {
        kept.push_str(&rest[..at]);
        let inside = &rest[at + 1..];
        if rest[at..].starts_with('/') {
            return (kept, dropped, Some(inside));
        }
        match closing(inside) {
            Some(end) => {
                // `Route(s)` is a plural.
                if !(kept.ends_with(|c: char| c.is_ascii_lowercase()) && ["s", "es"].contains(&&inside[..end])) {
                    dropped.push(&inside[..end]);
                }
                rest = &inside[end + 1..];
            }
            None => {
                kept.push(' ');
                rest = inside;
            }
        }
    }
    kept.push_str(rest);
    (kept, dropped, None)
}

/// Where the bracket that was opened just before `text` is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_taken_apart() {
        for (text, name, unit, synonyms, allowed) in [
            ("姓名", "姓名", None, &[] as &[&str], &[] as &[&str]),
            ("销售额（元）", "销售额", Some("元"), &[], &[]),
            ("金额（单位：万元）", "金额", Some("万元"), &[], &[]),
            ("单价（元/吨）", "单价", Some("元/吨"), &[], &[]),
            ("Price (USD)", "Price", Some("USD"), &[], &[]),
            ("长度/cm", "长度", Some("cm"), &[], &[]),
            ("单价/价格（元）", "单价", Some("元"), &["价格"], &[]),
            ("供应商/厂家", "供应商", None, &["厂家"], &[]),
            ("性别（男，女）", "性别", None, &[], &["男", "女"]),
            ("状态(开/关)", "状态", None, &[], &["开", "关"]),
            ("备注（选填）", "备注", None, &["选填"], &[]),
            ("Route number(s)", "Route number", None, &[], &[]),
            ("Average Age (In Years)", "Average Age", Some("Years"), &[], &[]),
            ("%", "", Some("%"), &[], &[]),
            ("涨幅%", "涨幅", Some("%"), &[], &[]),
            ("（万元）", "", Some("万元"), &[], &[]),
            ("坏（了", "坏 了", None, &[], &[]),
            ("A (b (c)) d", "A  d", None, &["b (c)"], &[]),
        ] {
            let label = Label::parse(text);
            assert_eq!(label.name, name, "{text}");
            assert_eq!(label.unit.as_deref(), unit, "{text}");
            assert_eq!(label.synonyms, synonyms, "{text}");
            assert_eq!(label.allowed, allowed, "{text}");
        }
    }

    #[test]
    fn words_that_speak_for_a_type() {
        assert!(Label::parse("下单日期").says_date());
        assert!(Label::parse("Order Date").says_date());
        assert!(Label::parse("Fiscal Year").says_year());
        assert!(Label::parse("成立年份").says_year());
        for text in ["联系电话", "ContactNumber", "phone no.", "Card Number", "tel"] {
            assert!(Label::parse(text).says_digits(), "{text}");
        }
        assert!(!Label::parse("number of accounts").says_digits());
        assert!(Label::parse("学号").says_identifier());
        for text in ["order_id", "orderId", "customerID", "GEOID10", "Unique Key", "incident zip", "ZipCode"] {
            assert!(Label::parse(text).says_identifier(), "{text}");
        }
        for text in ["paid", "Avoid", "GRID", "amountPaid", "Q1"] {
            assert!(!Label::parse(text).says_identifier(), "{text}");
        }
        assert!(!Label::parse("销售额").says_identifier());
        for text in ["姓名", "产品名称", "Country", "country_code", "lastName", "ISO"] {
            assert!(Label::parse(text).says_name(), "{text}");
        }
        for text in ["已付款", "是否在职", "paid", "Renamed", "active"] {
            assert!(!Label::parse(text).says_name(), "{text}");
        }
    }
}
