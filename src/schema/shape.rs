//! Which sheets are one table: those with the same labels, order and case aside.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::fold::fold;
use super::label::Label;

/// The labels of a sheet, folded and sorted; a label that stands twice is in it twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shape(Vec<String>);

/// How a sheet differs from a table that it nearly is. Labels are folded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearMiss {
    /// Labels of the table that the sheet lacks.
    pub lacks: Vec<String>,
    /// Labels of the sheet that the table does not have.
    pub adds: Vec<String>,
    /// `(the table's label, the sheet's)`: one name with other brackets, such as another unit.
    pub renamed: Vec<(String, String)>,
}

/// Labels that may differ in a near miss.
const MOST_DIFFERENCES: usize = 2;

impl Shape {
    pub fn of<'a>(labels: impl IntoIterator<Item = &'a str>) -> Self {
        let mut labels: Vec<String> = labels.into_iter().map(fold).collect();
        labels.sort();
        Self(labels)
    }

    /// How `self`, a sheet, differs from the table `table`, where that is little: at most two labels, and fewer than half of them.
    pub fn near(&self, table: &Shape) -> Option<NearMiss> {
        let mut miss =
            NearMiss { lacks: without(&table.0, &self.0), adds: without(&self.0, &table.0), renamed: Vec::new() };
        miss.pair_renamed();
        let differences = miss.lacks.len() + miss.adds.len() + miss.renamed.len();
        (differences > 0 && differences <= MOST_DIFFERENCES && differences * 2 < table.0.len()).then_some(miss)
    }
}

/// The members of `all` that are not in `other`, both sorted, counting repeats.
fn without(all: &[String], other: &[String]) -> Vec<String> {
    let mut others = other.iter().peekable();
    let is_new = |label: &&String| {
        while others.next_if(|other| *other < *label).is_some() {}
        others.next_if(|other| other == label).is_none()
    };
    all.iter().filter(is_new).cloned().collect()
}

impl NearMiss {
    fn pair_renamed(&mut self) {
        let lacks = std::mem::take(&mut self.lacks);
        for label in lacks {
            let name = Label::parse(&label).name;
            let twin = self.adds.iter().position(|other| !name.is_empty() && Label::parse(other).name == name);
            match twin {
                Some(at) => self.renamed.push((label, self.adds.remove(at))),
                None => self.lacks.push(label),
            }
        }
    }
}

impl fmt::Display for NearMiss {
    /// `add column 地区; rename 金额(元) to 金额(万元)`: what would make the sheet one with the table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let add = self.lacks.iter().map(|label| format!("add column {label}"));
        let remove = self.adds.iter().map(|label| format!("remove column {label}"));
        let rename = self.renamed.iter().map(|(table, sheet)| format!("rename {sheet} to {table}"));
        f.write_str(&add.chain(remove).chain(rename).collect::<Vec<_>>().join("; "))
    }
}

/// For each label of a table, the sheet's column that has it; the second of two equal labels is the sheet's second.
pub fn column_map(table: &[&str], sheet: &[&str]) -> Vec<Option<usize>> {
    let mut columns: std::collections::HashMap<String, std::collections::VecDeque<usize>> = Default::default();
    for (index, label) in sheet.iter().enumerate() {
        columns.entry(fold(label)).or_default().push_back(index);
    }
    table.iter().map(|label| columns.get_mut(&fold(label))?.pop_front()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(labels: &str) -> Shape {
        Shape::of(labels.split('|'))
    }

    #[test]
    fn order_case_and_width_are_aside() {
        assert_eq!(shape("姓名|Age|城市"), shape(" 城市|ＡＧＥ|姓名"));
        assert_ne!(shape("a|a|b"), shape("a|b|b"));
        assert_ne!(shape("a|b"), shape("a|b|c"));
    }

    #[test]
    fn near_misses() {
        let table = shape("月份|地区|金额（元）|数量|备注");
        let miss = |labels: &str| shape(labels).near(&table).map(|miss| miss.to_string());
        assert_eq!(miss("月份|金额（元）|数量|备注").as_deref(), Some("add column 地区"));
        assert_eq!(miss("月份|地区|金额（元）|数量|备注|店").as_deref(), Some("remove column 店"));
        assert_eq!(miss("月份|地区|金额（万元）|数量|备注").as_deref(), Some("rename 金额(万元) to 金额(元)"));
        assert_eq!(miss("月份|地区|金额（元）|数量|备注"), None);
        assert_eq!(miss("姓名|年龄|城市"), None);
    }

    #[test]
    fn columns_are_found_by_label() {
        assert_eq!(column_map(&["a", "b", "a", "c"], &["B", "a", "A"]), [Some(1), Some(0), Some(2), None]);
    }
}
