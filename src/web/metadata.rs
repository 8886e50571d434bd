//! `metadata_condition`: which documents a search sees, by their `meta_fields`.

use serde_json::{Map, Value};

use super::fault::Fault;
use super::python;

/// Conditions that must all hold.
pub struct Condition(Vec<Clause>);

struct Clause {
    name: String,
    operator: String,
    value: String,
}

const OPERATORS: [&str; 14] = [
    "is",
    "not is",
    "contains",
    "not contains",
    "start with",
    "end with",
    "empty",
    "not empty",
    "=",
    "≠",
    ">",
    "<",
    "≥",
    "≤",
];

impl Condition {
    /// The body's condition; `None` where it has none.
    pub fn of(given: &Map<String, Value>) -> Result<Option<Self>, Fault> {
        let fault = || Fault::argument("`metadata_condition` should be an object with a list of `conditions`");
        let clauses = match given.get("metadata_condition") {
            None | Some(Value::Null) => return Ok(None),
            Some(condition) => condition.as_object().ok_or_else(fault)?.get("conditions"),
        };
        let clauses = match clauses {
            None | Some(Value::Null) => return Ok(None),
            Some(clauses) => clauses.as_array().ok_or_else(fault)?,
        };
        let clauses: Vec<Clause> = clauses.iter().map(Clause::of).collect::<Result<_, _>>()?;
        Ok((!clauses.is_empty()).then_some(Self(clauses)))
    }

    pub fn holds(&self, fields: &Map<String, Value>) -> bool {
        self.0.iter().all(|clause| clause.holds(fields))
    }
}

impl Clause {
    fn of(given: &Value) -> Result<Self, Fault> {
        let given = given.as_object().ok_or_else(|| Fault::argument("a condition should be an object"))?;
        let text = |name: &str| given.get(name).map(python::str).unwrap_or_default();
        let operator = given.get("comparison_operator").map_or_else(|| "is".to_owned(), python::str);
        if !OPERATORS.contains(&operator.as_str()) {
            return Err(Fault::data(format!(
                "`comparison_operator` can't be {operator}; use one of {}",
                OPERATORS.join(", ")
            )));
        }
        Ok(Self { name: text("name"), operator, value: text("value") })
    }

    fn holds(&self, fields: &Map<String, Value>) -> bool {
        let field = fields.get(&self.name).map(python::str);
        match (self.operator.as_str(), &field) {
            ("empty", field) => field.as_ref().is_none_or(String::is_empty),
            ("not empty", field) => field.as_ref().is_some_and(|field| !field.is_empty()),
            (operator, Some(field)) => compared(operator, field, &self.value),
            (operator, None) => operator.starts_with("not ") || operator == "≠",
        }
    }
}

/// Numbers by value, else texts up to case.
fn compared(operator: &str, field: &str, value: &str) -> bool {
    let (one, other) = (field.to_lowercase(), value.to_lowercase());
    let order = match (one.trim().parse::<f64>(), other.trim().parse::<f64>()) {
        (Ok(one), Ok(other)) => one.total_cmp(&other),
        _ => one.cmp(&other),
    };
    match operator {
        "is" | "=" => order.is_eq(),
        "not is" | "≠" => order.is_ne(),
        "contains" => one.contains(&other),
        "not contains" => !one.contains(&other),
        "start with" => one.starts_with(&other),
        "end with" => one.ends_with(&other),
        ">" => order.is_gt(),
        "<" => order.is_lt(),
        "≥" => order.is_ge(),
        _ => order.is_le(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn conditions_hold_on_meta_fields() {
        let fields = json!({"year": 2024, "dept": "销售部"}).as_object().cloned().unwrap_or_default();
        for (name, operator, value, holds) in [
            ("year", "=", json!("2024"), true),
            ("year", ">", json!(900), true),
            ("year", "≤", json!(2023), false),
            ("dept", "contains", json!("销售"), true),
            ("dept", "not is", json!("行政部"), true),
            ("none", "empty", json!(""), true),
            ("none", "is", json!("x"), false),
        ] {
            let conditions = json!([{"name": name, "comparison_operator": operator, "value": value}]);
            let given = json!({"metadata_condition": {"conditions": conditions}});
            let condition = Condition::of(given.as_object().expect("an object")).ok().flatten().expect("one");
            assert_eq!(condition.holds(&fields), holds, "{name} {operator} {value}");
        }
    }
}
