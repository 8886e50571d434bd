//! The whole pipeline over a small world: two tables, a few known cells, one knowledge base.

mod cited;
mod readings;
mod regressions;
mod replies;
mod shared;
mod ties;
mod trees;

use super::*;
use crate::config::SqlLimits;
use crate::schema::{Field, Schema, Table};
use crate::value::FieldType;

pub(super) const KB: &str = "d3a1b2c4e5f611ef8a0b0242ac120002";
/// The scope of table `sales` as it is printed.
const SALES: &str = "kb_id IN ('d3a1b2c4e5f611ef8a0b0242ac120002') AND table_kwd = 'sales'";

fn field(name: &str, label: &str, kind: FieldType, unit: Option<&str>) -> Field {
    Field { unit: unit.map(str::to_owned), decimals: 2, ..Field::for_test(name, label, kind) }
}

pub(super) fn schema() -> Schema {
    let table = |name: &str, label: &str, fields| Table {
        name: name.to_owned(),
        label: label.to_owned(),
        rows: 10,
        fields,
        captions: Vec::new(),
        sheets: vec![("book.xlsx".to_owned(), "一月".to_owned())],
    };
    let sales = vec![
        field("xing_ming_tks", "姓名", FieldType::Text, None),
        field("city_tks", "City", FieldType::Text, None),
        field("price_flt", "价格（元）", FieldType::Decimal, Some("元")),
        field("qty_long", "数量", FieldType::Integer, None),
        field("ri_qi_dt", "日期", FieldType::DateTime, None),
        field("paid_kwd", "已付", FieldType::Flag, None),
        field("n_2031_long", "2031", FieldType::Integer, None),
    ];
    let stock =
        vec![field("city_tks", "City", FieldType::Text, None), field("amount_long", "库存", FieldType::Integer, None)];
    Schema { tables: vec![table("sales", "销售", sales), table("stock", "库存表", stock)] }
}

/// What the engine would find in the cells of this world.
pub(super) fn found(lookup: &Lookup) -> Found {
    const CELLS: [&str; 12] = [
        "a",
        "c",
        "e",
        "Paris",
        "Berlin",
        "O'Brien",
        "50% off",
        "speed limit sign",
        "a  b",
        "行政管理",
        "x",
        "New York",
    ];
    let fold = |text: &str| text.trim().to_lowercase();
    let pick = |test: &dyn Fn(&str) -> bool| {
        CELLS.iter().filter(|cell| test(cell)).map(|cell| (*cell).to_owned()).collect::<Vec<_>>()
    };
    let text = lookup.text.as_str();
    let words: Vec<String> = fold(text).split_whitespace().map(str::to_owned).collect();
    let has = |cell: &str, word: &String| fold(cell).split_whitespace().any(|other| other.starts_with(word.as_str()));
    let (exact, folded) = match lookup.wanted {
        Wanted::Equal => (pick(&|cell| cell == text), pick(&|cell| fold(cell) == fold(text))),
        Wanted::Contains => (pick(&|cell| cell.contains(text)), pick(&|cell| fold(cell).contains(&fold(text)))),
    };
    let mut found = Found { exact, ..Found::default() };
    if found.exact.is_empty() {
        found.folded = folded;
    }
    if found.exact.is_empty() && found.folded.is_empty() {
        found.all_tokens = pick(&|cell| words.iter().all(|word| has(cell, word)));
        found.nearest = vec!["Paris".to_owned()];
    }
    if found.all_tokens.is_empty() && !found.nearest.is_empty() {
        found.some_tokens = pick(&|cell| words.iter().any(|word| has(cell, word)));
    }
    found
}

pub(super) fn run_in(sql: &str, scope: &Scope) -> Result<ScopedSelect, Refusal> {
    let today = chrono::NaiveDate::from_ymd_opt(2024, 3, 1);
    let schema = schema();
    let guarded = guard(&statement(sql)?, &schema, &SqlLimits::default(), today)?;
    let cells: Vec<Found> = guarded.lookups().iter().map(found).collect();
    admit(guarded.ground(&cells)?, scope, &schema)
}

pub(super) fn scope() -> Scope {
    Scope { kbs: KB.parse().into_iter().collect(), ..Scope::default() }
}

pub(super) fn run(sql: &str) -> Result<ScopedSelect, Refusal> {
    run_in(sql, &scope())
}
