//! How far a long reading is, for whoever watches it and may end it.

use std::sync::Arc;

use super::ReadError;

/// Called with a sheet's name and its rows so far; says whether the reading shall go on.
type Watch<'w> = dyn Fn(&str, u64) -> bool + Send + Sync + 'w;

/// Who is told how far the reading is; nobody by default.
#[derive(Default, Clone)]
pub struct Progress<'w>(Option<Arc<Watch<'w>>>);

impl<'w> Progress<'w> {
    /// Rows between two calls.
    pub const STEP: u64 = 10_000;

    pub fn calling(watch: impl Fn(&str, u64) -> bool + Send + Sync + 'w) -> Self {
        Self(Some(Arc::new(watch)))
    }

    /// Tells the rows of a sheet, every ten thousandth. `Stopped` where the reading shall not go on.
    pub fn step(&self, sheet: &str, rows: u64) -> Result<(), ReadError> {
        if rows.is_multiple_of(Self::STEP) && rows > 0 { self.rows(sheet, rows) } else { Ok(()) }
    }

    pub(super) fn rows(&self, sheet: &str, rows: u64) -> Result<(), ReadError> {
        let goes_on = self.0.as_ref().is_none_or(|watch| watch(sheet, rows));
        if goes_on { Ok(()) } else { Err(ReadError::Stopped("the reading was stopped".to_owned())) }
    }
}

impl std::fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_watcher_is_told_each_step_and_ends_the_reading() {
        let told = AtomicU64::new(0);
        let progress = Progress::calling(|_, rows| told.swap(rows, Ordering::Relaxed) == 0);
        assert!((0..20_000).all(|row| progress.step("一月", row).is_ok()));
        assert_eq!(told.load(Ordering::Relaxed), 10_000);
        assert!(matches!(progress.step("一月", 20_000), Err(ReadError::Stopped(_))));
        assert!(Progress::default().step("一月", 10_000).is_ok());
    }
}
