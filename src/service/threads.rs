//! Threads for work that computes: a heavy statement keeps them busy, never those that answer requests.

use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime of its own; what still runs when it is dropped is left behind.
pub struct Threads(Option<Runtime>);

impl Threads {
    pub fn new() -> std::io::Result<Self> {
        Builder::new_multi_thread().thread_name("work").enable_all().build().map(|runtime| Self(Some(runtime)))
    }

    /// Where work is run; the caller's own where there are no threads any more.
    pub fn handle(&self) -> Handle {
        self.0.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
