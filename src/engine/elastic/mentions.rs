//! The indexes of tables' cells for questions, kept while the cells are the same.

use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::EngineError;
use crate::engine::cells::{Cells, column_of};
use crate::engine::mentions::{Building, Packed};

/// Tables whose indexes are kept.
const MAX_KEPT: usize = 1_024;

/// The cells of a table's columns, and their index.
type Kept = (Vec<Arc<Cells>>, Arc<Packed>);

#[derive(Default)]
pub(super) struct MentionIndexes {
    kept: Mutex<Vec<Kept>>,
}

impl MentionIndexes {
    /// The index of a table's text fields, made where the last ones do not have it.
    pub(super) fn of(&self, fields: &[String], cells: Vec<Arc<Cells>>) -> Result<Arc<Packed>, EngineError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, packed)) = kept.iter().find(|(own, _)| are_same(own, &cells)) {
            return Ok(packed.clone());
        }
        let building =
            |(field, cells): (&String, &Arc<Cells>)| Building::new(&column_of(field), &cells.all, field == "docnm_kwd");
        let packed = Arc::new(Packed::of(fields.iter().zip(&cells).map(building))?);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.push((cells, packed.clone()));
        Ok(packed)
    }
}

fn are_same(own: &[Arc<Cells>], cells: &[Arc<Cells>]) -> bool {
    own.len() == cells.len() && own.iter().zip(cells).all(|(own, other)| Arc::ptr_eq(own, other))
}
