//! Stored rows as JSON documents of the index.

use std::collections::HashMap;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt32Type};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::engine::{Destination, Document, EngineError};
use crate::ids::row_id;
use crate::record::Contents;
use crate::tokens::Segmenter;
use crate::value::Role;
use crate::{query, value};

/// UTF-16 units of a text that Lucene takes as one term whatever its letters are: three bytes each, 32,766 at most.
const MAX_TERM_UNITS: usize = 10_922;
/// Letters of one word; the server's tokenizer would cut longer ones.
const MAX_WORD: usize = 255;

/// Whether a text is short enough to be a term.
pub(super) fn is_term(text: &str) -> bool {
    text.len() <= MAX_TERM_UNITS || text.encode_utf16().count() <= MAX_TERM_UNITS
}

/// A word as the index has it: one too long for it is its beginning and a hash of the whole.
pub(super) fn stored_word(word: &str) -> String {
    if word.encode_utf16().count() <= MAX_WORD {
        return word.to_owned();
    }
    let hash: String = Sha256::digest(word)[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let head: String = word.chars().take(MAX_WORD / 4).collect();
    format!("{head}{hash}")
}

fn joined(words: &[String]) -> String {
    words.iter().map(|word| stored_word(word)).collect::<Vec<_>>().join(" ")
}

/// Writes the rows of one table's loads.
pub(super) struct RowWriter {
    to: Destination,
    by_no: HashMap<u32, Document>,
    segmenter: Segmenter,
}

impl RowWriter {
    pub(super) fn new(to: Destination) -> Self {
        let by_no = to.documents.iter().map(|document| (document.no, document.clone())).collect();
        Self { to, by_no, segmenter: Segmenter::new() }
    }

    /// The documents of a batch whose first row has the key `first`, as lines of a bulk request: `(key, row number, lines)`.
    pub(super) fn lines(
        &mut self,
        batch: &RecordBatch,
        segment: u32,
        first: u64,
    ) -> Result<Vec<(u64, i64, Vec<u8>)>, EngineError> {
        let fields = self.to.fields.clone();
        let contents = Contents::new(&fields, batch);
        let mut lines = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let key = first + row as u64;
            let number = place(batch, row)?.1;
            let mut document = self.document(batch, row)?;
            document.insert("content_with_weight".to_owned(), contents.of(row).into());
            document.insert("segment_no".to_owned(), segment.into());
            document.insert("row_key".to_owned(), key.into());
            let mut text = json!({ "index": { "_id": key.to_string() } }).to_string().into_bytes();
            text.push(b'\n');
            serde_json::to_writer(&mut text, &document).map_err(|error| EngineError::Failed(error.to_string()))?;
            text.push(b'\n');
            lines.push((key, number, text));
        }
        Ok(lines)
    }

    fn document(&mut self, batch: &RecordBatch, row: usize) -> Result<Map<String, Value>, EngineError> {
        let (no, number, sheet) = place(batch, row)?;
        let of = self.by_no.get(&no).ok_or_else(|| EngineError::Failed(format!("no document has the number {no}")))?;
        let mut json = Map::new();
        let id = row_id(of.doc_id, sheet, u64::try_from(number).unwrap_or_default());
        json.insert("id".to_owned(), id.into());
        json.insert("kb_id".to_owned(), self.to.kb.to_string().into());
        json.insert("table_id".to_owned(), self.to.table_id.as_str().into());
        json.insert("doc_id".to_owned(), of.doc_id.to_string().into());
        json.insert("docnm_kwd".to_owned(), of.name.as_str().into());
        json.insert("doc_no".to_owned(), no.into());
        json.insert("sheet_kwd".to_owned(), sheet.into());
        json.insert("row_long".to_owned(), number.into());
        let sheet_words = self.segmenter.tokens(sheet);
        let title = [&self.segmenter.tokens(&of.name)[..], &sheet_words[..]].concat();
        json.insert("sheet_tks".to_owned(), joined(&sheet_words).into());
        json.insert("title_tks".to_owned(), joined(&title).into());
        self.add_fields(&mut json, batch, row);
        Ok(json)
    }

    /// Whether search looks in a column: not in one of a field that is for statements alone.
    fn is_searched(&self, column: &str) -> bool {
        !self.to.fields.iter().any(|field| field.role() == Role::Sql && field.column() == column)
    }

    /// Values, the words of texts, the cells' own texts, and all words of the row.
    fn add_fields(&mut self, json: &mut Map<String, Value>, batch: &RecordBatch, row: usize) {
        let mut words: Vec<String> = Vec::new();
        let (mut raw, mut too_long) = (Map::new(), Vec::new());
        let schema = batch.schema_ref().clone();
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            let name = field.name().as_str();
            if column.is_null(row) || ["row_long", "doc_no", "sheet_kwd"].contains(&name) {
                continue;
            }
            if let Some(of) = name.strip_suffix("__raw") {
                raw.insert(of.to_owned(), query::value(column.as_ref(), row).to_json());
                continue;
            }
            let value = query::value(column.as_ref(), row);
            let cell_words = self.segmenter.tokens(&value.text());
            if let value::Value::Text(text) = &value
                && !is_term(text)
            {
                too_long.push(Value::from(name));
            }
            if let Some(stem) = name.strip_suffix("_kwd") {
                let is_text = self.to.fields.iter().any(|field| field.exact().as_deref() == Some(name));
                if is_text {
                    json.insert(format!("{stem}_tks"), joined(&cell_words).into());
                }
            }
            json.insert(name.to_owned(), stored(column.as_ref(), row, &value));
            if self.is_searched(name) {
                words.extend(cell_words.iter().cloned());
            }
        }
        if !too_long.is_empty() {
            json.insert("too_long".to_owned(), too_long.into());
        }
        if !raw.is_empty() {
            json.insert("raw".to_owned(), raw.into());
        }
        json.insert("content_ltks".to_owned(), joined(&words).into());
    }
}

/// Dates in the index's one format; everything else as JSON has it.
fn stored(column: &dyn Array, row: usize, value: &value::Value) -> Value {
    match (value, column.data_type()) {
        (value::Value::DateTime(at), _) => at.format("%Y-%m-%dT%H:%M:%S").to_string().into(),
        (_, DataType::Float64) => json!(column.as_primitive::<Float64Type>().value(row)),
        _ => value.to_json(),
    }
}

/// Document number, row number and sheet.
fn place(batch: &RecordBatch, row: usize) -> Result<(u32, i64, &str), EngineError> {
    let column = |name: &str| batch.column_by_name(name);
    let found = || {
        let no = column("doc_no")?.as_primitive_opt::<UInt32Type>()?.value(row);
        let number = column("row_long")?.as_primitive_opt::<Int64Type>()?.value(row);
        Some((no, number, column("sheet_kwd")?.as_string_view_opt()?.value(row)))
    };
    found().ok_or_else(|| EngineError::Failed("a batch without the columns that place its rows".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_too_long_for_the_tokenizer_is_told_apart_by_its_hash() {
        let (one, other) = ("a".repeat(300), format!("{}b", "a".repeat(299)));
        assert_eq!(stored_word("行政"), "行政");
        assert_ne!(stored_word(&one), stored_word(&other));
        assert!(stored_word(&one).len() <= MAX_WORD);
    }
}
