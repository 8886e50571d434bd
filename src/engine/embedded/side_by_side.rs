//! Work on many things with as many threads as there are processors.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::EngineError;

/// Runs each piece of work once; the first error is given.
pub(super) fn side_by_side<T: Sync>(
    work: &[T],
    run: impl Fn(&T) -> Result<(), EngineError> + Sync,
) -> Result<(), EngineError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(work.len());
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(one) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            run(one)?;
        }
        Ok(())
    };
    if threads < 2 {
        return worker();
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let failed = || EngineError::Failed("a thread stopped".to_owned());
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| failed())?)
    })
}
