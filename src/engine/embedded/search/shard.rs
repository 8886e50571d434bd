//! Opened indexes, and the rows that have words.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::schema::{IndexRecordOption, Term};
use tantivy::{DocSet, Index, ReloadPolicy, Searcher, TERMINATED};

use super::super::footer::Footer;
use super::super::store::{Store, damaged};
use super::build::{Fields, schema};
use super::words::{OF_COLUMN, SPLIT, Split};
use crate::engine::EngineError;
use crate::engine::matching::Need;
use crate::engine::rowset::Bits;

/// Opened indexes kept.
const MAX_OPEN: usize = 1_024;

/// The index of one row group.
#[derive(Clone)]
pub(super) struct Shard {
    pub searcher: Searcher,
    pub segment: u32,
    /// Row of the segment that document 0 is.
    pub first_row: usize,
}

/// All indexes that were opened.
#[derive(Default)]
pub(in super::super) struct Shards {
    open: Mutex<HashMap<u32, Arc<Vec<Shard>>>>,
}

impl Shards {
    pub(super) fn of(&self, store: &Store, footer: &Footer) -> Result<Arc<Vec<Shard>>, EngineError> {
        if let Some(shards) = self.lock().get(&footer.no) {
            return Ok(shards.clone());
        }
        let folder = store.search().join(footer.no.to_string());
        let shards = (0..footer.groups.len()).map(|group| {
            let searcher = open(&folder.join(group.to_string()))?;
            Ok(Shard { searcher, segment: footer.no, first_row: footer.first_row(group) })
        });
        let shards = Arc::new(shards.collect::<Result<Vec<_>, EngineError>>()?);
        let mut open = self.lock();
        if open.len() >= MAX_OPEN {
            open.clear();
        }
        open.insert(footer.no, shards.clone());
        Ok(shards)
    }

    /// Rows of the segment whose cell in `column` has enough of the words.
    pub(in super::super) fn having(
        &self,
        store: &Store,
        footer: &Footer,
        column: &str,
        words: &[String],
        need: Need,
    ) -> Result<Bits, EngineError> {
        let (_, fields) = schema();
        let mut found = Bits::default();
        for shard in self.of(store, footer)?.iter() {
            shard.having(fields, column, words, need, &mut found).map_err(|error| damaged(&store.search(), error))?;
        }
        Ok(found)
    }

    pub(in super::super) fn forget(&self, live: &dyn Fn(u32) -> bool) {
        self.lock().retain(|no, _| live(*no));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Arc<Vec<Shard>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    fn having(
        &self,
        fields: Fields,
        column: &str,
        words: &[String],
        need: Need,
        found: &mut Bits,
    ) -> tantivy::Result<()> {
        let need = need.of(words.len());
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(fields.cells)?;
            let mut counts = vec![0u32; segment.max_doc() as usize];
            for word in words {
                let term = Term::from_field_text(fields.cells, &format!("{column}{OF_COLUMN}{word}"));
                let Some(mut postings) = index.read_postings(&term, IndexRecordOption::Basic)? else { continue };
                while postings.doc() != TERMINATED {
                    counts[postings.doc() as usize] += 1;
                    postings.advance();
                }
            }
            let rows = counts.iter().enumerate().filter(|(_, count)| **count as usize >= need);
            rows.for_each(|(row, _)| found.insert(self.first_row + row));
        }
        Ok(())
    }
}

fn open(folder: &Path) -> Result<Searcher, EngineError> {
    let open = || -> tantivy::Result<Searcher> {
        let index = Index::open_in_dir(folder)?;
        index.tokenizers().register(SPLIT, Split::default());
        Ok(index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?.searcher())
    };
    open().map_err(|error| damaged(folder, error))
}
