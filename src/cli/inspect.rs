//! `sheetwise inspect`: how files were read.

use super::args::Inspect;
use super::exit::{Exit, Failure};
use super::{print, source};
use crate::app::App;
use crate::config::Config;
use crate::ingest::{FileReport, IngestReport, SheetReport, TableReport};

/// Reads the files and shows the report; fails only if none could be read.
pub async fn inspect(arguments: Inspect, config: Config) -> Result<Exit, Failure> {
    let app = App::temporary(config).await?;
    let (_, report) = app.read(source::told_apart(&arguments.files, &arguments.reading)).await?;
    if arguments.json {
        print::json(&report)
    } else {
        print::text(&shown(&report))
    }
    Ok(source::unreadable_exit(&report))
}

/// The report as text.
pub fn shown(report: &IngestReport) -> String {
    let mut out = String::new();
    for file in &report.files {
        out.push_str(&file_text(file));
    }
    for table in &report.tables {
        out.push_str(&table_text(table));
    }
    out
}

fn file_text(file: &FileReport) -> String {
    let mut out = format!("{}  {}", file.file, file.format.as_deref().unwrap_or("?"));
    for (name, value) in [("encoding", &file.encoding), ("delimiter", &file.delimiter)] {
        if let Some(value) = value {
            out.push_str(&format!("  {name} {value:?}"));
        }
    }
    out.push('\n');
    if let Some(error) = &file.error {
        out.push_str(&format!("  error: {error}\n"));
    }
    for sheet in &file.sheets {
        out.push_str(&sheet_text(sheet));
    }
    for note in &file.notes {
        let place = note.place.as_deref().map(|place| format!(" ({place})")).unwrap_or_default();
        out.push_str(&format!("  note: {}{place}\n", note.message));
    }
    out
}

fn sheet_text(sheet: &SheetReport) -> String {
    let part = if sheet.part > 1 { format!(" part {}", sheet.part) } else { String::new() };
    let hidden = if sheet.hidden { " (hidden)" } else { "" };
    match &sheet.table {
        None => format!("  {}{part}{hidden}: {}\n", sheet.name, sheet.kind),
        Some(table) => {
            let header: Vec<String> = sheet.header_rows.iter().map(u64::to_string).collect();
            format!(
                "  {}{part}{hidden} → {table}: header row {}, rows {}–{}, {} read = {} stored + {} reported\n",
                sheet.name,
                if header.is_empty() { "none".to_owned() } else { header.join(", ") },
                sheet.first_row,
                sheet.last_row,
                sheet.rows_read,
                sheet.rows_stored,
                sheet.rows_reported
            )
        }
    }
}

fn table_text(table: &TableReport) -> String {
    let mut lines =
        String::from("| field | label | type | unit | nulls | also |\n| --- | --- | --- | --- | ---: | --- |\n");
    for field in &table.fields {
        let also: Vec<&str> = field.synonyms.iter().chain(&field.allowed).map(String::as_str).collect();
        lines.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            field.name,
            field.label.replace('|', "\\|").replace('\n', " "),
            field.kind,
            field.unit.as_deref().unwrap_or(""),
            field.nulls,
            also.join(", ").replace('|', "\\|")
        ));
    }
    format!("\n{} · {} rows\n{}", table.name, table.rows, print::aligned(&lines))
}
