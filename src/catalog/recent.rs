//! The last snapshots that were read, as long as they are still true.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::Snapshot;
use crate::ids::Id;
use crate::sql::Scope;

/// Snapshots kept: one for each scope that is asked in turn.
const KEPT: usize = 8;

struct Seen {
    kbs: Vec<Id>,
    /// What the catalog had counted of its changes.
    changes: i64,
    snapshot: Arc<Snapshot>,
}

impl Seen {
    fn is_of(&self, scope: &Scope) -> bool {
        self.kbs == scope.kbs && scope.docs.is_none()
    }
}

/// The one asked last comes first.
#[derive(Default)]
pub(super) struct Recent {
    seen: Mutex<VecDeque<Seen>>,
    /// Held while one is read.
    pub(super) reading: tokio::sync::Mutex<()>,
}

impl Recent {
    /// What was read of the scope when so many changes had been counted.
    pub(super) fn get(&self, scope: &Scope, changes: i64) -> Option<Arc<Snapshot>> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let at = seen.iter().position(|seen| seen.is_of(scope) && seen.changes == changes)?;
        let found = seen.remove(at)?;
        let snapshot = found.snapshot.clone();
        seen.push_front(found);
        Some(snapshot)
    }

    pub(super) fn put(&self, scope: &Scope, changes: i64, snapshot: Arc<Snapshot>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|seen| !seen.is_of(scope));
        seen.truncate(KEPT - 1);
        seen.push_front(Seen { kbs: scope.kbs.clone(), changes, snapshot });
    }
}

impl std::fmt::Debug for Recent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recent").finish_non_exhaustive()
    }
}
