use super::{House, batch};
use crate::config::EmbeddedLimits;
use crate::engine::{Engine, LiveSegment};
use crate::value::Value;

#[tokio::test]
async fn merging_keeps_live_rows_and_leaves_dead_ones_behind() {
    let mut house = House::with(EmbeddedLimits { max_segments: 4, ..EmbeddedLimits::default() });
    for document in 0..20 {
        house.put(&format!("{document}.csv"), &[(Some("甲"), Some(document), None), (None, Some(1), None)]);
    }
    let part = &mut house.snapshot.tables[0].parts[0];
    part.segments[3].docs = Some(Vec::new());
    let before = house.one("SELECT SUM(amount_long) FROM sales").await;
    let merged = house.engine.merge(&house.snapshot.tables[0].parts[0].segments).await.expect("merged");
    assert_eq!(merged.len(), 1);
    let part = &mut house.snapshot.tables[0].parts[0];
    part.segments.retain(|live| !merged[0].old.contains(&live.segment.no));
    part.segments.extend(merged[0].new.clone().map(|segment| LiveSegment { segment, docs: None }));
    assert!(part.segments.len() <= 4);
    assert_eq!(part.segments.iter().map(|live| live.segment.rows).sum::<u64>(), 38);
    assert_eq!(house.one("SELECT SUM(amount_long) FROM sales").await, before);
}

#[tokio::test]
async fn sweeping_removes_what_no_one_names() {
    let mut house = House::opened(EmbeddedLimits::default(), true);
    let kept = house.put("a.csv", &[(Some("甲"), Some(1), None)]);
    let dead = house.write(9, &[(Some("乙"), Some(2), None)]);
    let mut broken = house.engine.writer(&house.destination()).expect("a writer");
    broken.push(batch(9, &[(None, None, None)])).expect("pushed");
    std::mem::forget(broken);
    house.engine.index(&house.snapshot).await.expect("indexed");
    for name in [dead.no.to_string(), format!("{}.7.0.tmp", kept.no)] {
        std::fs::write(house.folder.path().join("mentions").join(name), "cells").expect("written");
    }
    house.engine.sweep(std::slice::from_ref(&kept)).expect("swept");
    let left = |folder: &str| {
        let entries = std::fs::read_dir(house.folder.path().join(folder)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(left("segments"), [format!("{}.parquet", kept.no)]);
    assert_eq!(left("search"), [kept.no.to_string()]);
    assert_eq!(left("mentions"), [kept.no.to_string()]);
    assert_ne!(kept.no, dead.no);
    assert_eq!(house.one("SELECT COUNT(*) FROM sales").await, Value::Integer(1));
}

#[tokio::test]
async fn cached_columns_stay_within_their_bytes() {
    let mut house =
        House::with(EmbeddedLimits { cache_bytes: 40_000, row_group_rows: 1_000, ..EmbeddedLimits::default() });
    let rows: Vec<super::Row<'_>> =
        (0..10_000).map(|n| (Some("甲乙丙丁甲乙丙丁甲乙丙丁"), Some(n), Some(0.5))).collect();
    house.put("a.csv", &rows);
    for _ in 0..2 {
        let sum = house.one("SELECT SUM(amount_long) FROM sales WHERE name_kwd LIKE '甲%' AND score_flt = 0.5").await;
        assert_eq!(sum, Value::Integer(49_995_000));
        let held = house.engine.store.cached_bytes();
        assert!(held > 0 && held <= 40_000, "{held}");
    }
}
