//! Builds the index of segments that have none.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TokenizerManager;
use tantivy::{Index, IndexSettings, SingleSegmentIndexWriter};

use super::super::footer::Footer;
use super::super::side_by_side::side_by_side;
use super::super::store::{Store, damaged, io};
use super::super::view::View;
use super::content::Rows;
use super::words::{SPLIT, Split};
use crate::engine::EngineError;

/// Tantivy takes no less for its writer.
const MIN_WRITER_BYTES: usize = 15_000_000;
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

fn build_group(store: &Store, view: &View, footer: &Footer, group: usize, folder: &Path) -> Result<(), EngineError> {
    let wrong = |error: tantivy::TantivyError| damaged(folder, error);
    std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
    let (schema, fields) = schema();
    let directory = tantivy::directory::MmapDirectory::open(folder).map_err(|error| damaged(folder, error))?;
    let settings = IndexSettings {
        docstore_compression: tantivy::store::Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
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
