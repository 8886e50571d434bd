//! What a reader should know of a reading beside its words: what was added up, what is left out, what lies outside the data.

use super::grammar::Scored;
use super::reading::{Column, Condition, How, Reading, Shape, Test};
use super::token::is_han;
use crate::note::Note;
use crate::schema::{Schema, Table};
use crate::value::{FieldType, decimal_text};

/// Notes of a reading, in the language of the question.
pub fn remarks(scored: &Scored, schema: &Schema, question: &str) -> Vec<Note> {
    let Some(table) = schema.tables.get(scored.reading.table) else { return Vec::new() };
    let teller = Remarks { table, chinese: question.chars().any(is_han) };
    let mut notes = Vec::new();
    notes.extend(teller.read_as(scored));
    notes.extend(teller.outsiders(scored));
    notes.extend(teller.left_out(&scored.reading));
    notes.extend(teller.added_up(scored));
    notes.extend(scored.reading.conditions.iter().filter_map(|condition| teller.outside(condition)));
    notes
}

struct Remarks<'a> {
    table: &'a Table,
    chinese: bool,
}

impl Remarks<'_> {
    fn label(&self, index: usize) -> Option<&str> {
        self.table.fields.get(index).map(|field| field.label.as_str())
    }

    fn say(&self, code: &str, chinese: String, english: String) -> Note {
        Note::new(code, if self.chinese { chinese } else { english })
    }

    /// Words that name a cell without being it.
    fn read_as<'s>(&'s self, scored: &'s Scored) -> impl Iterator<Item = Note> + 's {
        scored.read_as.iter().map(|(said, cells)| {
            let cells = cells.join(" / ");
            self.say("value_read_as", format!("“{said}”理解为“{cells}”"), format!("\"{said}\" read as \"{cells}\""))
        })
    }

    /// Names and years that the table does not tell, and that therefore limit nothing.
    fn outsiders(&self, scored: &Scored) -> Option<Note> {
        let names = scored.outsiders.join(if self.chinese { "、" } else { ", " });
        (!names.is_empty()).then(|| {
            self.say(
                "not_in_the_table",
                format!("表中没有提到“{names}”，没有按它筛选"),
                format!("the table does not say {names}: it could not be checked"),
            )
        })
    }

    /// Rows that no word of the question adds up were added up.
    fn added_up(&self, scored: &Scored) -> Option<Note> {
        match &scored.reading.shape {
            Shape::Leaders { by, aggregate: Some((How::Sum, measure)), .. } => {
                self.by_group(self.label(by.column)?, self.label(*measure)?)
            }
            Shape::Having { by, aggregate: Some((How::Sum, measure)), .. } => {
                self.by_group(self.label(*by)?, self.label(*measure)?)
            }
            Shape::Aggregate { column, .. } | Shape::Grouped { aggregate: Some((_, column)), .. }
                if scored.added_up =>
            {
                let measure = self.label(*column)?;
                Some(self.say(
                    "rows_added_up",
                    format!("各行的“{measure}”已相加"),
                    format!("the rows' {measure} was added up"),
                ))
            }
            _ => None,
        }
    }

    fn by_group(&self, by: &str, measure: &str) -> Option<Note> {
        Some(self.say(
            "summed_by_group",
            format!("同一“{by}”的各行“{measure}”已相加，再作比较"),
            format!("the rows of each {by} were added up: {measure}"),
        ))
    }

    /// An extreme is sought among the rows that have the value asked for.
    fn left_out(&self, reading: &Reading) -> Option<Note> {
        let Shape::Extreme { columns, within: None, .. } = &reading.shape else { return None };
        let mut fields = columns.iter().filter_map(|column| self.table.fields.get(*column));
        let field = fields.find(|field| field.nulls > 0)?;
        Some(self.say(
            "rows_without_value_left_out",
            format!("没有“{}”的行（{}行）不参与比较", field.label, field.nulls),
            format!("rows without {} ({}) are left out", field.label, field.nulls),
        ))
    }

    /// A bound that no value of the column meets: the column's own range is told.
    fn outside(&self, condition: &Condition) -> Option<Note> {
        let Column::Field(index) = condition.column else { return None };
        let field = self.table.fields.get(index)?;
        let (low, high) = field.range.as_ref()?;
        let (least, most) = (low.parse::<f64>().ok(), high.parse::<f64>().ok());
        let beyond = |value: f64| least.is_some_and(|least| value < least) || most.is_some_and(|most| value > most);
        let (is_outside, asked) = match &condition.test {
            Test::Numbers(numbers) => {
                let texts: Vec<String> = numbers.iter().map(|value| decimal_text(*value)).collect();
                (numbers.iter().all(|value| beyond(*value)), texts.join(" / "))
            }
            Test::Days(from, to) if field.kind == FieldType::DateTime => {
                let late = from.is_some_and(|from| from.to_string().as_str() > high.get(..10).unwrap_or(high));
                let early = to.is_some_and(|to| to.to_string().as_str() <= low.get(..10).unwrap_or(low));
                let day = from.or(*to).map(|day| day.to_string()).unwrap_or_default();
                (late || early, day)
            }
            _ => return None,
        };
        let label = &field.label;
        is_outside.then(|| {
            self.say(
                "outside_the_data",
                format!("“{label}”的范围是 {low} 到 {high}，不含 {asked}"),
                format!("{label} runs from {low} to {high}; {asked} is outside"),
            )
        })
    }
}
