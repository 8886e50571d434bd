//! What may be done with the values of a column: added up, or not; and which columns repeat.
//!
//! Comes in: a field and its table. Goes out: yes or no. Must never happen: a price or a rate that counts as a sum.

use super::labels;
use super::token::tokens;
use crate::schema::{Field, Table};
use crate::value::FieldType;

/// Label words of numbers that are not added up over rows.
const NOT_SUMS: &[&str] = &[
    "average",
    "avg",
    "mean",
    "median",
    "per",
    "price",
    "percent",
    "percentage",
    "pct",
    "rate",
    "ratio",
    "%",
    "/",
    "mpg",
    "speed",
    "score",
    "rating",
    "age",
    "discount",
    "margin",
    "temperature",
    "balance",
    "share",
    "rank",
    "index",
];
const NOT_SUMS_HAN: &[&str] =
    &["率", "价", "比", "均", "龄", "度", "分数", "评分", "得分", "折扣", "余额", "排名", "等级", "指数", "系数"];
/// What has such a letter and is a sum all the same.
const SUMS_HAN: &[&str] = &["总价", "价税", "年度", "季度", "月度", "价款"];
/// Label words of what is traded, spent or made: of several rows of one entity the sum is meant.
const TRADED: &[&str] = &[
    "amount",
    "sale",
    "sales",
    "revenue",
    "turnover",
    "qty",
    "quantity",
    "quantities",
    "units",
    "expense",
    "expenses",
    "expenditure",
    "spend",
    "spending",
    "cost",
    "costs",
    "budget",
    "profit",
    "income",
    "payment",
    "payments",
];
const TRADED_HAN: &[&str] = &[
    "额", "数量", "销量", "件数", "台数", "套数", "费", "支出", "收入", "成本", "利润", "预算", "工时", "业绩", "产量",
    "总价", "产值",
];

/// An amount that makes sense as a sum over rows: no rate, price, average, score or share.
pub fn adds_up(field: &Field) -> bool {
    let mut label = field.label.to_lowercase();
    SUMS_HAN.iter().for_each(|word| label = label.replace(word, ""));
    field.kind.is_number()
        && !field.identifier
        && !labels::is_year(field)
        && !matches!(field.unit.as_deref(), Some("%" | "percent"))
        && !tokens(&label).iter().any(|token| NOT_SUMS.contains(&token.text.as_str()))
        && !NOT_SUMS_HAN.iter().any(|word| label.contains(word))
}

/// An amount of a transaction: what stands in several rows of one entity is added up without a word that says so.
pub fn is_traded(field: &Field) -> bool {
    adds_up(field)
        && (tokens(&field.label).iter().any(|token| TRADED.contains(&token.text.as_str()))
            || TRADED_HAN.iter().any(|word| field.label.contains(word)))
}

/// How many things a row is about.
pub fn is_quantity(field: &Field) -> bool {
    const WORDS: &[&str] = &["qty", "quantity", "quantities", "units", "pieces"];
    const HAN: &[&str] = &["数量", "销量", "件数", "台数", "套数"];
    adds_up(field)
        && (tokens(&field.label).iter().any(|token| WORDS.contains(&token.text.as_str()))
            || HAN.iter().any(|word| field.label.contains(word)))
}

/// A sum that the question states in words makes sense: of a price of whole things too, but not of one per unit, nor of an
/// average, a rate or a share.
pub fn may_be_summed(field: &Field) -> bool {
    const WORDS: &[&str] = &["unit", "average", "avg", "mean", "rate", "ratio", "percent", "percentage", "%", "per"];
    const HAN: &[&str] = &["单价", "均", "率", "占比", "比例", "龄"];
    !matches!(field.unit.as_deref(), Some("%" | "percent"))
        && !tokens(&field.label).iter().any(|token| WORDS.contains(&token.text.as_str()))
        && !HAN.iter().any(|word| field.label.contains(word))
}

/// A price of one thing: the highest is that of a row.
pub fn is_price(field: &Field) -> bool {
    field.kind.is_number()
        && (tokens(&field.label).iter().any(|token| token.text == "price")
            || (field.label.contains('价') && !SUMS_HAN.iter().any(|word| field.label.contains(word))))
}

/// Most values of the column stand in several rows.
pub fn is_repeated(table: &Table, index: usize) -> bool {
    table.fields.get(index).is_some_and(|field| {
        let rows = table.rows.saturating_sub(field.nulls) as f64;
        field.distinct.map_or(labels::COUNTED, |distinct| distinct as f64) <= rows * 0.75
    })
}

/// A column that tells when.
pub fn is_time(table: &Table, index: usize) -> bool {
    table.fields.get(index).is_some_and(|field| field.kind == FieldType::DateTime || labels::is_year(field))
}

/// Rows are one for each combination of the leading text columns, of which this is the last.
pub fn completes_grid(table: &Table, index: usize) -> bool {
    let leading = table.fields.get(..=index).unwrap_or_default();
    let texts = leading.iter().all(|field| field.exact().is_some() && field.nulls == 0);
    let product = leading.iter().try_fold(1u64, |product, field| product.checked_mul(field.distinct?));
    texts && product == Some(table.rows)
}
