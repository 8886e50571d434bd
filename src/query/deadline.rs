//! A time limit that holds while every worker of the runtime computes, when its own timers come late.

use std::pin::pin;
use std::sync::mpsc;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{Either, select};

/// What the work gives, `None` where it takes longer. Work that is given up stops where it next waits.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    if limit.is_zero() {
        return None;
    }
    let (_running, ended) = mpsc::channel::<()>();
    let (ring, rung) = oneshot::channel();
    let clock = move || match ended.recv_timeout(limit) {
        Err(mpsc::RecvTimeoutError::Timeout) => ring.send(()),
        _ => Ok(()),
    };
    let _ = std::thread::Builder::new().name("deadline".to_owned()).spawn(clock);
    match select(pin!(work), rung).await {
        Either::Left((done, _)) => Some(done),
        Either::Right((Ok(()), _)) => None,
        Either::Right((Err(_), work)) => Some(work.await),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Computes without ever waiting, on both workers.
    async fn hogs(until: Instant) {
        let hog = move || async move { while Instant::now() < until {} };
        let _ = futures::future::join(tokio::spawn(hog()), tokio::spawn(hog())).await;
    }

    #[test]
    fn it_rings_while_all_workers_compute() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let begin = Instant::now();
        let done = runtime.block_on(within(Duration::from_millis(50), hogs(begin + Duration::from_secs(3))));
        assert!(done.is_none() && begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
        runtime.shutdown_background();
    }

    #[tokio::test]
    async fn work_that_is_done_in_time_is_given() {
        assert_eq!(within(Duration::from_secs(60), async { 3 }).await, Some(3));
    }
}
