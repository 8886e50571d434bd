use chrono::NaiveDate;
use proptest::prelude::*;

use super::*;
use crate::value::{Cell, FieldType, datetime_text, decimal_text};

fn profile(cells: &[Cell<'_>]) -> Profile {
    let mut profile = Profile::default();
    cells.iter().for_each(|cell| profile.observe(cell));
    profile
}

fn texts(text: &str) -> Vec<Cell<'_>> {
    text.split('|').map(|text| Cell::Text(text.into())).collect()
}

fn decided(label: &str, cells: &[Cell<'_>]) -> Decision {
    decide(&profile(cells), &Label::parse(label), None)
}

/// The values of a column as text, misfits as `!`, nulls empty.
fn values(decision: &Decision, cells: &[Cell<'_>]) -> String {
    let shown = |cell| match decision.convert(cell).value {
        Typed::Null => String::new(),
        Typed::Text(text) => text.into_owned(),
        Typed::Integer(n) => n.to_string(),
        Typed::Decimal(x) => decimal_text(x),
        Typed::DateTime(at) => datetime_text(&at),
        Typed::Flag(flag) => if flag { "yes" } else { "no" }.to_owned(),
        Typed::Misfit => "!".to_owned(),
    };
    cells.iter().map(shown).collect::<Vec<_>>().join("|")
}

#[test]
fn points_that_may_part_thousands_are_told_and_can_be_read_so() {
    for (cells, assumed) in [
        ("1.200|2.500|3.100", true),
        ("5|1.200", true),
        ("€1.200|€2.500", true),
        ("1.200|0.500", false),
        ("1.200|2.5", false),
        ("1,200|2,500", false),
        ("1.200,50|3,5|1.000", false),
        ("1.200.000|1.000", false),
        ("1|2", false),
    ] {
        assert_eq!(decided("Menge", &texts(cells)).decimal_point_assumed, assumed, "{cells}");
    }
    let cells = texts("1.200|5|3.100");
    let forced = |kind| decide(&profile(&cells), &Label::parse("Menge"), Some(&Override { kind }));
    let whole = forced(FieldType::Integer);
    assert_eq!((values(&whole, &cells).as_str(), whole.unfit()), ("1200|5|3100", 0));
    let decimal = forced(FieldType::Decimal);
    assert_eq!((values(&decimal, &cells).as_str(), decimal.decimal_point_assumed), ("1.2|5|3.1", false));
    let english = texts("1,200|5|3.5");
    let whole = decide(&profile(&english), &Label::parse("x"), Some(&Override { kind: FieldType::Integer }));
    assert_eq!(values(&whole, &english), "1200|5|!");
}

#[test]
fn fractions_of_typed_times_are_counted_and_kept_as_text() {
    let second = NaiveDate::from_ymd_opt(2024, 1, 5).and_then(|day| day.and_hms_opt(10, 30, 0)).expect("a time");
    let part = second + chrono::TimeDelta::milliseconds(400);
    let cells = [Cell::DateTime(second), Cell::DateTime(part)];
    let decision = decided("时刻", &cells);
    assert_eq!(profile(&cells).left_out_of_times().2, 1);
    let literal = cells.each_ref().map(|cell| decision.convert(cell).literal);
    assert_eq!(
        (values(&decision, &cells).as_str(), literal),
        ("2024-01-05T10:30:00|2024-01-05T10:30:00", [true, false])
    );
    assert_eq!(cells[1].text(), "2024-01-05T10:30:00.400");
}

#[test]
fn a_label_of_any_length_is_read_at_once() {
    let began = std::time::Instant::now();
    let label = Label::parse(&"(".repeat(200_000));
    assert!(began.elapsed().as_secs() < 5 && label.text.len() == 200_000);
}

#[test]
fn types_of_columns_of_text() {
    use FieldType::{DateTime, Decimal, Flag, Integer, Text};
    for (label, cells, kind, stored, unit) in [
        ("数量", "1|2|-3", Integer, "1|2|-3", None),
        ("数量", "1,200|800", Integer, "1200|800", None),
        ("数量", "12万|8000", Integer, "120000|8000", None),
        ("数量", "1|N/A|-|无||3", Integer, "1|||||3", None),
        ("单价", "1.5|2|+3.25", Decimal, "1.5|2|3.25", None),
        ("金额（万元）", "1.5|2", Decimal, "1.5|2", Some("万元")),
        ("金额（万元）", "12万|8000", Text, "12万|8000", Some("万元")),
        ("金额（万元）", "12万元|3万元", Integer, "120000|30000", Some("元")),
        ("金额", "￥1,200.00|￥3|5", Decimal, "1200|3|5", Some("¥")),
        ("金额", "$3|€4|$5", Text, "$3|€4|$5", None),
        ("Preis", "1.200,50|3,5|1.000", Decimal, "1200.5|3.5|1000", None),
        ("Price", "1,200.50|1.000", Decimal, "1200.5|1", None),
        ("利润", "(1,200)|300", Integer, "-1200|300", None),
        ("场次", "(7)|13|11", Text, "(7)|13|11", None),
        ("利润", "$3,457|(56)|$(803)", Integer, "3457|-56|-803", Some("$")),
        ("占比", "12%|0|7.5%", Decimal, "0.12|0|0.075", Some("%")),
        ("占比", "12%|12", Text, "12%|12", None),
        ("占比（%）", "12|35.2", Decimal, "12|35.2", Some("percent")),
        ("占比（%）", "0.1|0.35", Decimal, "0.1|0.35", None),
        ("重量", "3.5 kg|4 kg", Decimal, "3.5|4", Some("kg")),
        ("重量", "3.5 kg|4 g", Text, "3.5 kg|4 g", None),
        ("圈数", "1 lap|12 laps", Integer, "1|12", Some("lap")),
        ("编码", "007|12", Text, "007|12", None),
        ("证件", "110101199003071234|1", Text, "110101199003071234|1", None),
        ("手机", "13812345678|13912345678", Text, "13812345678|13912345678", None),
        ("电话", "83123456|83123457", Text, "83123456|83123457", None),
        ("比分", "3:2|1:0", Text, "3:2|1:0", None),
        ("型号", "1-5|2-3", Text, "1-5|2-3", None),
        ("版本", "1.9|1.10", Text, "1.9|1.10", None),
        ("编号", "12E3|1E5", Text, "12E3|1E5", None),
        ("时刻", "10:30|11:00", Text, "10:30|11:00", None),
        ("日期", "20240105|20240229", DateTime, "2024-01-05|2024-02-29", None),
        ("日期", "20240105|20240230", Integer, "20240105|20240230", None),
        ("数量", "20240105|20240229", Integer, "20240105|20240229", None),
        ("日期", "2024年1月5日|2024/1/6|2024.1.7", DateTime, "2024-01-05|2024-01-06|2024-01-07", None),
        ("when", "5/1/24|13/1/24", DateTime, "2024-01-05|2024-01-13", None),
        ("when", "5/1/24|1/13/24", DateTime, "2024-05-01|2024-01-13", None),
        ("when", "13/1/24|1/13/24", Text, "13/1/24|1/13/24", None),
        ("月份", "2024-01|2024-02", DateTime, "2024-01-01|2024-02-01", None),
        ("Season", "2009-10|2010-11", Text, "2009-10|2010-11", None),
        ("是否到货", "是|否||-", Flag, "yes|no||", None),
        ("done", "√|×", Flag, "yes|no", None),
        ("备注", "是|不知道", Text, "是|不知道", None),
        ("x", "0|1", Integer, "0|1", None),
        ("备注", "N/A|-|", Text, "N/A|-|", None),
        ("分数", "85[1]|90", Text, "85[1]|90", None),
        ("x", "0.12345678901234567890123|1.5", Text, "0.12345678901234567890123|1.5", None),
    ] {
        let cells = texts(cells);
        let decision = decided(label, &cells);
        assert_eq!(decision.kind, kind, "{label} {cells:?}");
        assert_eq!(values(&decision, &cells), stored, "{label}");
        assert_eq!(decision.unit.as_deref(), unit, "{label} {cells:?}");
    }
}

#[test]
fn types_of_typed_cells() {
    let at = NaiveDate::from_ymd_opt(2024, 1, 5).and_then(|date| date.and_hms_opt(10, 30, 0)).unwrap();
    for (cells, kind, stored) in [
        (vec![Cell::Integer(1), Cell::Decimal(2.5)], FieldType::Decimal, "1|2.5"),
        (vec![Cell::DateTime(at), Cell::Empty], FieldType::DateTime, "2024-01-05T10:30:00|"),
        (vec![Cell::Duration(5400.0), Cell::Duration(60.0)], FieldType::Decimal, "5400|60"),
        (vec![Cell::Flag(true), Cell::Text("否".into())], FieldType::Flag, "yes|no"),
        (vec![Cell::Integer(1), Cell::Text("abc".into())], FieldType::Text, "1|abc"),
        (vec![Cell::Integer(1), Cell::Error("#REF!")], FieldType::Integer, "1|"),
        (vec![Cell::Decimal(f64::NAN), Cell::Decimal(1e300)], FieldType::Text, "NaN|1e300"),
        (vec![Cell::DateTime(at), Cell::Integer(3)], FieldType::Text, "2024-01-05T10:30:00|3"),
    ] {
        let decision = decided("x", &cells);
        assert_eq!(decision.kind, kind, "{cells:?}");
        assert_eq!(values(&decision, &cells), stored, "{cells:?}");
    }
    assert_eq!(decided("x", &[Cell::Duration(1.0)]).unit.as_deref(), Some("seconds"));
}

#[test]
fn one_unfit_cell_in_twenty_leaves_a_number() {
    let mut cells: Vec<Cell<'_>> = (0..19).map(Cell::Integer).collect();
    cells.push(Cell::Text("待定".into()));
    let decision = decided("x", &cells);
    assert_eq!((decision.kind, decision.unfit()), (FieldType::Integer, 1));
    assert_eq!(decision.convert(&cells[19]), Converted { value: Typed::Misfit, literal: false });
    cells.pop();
    cells.pop();
    cells.push(Cell::Text("待定".into()));
    assert_eq!(decided("x", &cells).kind, FieldType::Text);
}

#[test]
fn years_and_ranks_are_not_added_up() {
    assert!(decided("年份", &texts("2023|2024")).identifier);
    assert!(decided("Year", &texts("1998|2004")).identifier);
    assert!(!decided("2023年", &texts("1998|2004")).identifier);
    assert!(decided("排名", &texts("1|2")).identifier);
    assert!(!decided("销量", &texts("1|2")).identifier);
}

#[test]
fn the_user_decides() {
    let forced = |kind, cells: &str| {
        let cells = texts(cells);
        let decision = decide(&profile(&cells), &Label::parse("x"), Some(&Override { kind }));
        values(&decision, &cells)
    };
    assert_eq!(forced(FieldType::Text, "1|2"), "1|2");
    assert_eq!(forced(FieldType::Integer, "007|1.5|abc|3"), "7|!|!|3");
    assert_eq!(forced(FieldType::Decimal, "1.50|abc"), "1.5|!");
    assert_eq!(forced(FieldType::DateTime, "20240105|2024-01"), "2024-01-05|2024-01-01");
    assert_eq!(forced(FieldType::Flag, "1|0|是|2"), "yes|no|yes|!");
}

#[test]
fn a_field_tells_what_its_column_holds() {
    let cells = texts("1.25|3.5|N/A|");
    let label = Label::parse("单价/价格（元）");
    let decision = decide(&profile(&cells), &label, None);
    let fields = name_fields(&[label], &[decision]);
    let field = &fields[0];
    assert_eq!((field.name.as_str(), field.unit.as_deref()), ("dan_jia_flt", Some("元")));
    assert_eq!((field.nulls, field.decimals), (2, 2));
    assert_eq!(field.range, Some(("1.25".to_owned(), "3.5".to_owned())));
    assert_eq!(field.samples, ["1.25", "3.5"]);
    assert_eq!(field.synonyms, ["价格"]);
}

#[test]
fn a_profile_is_kept_as_json() {
    let profile = profile(&texts("1|2.5|3 kg|2024-01-05|是|N/A|文字"));
    let json = serde_json::to_string(&profile).unwrap();
    assert_eq!(serde_json::from_str::<Profile>(&json).unwrap(), profile);
}

fn any_cell() -> impl Strategy<Value = Cell<'static>> {
    let text = prop_oneof![
        "[0-9]{1,4}",
        "-?[0-9]{1,3}\\.[0-9]{1,3}",
        "[0-9]{1,3},[0-9]{2,3}",
        "[0-9]{1,2}/[0-9]{1,2}/20[0-9]{2}",
        "20[0-9]{2}-[01][0-9](-[0-3][0-9])?",
        "[￥$]?[0-9]{1,3}(\\.[0-9])?(万|%| kg|元|USD| laps|人|天|米| km| g)?",
        "(是|否|N/A|-|无|yes|TRUE| )",
        "[a-c行政]{1,3}",
        "\\$?\\([0-9]{1,4}(\\.[0-9])?\\)%?",
        "[0-9]{1,3} [0-9]{3}",
        "[0-9]{16,20}",
        "\\PC{0,12}",
    ];
    prop_oneof![
        8 => text.prop_map(|text| Cell::Text(text.into())),
        1 => any::<i32>().prop_map(|n| Cell::Integer(i64::from(n))),
        1 => any::<f64>().prop_map(Cell::Decimal),
        1 => any::<bool>().prop_map(Cell::Flag),
        1 => (0.0..1e6).prop_map(Cell::Duration),
        1 => Just(Cell::Empty),
        1 => Just(Cell::Error("#N/A")),
    ]
}

/// Columns of mostly one kind, so that every type is decided often.
fn any_column() -> impl Strategy<Value = Vec<Cell<'static>>> {
    let pure = |pattern: &'static str| prop::collection::vec(pattern.prop_map(|text| Cell::Text(text.into())), 20..60);
    let common = prop_oneof![
        pure("-?[0-9]{1,15}"),
        pure("[0-9]{1,4}[.,][0-9]{1,4}"),
        pure("[0-9]{1,3}(,[0-9]{3}){0,2}(\\.[0-9]{1,2})?"),
        pure("[0-9]{1,2}(\\.[0-9]{1,2})?%"),
        pure("[￥$][0-9]{1,5}"),
        pure("[0-9]{1,2}(\\.[0-9])?(万|亿)?"),
        pure("[0-3]?[1-9]/1?[1-9]/(20)?[0-9]{2}"),
        pure("20[0-2][0-9](-|/|\\.)[1-9](-|/|\\.)[1-9]"),
        pure("(是|否|√|no|Yes|N/A)"),
    ];
    (common, prop::collection::vec(any_cell(), 0..3)).prop_map(|(mut column, odd)| {
        column.extend(odd);
        column
    })
}

proptest! {
    #[test]
    fn any_order_of_files_gives_one_decision(cells in prop::collection::vec(any_cell(), 0..60), cut in 0..60usize, turn in 0..60usize) {
        let cut = cut.min(cells.len());
        let (first, second) = (profile(&cells[..cut]), profile(&cells[cut..]));
        let (mut one, mut other) = (first.clone(), second.clone());
        one.merge(&second);
        other.merge(&first);
        let mut turned = cells.clone();
        turned.rotate_left(turn.min(cells.len()));
        let whole = profile(&turned);
        let label = Label::parse("x");
        let decision = decide(&one, &label, None);
        prop_assert_eq!(&decision, &decide(&other, &label, None));
        prop_assert_eq!(&decision, &decide(&whole, &label, None));
    }

    #[test]
    fn no_conversion_loses_a_cell(cells in any_column()) {
        let decision = decided("日期", &cells);
        let mut unfit = 0;
        for cell in &cells {
            let converted = decision.convert(cell);
            unfit += u64::from(converted.value == Typed::Misfit);
            let canonical = match converted.value {
                Typed::Null | Typed::Misfit => String::new(),
                Typed::Text(text) => text.into_owned(),
                Typed::Integer(n) => n.to_string(),
                Typed::Decimal(x) => decimal_text(x),
                Typed::DateTime(at) => datetime_text(&at),
                Typed::Flag(flag) => if flag { "yes" } else { "no" }.to_owned(),
            };
            let kept = if cell.is_blank() { "".into() } else { cell.text() };
            let error_in_text = matches!(cell, Cell::Error(_));
            prop_assert!(error_in_text || converted.literal == (canonical == kept), "{cell:?} is {canonical:?} in {decision:?}");
        }
        prop_assert_eq!(unfit, decision.unfit(), "{:?}", decision);
        prop_assert!(unfit * 20 <= cells.len() as u64);
    }

    #[test]
    fn odd_columns_convert_as_they_were_counted(cells in prop::collection::vec(any_cell(), 0..40)) {
        let decision = decided("x", &cells);
        let unfit = cells.iter().filter(|cell| decision.convert(cell).value == Typed::Misfit).count() as u64;
        prop_assert_eq!(unfit, decision.unfit(), "{:?}", decision);
    }

    #[test]
    fn names_are_unique_and_plain(labels in prop::collection::vec("\\PC{0,8}|[a-b]{1,2}(_[23])?|(row|table|标题|金额)(（元）)?", 0..20)) {
        let labels: Vec<Label> = labels.iter().map(|label| Label::parse(label)).collect();
        let decisions: Vec<Decision> = labels.iter().map(|label| decide(&profile(&texts("x")), label, None)).collect();
        let fields = name_fields(&labels, &decisions);
        let mut names = std::collections::HashSet::new();
        for field in &fields {
            prop_assert!(field.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{}", field.name);
            prop_assert!(field.name.as_bytes()[0].is_ascii_lowercase() && !field.name.contains("__"));
            prop_assert!(names.insert(field.name.clone()) && names.insert(field.column()));
            prop_assert!(!RESERVED_COLUMNS.contains(&field.name.as_str()) && !RESERVED_COLUMNS.contains(&field.column().as_str()));
        }
    }
}
