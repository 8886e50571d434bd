//! Small sheets and texts that we wrote: headers, sections, merges, notes.

use std::io::Write;

use super::grid::{Grid, GridBuilder, Merge, Stored};
use super::regions::{self, Block};
use super::rows::{Rows, Spot};
use super::sheet_rows::SheetRows;
use super::*;
use crate::config::ReadLimits;

/// A grid from lines of cells between `|`; numbers are numbers.
pub(super) fn grid(lines: &[&str], merges: &[(u32, u32, u32, u32)]) -> Grid {
    let mut builder = GridBuilder::default();
    for (row, line) in lines.iter().enumerate() {
        for (column, text) in line.split('|').enumerate().filter(|(_, text)| !text.is_empty()) {
            let stored = match text.parse() {
                Ok(number) => Stored::Integer(number),
                Err(_) => Stored::Text(builder.texts().keep(text).expect("room")),
            };
            builder.push(row as u32, column as u32, stored);
        }
    }
    let mut grid = builder.build();
    let merge =
        |&(first_row, last_row, first_column, last_column)| Merge { first_row, last_row, first_column, last_column };
    grid.set_merges(merges.iter().map(merge).collect());
    grid
}

fn labels(block: &Block) -> Vec<&str> {
    block.columns.iter().map(|(_, label)| label.as_str()).collect()
}

fn header_rows(grid: &Grid, block: &Block) -> Vec<u64> {
    block.header.rows.iter().map(|row| grid.shown(*row)).collect()
}

#[test]
fn headers_are_found() {
    type Case<'a> = (&'a [&'a str], &'a [(u32, u32, u32, u32)], &'a [u64], &'a [&'a str]);
    let cases: [Case<'_>; 10] = [
        (&["姓名|部门|金额", "张三|行政|10", "李四|研发|20"], &[], &[1], &["姓名", "部门", "金额"]),
        (
            &["销售月报||", "单位：万元||", "", "姓名|部门|金额", "张三|行政|10"],
            &[(0, 0, 0, 2)],
            &[4],
            &["姓名", "部门", "金额"],
        ),
        (
            &["地区|2023||2024|", "|销售|成本|销售|成本", "昆山|1|2|3|4", "苏州|5|6|7|8"],
            &[(0, 1, 0, 0), (0, 0, 1, 2), (0, 0, 3, 4)],
            &[1, 2],
            &["地区", "2023-销售", "2023-成本", "2024-销售", "2024-成本"],
        ),
        (
            &["|H1||H2|", "Region|Sales|Cost|Sales|Cost", "North|1|2|3|4", "South|5|6|7|8"],
            &[],
            &[1, 2],
            &["Region", "H1-Sales", "H1-Cost", "H2-Sales", "H2-Cost"],
        ),
        (
            &["地区|指标|||", "|2022年||2023年|", "|内资|外资|内资|外资", "东部|1|2|3|4", "西部|5|6|7|8"],
            &[(0, 2, 0, 0), (0, 0, 1, 4), (1, 1, 1, 2), (1, 1, 3, 4)],
            &[1, 2, 3],
            &["地区", "指标-2022年-内资", "指标-2022年-外资", "指标-2023年-内资", "指标-2023年-外资"],
        ),
        (&["|2017|2016", "West|59|60", "East|13|16"], &[], &[1], &["", "2017", "2016"]),
        (&["1|2|3", "4|5|6", "7|8|9"], &[], &[], &["", "", ""]),
        (&["a|b", "x|y", "z|w"], &[], &[1], &["a", "b"]),
        (&["2019|10", "2020|20", "2021|30"], &[], &[], &["", ""]),
        (&["a||c", "1|5|2", "3||4"], &[], &[1], &["a", "", "c"]),
    ];
    for (lines, merges, rows, want) in cases {
        let grid = grid(lines, merges);
        let blocks = regions::find(&grid, None);
        assert_eq!(blocks.len(), 1, "{lines:?}");
        assert_eq!(
            (header_rows(&grid, &blocks[0]).as_slice(), labels(&blocks[0]).as_slice()),
            (rows, want),
            "{lines:?}"
        );
    }
}

#[test]
fn stacked_tables_are_told_apart() {
    let two = grid(&["甲|金额", "a|1", "b|2", "", "城市|人数|面积", "x|1|2", "y|3|4"], &[]);
    let blocks = regions::find(&two, None);
    assert_eq!(blocks.iter().map(labels).collect::<Vec<_>>(), [vec!["甲", "金额"], vec!["城市", "人数", "面积"]]);
    let sections = grid(&["一月", "名|数", "a|1", "b|2", "二月", "名|数", "c|3", "d|4"], &[]);
    let blocks = regions::find(&sections, None);
    let titles: Vec<_> = blocks.iter().map(|block| block.header.titles.clone()).collect();
    assert_eq!(titles, [["一月"], ["二月"]]);
    for one in [&["名|数", "a|1", "", "b|2", "c|3"][..], &["名|数", "a|1", "", "名|数", "b|2"]] {
        assert_eq!(regions::find(&grid(one, &[]), None).len(), 1, "{one:?}");
    }
}

#[test]
fn tables_side_by_side_are_parted() {
    for (lines, parts) in [
        (&["名|数||名|数", "a|1||c|3", "b|2||d|4"][..], 2),
        (&["店|额|量||区|合计", "a|1|2||东|5", "b|3|4||西|9", "c|5|6||", "d|7|8||"], 2),
        (&["店|额||2023|2024", "a|1||3|4", "b|2||5|6", "c|3||7|8"], 0),
        (&["店|额||说明", "a|1||好", "b|2||"], 0),
    ] {
        let split = super::beside::split(&grid(lines, &[]));
        assert_eq!(split.len(), parts, "{lines:?}");
    }
}

#[test]
fn forms_and_tables_on_their_side_are_told() {
    use super::form::Form;
    for (lines, form) in [
        (&["姓名：|张三", "部门：|行政", "工号：|12"][..], Some(Form::NamesAndValues)),
        (&["登记表", "姓名|张三", "部门|行政", "生日|1990-01-05", "年龄|34"], Some(Form::NamesAndValues)),
        (&["项目|金额", "房租|10", "水电|20", "备注|无"], None),
        (&["name|value", "who|me", "when|1990-01-05", "what|x", "n|34"], None),
        (&["姓名|张三|李四", "部门|行政|研发", "年龄|34|35", "工资|100|200"], Some(Form::OnItsSide)),
        (&["姓名|部门|工资", "张三|行政|100", "李四|研发|200", "王五|研发|300"], None),
    ] {
        let blocks = regions::find(&grid(lines, &[]), None);
        assert_eq!(blocks[0].form, form, "{lines:?}");
    }
}

#[test]
fn a_far_lone_cell_makes_no_column() {
    let mut builder = GridBuilder::default();
    for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1), (1_048_575, 16_383)] {
        let text = builder.texts().keep(if row == 0 { "label" } else { "x" }).expect("room");
        builder.push(row, column, Stored::Text(text));
    }
    let grid = builder.build();
    let blocks = regions::find(&grid, None);
    assert_eq!((blocks.len(), blocks[0].columns.len()), (1, 2));
}

#[test]
fn merged_cells_are_given_to_the_rows_that_they_cover() {
    let grid =
        grid(&["部门|姓名|金额", "行政|张三|1", "|李四|2", "研发|王五|3"], &[(1, 1_000_000, 0, 0), (3, 3, 1, 2)]);
    let spot = Spot { file: "f", sheet: "s", turned: false };
    let rows = SheetRows { grid: &grid, rows: (1, 3), columns: &[0, 1, 2], spot, max_rows: 10 };
    let mut got = Vec::new();
    let mut codes = Vec::new();
    rows.each(&mut |row, cells, extra| {
        got.push((row, cells.iter().map(|cell| cell.text().into_owned()).collect::<Vec<_>>().join("|")));
        codes.extend(extra.notes.into_iter().map(|note| note.code));
        Ok(())
    })
    .expect("rows in memory");
    let want = [(2, "行政|张三|1"), (3, "行政|李四|2"), (4, "研发|王五|3")].map(|(row, text)| (row, text.to_owned()));
    assert_eq!(got, want);
    assert_eq!(codes, ["merged_cell_spread", "merged_across_columns"]);
}

#[derive(Default)]
struct Lines(Vec<String>);

impl RowSink for Lines {
    fn row(&mut self, row: u64, cells: &[Cell<'_>]) -> Result<(), ReadError> {
        let texts: Vec<_> = cells.iter().map(Cell::text).collect();
        self.0.push(format!("{row}: {}", texts.join("|")));
        Ok(())
    }
    fn kept_apart(&mut self, row: u64, why: Kept, text: &str) -> Result<(), ReadError> {
        self.0.push(format!("{row}: {why:?} {text}"));
        Ok(())
    }
    fn note(&mut self, note: Note) -> Result<(), ReadError> {
        self.0.push(note.code);
        Ok(())
    }
}

fn read(bytes: &[u8], limits: &ReadLimits) -> Result<(Book, Vec<String>), ReadError> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("written");
    let book = Book::open(file.path(), "folder/年报.csv", &ReadOptions::default(), limits)?;
    let mut sink = Lines::default();
    book.scan(0, &mut sink)?;
    Ok((book, sink.0))
}

#[test]
fn text_files_keep_every_row_with_its_number() {
    for (text, want) in [
        ("a,b\n1,2\n\n3\n4,5,6\n", &["2: 1|2", "4: 3|", "cells_outside_table", "5: 4|5"][..]),
        ("a,b\r\n1,\"x\r\ny\"\r\n\r\n3,4", &["2: 1|x\r\ny", "4: 3|4"]),
        ("a,b\r1,2\r3,4\r", &["2: 1|2", "3: 3|4"]),
        ("a,b\r1,2\r\r3,4", &["2: 1|2", "4: 3|4"]),
        ("a,b\nx,2\r\ny,4\nz,6\r\nw,8\n", &["2: x|2", "3: y|4", "4: z|6", "5: w|8"]),
        ("a,b\n1,\"x\r\ny\"\n3,4\r\n5,6\n\n7,8", &["2: 1|x\r\ny", "3: 3|4", "4: 5|6", "6: 7|8"]),
        ("id,say\n1,'it\\'s ok'\n2,'that\\'s, y'\n", &["2: 1|it's ok", "3: 2|that's, y"]),
        ("sep=;\na;b\n1,5;2\n", &["3: 1,5|2"]),
        ("# by \"x\n# a, b\nid,name,n\n1,a\\, b,2\n2,c\\, d,3\n", &["4: 1|a, b|2", "5: 2|c, d|3"]),
        ("报表\n\n名,数\na,1\nb,2\n合计,3\n", &["4: a|1", "5: b|2", "6: Totals 合计 | 3"]),
        ("id,n\n=\"0012\",1\n=\"a\"b,2\n", &["2: 0012|1", "3: =\"a\"b|2"]),
        ("id|n\n---|---\n1|2\n3|4\n", &["2: NoteLine --- | ---", "3: 1|2", "4: 3|4"]),
        ("a,b\n1,2\nx,\u{FFFD}\n", &["2: 1|2", "3: x|\u{FFFD}"]),
    ] {
        let (book, rows) = read(text.as_bytes(), &ReadLimits::default()).expect(text);
        assert_eq!(rows, want, "{text}");
        assert_eq!((book.file.as_str(), book.regions[0].sheet.as_str()), ("年报.csv", "年报"));
    }
}

#[test]
fn a_short_text_may_hold_several_tables() {
    let text = "甲,金额\na,1\nb,2\n\n城市,人数,面积\nx,1,2\ny,3,4\n";
    let (book, rows) = read(text.as_bytes(), &ReadLimits::default()).expect(text);
    let labels: Vec<usize> = book.regions.iter().map(|region| region.columns.len()).collect();
    assert_eq!((labels.as_slice(), rows.as_slice()), (&[2, 3][..], &["2: a|1".to_owned(), "3: b|2".to_owned()][..]));
}

#[test]
fn bytes_that_are_no_text_are_noted_with_their_row() {
    let (_, rows) = read("名,数\n张三,1\n李四,2\n王五\u{4e00}\u{4e01}\u{4e02}\u{4e03}\u{4e04}\u{4e05}\u{4e06}\u{4e07}\u{4e08}\u{4e09}\u{4e0a},3\n"
        .as_bytes().iter().copied().chain(*b"x\xFF,4\n").collect::<Vec<_>>().as_slice(), &ReadLimits::default())
        .expect("read");
    assert_eq!(rows[3..], ["undecodable_bytes", "5: x\u{FFFD}|4"]);
}

#[test]
fn bytes_that_are_no_text_move_nothing() {
    let comment = ["# é é é é é é é é é é é é caf".as_bytes(), b"\xE9\nname,val\nab,1\ncd,2\n"].concat();
    let (book, rows) = read(&comment, &ReadLimits::default()).expect("read");
    assert_eq!((book.regions[0].columns[0].label.as_str(), rows), ("name", vec!["3: ab|1".into(), "4: cd|2".into()]));
    let lines = "名字       数   城市\n张三王五   30   上海广州\n李四赵六   40   北京天津\ncaf".as_bytes();
    let (_, rows) = read(&[lines, b"\xE9       50   Rome\n"].concat(), &ReadLimits::default()).expect("read");
    assert_eq!(rows[2..], ["undecodable_bytes", "4: caf\u{FFFD}|50|Rome"]);
}

#[test]
fn no_row_above_a_table_without_a_header_is_lost() {
    let rest = "2024-01-02,load,1,2,3,4\n2024-01-03,load,5,6,7,8\n2024-01-04,load,5,6,7,9\n2024-01-05,load,5,1,7,8\n";
    let (book, rows) = read(format!("2024-01-01,start\n{rest}").as_bytes(), &ReadLimits::default()).expect("read");
    assert!(book.regions[0].titles.is_empty() && book.regions[0].header_rows.is_empty());
    assert_eq!((rows.len(), rows[0].as_str()), (5, "1: 2024-01-01|start||||"));
    let (book, rows) = read(format!("日志\n{rest}").as_bytes(), &ReadLimits::default()).expect("read");
    assert_eq!((book.regions[0].titles.as_slice(), rows.len()), (&["日志".to_owned()][..], 4));
}

#[test]
fn far_cells_cost_no_more_than_others() {
    let began = std::time::Instant::now();
    let mut builder = GridBuilder::default();
    for row in 0..20_000_u32 {
        builder.push(row, 0, Stored::Integer(row.into()));
        builder.push(row, 1, Stored::Integer(1));
        if row < 400 {
            builder.push(row, 10 + row * 5, Stored::Integer(2));
        }
    }
    let blocks = regions::find(&builder.build(), None);
    assert!(blocks[0].columns.len() == 2 && began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    let far = ["a|b|||||", "1|2|||||9", "1|2|||||9", "1|2|||||", "1|2|||||"];
    assert_eq!(regions::find(&grid(&far, &[]), None)[0].columns.len(), 2);
    let more = far.map(|line| line.replace("1|2|||||", "1|2|||||9"));
    assert_eq!(regions::find(&grid(&more.each_ref().map(String::as_str), &[]), None)[0].columns.len(), 3);
}

#[test]
fn one_merge_for_a_column_is_walked() {
    let merges = [(0, 9, 0, 0), (1, 9, 0, 0), (2, 5, 0, 1), (0, 9, 3, 3)];
    let grid = grid(&["a|b||c"; 12], &merges);
    let mut walk = grid.merges.walk(&[0, 1]);
    assert_eq!([2, 9, 10].map(|row| walk.at(row).len()), [1, 1, 0]);
}

#[test]
fn a_part_of_a_grid_shares_the_texts_it_shared() {
    let mut builder = GridBuilder::default();
    let text = builder.texts().keep("shared").expect("room");
    for row in 0..100 {
        builder.push(row, row % 3, Stored::Text(text));
    }
    let part = builder.build().part((0, 1));
    assert_eq!((part.cells.len(), part.texts.bytes(), part.at(1, 1).text().as_ref()), (67, 6, "shared"));
}

#[test]
fn a_very_wide_line_is_looked_at_in_part() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all("a,".repeat((1 << 22) + 1_000).as_bytes()).expect("written");
    let text = super::delimited::Delimited::open(file.path(), "w.csv", &ReadLimits::default()).expect("opened");
    assert_eq!(text.head(&ReadOptions::default()).expect("a head").cells.len(), (1 << 22) + 1);
}

#[test]
fn an_encoding_that_shows_late_is_found() {
    let mut bytes = b"name,sum\n".to_vec();
    bytes.extend(b"plain,1\n".repeat(1_000));
    bytes.extend_from_slice(&encoding_rs::GB18030.encode("行政管理部门,2\n研发中心,3\n").0);
    let limits = ReadLimits { sniff_bytes: 512, ..ReadLimits::default() };
    let (book, rows) = read(&bytes, &limits).expect("read");
    assert_eq!(book.encoding.as_deref(), Some("gb18030"));
    assert_eq!(rows.last().map(String::as_str), Some("1003: 研发中心|3"));
}

#[test]
fn limits_and_other_files_are_refused() {
    let few = ReadLimits { max_rows: 2, max_columns: 2, ..ReadLimits::default() };
    for (bytes, code) in [
        (&b"a,b\n1,2\n3,4\n"[..], "read.max_rows"),
        (b"a,b,c\n1,2,3\n", "read.max_columns"),
        (b"%PDF-1.7", "PDF"),
        (b"", "nothing"),
        (b"\0\0\0\0", "nothing"),
        (b"<!DOCTYPE html><p>please log in</p>", "web page"),
        (b"PK\x03\x04 and no more", "damaged"),
    ] {
        let error = read(bytes, &few).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(code) && error.starts_with("年报.csv"), "{error}");
    }
}

#[test]
fn a_book_can_be_sent_to_another_thread() {
    fn sendable<T: Send>() {}
    sendable::<Book>();
}

#[test]
fn a_long_text_may_hold_several_tables_too() {
    let mut text = "一月\n名,数\n".to_owned();
    text.extend((0..300).map(|n| format!("a{n},{n}\n")));
    text.push_str("\n城市,人数,面积\n");
    text.extend((0..300).map(|n| format!("c{n},{n},{n}\n")));
    let limits = ReadLimits { sniff_bytes: 512, ..ReadLimits::default() };
    let (book, rows) = read(text.as_bytes(), &limits).expect("read");
    let shapes: Vec<_> = book.regions.iter().map(|r| (r.part, r.header_rows[0], r.columns.len())).collect();
    assert_eq!(shapes, [(1, 2, 2), (2, 304, 3)]);
    assert_eq!((rows.len(), rows[299].as_str()), (300, "302: a299|299"));
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    let book = Book::open(file.path(), "年报.csv", &ReadOptions::default(), &limits).expect("read");
    let mut second = Lines::default();
    book.scan(1, &mut second).expect("read");
    assert_eq!((second.0.len(), second.0[299].as_str()), (300, "604: c299|299|299"));
    let gbk = encoding_rs::GB18030.encode(&text).0.into_owned();
    assert_eq!(read(&gbk, &limits).expect("read").0.regions.len(), 2);
    let one = text.replace("城市,人数,面积\n", "").replace(",面积", "");
    assert_eq!(read(one.as_bytes(), &limits).expect("read").0.regions.len(), 1);
}

#[test]
fn pages_and_xml_files_that_are_called_xls_are_read() {
    let page = "<html><meta charset=gb2312><table><tr><td colspan=2>月报</td></tr><tr><th>名</th><th>数</th></tr>\
                <tr><td>甲</td><td>1,200</td></tr></table></html>";
    let (book, rows) = read(&encoding_rs::GB18030.encode(page).0, &ReadLimits::default()).expect("read");
    assert_eq!((book.format, book.regions[0].titles.as_slice()), (Format::Html, &["月报".to_owned()][..]));
    assert_eq!(rows, ["3: 甲|1,200"]);
    let xml = "<?xml version=\"1.0\"?><Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\"><Worksheet ss:Name=\"一\"><Table>\
               <Row><Cell><Data ss:Type=\"String\">名</Data></Cell><Cell><Data ss:Type=\"String\">数</Data></Cell></Row>\
               <Row><Cell><Data ss:Type=\"String\">甲</Data></Cell><Cell><Data ss:Type=\"Number\">1.5</Data></Cell></Row></Table></Worksheet></Workbook>";
    let (book, rows) = read(xml.as_bytes(), &ReadLimits::default()).expect("read");
    assert_eq!((book.format, book.regions[0].sheet.as_str()), (Format::Xml, "一"));
    assert_eq!(rows, ["2: 甲|1.5"]);
}
