//! Builds the index of segments that have none.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, UInt32Type};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TokenizerManager;
use tantivy::{Index, IndexSettings, SingleSegmentIndexWriter, TantivyDocument};

use super::super::store::{Footer, Store, damaged, io};
use super::super::view::{Documents, View};
use super::words::{BETWEEN, OF_COLUMN, SPLIT, Split};
use crate::engine::EngineError;
use crate::{query, tokens};

/// Tantivy takes no less for its writer.
const MIN_WRITER_BYTES: usize = 15_000_000;
/// Distinct cells of one column whose words are kept while a row group is read.
const MAX_KEPT: usize = 50_000;

/// Fields of every index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// Words with the column they stand in, for MATCH.
    pub cells: Field,
    /// All words of a row, for relevance.
    pub content: Field,
    /// Words of the document's and the sheet's name.
    pub title: Field,
}

pub(super) fn schema() -> (Schema, Fields) {
    let text = |record| {
        TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(SPLIT)
                .set_index_option(record)
                .set_fieldnorms(record == IndexRecordOption::WithFreqs),
        )
    };
    let mut schema = Schema::builder();
    let fields = Fields {
        cells: schema.add_text_field("cells", text(IndexRecordOption::Basic)),
        content: schema.add_text_field("content", text(IndexRecordOption::WithFreqs)),
        title: schema.add_text_field("title", text(IndexRecordOption::WithFreqs)),
    };
    (schema.build(), fields)
}

/// Makes an index for each of the tables' segments that has none; row groups are done side by side.
pub(in super::super) fn build(store: &Store, views: &[&View]) -> Result<(), EngineError> {
    let is_missing = |footer: &Footer| !store.search().join(footer.no.to_string()).exists();
    let segments = || views.iter().flat_map(|view| view.segments().map(|segment| (*view, &*segment.footer)));
    if !segments().any(|(_, footer)| is_missing(footer)) {
        return Ok(());
    }
    let _building = store.building()?;
    let missing: Vec<(&View, &Footer, PathBuf)> = segments()
        .filter(|(_, footer)| is_missing(footer))
        .map(|(view, footer)| (view, footer, temporary(store, footer.no)))
        .collect();
    let mut work: Vec<(&View, &Footer, &PathBuf, usize)> = Vec::new();
    for (view, footer, temp) in &missing {
        work.extend((0..footer.groups.len()).map(|group| (*view, *footer, temp, group)));
    }
    side_by_side(&work, |(view, footer, temp, group)| {
        build_group(store, view, footer, *group, &temp.join(group.to_string()))
    })?;
    missing.iter().try_for_each(|(_, footer, temp)| publish(temp, &store.search().join(footer.no.to_string())))
}

/// A folder of this build alone.
fn temporary(store: &Store, no: u32) -> PathBuf {
    static BUILDS: AtomicUsize = AtomicUsize::new(0);
    let build = BUILDS.fetch_add(1, Ordering::Relaxed);
    store.search().join(format!("{no}.{}.{build}.tmp", std::process::id()))
}

/// A process that was faster has made the same index.
fn publish(temp: &Path, path: &Path) -> Result<(), EngineError> {
    match std::fs::rename(temp, path) {
        Err(_) if path.exists() => std::fs::remove_dir_all(temp).map_err(|source| io(temp, source)),
        done => done.map_err(|source| io(path, source)),
    }
}

fn side_by_side<T: Sync>(work: &[T], run: impl Fn(&T) -> Result<(), EngineError> + Sync) -> Result<(), EngineError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(work.len());
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(one) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            run(one)?;
        }
        Ok(())
    };
    if threads < 2 {
        return worker();
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let failed = || EngineError::Failed("building the search index stopped".to_owned());
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| failed())?)
    })
}

fn build_group(store: &Store, view: &View, footer: &Footer, group: usize, folder: &Path) -> Result<(), EngineError> {
    let wrong = |error: tantivy::TantivyError| damaged(folder, error);
    std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
    let (schema, fields) = schema();
    let directory = tantivy::directory::MmapDirectory::open(folder).map_err(|error| damaged(folder, error))?;
    let settings = IndexSettings { docstore_compression: tantivy::store::Compressor::None, ..IndexSettings::default() };
    let tokenizers = TokenizerManager::new();
    tokenizers.register(SPLIT, Split::default());
    let mut writer: SingleSegmentIndexWriter = Index::builder()
        .schema(schema)
        .settings(settings)
        .tokenizers(tokenizers)
        .single_segment_index_writer(directory, store.limits().search_writer_bytes.max(MIN_WRITER_BYTES))
        .map_err(wrong)?;
    let mut rows = Rows::read(footer, group, view)?;
    for row in 0..footer.groups[group] {
        writer.add_document(rows.document(row, fields)).map_err(wrong)?;
    }
    writer.finalize().map_err(wrong)?;
    Ok(())
}

/// The rows of a row group as words.
struct Rows<'a> {
    columns: Vec<Column>,
    numbers: Option<ArrayRef>,
    documents: &'a Documents,
    titles: HashMap<u32, String>,
}

struct Column {
    array: ArrayRef,
    name: String,
    /// Words of it can be asked for by MATCH.
    matched: bool,
    /// Words of it are found by search.
    searched: bool,
    kept: HashMap<String, CellWords>,
}

/// The words of one cell, alone and with their column.
#[derive(Clone, Default)]
struct CellWords {
    plain: String,
    of_column: String,
}

impl<'a> Rows<'a> {
    fn read(footer: &Footer, group: usize, view: &'a View) -> Result<Self, EngineError> {
        let own = |name: &str| name != "doc_no" && name != "row_long" && !name.ends_with("__raw");
        let names: Vec<&str> = footer.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let batch = footer.read_group(group, &names)?;
        let column = |name: &&str| {
            let array = batch.column_by_name(name)?.clone();
            let matched = array.data_type() == &DataType::Utf8View;
            let searched = !view.unsearched.contains(*name);
            Some(Column { array, name: (*name).to_owned(), matched, searched, kept: HashMap::new() })
        };
        let columns = names.iter().filter(|name| own(name)).filter_map(column).collect();
        let (numbers, documents) = (batch.column_by_name("doc_no").cloned(), view.documents.as_ref());
        Ok(Self { columns, numbers, documents, titles: HashMap::new() })
    }

    fn document(&mut self, row: usize, fields: Fields) -> TantivyDocument {
        let (mut cells, mut content) = (String::new(), String::new());
        let mut title = self.title(row);
        for column in &mut self.columns {
            let sheet = column.name == "sheet_kwd";
            let (matched, searched) = (column.matched, column.searched);
            let Some(words) = column.words(row) else { continue };
            if matched {
                cells.push_str(&words.of_column);
            }
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
    fn title(&mut self, row: usize) -> String {
        let numbers = self.numbers.as_ref().and_then(|numbers| numbers.as_primitive_opt::<UInt32Type>());
        let Some(no) = numbers.map(|numbers| numbers.value(row)) else { return String::new() };
        let documents = self.documents;
        let name = || documents.get(no).map_or("", |document| document.name.as_str());
        self.titles.entry(no).or_insert_with(|| joined(name(), None)).clone()
    }
}

impl Column {
    fn words(&mut self, row: usize) -> Option<&CellWords> {
        if self.array.is_null(row) {
            return None;
        }
        let number;
        let text = match self.array.as_string_view_opt() {
            Some(texts) => texts.value(row),
            None => {
                number = query::value(self.array.as_ref(), row).text();
                &number
            }
        };
        if !self.kept.contains_key(text) {
            if self.kept.len() >= MAX_KEPT {
                self.kept.clear();
            }
            let column = self.matched.then_some(self.name.as_str());
            let of_column = column.map(|column| joined(text, Some(column))).unwrap_or_default();
            self.kept.insert(text.to_owned(), CellWords { plain: joined(text, None), of_column });
        }
        self.kept.get(text)
    }
}

/// The words of a text, each with its end mark.
fn joined(text: &str, column: Option<&str>) -> String {
    let mut all = String::new();
    for word in tokens::tokens(text) {
        let written = match column {
            Some(column) => write!(all, "{column}{OF_COLUMN}{word}{BETWEEN}"),
            None => write!(all, "{word}{BETWEEN}"),
        };
        debug_assert!(written.is_ok());
    }
    all
}
