//! What other writers wrote is read cell for cell: random tables as workbooks and as text, in all their dialects and encodings.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet};
use sheetwise::config::ReadLimits;
use sheetwise::note::Note;
use sheetwise::sheet::{Book, Kept, ReadError, ReadOptions, RowSink};
use sheetwise::value::Cell;
use tempfile::TempDir;

const WORDS: [&str; 14] = [
    "行政",
    "研发中心",
    "张三",
    "北京市",
    "华东销售部",
    "设备采购",
    "North",
    "O'Brien & Co.",
    "a \"quoted\" word",
    "x, y; z",
    "two\nlines",
    "naïve",
    "100 % cotton",
    "C:\\tmp",
];

/// One cell as it is written.
#[derive(Debug, Clone)]
enum Written {
    Blank,
    Text(String),
    Integer(i64),
    Decimal(f64),
    Flag(bool),
    /// Days since 2020-01-01.
    Date(u16),
}

/// A table with its titles; the first column is text and the last a number, without gaps.
#[derive(Debug, Clone)]
struct Table {
    titles: Vec<String>,
    /// Labels of the columns, in two rows where they have groups of two.
    grouped: bool,
    rows: Vec<Vec<Written>>,
    /// Rows from the top that share their first cell.
    merged: usize,
}

fn text() -> impl Strategy<Value = String> {
    (prop::sample::select(WORDS.to_vec()), 0..1000_u16).prop_map(|(word, n)| format!("{word} v{n}"))
}

fn cell(kind: u8) -> BoxedStrategy<Written> {
    let of_kind = match kind {
        0 => text().prop_map(Written::Text).boxed(),
        1 => (-1_000_000_000_000_i64..1_000_000_000_000).prop_map(Written::Integer).boxed(),
        2 => (-1e9..1e9).prop_map(Written::Decimal).boxed(),
        3 => any::<bool>().prop_map(Written::Flag).boxed(),
        _ => (0..2_000_u16).prop_map(Written::Date).boxed(),
    };
    prop_oneof![1 => Just(Written::Blank), 6 => of_kind].boxed()
}

fn table() -> impl Strategy<Value = Table> {
    let kinds = prop::collection::vec(0..5_u8, 1..5);
    (kinds, 2..20_usize, 0..3_usize, any::<bool>(), 0..4_usize).prop_flat_map(
        |(kinds, rows, titles, grouped, merged)| {
            let mut cells = vec![text().prop_map(Written::Text).boxed()];
            cells.extend(kinds.iter().map(|kind| cell(*kind)));
            cells.push((1..1_000_000_i64).prop_map(Written::Integer).boxed());
            let rows = prop::collection::vec(cells, rows);
            let titles = prop::collection::vec(text(), titles);
            (titles, rows).prop_map(move |(titles, rows)| {
                let merged = if merged < 2 { 0 } else { merged.min(rows.len()) };
                Table { titles: titles.into_iter().map(|t| t.replace('\n', " ")).collect(), grouped, rows, merged }
            })
        },
    )
}

impl Table {
    fn width(&self) -> usize {
        self.rows[0].len()
    }

    fn label(&self, column: usize) -> String {
        if self.grouped { format!("组{}-列{column}", column / 2) } else { format!("列{column}") }
    }

    /// The text that each cell is read as.
    fn wanted(&self) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
        for row in 1..self.merged {
            rows[row][0] = rows[0][0].clone();
        }
        rows
    }
}

fn date(days: u16) -> String {
    let start = chrono::NaiveDate::from_ymd_opt(2020, 1, 1).expect("a date");
    (start + chrono::Days::new(days.into())).to_string()
}

fn shown(cell: &Written) -> String {
    match cell {
        Written::Blank => String::new(),
        Written::Text(text) => text.clone(),
        Written::Integer(n) => n.to_string(),
        Written::Decimal(x) => x.to_string(),
        Written::Flag(flag) => if *flag { "TRUE" } else { "FALSE" }.to_owned(),
        Written::Date(days) => date(*days),
    }
}

/// What is read of a book.
#[derive(Debug, Default, PartialEq)]
struct Read {
    rows: BTreeMap<u64, Vec<String>>,
    apart: Vec<(u64, String)>,
}

impl RowSink for Read {
    fn row(&mut self, row: u64, cells: &[Cell<'_>]) -> Result<(), ReadError> {
        self.rows.insert(row, cells.iter().map(|cell| cell.text().into_owned()).collect());
        Ok(())
    }

    fn kept_apart(&mut self, row: u64, why: Kept, text: &str) -> Result<(), ReadError> {
        self.apart.push((row, format!("{why:?} {text}")));
        Ok(())
    }

    fn note(&mut self, _: Note) -> Result<(), ReadError> {
        Ok(())
    }
}

/// Reads the one table of a file and compares it with what was written.
fn compare(folder: &TempDir, name: &str, bytes: &[u8], table: &Table) -> Result<(), TestCaseError> {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let book = Book::open(&path, name, &ReadOptions::default(), &ReadLimits::default());
    let book = book.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(book.regions.len(), 1, "{:?}", book.regions);
    let region = &book.regions[0];
    prop_assert_eq!(&region.titles, &table.titles);
    let labels: Vec<String> = region.columns.iter().map(|column| column.label.clone()).collect();
    prop_assert_eq!(labels, (0..table.width()).map(|column| table.label(column)).collect::<Vec<_>>());
    let mut read = Read::default();
    book.scan(0, &mut read).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(read.apart, Vec::new());
    prop_assert_eq!(read.rows.into_values().collect::<Vec<_>>(), table.wanted());
    Ok(())
}

fn put(sheet: &mut Worksheet, row: u32, column: u16, cell: &Written) {
    let date_format = Format::new().set_num_format("yyyy-mm-dd");
    let written = match cell {
        Written::Blank => return,
        Written::Text(text) => sheet.write_string(row, column, text),
        Written::Integer(n) => sheet.write_number(row, column, *n as f64),
        Written::Decimal(x) => sheet.write_number(row, column, *x),
        Written::Flag(flag) => sheet.write_boolean(row, column, *flag),
        Written::Date(days) => {
            let at = ExcelDateTime::parse_from_str(&date(*days)).expect("a date");
            sheet.write_datetime_with_format(row, column, at, &date_format)
        }
    };
    written.expect("a cell");
}

fn workbook(table: &Table) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    let plain = Format::new();
    let mut row = 0;
    for title in &table.titles {
        sheet.write_string(row, 0, title).expect("a title");
        row += 1;
    }
    let width = table.width() as u16;
    if table.grouped {
        for first in (0..width).step_by(2) {
            let (last, group) = ((first + 1).min(width - 1), format!("组{}", first / 2));
            if first == last {
                sheet.write_string(row, first, group).expect("a group");
            } else {
                sheet.merge_range(row, first, row, last, &group, &plain).expect("a group");
            }
        }
        row += 1;
    }
    for column in 0..width {
        sheet.write_string(row, column, format!("列{column}")).expect("a label");
    }
    let body = row + 1;
    for (n, cells) in table.rows.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate().filter(|(column, _)| *column > 0 || n == 0 || n >= table.merged)
        {
            put(sheet, body + n as u32, column as u16, cell);
        }
    }
    if table.merged > 1 {
        let first = shown(&table.rows[0][0]);
        sheet.merge_range(body, 0, body + table.merged as u32 - 1, 0, &first, &plain).expect("a merge");
    }
    book.save_to_buffer().expect("a workbook")
}

/// How a text is written.
#[derive(Debug, Clone)]
struct Dialect {
    delimiter: u8,
    always_quoted: bool,
    crlf: bool,
    encoding: &'static str,
}

fn dialect() -> impl Strategy<Value = Dialect> {
    let encodings = vec!["utf-8", "utf-8 mark", "gb18030", "utf-16le", "utf-16be"];
    (prop::sample::select(vec![b',', b';', b'\t', b'|']), any::<bool>(), any::<bool>(), prop::sample::select(encodings))
        .prop_map(|(delimiter, always_quoted, crlf, encoding)| Dialect { delimiter, always_quoted, crlf, encoding })
}

fn delimited(table: &Table, dialect: &Dialect) -> Vec<u8> {
    let style = if dialect.always_quoted { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
    let end = if dialect.crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
    let mut writer = csv::WriterBuilder::new()
        .delimiter(dialect.delimiter)
        .quote_style(style)
        .terminator(end)
        .flexible(true)
        .from_writer(Vec::new());
    let labels: Vec<String> = (0..table.width()).map(|column| table.label(column)).collect();
    writer.write_record(&labels).expect("labels");
    table.rows.iter().for_each(|row| writer.write_record(row.iter().map(shown)).expect("a row"));
    let text = String::from_utf8(writer.into_inner().expect("memory")).expect("UTF-8");
    match dialect.encoding {
        "utf-8" => text.into_bytes(),
        "utf-8 mark" => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        "utf-16le" => [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect(),
        _ => encoding_rs::GB18030.encode(&text).0.into_owned(),
    }
}

/// The same cases each time; more of them with SHEETWISE_WRITTEN_CASES.
fn runner(cases: u32) -> TestRunner {
    let cases = std::env::var("SHEETWISE_WRITTEN_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(cases);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn workbooks_are_read_cell_for_cell() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = runner(120).run(&table(), |table| compare(&folder, "t.xlsx", &workbook(&table), &table));
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn texts_are_read_cell_for_cell() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = runner(150).run(&(table(), dialect()), |(table, dialect)| {
        let table = Table { titles: Vec::new(), grouped: false, merged: 0, ..table };
        compare(&folder, "t.csv", &delimited(&table, &dialect), &table)
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}
