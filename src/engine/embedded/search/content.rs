//! The rows of a row group as words.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, UInt32Type};
use datafusion::common::HashMap;
use tantivy::TantivyDocument;

use super::super::footer::Footer;
use super::super::view::View;
use super::build::Fields;
use super::words::{BETWEEN, OF_COLUMN};
use crate::engine::EngineError;
use crate::engine::documents::Documents;
use crate::{query, tokens};

/// Cells of a column after which it is asked whether they repeat, and one in how many must.
const TRIED: usize = 4_096;
const REPEATED: usize = 64;
/// Distinct cells of one column whose words are remembered.
const MAX_REMEMBERED: usize = 65_536;

pub(super) struct Rows<'a> {
    columns: Vec<Column>,
    numbers: Option<ArrayRef>,
    documents: &'a Documents,
    titles: HashMap<u32, Arc<str>>,
}

struct Column {
    array: ArrayRef,
    name: String,
    /// Words of it can be asked for by MATCH.
    matched: bool,
    /// Words of it are found by search.
    searched: bool,
    remembered: Remembered,
}

/// The words of one cell, each with its end mark: alone and with their column.
#[derive(Debug, Clone, Default)]
struct CellWords {
    plain: String,
    of_column: String,
}

impl<'a> Rows<'a> {
    pub(super) fn read(footer: &Footer, group: usize, view: &'a View) -> Result<Self, EngineError> {
        let own = |name: &str| name != "doc_no" && name != "row_long" && !name.ends_with("__raw");
        let names: Vec<&str> = footer.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let wanted: Vec<&str> = names.iter().copied().filter(|name| own(name) || *name == "doc_no").collect();
        let batch = footer.read_group(group, &wanted)?;
        let column = |name: &&str| {
            let array = batch.column_by_name(name)?.clone();
            let matched = array.data_type() == &DataType::Utf8View;
            let searched = !view.unsearched.contains(*name);
            Some(Column { array, name: (*name).to_owned(), matched, searched, remembered: Remembered::default() })
        };
        let columns = names.iter().filter(|name| own(name)).filter_map(column).collect();
        let (numbers, documents) = (batch.column_by_name("doc_no").cloned(), view.documents.as_ref());
        Ok(Self { columns, numbers, documents, titles: HashMap::default() })
    }

    pub(super) fn document(&mut self, row: usize, fields: Fields) -> TantivyDocument {
        let (mut cells, mut content) = (String::with_capacity(512), String::with_capacity(256));
        let mut title = self.title(row).to_string();
        for column in &mut self.columns {
            let (sheet, searched) = (column.name == "sheet_kwd", column.searched);
            let Some(words) = column.words(row) else { continue };
            cells.push_str(&words.of_column);
            if searched {
                if sheet { &mut title } else { &mut content }.push_str(&words.plain);
            }
        }
        let mut document = TantivyDocument::new();
        document.add_text(fields.cells, cells);
        document.add_text(fields.content, content);
        document.add_text(fields.title, title);
        document
    }

    /// Words of the document's name.
    fn title(&mut self, row: usize) -> Arc<str> {
        let numbers = self.numbers.as_ref().and_then(|numbers| numbers.as_primitive_opt::<UInt32Type>());
        let Some(no) = numbers.map(|numbers| numbers.value(row)) else { return "".into() };
        let documents = self.documents;
        let name = || documents.get(no).map_or("", |document| document.name.as_str());
        self.titles.entry(no).or_insert_with(|| CellWords::of(name(), None).plain.into()).clone()
    }
}

impl Column {
    fn words(&mut self, row: usize) -> Option<&CellWords> {
        if self.array.is_null(row) {
            return None;
        }
        let name = self.matched.then_some(self.name.as_str());
        Some(match self.array.as_string_view_opt() {
            Some(texts) => self.remembered.words(texts.value(row), name),
            None => self.remembered.words(&query::value(self.array.as_ref(), row).text(), name),
        })
    }
}

/// Words of cells that were met; of a column whose cells hardly repeat only the last ones.
#[derive(Debug, Default)]
struct Remembered {
    places: HashMap<Box<str>, usize>,
    words: Vec<CellWords>,
    tried: usize,
    last: CellWords,
}

impl Remembered {
    fn words(&mut self, text: &str, column: Option<&str>) -> &CellWords {
        if self.tried < TRIED || self.repeats() {
            self.tried += 1;
            if let Some(&place) = self.places.get(text) {
                return &self.words[place];
            }
            if self.words.len() < MAX_REMEMBERED {
                self.places.insert(text.into(), self.words.len());
                self.words.push(CellWords::of(text, column));
                return &self.words[self.words.len() - 1];
            }
        }
        self.last = CellWords::of(text, column);
        &self.last
    }

    fn repeats(&self) -> bool {
        (self.tried - self.words.len()) * REPEATED >= self.tried
    }
}

impl CellWords {
    fn of(text: &str, column: Option<&str>) -> Self {
        let mut words = Self::default();
        tokens::each(text, |word| {
            words.plain.push_str(word);
            words.plain.push(BETWEEN);
            if let Some(column) = column {
                words.of_column.push_str(column);
                words.of_column.push(OF_COLUMN);
                words.of_column.push_str(word);
                words.of_column.push(BETWEEN);
            }
        });
        words
    }
}
