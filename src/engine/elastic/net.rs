//! Threads of our own for what goes over the network, so that callers with and without a runtime can wait for it.

use std::sync::mpsc::sync_channel;

use tokio::runtime::{Builder, Runtime};

use crate::engine::EngineError;

/// A small runtime that ends without waiting when its engine goes.
#[derive(Debug)]
pub(super) struct Net(Option<Runtime>);

impl Net {
    pub(super) fn start() -> Result<Self, EngineError> {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("engine-net").enable_all().build();
        let failed = |error: std::io::Error| EngineError::Failed(format!("no threads for the network: {error}"));
        Ok(Self(Some(runtime.map_err(failed)?)))
    }

    /// Runs work over there and waits without blocking.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        let Some(runtime) = &self.0 else { return Err(stopped()) };
        runtime.spawn(work).await.map_err(|_| stopped())
    }

    /// Begins work over there; what it gives is waited for by blocking.
    pub(super) fn begin<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Begun<T> {
        let (sender, receiver) = sync_channel(1);
        if let Some(runtime) = &self.0 {
            runtime.spawn(async move {
                // Who no longer waits needs no answer.
                let _ = sender.send(work.await);
            });
        }
        Begun(receiver)
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Work that was begun.
pub(super) struct Begun<T>(std::sync::mpsc::Receiver<T>);

impl<T> Begun<T> {
    pub(super) fn wait(self) -> Result<T, EngineError> {
        self.0.recv().map_err(|_| stopped())
    }
}

fn stopped() -> EngineError {
    EngineError::Failed("the network's threads stopped".to_owned())
}
