//! A reading in words, in the language of the question.

use super::dates::Grain;
use super::reading::{Bound, Column, Combine, Condition, Figure, How, Key, Op, Operand, Reading, Shape, Test};
use super::token::is_han;
use crate::schema::{Schema, Table};
use crate::value::decimal_text;

/// One phrase that says what the reading computes.
pub fn paraphrase(reading: &Reading, schema: &Schema, question: &str) -> String {
    let Some(table) = schema.tables.get(reading.table) else { return String::new() };
    let teller = Teller { table, chinese: question.chars().any(is_han) };
    let asked = teller.shape(&reading.shape);
    let conditions: Vec<String> = reading.conditions.iter().map(|condition| teller.condition(condition)).collect();
    match (conditions.is_empty(), teller.chinese) {
        (true, _) => asked,
        (false, true) => format!("{asked}（{}）", conditions.join("，")),
        (false, false) => format!("{asked}, where {}", conditions.join(" and ")),
    }
}

struct Teller<'a> {
    table: &'a Table,
    chinese: bool,
}

impl Teller<'_> {
    fn label(&self, index: usize) -> &str {
        self.table.fields.get(index).map_or("", |field| field.label.as_str())
    }

    fn labels(&self, columns: &[usize]) -> String {
        columns.iter().map(|column| self.label(*column)).collect::<Vec<_>>().join(if self.chinese {
            "、"
        } else {
            ", "
        })
    }

    fn column(&self, column: Column) -> &str {
        match (column, self.chinese) {
            (Column::Field(index), _) => self.label(index),
            (Column::Document, true) => "文件",
            (Column::Document, false) => "file",
            (Column::Sheet, true) => "工作表",
            (Column::Sheet, false) => "sheet",
        }
    }

    fn pick<'t>(&self, chinese: &'t str, english: &'t str) -> &'t str {
        if self.chinese { chinese } else { english }
    }

    fn how(&self, how: How) -> &'static str {
        match (how, self.chinese) {
            (How::Sum, true) => "总和",
            (How::Sum, false) => "total of",
            (How::Average, true) => "平均值",
            (How::Average, false) => "average of",
            (How::Median, true) => "中位数",
            (How::Median, false) => "median of",
            (How::Greatest, true) => "最大值",
            (How::Greatest, false) => "highest",
            (How::Different, true) => "不同值的个数",
            (How::Different, false) => "number of different",
            (How::Least, true) => "最小值",
            (How::Least, false) => "lowest",
        }
    }

    fn end(&self, most: bool) -> &'static str {
        match (most, self.chinese) {
            (true, true) => "最高",
            (false, true) => "最低",
            (true, false) => "highest",
            (false, false) => "lowest",
        }
    }

    fn shape(&self, shape: &Shape) -> String {
        match shape {
            Shape::Rows { columns } => self.labels(columns),
            Shape::Cell { column } => self.label(*column).to_owned(),
            Shape::Different { column } => {
                format!("{}{}", self.pick("不同的", "different values of "), self.label(*column))
            }
            Shape::Count => self.pick("行数", "number of rows").to_owned(),
            Shape::CountDifferent { column } => {
                format!("{}{}", self.pick("不同值的个数：", "number of different values of "), self.label(*column))
            }
            Shape::Aggregate { how, column } => self.aggregate(*how, *column),
            Shape::Grouped { by, aggregate, .. } => {
                let value = self.figure(*aggregate);
                let keys: Vec<String> = by.iter().map(|key| self.key(key)).collect();
                if self.chinese {
                    format!("按{}：{value}", keys.join("、"))
                } else {
                    format!("{value} for each {}", keys.join(" and "))
                }
            }
            Shape::Leaders { by, aggregate, most, count } => {
                let (by, value, end) = (self.key(by), self.figure(*aggregate), self.end(*most));
                match (self.chinese, count) {
                    (true, None) => format!("{value}{end}的{by}"),
                    (true, Some(count)) => format!("{value}{end}的{count}个{by}"),
                    (false, None) => format!("{by} with the {end} {value}"),
                    (false, Some(count)) => format!("the {count} {by} with the {end} {value}"),
                }
            }
            Shape::Having { by, aggregate, op, bound, counted } => {
                let (by, value) = (self.label(*by), self.figure(*aggregate));
                let bound = match bound {
                    Bound::Number(number) => format!("{} {}", sign(*op), decimal_text(*number)),
                    Bound::Range(low, high) => format!("{} – {}", decimal_text(*low), decimal_text(*high)),
                };
                match (self.chinese, counted) {
                    (true, false) => format!("{value} {bound} 的{by}"),
                    (true, true) => format!("{value} {bound} 的{by}的个数"),
                    (false, false) => format!("{by} whose {value} {bound}"),
                    (false, true) => format!("number of {by} whose {value} {bound}"),
                }
            }
            Shape::Shares { by, summed } => {
                let (by, value) = (self.key(by), self.figure(summed.map(|column| (How::Sum, column))));
                if self.chinese {
                    format!("按{by}：{value}占全部的比例")
                } else {
                    format!("each {by}'s part of the {value}")
                }
            }
            Shape::Combined { combine, first, second } => self.combined(*combine, first, second),
            Shape::Extreme { columns, measure, most, within } => {
                let picked = self.superlative(&self.labels(columns), *measure, *most);
                match within {
                    Some(top) if self.chinese => {
                        format!("{}{}的{}行中，{picked}", self.label(top.measure), self.end(top.most), top.count)
                    }
                    Some(top) => format!(
                        "{picked}, among the {} rows with the {} {}",
                        top.count,
                        self.end(top.most),
                        self.label(top.measure)
                    ),
                    None => picked,
                }
            }
            Shape::Ranked { columns, top } => {
                let (names, measure, end) = (self.labels(columns), self.label(top.measure), self.end(top.most));
                if self.chinese {
                    format!("{measure}{end}的{}个{names}", top.count)
                } else {
                    format!("the {} {names} with the {end} {measure}", top.count)
                }
            }
            Shape::Difference { first, second, measure, .. } => {
                let (a, b) = (self.value(first), self.value(second));
                if self.chinese {
                    format!("{a}与{b}的{}之差", self.label(*measure))
                } else {
                    format!("{} of {a} less that of {b}", self.label(*measure))
                }
            }
            Shape::Spread { measure } => {
                format!("{}{}", self.label(*measure), self.pick("最大值与最小值之差", ": highest less lowest"))
            }
            Shape::Neighbour { columns, next } => {
                let place = if *next {
                    self.pick("下一行的", "next row's ")
                } else {
                    self.pick("上一行的", "row before: ")
                };
                format!("{place}{}", self.labels(columns))
            }
            Shape::Edge { columns, last } => {
                let place = if *last {
                    self.pick("最后一行的", "last row's ")
                } else {
                    self.pick("第一行的", "first row's ")
                };
                format!("{place}{}", self.labels(columns))
            }
        }
    }

    fn key(&self, key: &Key) -> String {
        let label = self.label(key.column);
        let unit = match key.grain {
            Some(Grain::Year) => self.pick("的年份", "year"),
            Some(Grain::Quarter) => self.pick("的季度", "quarter"),
            Some(Grain::Month) => self.pick("的月份", "month"),
            Some(Grain::Day | Grain::Span) | None => return label.to_owned(),
        };
        if self.chinese { format!("{label}{unit}") } else { format!("{unit} of {label}") }
    }

    fn superlative(&self, names: &str, measure: usize, most: bool) -> String {
        let (measure, end) = (self.label(measure), self.end(most));
        if self.chinese { format!("{measure}{end}的{names}") } else { format!("{names} with the {end} {measure}") }
    }

    fn aggregate(&self, how: How, column: usize) -> String {
        let (word, label) = (self.how(how), self.label(column));
        if self.chinese { format!("{label}的{word}") } else { format!("{word} {label}") }
    }

    /// An aggregate, or the number of rows.
    fn figure(&self, aggregate: Option<(How, usize)>) -> String {
        aggregate
            .map_or_else(|| self.pick("行数", "number of rows").to_owned(), |(how, column)| self.aggregate(how, column))
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Number(value) => decimal_text(*value),
            Operand::Figure(Figure { aggregate, among: None }) => self.figure(*aggregate),
            Operand::Figure(Figure { aggregate, among: Some(among) }) => {
                let (value, among) = (self.figure(*aggregate), self.condition(among));
                if self.chinese { format!("{value}（{among}）") } else { format!("{value} ({among})") }
            }
        }
    }

    fn combined(&self, combine: Combine, first: &Operand, second: &Operand) -> String {
        let (one, two) = (self.operand(first), self.operand(second));
        match (combine, self.chinese) {
            (Combine::Ratio, _) => format!("{one} ÷ {two}"),
            (Combine::Growth, true) => format!("{one} 比 {two} 的增长率"),
            (Combine::Growth, false) => format!("growth to {one} from {two}"),
            (Combine::Holds(op), true) => format!("是否 {one} {} {two}", sign(op)),
            (Combine::Holds(op), false) => format!("whether {one} {} {two}", sign(op)),
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        let column = self.column(condition.column);
        let not = if condition.negated { self.pick("不", "not ") } else { "" };
        format!("{column} {not}{}", self.value_test(&condition.test))
    }

    fn value_test(&self, test: &Test) -> String {
        match test {
            Test::Cells(_) | Test::Numbers(_) => format!("= {}", self.value(test)),
            Test::Compare(op, value) => format!("{} {}", sign(*op), decimal_text(*value)),
            _ => self.value(test),
        }
    }

    fn value(&self, test: &Test) -> String {
        match test {
            Test::Cells(cells) => cells.join(" / "),
            Test::Numbers(numbers) => numbers.iter().map(|value| decimal_text(*value)).collect::<Vec<_>>().join(" / "),
            Test::Compare(op, value) => format!("{} {}", sign(*op), decimal_text(*value)),
            Test::Range(low, high) => format!("{} – {}", decimal_text(*low), decimal_text(*high)),
            Test::Average(op) => format!("{} {}", sign(*op), self.pick("平均值", "the average")),
            Test::Other(op, other) => format!("{} {}", sign(*op), self.label(*other)),
            Test::Missing => self.pick("为空", "is empty").to_owned(),
            Test::Days(from, to) => {
                let day = |day: &Option<chrono::NaiveDate>| day.map(|day| day.to_string()).unwrap_or_default();
                format!("{} ≤ … < {}", day(from), day(to))
            }
        }
    }
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Less => "<",
        Op::AtMost => "≤",
        Op::More => ">",
        Op::AtLeast => "≥",
        Op::Equal => "=",
    }
}
