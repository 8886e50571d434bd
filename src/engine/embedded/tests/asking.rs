use super::House;
use crate::config::EmbeddedLimits;
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
