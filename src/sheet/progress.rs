//! How far a long reading is, for whoever watches it.

/// Called with a sheet's name and its rows so far.
type Watch<'w> = dyn Fn(&str, u64) + Send + Sync + 'w;

/// Rows between two calls.
const STEP: u64 = 10_000;

/// Who is told how far the reading is; nobody by default.
#[derive(Default)]
pub struct Progress<'w>(Option<Box<Watch<'w>>>);

impl<'w> Progress<'w> {
    pub fn calling(watch: impl Fn(&str, u64) + Send + Sync + 'w) -> Self {
        Self(Some(Box::new(watch)))
    }

    /// Tells the rows of a sheet, every ten thousandth.
    pub fn step(&self, sheet: &str, rows: u64) {
        if rows.is_multiple_of(STEP) && rows > 0 {
            self.rows(sheet, rows);
        }
    }

    pub(super) fn rows(&self, sheet: &str, rows: u64) {
        self.0.iter().for_each(|watch| watch(sheet, rows));
    }
}

impl std::fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}
