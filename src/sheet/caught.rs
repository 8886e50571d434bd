//! Panics of a reading library on hostile files, caught and kept off standard error.
//!
//! Comes in: work that may panic. Goes out: its result, or nothing. Must never happen: a panic elsewhere that goes unheard.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// What `work` gives, or `None` where it panics.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(silence_expected);
    let before = EXPECTED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    EXPECTED.set(before);
    done.ok()
}

/// Panics of threads that expect one say nothing; all others are told as before.
fn silence_expected() {
    let told = take_hook();
    set_hook(Box::new(move |panic| match EXPECTED.get() {
        true => tracing::debug!(%panic, "a reading library gave up"),
        false => told(panic),
    }));
}
