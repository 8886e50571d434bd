use super::House;
use crate::config::{EmbeddedLimits, SqlLimits};
use crate::engine::embedded::Embedded;
use crate::engine::{Engine, Likeness};
use crate::sql::{Found, Lookup, Wanted};

fn cells(max_distinct: usize) -> House {
    let mut house = House::with(EmbeddedLimits { max_distinct, row_group_rows: 3, ..EmbeddedLimits::default() });
    let names = ["行政管理部", "行政", "Sales Team", "sales team", "Manchester United", "昆山（江苏）", "12"];
    house.put("一月报表.xlsx", &names.map(|name| (Some(name), Some(1), None)));
    house
}

async fn look_up(house: &House, text: &str, wanted: Wanted) -> Found {
    let lookup = Lookup { table: "sales".into(), field: "name_tks".into(), text: text.into(), wanted };
    house.engine.lookup(&lookup, &house.snapshot).await.expect("found")
}

#[tokio::test]
async fn the_ladder_stops_at_the_first_step_that_finds_cells() {
    for max_distinct in [100, 2] {
        let house = cells(max_distinct);
        let found = look_up(&house, "行政", Wanted::Equal).await;
        assert_eq!((found.exact, found.folded.len()), (vec!["行政".to_owned()], 0));
        let found = look_up(&house, " SALES team", Wanted::Equal).await;
        assert_eq!(found.folded, ["Sales Team", "sales team"]);
        let found = look_up(&house, "united manchester", Wanted::Equal).await;
        assert_eq!((found.folded.len(), found.all_tokens), (0, vec!["Manchester United".to_owned()]));
        let found = look_up(&house, "manchester club united", Wanted::Equal).await;
        assert_eq!((found.all_tokens.len(), found.some_tokens), (0, vec!["Manchester United".to_owned()]));
        let found = look_up(&house, "行政", Wanted::Contains).await;
        assert_eq!(found.exact, ["行政", "行政管理部"]);
        assert_eq!(look_up(&house, "zzzz", Wanted::Equal).await, Found::default());
    }
    let found = look_up(&cells(100), "Manchestr Unitde", Wanted::Equal).await;
    assert_eq!(found.nearest, ["Manchester United"]);
}

#[tokio::test]
async fn a_question_names_cells_with_their_bytes() {
    let house = cells(100);
    for (question, said, cell, how) in [
        ("行政管理部有多少人", "行政管理部", "行政管理部", Likeness::Exact),
        ("how many in the ＳＡＬＥＳ　Team?", "ＳＡＬＥＳ　Team", "sales team", Likeness::Folded),
        ("did Manchestre United win", "Manchestre United", "Manchester United", Likeness::Fuzzy),
        ("昆山的销售额", "昆山", "昆山（江苏）", Likeness::Partial),
        ("一月报表里的合计", "一月报表", "一月报表.xlsx", Likeness::Partial),
        ("number 12 of", "12", "12", Likeness::Exact),
    ] {
        let mentions = house.engine.mentions(question, &house.snapshot).await.expect("mentions");
        let found = mentions.iter().find(|mention| mention.cell == cell);
        let found = found.unwrap_or_else(|| panic!("{question}: {mentions:?}"));
        assert_eq!((&question[found.start..found.end], found.how), (said, how), "{question}");
    }
    let mentions = house.engine.mentions("行政管理部 123", &house.snapshot).await.expect("mentions");
    assert_eq!(mentions.len(), 1, "neither the shorter cell within nor a part of a number: {mentions:?}");
}

#[tokio::test]
async fn cells_are_kept_for_the_next_process_and_made_anew_where_they_are_broken() {
    let limits = EmbeddedLimits { row_group_rows: 3, ..EmbeddedLimits::default() };
    let mut house = House::opened(limits.clone(), true);
    house.put("一.xlsx", &[(Some("昆山"), Some(1), None), (Some("苏州"), Some(1), None)]);
    let named = async |house: &House| {
        let mentions = house.engine.mentions("昆山和苏州", &house.snapshot).await.expect("mentions");
        mentions.into_iter().map(|mention| mention.cell).collect::<Vec<_>>()
    };
    house.engine.index(&house.snapshot).await.expect("indexed");
    let file = house.folder.path().join("mentions/1");
    let whole = std::fs::read(&file).expect("kept");
    for bytes in [&whole[..], &whole[..whole.len() - 3], b"none"] {
        std::fs::write(&file, bytes).expect("written");
        house.engine = Embedded::open(house.folder.path(), &limits, &SqlLimits::default(), true).expect("an engine");
        assert_eq!(named(&house).await, ["昆山", "苏州"]);
        assert_eq!(std::fs::read(&file).expect("kept"), whole);
    }
    house.snapshot.tables[0].parts[0].segments[0].docs = Some(Vec::new());
    assert!(named(&house).await.is_empty(), "cells of rows that are not live");
}
