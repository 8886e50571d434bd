//! What the words of a question find: rows by the engine's relevance, texts added by hand by the catalog's, as one list.

use std::collections::HashSet;

use super::answer::{Chunk, DocCount};
use super::{AskError, Asker};
use crate::tokens::{share, tokens};

impl Asker<'_> {
    /// The rows and texts that words find, best first.
    pub async fn found(&self, words: &str, top: usize) -> Result<Vec<Chunk>, AskError> {
        let texts = self.catalog.find_texts(self.scope, words, top).await?;
        let texts = texts.into_iter().map(Chunk::from).collect();
        Ok(merged(self.found_rows(words, top).await?, texts, words, top))
    }

    async fn found_rows(&self, words: &str, top: usize) -> Result<Vec<Chunk>, AskError> {
        if self.snapshot.documents.is_empty() {
            return Ok(Vec::new());
        }
        self.engine.index(self.snapshot).await?;
        let hits = self.engine.search(words, self.snapshot, top).await?;
        let sources: Vec<_> = hits.into_iter().map(|hit| hit.source).collect();
        self.chunks(&sources).await
    }
}

/// Scores of two collections can't be compared: of the best row and the best text left, the one that has more of the words comes
/// first, the row where both have as many. Neither list's own order changes.
fn merged(rows: Vec<Chunk>, texts: Vec<Chunk>, words: &str, top: usize) -> Vec<Chunk> {
    if texts.is_empty() {
        return rows;
    }
    let words: HashSet<String> = tokens(words).into_iter().collect();
    let measured = |chunk: Chunk| (share(&words, &chunk.searched()), chunk);
    let (mut rows, mut texts) = (rows.into_iter().map(measured).peekable(), texts.into_iter().map(measured).peekable());
    let next = || match (rows.peek(), texts.peek()) {
        (Some((of_row, _)), Some((of_text, _))) if of_text > of_row => texts.next(),
        (Some(_), _) => rows.next(),
        (None, _) => texts.next(),
    };
    std::iter::from_fn(next).take(top).map(|(_, chunk)| chunk).collect()
}

/// How many of each document, in order of their first.
pub(super) fn doc_counts(chunks: &[Chunk]) -> Vec<DocCount> {
    let mut counts: Vec<DocCount> = Vec::new();
    for chunk in chunks {
        match counts.iter_mut().find(|count| count.doc_id == chunk.doc_id) {
            Some(count) => count.count += 1,
            None => counts.push(DocCount { doc_id: chunk.doc_id.clone(), doc_name: chunk.docnm_kwd.clone(), count: 1 }),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::ByHand;

    fn chunk(content: &str, by_hand: bool) -> Chunk {
        let hand =
            ByHand { important_keywords: Vec::new(), questions: Vec::new(), positions: Vec::new(), available: true };
        let (id, doc_id) = (content.to_owned(), "d".to_owned());
        let (docnm_kwd, kb_id, sheet) = (String::new(), String::new(), String::new());
        let by_hand = by_hand.then_some(hand);
        Chunk { id, doc_id, docnm_kwd, kb_id, sheet, row: 0, column: None, content: content.to_owned(), by_hand }
    }

    #[test]
    fn more_of_the_words_comes_first_and_each_list_keeps_its_order() {
        let rows = ["red car", "blue", "red blue car"].map(|content| chunk(content, false));
        let texts = ["red blue car engine", "car x", "y"].map(|content| chunk(content, true));
        let all = merged(rows.to_vec(), texts.to_vec(), "red blue car", 5);
        let ids: Vec<&str> = all.iter().map(|chunk| chunk.id.as_str()).collect();
        assert_eq!(ids, ["red blue car engine", "red car", "blue", "red blue car", "car x"]);
        assert_eq!(doc_counts(&all)[0].count, 5);
    }
}
