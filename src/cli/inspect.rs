//! `sheetwise inspect`: how files were read.

use unicode_width::UnicodeWidthStr;

use super::args::Inspect;
use super::exit::{Exit, Failure};
use super::print::{Piece, Shade};
use super::progress::Line;
use super::{chinese, escape, print, source};
use crate::app::App;
use crate::ask::Language;
use crate::config::Config;
use crate::ingest::{FileReport, IngestReport, SheetReport, TableReport};
use crate::note::column_letters;

/// Reads the files and shows the report; fails only if none could be read.
pub async fn inspect(arguments: Inspect, config: Config) -> Result<Exit, Failure> {
    let line = Line::new(arguments.reading.quiet);
    let app = App::temporary(config).await?.watched(line.progress());
    let (_, report) = app.read(source::told_apart(&arguments.files, &arguments.reading)).await?;
    drop(line);
    if arguments.json {
        print::json(&report)
    } else {
        print::pieces(&shown(&report))
    }
    Ok(source::unreadable_exit(&report))
}

/// The report as text, in the language of the locale.
pub fn shown(report: &IngestReport) -> Vec<Piece> {
    pieces(report, if chinese::is_wanted() { Language::Chinese } else { Language::English })
}

fn pieces(report: &IngestReport, language: Language) -> Vec<Piece> {
    let files = report.files.iter().flat_map(|file| file_pieces(file, language));
    files.chain(report.tables.iter().flat_map(|table| table_pieces(table, language))).collect()
}

fn file_pieces(file: &FileReport, language: Language) -> Vec<Piece> {
    let mut about = format!("  {}", file.format.as_deref().unwrap_or("?"));
    let (encoding, delimiter) = (language.choose("编码", "encoding"), language.choose("分隔符", "delimiter"));
    for (name, value) in [(encoding, &file.encoding), (delimiter, &file.delimiter)] {
        if let Some(value) = value {
            about.push_str(&format!("  {name} {value:?}"));
        }
    }
    let mut out = vec![(Shade::Heading, escape::line(&file.file)), (Shade::Plain, about + "\n")];
    if let Some(error) = &file.error {
        let word = language.choose("错误", "error");
        out.extend([(Shade::Fault, format!("  {word}:")), (Shade::Plain, format!(" {}\n", escape::line(error)))]);
    }
    let names: Vec<String> = file.sheets.iter().map(|sheet| sheet_name(sheet, language)).collect();
    let width = names.iter().map(|name| name.width()).filter(|width| *width <= WIDEST_NAME).max().unwrap_or(0);
    for (sheet, name) in file.sheets.iter().zip(names) {
        let pad = " ".repeat(width.saturating_sub(name.width()));
        out.push((Shade::Plain, format!("  {name}{pad}")));
        out.extend(sheet_pieces(sheet, language));
    }
    for note in &file.notes {
        out.push((Shade::Doubt, format!("  {}:", language.choose("注意", "note"))));
        out.push((Shade::Plain, format!(" {}\n", print::sentence(note, language))));
    }
    out
}

/// Columns of a screen; longer names are not lined up.
const WIDEST_NAME: usize = 40;

fn sheet_name(sheet: &SheetReport, language: Language) -> String {
    let part = match language {
        _ if sheet.part <= 1 => String::new(),
        Language::Chinese => format!(" 第 {} 块", sheet.part),
        Language::English => format!(" part {}", sheet.part),
    };
    let hidden = if sheet.hidden { language.choose("（隐藏）", " (hidden)") } else { "" };
    format!("{}{part}{hidden}", escape::line(&sheet.name))
}

fn sheet_pieces(sheet: &SheetReport, language: Language) -> Vec<Piece> {
    let Some(table) = &sheet.table else {
        return vec![(Shade::Faint, format!("  {}\n", kind(&sheet.kind, language)))];
    };
    let place = |n: u64| if sheet.turned { column_letters(n.saturating_sub(1) as usize) } else { n.to_string() };
    let header: Vec<String> = sheet.header_rows.iter().map(|row| place(*row)).collect();
    let header = if header.is_empty() { language.choose("无", "none").to_owned() } else { header.join(", ") };
    let (first, last) = (place(sheet.first_row), place(sheet.last_row));
    let (read, stored, reported) = (sheet.rows_read, sheet.rows_stored, sheet.rows_reported);
    let line = match (language, sheet.turned) {
        (Language::Chinese, _) if sheet.rows_read == 0 => format!("：表头 {header}，没有数据"),
        (Language::English, _) if sheet.rows_read == 0 => format!(": header {header}, no rows below it"),
        (Language::Chinese, false) => format!("：表头行 {header}，数据行 {first}–{last}"),
        (Language::Chinese, true) => format!("：横放，表头列 {header}，数据列 {first}–{last}"),
        (Language::English, false) => format!(": header row {header}, rows {first}–{last}"),
        (Language::English, true) => format!(": on its side, header column {header}, columns {first}–{last}"),
    };
    let counts = match language {
        Language::Chinese => format!("，读到 {read} = 存入 {stored} + 另报 {reported}\n"),
        Language::English => format!(", {read} read = {stored} stored + {reported} reported\n"),
    };
    let mut out = vec![(Shade::Plain, " → ".to_owned()), (Shade::Name, table.clone()), (Shade::Plain, line + &counts)];
    let titles = sheet.titles.iter().map(|title| (Shade::Faint, format!("    {}\n", escape::line(title))));
    out.extend(titles);
    out
}

fn kind(kind: &str, language: Language) -> &str {
    match kind {
        "empty" => language.choose("空表", "empty"),
        "chart" => language.choose("图表", "chart"),
        other => other,
    }
}

fn table_pieces(table: &TableReport, language: Language) -> Vec<Piece> {
    let head = language
        .choose("| 字段 | 列名 | 类型 | 单位 | 空值 | 又称 |\n", "| field | label | type | unit | nulls | also |\n");
    let mut lines = format!("{head}| --- | --- | --- | --- | ---: | --- |\n");
    for field in &table.fields {
        let also: Vec<&str> = field.synonyms.iter().chain(&field.allowed).map(String::as_str).collect();
        lines.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            field.name,
            escape::cell(&field.label),
            field.kind,
            escape::cell(field.unit.as_deref().unwrap_or("")),
            field.nulls,
            escape::cell(&also.join(", "))
        ));
    }
    let rows = language.choose("行", "rows");
    let aligned = print::aligned(&lines);
    let (head, body) = aligned.split_at(aligned.match_indices('\n').nth(1).map_or(0, |(end, _)| end + 1));
    vec![
        (Shade::Plain, "\n".to_owned()),
        (Shade::Name, table.name.clone()),
        (Shade::Plain, format!(" · {} {rows}\n", table.rows)),
        (Shade::Faint, head.to_owned()),
        (Shade::Plain, body.to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_of_a_file_stand_in_line() {
        let sheet = |name: &str, turned| SheetReport {
            name: name.to_owned(),
            table: Some("t".to_owned()),
            turned,
            header_rows: vec![1],
            first_row: 2,
            last_row: 4,
            rows_read: 3,
            rows_stored: 3,
            ..SheetReport::default()
        };
        let sheets = vec![sheet("一月", false), sheet("Summary", true)];
        let report = FileReport { file: "f\u{1b}".to_owned(), sheets, ..FileReport::default() };
        let text: String = file_pieces(&report, Language::English).into_iter().map(|(_, text)| text).collect();
        let want = [
            "f\\u{1b}  ?",
            "  一月    → t: header row 1, rows 2–4, 3 read = 3 stored + 0 reported",
            "  Summary → t: on its side, header column A, columns B–D, 3 read = 3 stored + 0 reported",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), want);
    }
}
