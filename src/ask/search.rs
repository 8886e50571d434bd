//! What SQL does not answer is looked for: rows by relevance, and a model's answer from them where there is a model.

use super::answer::{Answer, Chunk, Path, Reference};
use super::found::doc_counts;
use super::language::Language;
use super::markdown::escape;
use super::{AskError, Asker, prompt};
use crate::note::Note;

impl Asker<'_> {
    /// Rows and texts that the question's words find; declined when there are none.
    pub(super) async fn search(
        &self,
        question: &str,
        readings: &[String],
        mut notes: Vec<Note>,
    ) -> Result<Answer, AskError> {
        let language = Language::of(question);
        let chunks = self.found(question, self.config.answer.search_rows).await?;
        if chunks.is_empty() {
            let message = format!("{}{}", language.cannot_read(), language.readings(readings));
            return Ok(Answer::declined(question, message, notes));
        }
        let doc_aggs = doc_counts(&chunks);
        let grounded = self.grounded(question, &chunks, &mut notes).await;
        let text = grounded.unwrap_or_else(|| found(&chunks, language) + &language.readings(readings));
        let mut answer = Answer::declined(question, text, notes);
        answer.path = Path::Search;
        answer.total = chunks.len() as u64;
        answer.shown = answer.total;
        answer.reference = Reference { total: answer.total, chunks, doc_aggs };
        Ok(answer)
    }

    /// The model's answer from the rows found; marks that name no row are taken out.
    async fn grounded(&self, question: &str, chunks: &[Chunk], notes: &mut Vec<Note>) -> Option<String> {
        let client = self.llm?;
        let rows: Vec<(usize, String)> =
            chunks.iter().enumerate().map(|(n, chunk)| (n, chunk.content.clone())).collect();
        match self.reply(client, &prompt::grounded_answer(question, &rows, &self.config.llm)).await {
            Ok(reply) => Some(prompt::keep_valid_marks(&reply, chunks.len())),
            Err(error) => {
                notes.push(Note::new("model_unavailable", error.to_string()));
                None
            }
        }
    }
}

fn found(chunks: &[Chunk], language: Language) -> String {
    let mut text = format!("{}\n\n", language.found_rows(chunks.iter().any(|chunk| chunk.by_hand.is_some())));
    for (n, chunk) in chunks.iter().enumerate() {
        let line = chunk.content.lines().collect::<Vec<_>>().join("; ");
        text.push_str(&format!("- {} [ID:{n}]\n", escape(&line)));
    }
    text
}
