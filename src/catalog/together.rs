//! Tables of several knowledge bases that are one table to a question.
//!
//! Comes in: a table of one more knowledge base. Goes out: the snapshot with its rows in a table of the same labels and types, else
//! in a table of its own. Must never happen: two units in one column; values of one type lost in a column of another.

use crate::engine::{LiveTable, Part, Snapshot};
use crate::schema::{Field, Table};
use crate::value::FieldType;

/// Distinct values listed of a small text field.
const MAX_SAMPLES: usize = 20;

/// Adds a table; one whose name is taken gets `_2`.
pub(super) fn add(snapshot: &mut Snapshot, mut table: Table, live: LiveTable) {
    if table.sheets.is_empty() {
        return;
    }
    let is_of = |other: &Part| live.parts.iter().any(|part| part.kb == other.kb);
    let of_other_kb = |at: usize| !snapshot.tables[at].parts.iter().any(is_of);
    let mut places = 0..snapshot.schema.tables.len();
    if let Some(at) = places.find(|&at| of_other_kb(at) && is_same(&snapshot.schema.tables[at], &table)) {
        join(&mut snapshot.schema.tables[at], table);
        snapshot.tables[at].parts.extend(live.parts);
        snapshot.tables[at].repeats.extend(live.repeats);
        return;
    }
    let stem = table.name.clone();
    let mut n = 1;
    while snapshot.schema.tables.iter().any(|other| other.name == table.name) {
        n += 1;
        table.name = format!("{stem}_{n}");
    }
    snapshot.schema.tables.push(table);
    snapshot.tables.push(live);
}

/// The same columns, in any order; whole numbers go with decimals.
fn is_same(one: &Table, other: &Table) -> bool {
    one.fields.len() == other.fields.len() && one.fields.iter().all(|field| twin(field, other).is_some())
}

fn twin<'t>(field: &Field, table: &'t Table) -> Option<&'t Field> {
    table.fields.iter().find(|other| {
        other.label == field.label
            && other.unit == field.unit
            && stem(other) == stem(field)
            && (other.kind == field.kind || other.kind.is_number() && field.kind.is_number())
    })
}

fn stem(field: &Field) -> &str {
    field.name.strip_suffix(field.kind.suffix()).unwrap_or(&field.name)
}

fn join(whole: &mut Table, table: Table) {
    for field in &mut whole.fields {
        if let Some(other) = twin(field, &table) {
            join_field(field, other);
        }
    }
    whole.rows += table.rows;
    whole.sheets.extend(table.sheets);
    let new = table.captions.into_iter().filter(|caption| !whole.captions.contains(caption));
    let new: Vec<String> = new.collect();
    whole.captions.extend(new);
}

fn join_field(field: &mut Field, other: &Field) {
    if other.kind == FieldType::Decimal {
        (field.kind, field.name) = (other.kind, other.name.clone());
    }
    field.nulls += other.nulls;
    field.distinct = None;
    field.spread += other.spread;
    field.decimals = field.decimals.max(other.decimals);
    field.identifier |= other.identifier;
    field.range = match (field.range.take(), &other.range) {
        (Some(one), Some(other)) => Some((least(one.0, &other.0, field.kind), greatest(one.1, &other.1, field.kind))),
        (one, other) => one.or_else(|| other.clone()),
    };
    for (list, more) in [(&mut field.synonyms, &other.synonyms), (&mut field.allowed, &other.allowed)] {
        let new: Vec<String> = more.iter().filter(|text| !list.contains(text)).cloned().collect();
        list.extend(new);
    }
    let new: Vec<String> = other.samples.iter().filter(|text| !field.samples.contains(text)).cloned().collect();
    field.samples.extend(new);
    field.samples.truncate(MAX_SAMPLES);
}

fn least(one: String, other: &str, kind: FieldType) -> String {
    if is_before(other, &one, kind) { other.to_owned() } else { one }
}

fn greatest(one: String, other: &str, kind: FieldType) -> String {
    if is_before(&one, other, kind) { other.to_owned() } else { one }
}

/// Numbers by value; dates are written so that their text is in order.
fn is_before(one: &str, other: &str, kind: FieldType) -> bool {
    match (kind.is_number(), one.parse::<f64>(), other.parse::<f64>()) {
        (true, Ok(one), Ok(other)) => one < other,
        _ => one < other,
    }
}
