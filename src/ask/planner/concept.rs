//! Words of labels and questions as concepts: inflection folded, near-synonyms of common measure words joined.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::token::{Kind, Token};

/// A concept with what it weighs in a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Concept {
    pub id: String,
    pub weight: f32,
    /// A word for it that is not the concept's own: costs a little.
    pub synonym: bool,
}

/// English: the first word of a line stands for the others. `weak` words weigh little.
const ENGLISH: &[&str] = &[
    "win won victory",
    "loss lost defeat",
    "attendance attend attended spectator spectatorship crowd",
    "viewer viewership audience watched",
    "country nation",
    "appearance app apps appear",
    "position pos",
    "rank ranking rk",
    "percent percentage pct %",
    "price cost",
    "salary wage pay",
    "length len long",
    "distance dist",
    "temperature temp",
    "average avg mean",
    "minimum min",
    "maximum max",
    "year yr season",
    "point pts pt",
    "quantity qty",
    "goal gls",
    "match matches",
    "location place venue site",
    "revenue sale",
    "profit earning earn earned earnings",
    "expenditure spend spent spending expense",
    "population inhabitant",
    "dept department",
    "manufacturer maker",
    "title titles",
    "firm company",
    "area areas",
    "score scoring",
    "laps lap",
    "game games",
];
/// Words that tell little apart.
const WEAK: &[&str] = &[
    "number",
    "no",
    "num",
    "nr",
    "#",
    "name",
    "amount",
    "value",
    "approximate",
    "figure",
    "reported",
    "count",
    "medal",
    "metal",
    "medals",
    "metals",
];
/// Words that only join.
const JOINING: &[&str] =
    &["of", "the", "a", "an", "in", "for", "to", "and", "by", "'s", "on", "at", "as", "with", "from"];

/// Chinese: `phrase` then the concepts that it means; `~` marks one that weighs little.
const CHINESE: &[(&str, &str)] = &[
    ("价格 价钱 售价 价 价位 定价", "price"),
    ("房价", "~house price"),
    ("单价", "unit price"),
    ("均价", "average price"),
    ("总价", "total price"),
    ("平均 均 平均值", "average"),
    ("总 合计 总计 总和", "total"),
    ("总额", "total ~amount"),
    ("成交 销售 交易 售出 出售", "deal"),
    ("销量 销售量 成交量 销售数量 销售情况 成交情况 销售状况 成交状况 成交数量 销售表现 成交数 销售套数", "deal units"),
    ("销售额 销售金额 成交额 成交金额 营业额", "deal money"),
    ("金额", "money"),
    ("套数 数量 件数 台数 套 量", "units"),
    ("小区 项目 楼盘", "project"),
    ("企业 公司 单位", "company"),
    ("开发商 开发 开发企业 开发公司", "developer"),
    ("地块 宗地", "land"),
    ("名称 名字 名 全称", "~name"),
    ("姓名", "person ~name"),
    ("员工 职工 人员", "person"),
    ("日期", "date"),
    ("时间", "date"),
    ("月份 年月", "month"),
    ("年份 年度", "year"),
    ("房屋 房子 商品房 住宅 住房 房源", "~house"),
    ("情况 状况 水平 类别 数值 值 额 是否 数据 性质 所属 的 数 所 集团 属于 号 号码", "~"),
    ("工资 薪水 薪资 薪酬", "salary"),
    ("部门", "department"),
    ("地区 区域", "region"),
    ("产品 商品", "product"),
    ("客户 顾客", "customer"),
    ("供应商 厂家 供货商", "supplier"),
    ("占比 比例 比率 百分比", "share"),
    ("利润率", "profit rate"),
    ("率", "rate"),
];

const WEAK_WEIGHT: f32 = 0.2;
const HAN_WEIGHT: f32 = 0.5;

struct Lexicon {
    english: HashMap<&'static str, &'static str>,
    chinese: HashMap<&'static str, &'static str>,
    longest: usize,
}

fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(|| {
        let english = ENGLISH.iter().flat_map(|line| {
            let first = line.split(' ').next().unwrap_or_default();
            line.split(' ').map(move |word| (word, first))
        });
        let chinese: HashMap<_, _> = CHINESE
            .iter()
            .flat_map(|(phrases, meaning)| phrases.split(' ').map(move |phrase| (phrase, *meaning)))
            .collect();
        let longest = chinese.keys().map(|phrase| phrase.chars().count()).max().unwrap_or(1);
        Lexicon { english: english.collect(), chinese, longest }
    })
}

/// Words that stand for the same concept as an English word, itself not among them.
pub fn kin(word: &str) -> impl Iterator<Item = &'static str> {
    let stemmed = stem(word);
    let english = &lexicon().english;
    let first = english.get(word).or_else(|| english.get(stemmed.as_str())).copied();
    let line = ENGLISH.iter().filter(move |line| first.is_some_and(|first| line.split(' ').next() == Some(first)));
    line.flat_map(|line| line.split(' '))
}

/// Phrases that mean the same as one that the text has.
pub fn han_kin(text: &str) -> impl Iterator<Item = &'static str> {
    let lines: Vec<_> =
        CHINESE.iter().filter(|(phrases, _)| phrases.split(' ').any(|phrase| text.contains(phrase))).collect();
    lines.into_iter().flat_map(|(phrases, _)| phrases.split(' '))
}

/// The stem of an English word: plural and the commonest endings cut.
pub fn stem(word: &str) -> String {
    let cut = |suffix: &str, least: usize| word.strip_suffix(suffix).filter(|rest| rest.chars().count() >= least);
    if let Some(rest) = cut("ies", 2) {
        return format!("{rest}y");
    }
    if let Some(rest) = cut("sses", 1).or_else(|| cut("xes", 1)).or_else(|| cut("ches", 1)).or_else(|| cut("shes", 1)) {
        return format!("{rest}{}", &word[rest.len()..word.len() - 2]);
    }
    if let Some(rest) = cut("s", 3).filter(|rest| !rest.ends_with(['s', 'u', 'i'])) {
        return rest.to_owned();
    }
    for suffix in ["ing", "ed"] {
        if let Some(rest) = cut(suffix, 4) {
            return rest.strip_suffix('e').unwrap_or(rest).to_owned();
        }
    }
    word.to_owned()
}

/// The concepts of a run of tokens, joining words left out.
pub fn concepts(tokens: &[Token]) -> Vec<Concept> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].kind == Kind::Han {
            at += han(&tokens[at..], &mut found);
        } else {
            if at > 0 && at + 1 == tokens.len() && tokens[at].text == "by" {
                found.push(Concept { id: "by".to_owned(), weight: 0.6, synonym: false });
            }
            word(&tokens[at], &mut found);
            at += 1;
        }
    }
    if found.iter().all(|concept| concept.weight <= WEAK_WEIGHT) {
        found.iter_mut().for_each(|concept| concept.weight = 1.0);
    }
    found
}

fn word(token: &Token, found: &mut Vec<Concept>) {
    let text = token.text.as_str();
    if JOINING.contains(&text) || (token.kind == Kind::Mark && text != "%" && text != "#") {
        return;
    }
    let stemmed = stem(text);
    let english = &lexicon().english;
    let canonical = english.get(text).or_else(|| english.get(stemmed.as_str())).copied();
    let weak = WEAK.contains(&text) || WEAK.contains(&stemmed.as_str());
    let id = canonical.map_or(stemmed.clone(), str::to_owned);
    let weight = if weak {
        WEAK_WEIGHT
    } else if id == "total" || id == "average" {
        0.5
    } else {
        1.0
    };
    found.push(Concept { synonym: canonical.is_some_and(|word| word != stemmed), id, weight });
}

/// Reads the longest known phrase, else one character; gives how many tokens it took.
fn han(tokens: &[Token], found: &mut Vec<Concept>) -> usize {
    let run = tokens.iter().take_while(|token| token.kind == Kind::Han).take(lexicon().longest).count();
    for length in (1..=run).rev() {
        let phrase: String = tokens[..length].iter().map(|token| token.text.as_str()).collect();
        if let Some(meaning) = lexicon().chinese.get(phrase.as_str()) {
            for id in meaning.split(' ') {
                let (id, weak) = id.strip_prefix('~').map_or((id, false), |id| (id, true));
                let id = if id.is_empty() { phrase.clone() } else { id.to_owned() };
                let weight = if weak {
                    WEAK_WEIGHT
                } else if matches!(id.as_str(), "total" | "average" | "deal") {
                    0.5
                } else {
                    1.0
                };
                found.push(Concept { id, weight, synonym: false });
            }
            return length;
        }
    }
    found.push(Concept { id: tokens[0].text.clone(), weight: HAN_WEIGHT, synonym: false });
    1
}
