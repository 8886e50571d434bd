//! Which column a run of words names, and how well.
//!
//! Comes in: the fields of a table; the concepts of a span of the question. Goes out: fields with a cost, 0 for the label itself.
//! Must never happen: a word of the span that the label does not account for.

use super::concept::{Concept, concepts};
use super::token::tokens;
use crate::schema::{Field, Table};

/// The least part of a label's weight that a span must name.
const LEAST_RECALL: f32 = 0.3;
/// What a wholly unnamed label would cost.
const PARTIAL_COST: f32 = 0.5;
/// Concepts that only qualify: alone they name no column.
const MODIFIERS: &[&str] = &["total", "average", "deal"];
/// The label's last word is not named: `reactor` for a Reactor type.
const HEADLESS_COST: f32 = 0.15;
/// 库存 for 库存数量.
const MEASURE_COST: f32 = 0.1;
const SYNONYM_COST: f32 = 0.1;
const WEAK_COST: f32 = 0.03;

/// Different values are counted up to here; a column with more has no count.
pub const COUNTED: f64 = 256.0;

/// The labels of one table, taken apart.
pub struct Labels {
    variants: Vec<(usize, Vec<Concept>)>,
}

impl Labels {
    pub fn of(table: &Table) -> Self {
        let mut variants = Vec::new();
        for (index, field) in table.fields.iter().enumerate() {
            for text in names(field) {
                let taken = concepts(&tokens(&text));
                if !taken.is_empty() && !variants.contains(&(index, taken.clone())) {
                    variants.push((index, taken));
                }
            }
        }
        Self { variants }
    }

    /// Fields that the span may name, each once, with its least cost.
    pub fn matches(&self, span: &[Concept]) -> Vec<(usize, f32)> {
        let mut found: Vec<(usize, f32)> = Vec::new();
        for (field, label) in &self.variants {
            let Some(cost) = cost(span, label) else { continue };
            match found.iter_mut().find(|(known, _)| known == field) {
                Some(known) => known.1 = known.1.min(cost),
                None => found.push((*field, cost)),
            }
        }
        found
    }
}

/// The label whole, without brackets, its parts at a slash, and the synonyms.
fn names(field: &Field) -> Vec<String> {
    let bare = without_brackets(&field.label);
    let mut names = vec![field.label.clone(), bare.clone()];
    names.extend(bare.split(['/', '／']).map(str::to_owned));
    names.extend(field.synonyms.iter().cloned());
    names
}

pub fn without_brackets(label: &str) -> String {
    let mut depth = 0usize;
    label
        .chars()
        .filter(|c| match c {
            '(' | '（' | '[' | '【' => {
                depth += 1;
                false
            }
            ')' | '）' | ']' | '】' => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0,
        })
        .collect()
}

fn cost(span: &[Concept], label: &[Concept]) -> Option<f32> {
    let whole: f32 = label.iter().map(|concept| concept.weight).sum();
    let mut open: Vec<&Concept> = label.iter().collect();
    let (mut named, mut extra) = (0.0, 0.0);
    let mut strong = false;
    let mut dealt = false;
    for concept in span {
        if let Some(at) = open.iter().position(|other| other.id == concept.id) {
            let other = open.swap_remove(at);
            named += other.weight;
            strong |= other.weight > 0.3 && !MODIFIERS.contains(&other.id.as_str());
            extra += if concept.synonym != other.synonym { SYNONYM_COST } else { 0.0 };
        } else if concept.weight <= 0.3 || is_kind_of(&concept.id, label) {
            extra += WEAK_COST;
        } else if concept.id == "deal" {
            dealt = true;
            extra += SYNONYM_COST;
        } else {
            return None;
        }
    }
    let recall = named / whole;
    if recall < 0.9 && is_one_character(span) {
        return None;
    }
    if dealt && recall < 0.9 {
        return None;
    }
    if names_all_but_measure(span, label) && strong {
        return Some(MEASURE_COST + extra);
    }
    let head = label.iter().rev().find(|concept| concept.weight > 0.3).filter(|head| head.id.is_ascii());
    let headless = head.is_some_and(|head| !span.iter().any(|concept| concept.id == head.id));
    let cost = (1.0 - recall) * PARTIAL_COST + extra + if headless { HEADLESS_COST } else { 0.0 };
    ((strong || recall > 0.9) && recall >= LEAST_RECALL).then_some(cost)
}

/// The label's last word only says that it is measured (数量, quantity), and all before it is named.
fn names_all_but_measure(span: &[Concept], label: &[Concept]) -> bool {
    let Some((last, rest)) = label.split_last() else { return false };
    let named = |concept: &Concept| concept.weight <= 0.3 || span.iter().any(|other| other.id == concept.id);
    matches!(last.id.as_str(), "units" | "money" | "quantity" | "amount") && !rest.is_empty() && rest.iter().all(named)
}

/// One Han character that stands for no known word.
fn is_one_character(span: &[Concept]) -> bool {
    matches!(span, [only] if only.id.chars().count() == 1 && only.id.chars().all(super::token::is_han))
}

/// A word for the kind of thing that a column lists: 公司 of a developer.
fn is_kind_of(concept: &str, label: &[Concept]) -> bool {
    let has = |ids: &[&str]| label.iter().any(|other| ids.contains(&other.id.as_str()));
    match concept {
        "company" => has(&["developer", "supplier", "customer", "manufacturer"]),
        "person" => has(&["salary", "manager"]),
        _ => false,
    }
}

fn label_has(field: &Field, ids: &[&str]) -> bool {
    concepts(&tokens(&field.label)).iter().any(|concept| ids.contains(&concept.id.as_str()))
}

/// A column of people.
pub fn is_person(field: &Field) -> bool {
    const WORDS: &[&str] = &[
        "player",
        "driver",
        "rider",
        "candidate",
        "winner",
        "coach",
        "manager",
        "athlete",
        "officer",
        "director",
        "author",
        "actor",
        "artist",
        "singer",
        "wrestler",
        "cyclist",
        "diver",
        "swimmer",
        "employee",
        "customer",
        "owner",
        "governor",
        "president",
        "student",
        "teacher",
        "champion",
        "scorer",
        "captain",
        "member",
        "pilot",
        "skipper",
        "runner",
        "judge",
        "person",
    ];
    let named = concepts(&tokens(&field.label)).iter().all(|concept| concept.id == "name")
        || field.label.to_lowercase().trim() == "name";
    field.exact().is_some()
        && (named
            || label_has(field, WORDS)
            || field.label.ends_with('员')
            || ["姓名", "员工", "人员", "负责人", "经理", "老师", "学生", "客户"]
                .iter()
                .any(|word| field.label.contains(word)))
}

/// The label has one of the words.
pub fn says(field: &Field, words: &[&str]) -> bool {
    label_has(field, words)
        || words.iter().any(|word| word.chars().any(super::token::is_han) && field.label.contains(word))
}

/// A column of ages.
pub fn is_age(field: &Field) -> bool {
    field.kind.is_number() && says(field, &["age", "年龄"])
}

/// The table's key is called no more than Name.
pub fn has_mere_names(table: &Table) -> bool {
    key(table)
        .and_then(|index| table.fields.get(index))
        .is_some_and(|field| concepts(&tokens(&field.label)).iter().all(|concept| concept.id == "name"))
}

/// A column of people or of those that act like people: teams, firms, nations.
pub fn is_agent(field: &Field) -> bool {
    const WORDS: &[&str] = &[
        "opponent",
        "partner",
        "partnering",
        "manufacturer",
        "sponsor",
        "company",
        "team",
        "club",
        "nation",
        "party",
        "network",
        "developer",
        "supplier",
        "constructor",
        "maker",
        "builder",
        "band",
        "firm",
        "loser",
        "by",
        "editor",
        "commentator",
        "reporter",
        "representative",
        "company",
        "group",
    ];
    const HAN: &[&str] = &["开发商", "集团", "企业", "公司", "厂家", "供应商", "部门", "团队", "品牌", "单位", "人"];
    field.exact().is_some()
        && (is_person(field) || label_has(field, WORDS) || HAN.iter().any(|word| field.label.contains(word)))
}

/// A column of places.
pub fn is_place(field: &Field) -> bool {
    field.exact().is_some()
        && (label_has(
            field,
            &[
                "location",
                "city",
                "country",
                "address",
                "region",
                "headquarters",
                "residence",
                "hometown",
                "town",
                "state",
            ],
        ) || ["地点", "地址", "城市", "位置", "地区", "区域"].iter().any(|word| field.label.contains(word)))
}

/// A column of years, as numbers.
pub fn is_year(field: &Field) -> bool {
    is_year_of(field)
        || (field.kind == crate::value::FieldType::Integer
            && label_has(field, &["year", "年"])
            && bounds(field).is_none_or(|(low, high)| low >= 1000.0 && high <= 2200.0))
}

/// Whole numbers that are years by what the label says happened in them: opened, released, 成立.
pub fn is_year_of(field: &Field) -> bool {
    const WORDS: &[&str] = &[
        "opened",
        "released",
        "founded",
        "built",
        "established",
        "created",
        "born",
        "died",
        "completed",
        "launched",
        "debut",
        "expires",
        "appointed",
        "inaugurated",
        "formed",
    ];
    const HAN: &[&str] = &["成立", "建成", "开业", "上市", "出生", "创立", "竣工"];
    let told = tokens(&field.label).iter().any(|token| WORDS.contains(&token.text.as_str()))
        || HAN.iter().any(|word| field.label.contains(word));
    field.kind == crate::value::FieldType::Integer
        && told
        && bounds(field).is_some_and(|(low, high)| low >= 1000.0 && high <= 2100.0)
}

/// A column that orders: best is least.
pub fn is_rank(field: &Field) -> bool {
    label_has(field, &["rank", "position", "place", "finish", "standing", "#"])
        || field.label.contains("排名")
        || field.label.contains("名次")
}

/// The least and greatest number of a field.
fn bounds(field: &Field) -> Option<(f64, f64)> {
    let (low, high) = field.range.as_ref()?;
    Some((low.parse().ok()?, high.parse().ok()?))
}

/// Hardly a value stands twice, as far as is known: of a column with too many values to count, the key is taken for such.
pub fn is_nearly_unique(table: &Table, index: usize) -> bool {
    let Some(field) = table.fields.get(index) else { return false };
    let rows = table.rows.saturating_sub(field.nulls) as f64;
    match field.distinct {
        Some(distinct) => distinct > 0 && distinct as f64 >= 0.95 * rows,
        None => key(table) == Some(index) && rows <= 2.0 * COUNTED,
    }
}

/// A text column that says which row is which.
pub fn names_rows(table: &Table, index: usize) -> bool {
    table
        .fields
        .get(index)
        .is_some_and(|field| field.exact().is_some() && (is_unique(table, field) || key(table) == Some(index)))
}

/// A number that counts the rows off: whole, never twice, without gaps to speak of.
pub fn is_index(table: &Table, field: &Field) -> bool {
    let Some((low, high)) = bounds(field) else { return false };
    let rows = table.rows.saturating_sub(field.nulls) as f64;
    field.kind == crate::value::FieldType::Integer
        && is_unique(table, field)
        && (0.0..=1.0).contains(&low)
        && high - low <= rows * 1.1
}

/// Whole numbers that number things by what the label says: order no, id, 单号.
pub fn is_numbering(field: &Field) -> bool {
    const WORDS: &[&str] =
        &["order", "no", "id", "code", "ref", "sku", "invoice", "ticket", "zip", "phone", "number", "num"];
    const HAN: &[&str] = &["号", "编码", "代码", "序号", "电话"];
    let all = tokens(&without_brackets(&field.label));
    let words: Vec<&str> = all.iter().map(|token| token.text.as_str()).filter(|text| *text != ".").collect();
    let numbers = match words.as_slice() {
        ["number" | "num"] | ["total", ..] => false,
        [.., last] => WORDS.contains(last),
        [] => false,
    };
    field.kind == crate::value::FieldType::Integer && (numbers || HAN.iter().any(|word| field.label.ends_with(word)))
}

/// No two rows share a value.
pub fn is_unique(table: &Table, field: &Field) -> bool {
    field.distinct.is_some_and(|distinct| distinct > 0 && distinct + field.nulls >= table.rows)
}

/// The column that names a table's rows: a text column with no value twice, one called a name first; else one with too many
/// values to count.
pub fn key(table: &Table) -> Option<usize> {
    let texts = || table.fields.iter().enumerate().filter(|(_, field)| field.exact().is_some());
    let called = |field: &Field| label_has(field, &["name", "project", "person"]);
    let many = |field: &Field| field.distinct.is_none();
    let found = texts()
        .find(|(_, field)| is_unique(table, field) && called(field))
        .or_else(|| texts().find(|(_, field)| many(field) && called(field)))
        .or_else(|| texts().find(|(_, field)| is_unique(table, field)))
        .or_else(|| texts().next().filter(|(_, field)| many(field)));
    found.map(|(index, _)| index)
}
