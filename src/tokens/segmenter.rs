//! Tokens of many cells, each distinct text cut once.

use std::collections::HashMap;
use std::sync::Arc;

use super::tokens;

/// Texts remembered before all are forgotten.
const MOST_TEXTS: usize = 100_000;
/// Bytes of a text that is remembered; longer ones hardly repeat.
const LONGEST_TEXT: usize = 256;

/// Cuts text as [`tokens`] does and remembers what it cut.
#[derive(Debug, Default)]
pub struct Segmenter {
    known: HashMap<Box<str>, Arc<[String]>>,
}

impl Segmenter {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn tokens(&mut self, text: &str) -> Arc<[String]> {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let cut: Arc<[String]> = tokens(text).into();
        if text.len() <= LONGEST_TEXT {
            if self.known.len() == MOST_TEXTS {
                self.known.clear();
            }
            self.known.insert(text.into(), cut.clone());
        }
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_what_it_cut() {
        let mut segmenter = Segmenter::new();
        let first = segmenter.tokens("行政 Orders");
        assert!(Arc::ptr_eq(&first, &segmenter.tokens("行政 Orders")));
        assert_eq!(first.to_vec(), tokens("行政 Orders"));
    }
}
