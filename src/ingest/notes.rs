//! Notes in bounds: ten thousand bad cells make ten lines and a count.

use std::collections::BTreeMap;

use crate::note::Note;

/// Keeps the first notes of each code and counts the rest.
#[derive(Debug)]
pub struct Notes {
    most: usize,
    kept: Vec<Note>,
    counts: BTreeMap<String, usize>,
}

impl Notes {
    pub fn new(most: usize) -> Self {
        Self { most, kept: Vec::new(), counts: BTreeMap::new() }
    }

    pub fn push(&mut self, note: Note) {
        let count = self.counts.entry(note.code.clone()).or_default();
        *count += 1;
        if *count <= self.most {
            self.kept.push(note);
        }
    }

    /// The notes, with a line for what was only counted.
    pub fn finish(mut self) -> Vec<Note> {
        for (code, count) in self.counts {
            if count > self.most {
                let more = count - self.most;
                self.kept.push(Note::new(&code, format!("and {more} more notes of the kind {code}, {count} in all")));
            }
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_notes_of_a_kind_are_a_few_and_a_count() {
        let mut notes = Notes::new(2);
        for n in 0..1000 {
            notes.push(Note::new("a", n.to_string()));
        }
        notes.push(Note::new("b", "once"));
        let notes = notes.finish();
        assert_eq!(notes.len(), 4);
        assert_eq!(notes[3].message, "and 998 more notes of the kind a, 1000 in all");
    }
}
