//! The queue of parses: it waits for what will pass, and keeps nobody from stopping the service.

use std::time::{Duration, Instant};

use sheetwise::config::Config;

use super::{Served, prices, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_document_waits_while_the_engine_s_server_is_down() {
    let mut config = Config::default();
    (config.engine.url, config.engine.patience_seconds) = ("http://127.0.0.1:1".to_owned(), 1);
    let served = Served::with(config).await;
    let dataset = served.dataset("d").await;
    let uploaded = served.upload(&dataset, &[("a.csv", prices(3))]).await;
    let id = text(&uploaded["data"][0]["id"]);
    served.parse(&dataset, &id).await;
    for _ in 0..40 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let document = served.document(&dataset, &id).await;
        assert_eq!(document["run"], "RUNNING", "{document}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_does_not_wait_for_another_writer() {
    let mut config = Config::default();
    config.serve.stop_seconds = 1;
    let mut served = Served::with(config).await;
    let writer = std::fs::File::create(served.folder().join("write.lock")).expect("a file");
    writer.lock().expect("the lock");
    let dataset = served.dataset("d").await;
    let uploaded = served.upload(&dataset, &[("a.csv", prices(3))]).await;
    served.parse(&dataset, &text(&uploaded["data"][0]["id"])).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let started = Instant::now();
    served.stop().await;
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}
