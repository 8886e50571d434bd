//! Fields of a body or a query string, checked one by one; every fault is told, one a line.

use serde_json::{Map, Value};

use super::fault::Fault;
use super::python;
use crate::ids::Id;

/// Characters of a value in a message.
const SHOWN: usize = 128;

/// Fields that were given, and what is wrong with them.
pub struct Checked<'a> {
    given: &'a Map<String, Value>,
    path: String,
    known: Vec<&'static str>,
    faults: Vec<String>,
}

impl<'a> Checked<'a> {
    pub fn of(given: &'a Map<String, Value>) -> Self {
        Self::within(given, "")
    }

    /// Fields of an inner object: their paths begin with `path`.
    pub fn within(given: &'a Map<String, Value>, path: &str) -> Self {
        Self { given, path: path.to_owned(), known: Vec::new(), faults: Vec::new() }
    }

    /// The field as it was given.
    pub fn field(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.given.get(name)
    }

    pub fn fault(&mut self, name: &str, text: &str, value: &Value) {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        let shown = python::str(value);
        let shown = match shown.chars().count() {
            count if count > SHOWN => shown.chars().take(SHOWN - 3).chain("...".chars()).collect(),
            _ => shown,
        };
        self.faults.push(format!("Field: <{path}> - Message: <{text}> - Value: <{shown}>"));
    }

    pub fn faults(&mut self, more: Vec<String>) {
        self.faults.extend(more);
    }

    pub fn missing(&mut self, name: &str) {
        self.fault(name, "Field required", &Value::Object(self.given.clone()));
    }

    /// A text within these numbers of characters; `null` is none where that is allowed.
    pub fn text(&mut self, name: &'static str, nullable: bool, least: usize, most: usize) -> Option<&'a str> {
        let value = self.field(name)?;
        match value {
            Value::Null if nullable => None,
            Value::String(text) => match text.chars().count() {
                count if count < least => {
                    let plural = if least == 1 { "" } else { "s" };
                    self.fault(name, &format!("String should have at least {least} character{plural}"), value);
                    None
                }
                count if count > most => {
                    self.fault(name, &format!("String should have at most {most} characters"), value);
                    None
                }
                _ => Some(text),
            },
            _ => {
                self.fault(name, "Input should be a valid string", value);
                None
            }
        }
    }

    /// A whole number from `least` to `most`.
    pub fn integer(&mut self, name: &'static str, least: i64, most: i64) -> Option<i64> {
        let value = self.field(name)?;
        let Some(number) = value.as_i64() else {
            self.fault(name, "Input should be a valid integer", value);
            return None;
        };
        if number < least {
            self.fault(name, &format!("Input should be greater than or equal to {least}"), value);
        } else if number > most {
            self.fault(name, &format!("Input should be less than or equal to {most}"), value);
        }
        Some(number)
    }

    /// A number from `least` to `most`; `null` is none.
    pub fn number(&mut self, name: &'static str, least: f64, most: f64) {
        let Some(value) = self.field(name).filter(|value| !value.is_null()) else { return };
        match value.as_f64() {
            None => self.fault(name, "Input should be a valid number", value),
            Some(number) if number < least => {
                self.fault(name, &format!("Input should be greater than or equal to {least}"), value);
            }
            Some(number) if number > most => {
                self.fault(name, &format!("Input should be less than or equal to {most}"), value);
            }
            Some(_) => {}
        }
    }

    /// Whether the field was given as `null`.
    pub fn is_null(&mut self, name: &'static str) -> bool {
        self.field(name).is_some_and(Value::is_null)
    }

    /// The items of a list; none where it is no list.
    pub fn items(&mut self, name: &'static str) -> &'a [Value] {
        self.field(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// One of these words; `null` is none of them.
    pub fn word(&mut self, name: &'static str, words: &[&'static str]) -> Option<&'static str> {
        let value = self.field(name)?;
        let found = words.iter().find(|word| value.as_str() == Some(word)).copied();
        if found.is_none() {
            let listed: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
            let listed = match listed.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                _ => listed.concat(),
            };
            self.fault(name, &format!("Input should be {listed}"), value);
        }
        found
    }

    pub fn id(&mut self, name: &str, value: &Value) -> Option<Id> {
        let id = value.as_str().and_then(|text| text.parse::<Id>().ok()).filter(|id| id.is_time_based());
        if id.is_none() {
            self.fault(name, "Invalid UUID1 format", value);
        }
        id
    }

    /// The faults so far.
    pub fn told(self) -> Vec<String> {
        self.faults
    }

    /// Nothing more may have been given.
    pub fn ended(mut self) -> Vec<String> {
        let extra = self.given.iter().filter(|(name, _)| !self.known.contains(&name.as_str()));
        for (name, value) in extra.map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>() {
            self.fault(&name, "Extra inputs are not permitted", &value);
        }
        self.faults
    }

    /// The faults as one answer.
    pub fn end(self) -> Result<(), Fault> {
        let faults = self.ended();
        if faults.is_empty() { Ok(()) } else { Err(Fault::argument(faults.join("\n"))) }
    }
}
