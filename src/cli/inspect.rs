//! `sheetwise inspect`: how files were read.

use super::args::Inspect;
use super::exit::{Exit, Failure};
use super::progress::Line;
use super::{chinese, escape, print, source};
use crate::app::App;
use crate::ask::Language;
use crate::config::Config;
use crate::ingest::{FileReport, IngestReport, SheetReport, TableReport};

/// Reads the files and shows the report; fails only if none could be read.
pub async fn inspect(arguments: Inspect, config: Config) -> Result<Exit, Failure> {
    let line = Line::new(arguments.reading.quiet);
    let app = App::temporary(config).await?.watched(line.progress());
    let (_, report) = app.read(source::told_apart(&arguments.files, &arguments.reading)).await?;
    drop(line);
    if arguments.json {
        print::json(&report)
    } else {
        print::text(&shown(&report))
    }
    Ok(source::unreadable_exit(&report))
}

/// The report as text, in the language of the locale.
pub fn shown(report: &IngestReport) -> String {
    text(report, if chinese::is_wanted() { Language::Chinese } else { Language::English })
}

fn text(report: &IngestReport, language: Language) -> String {
    let files = report.files.iter().map(|file| file_text(file, language));
    files.chain(report.tables.iter().map(|table| table_text(table, language))).collect()
}

fn file_text(file: &FileReport, language: Language) -> String {
    let mut out = format!("{}  {}", escape::line(&file.file), file.format.as_deref().unwrap_or("?"));
    let (encoding, delimiter) = (language.choose("编码", "encoding"), language.choose("分隔符", "delimiter"));
    for (name, value) in [(encoding, &file.encoding), (delimiter, &file.delimiter)] {
        if let Some(value) = value {
            out.push_str(&format!("  {name} {value:?}"));
        }
    }
    out.push('\n');
    if let Some(error) = &file.error {
        out.push_str(&format!("  {}: {}\n", language.choose("错误", "error"), escape::line(error)));
    }
    for sheet in &file.sheets {
        out.push_str(&sheet_text(sheet, language));
    }
    for note in &file.notes {
        let sentence = print::sentence(note, language);
        out.push_str(&format!("  {}: {sentence}\n", language.choose("注意", "note")));
    }
    out
}

fn sheet_text(sheet: &SheetReport, language: Language) -> String {
    let part = match language {
        _ if sheet.part <= 1 => String::new(),
        Language::Chinese => format!(" 第 {} 块", sheet.part),
        Language::English => format!(" part {}", sheet.part),
    };
    let hidden = if sheet.hidden { language.choose("（隐藏）", " (hidden)") } else { "" };
    let name = format!("{}{part}{hidden}", escape::line(&sheet.name));
    let Some(table) = &sheet.table else {
        return format!("  {name}: {}\n", kind(&sheet.kind, language));
    };
    let header: Vec<String> = sheet.header_rows.iter().map(u64::to_string).collect();
    let header = if header.is_empty() { language.choose("无", "none").to_owned() } else { header.join(", ") };
    let (first, last) = (sheet.first_row, sheet.last_row);
    let (read, stored, reported) = (sheet.rows_read, sheet.rows_stored, sheet.rows_reported);
    let mut out = match language {
        Language::Chinese => format!(
            "  {name} → {table}：表头行 {header}，数据行 {first}–{last}，读到 {read} = 存入 {stored} + 另报 {reported}\n"
        ),
        Language::English => format!(
            "  {name} → {table}: header row {header}, rows {first}–{last}, {read} read = {stored} stored + {reported} reported\n"
        ),
    };
    for title in &sheet.titles {
        out.push_str(&format!("    {}: {}\n", language.choose("标题", "title"), escape::line(title)));
    }
    out
}

fn kind(kind: &str, language: Language) -> &str {
    match kind {
        "empty" => language.choose("空表", "empty"),
        "chart" => language.choose("图表", "chart"),
        other => other,
    }
}

fn table_text(table: &TableReport, language: Language) -> String {
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
    format!("\n{} · {} {rows}\n{}", table.name, table.rows, print::aligned(&lines))
}
