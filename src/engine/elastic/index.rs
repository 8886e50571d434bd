//! One index for each knowledge base: made from `mappings/index.json`, its fields added before a row uses them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Cluster;
use super::fault::Fault;
use super::server::Request;
use crate::engine::EngineError;
use crate::ids::Id;
use crate::schema::Field;
use crate::sql::{Code, Refusal};

const TEMPLATE: &str = include_str!("../../../mappings/index.json");

/// An index of ours as the server has it.
#[derive(Debug)]
pub(super) struct Own {
    pub name: String,
    /// The data folder whose catalog names its rows.
    pub owner: String,
    pub version: u64,
    /// Stored names of its fields.
    pub fields: Vec<String>,
}

/// The template, which is ours and is read by tests.
fn template() -> Value {
    serde_json::from_str(TEMPLATE).unwrap_or_default()
}

/// The version of the mapping that this program writes.
pub(super) fn version() -> u64 {
    template()["version"].as_u64().unwrap_or_default()
}

/// The mapping of a stored name: the template's rule for its suffix.
fn mapping(name: &str) -> Option<Value> {
    let template = template();
    let rules = template["template"]["mappings"]["dynamic_templates"].as_array()?.clone();
    let rules = rules.iter().filter_map(|rule| rule.as_object()?.values().next().cloned());
    let fits = |rule: &Value| {
        rule["match"].as_str().and_then(|pattern| pattern.strip_prefix('*')).is_some_and(|end| name.ends_with(end))
    };
    rules.into_iter().find(fits).map(|rule| rule["mapping"].clone())
}

/// Stored names that the fields need: a text field has two.
fn stored_names(fields: &[Field]) -> Vec<String> {
    fields.iter().flat_map(|field| std::iter::once(field.name.clone()).chain(field.exact())).collect()
}

impl Cluster {
    /// The physical name of a knowledge base's index.
    pub(super) fn index_of(&self, kb: Id) -> String {
        format!("{}{kb}", self.prefix)
    }

    /// The index of a knowledge base with all these fields in it, made where it is not there.
    pub(super) async fn prepare(&self, kb: Id, fields: &[Field], max_fields: usize) -> Result<String, EngineError> {
        let index = self.index_of(kb);
        let own = match self.read_index(&index).await? {
            Some(own) => own,
            None => {
                self.create(&index, kb, max_fields).await?;
                let read = self.read_index(&index).await?;
                read.ok_or_else(|| EngineError::Failed(format!("the index {index} was made and is not there")))?
            }
        };
        self.check(&own)?;
        let missing: Vec<String> = stored_names(fields).into_iter().filter(|name| !own.fields.contains(name)).collect();
        let all = own.fields.len() + missing.len();
        if all > max_fields {
            return Err(Refusal::new(
                Code::TooLarge,
                format!("the knowledge base would have {all} stored fields; its index holds {max_fields}"),
                "put the files into several knowledge bases, or raise engine.max_fields",
            )
            .into());
        }
        if !missing.is_empty() {
            let properties: Map<String, Value> =
                missing.iter().filter_map(|name| Some((name.clone(), mapping(name)?))).collect();
            self.server.json(&Request::put(format!("/{index}/_mapping"), &json!({ "properties": properties }))).await?;
        }
        Ok(index)
    }

    async fn create(&self, index: &str, kb: Id, max_fields: usize) -> Result<(), EngineError> {
        let mut body = template()["template"].clone();
        body["settings"]["index"]["mapping"]["total_fields"]["limit"] = json!(max_fields);
        body["mappings"]["_meta"]["owner"] = json!(self.owner);
        body["mappings"]["_meta"]["kb"] = json!(kb.to_string());
        match self.server.json(&Request::put(format!("/{index}"), &body)).await {
            Err(fault) if fault.is("resource_already_exists_exception") => Ok(()),
            done => Ok(done.map(drop)?),
        }
    }

    fn check(&self, own: &Own) -> Result<(), EngineError> {
        if own.owner != self.owner {
            return Err(EngineError::Failed(format!("the index {} is of another data folder", own.name)));
        }
        if own.version != version() {
            return Err(EngineError::Failed(format!(
                "the index {} is of version {} and this program writes {}; remove the knowledge base and add its files again",
                own.name,
                own.version,
                version()
            )));
        }
        Ok(())
    }

    async fn read_index(&self, index: &str) -> Result<Option<Own>, EngineError> {
        match self.server.json(&Request::get(format!("/{index}/_mapping"))).await {
            Err(fault) if fault.is("index_not_found_exception") => Ok(None),
            Err(fault) => Err(fault.into()),
            Ok(found) => Ok(owned(&found).into_values().next()),
        }
    }

    /// All indexes that this data folder made.
    pub(super) async fn own_indexes(&self) -> Result<Vec<Own>, EngineError> {
        let path = format!("/{}*/_mapping?allow_no_indices=true", self.prefix);
        match self.server.json(&Request::get(path)).await {
            Err(Fault::Status { code: 404, .. }) => Ok(Vec::new()),
            Err(fault) => Err(fault.into()),
            Ok(found) => Ok(owned(&found).into_values().filter(|own| own.owner == self.owner).collect()),
        }
    }
}

fn owned(found: &Value) -> BTreeMap<String, Own> {
    let indexes = found.as_object().into_iter().flatten();
    indexes
        .filter_map(|(name, index)| {
            let (meta, fields) = (&index["mappings"]["_meta"], &index["mappings"]["properties"]);
            let own = Own {
                name: name.clone(),
                owner: meta["owner"].as_str()?.to_owned(),
                version: meta["version"].as_u64().unwrap_or_default(),
                fields: fields.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default(),
            };
            Some((name.clone(), own))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stored_name_has_a_mapping_by_its_suffix() {
        for (name, kind) in [
            ("xing_ming_tks", "text"),
            ("xing_ming_kwd", "keyword"),
            ("n_long", "long"),
            ("n_flt", "double"),
            ("when_dt", "date"),
        ] {
            assert_eq!(mapping(name).map(|mapping| mapping["type"].clone()), Some(json!(kind)), "{name}");
        }
        assert!(version() > 0);
    }
}
