//! What SQL does not answer is looked for: rows by relevance, and a model's answer from them where there is a model.

use std::collections::BTreeMap;

use super::answer::{Answer, Chunk, Path, Reference};
use super::language::Language;
use super::markdown::escape;
use super::statement::doc_count;
use super::{AskError, Asker, prompt};
use crate::note::Note;

impl Asker<'_> {
    /// Rows that the question's words find; declined when there are none.
    pub(super) async fn search(
        &self,
        question: &str,
        readings: &[String],
        mut notes: Vec<Note>,
    ) -> Result<Answer, AskError> {
        let language = Language::of(question);
        self.engine.index(self.snapshot).await?;
        let hits = self.engine.search(question, self.snapshot, self.config.answer.search_rows).await?;
        if hits.is_empty() {
            let message = format!("{}{}", language.cannot_read(), language.readings(readings));
            return Ok(Answer::declined(question, message, notes));
        }
        let sources: Vec<_> = hits.into_iter().map(|hit| hit.source).collect();
        let chunks = self.chunks(&sources).await?;
        let mut counts = BTreeMap::<u32, u64>::new();
        for source in &sources {
            *counts.entry(source.doc_no).or_default() += 1;
        }
        let document = |(no, count)| Some(doc_count(self.snapshot.document(no)?, count));
        let doc_aggs = counts.into_iter().filter_map(document).collect();
        let grounded = self.grounded(question, &chunks, &mut notes).await;
        let text = grounded.unwrap_or_else(|| found(&chunks, language) + &language.readings(readings));
        let mut answer = Answer::declined(question, text, notes);
        answer.path = Path::Search;
        answer.total = chunks.len() as u64;
        answer.shown = answer.total;
        answer.reference = Reference { total: answer.total, chunks, doc_aggs };
        Ok(answer)
    }

    /// The rows that words find, best first, with their scores.
    pub async fn found(&self, words: &str, top: usize) -> Result<Vec<(Chunk, f32)>, AskError> {
        self.engine.index(self.snapshot).await?;
        let hits = self.engine.search(words, self.snapshot, top).await?;
        let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
        let sources: Vec<_> = hits.into_iter().map(|hit| hit.source).collect();
        Ok(self.chunks(&sources).await?.into_iter().zip(scores).collect())
    }

    /// The model's answer from the rows found; marks that name no row are taken out.
    async fn grounded(&self, question: &str, chunks: &[Chunk], notes: &mut Vec<Note>) -> Option<String> {
        let client = self.llm?;
        let rows: Vec<(usize, String)> =
            chunks.iter().enumerate().map(|(n, chunk)| (n, chunk.content.clone())).collect();
        match client.complete(&prompt::grounded_answer(question, &rows, &self.config.llm)).await {
            Ok(reply) => Some(prompt::keep_valid_marks(&reply, chunks.len())),
            Err(error) => {
                notes.push(Note::new("model_unavailable", error.to_string()));
                None
            }
        }
    }
}

fn found(chunks: &[Chunk], language: Language) -> String {
    let mut text = format!("{}\n\n", language.found_rows());
    for (n, chunk) in chunks.iter().enumerate() {
        let line = chunk.content.lines().collect::<Vec<_>>().join("; ");
        text.push_str(&format!("- {} [ID:{n}]\n", escape(&line)));
    }
    text
}
