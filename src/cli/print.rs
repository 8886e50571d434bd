//! Text for people and JSON for programs on standard output; failures on standard error.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::exit::Exit;
use super::{chinese, escape};
use crate::ask::{Answer, Language};
use crate::note::{Note, turned_record};
use crate::sql::Refusal;

/// Writes lines for people.
pub fn text(text: &str) {
    write(&escape::lines(text));
}

/// How a piece of text looks on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    Plain,
    Heading,
    /// Of a table.
    Name,
    Faint,
    Doubt,
    Fault,
}

/// A piece of text and its look.
pub type Piece = (Shade, String);

impl Shade {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Heading => Style::new().bold(),
            Self::Name => AnsiColor::Cyan.on_default().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Doubt => AnsiColor::Yellow.on_default(),
            Self::Fault => AnsiColor::Red.on_default().bold(),
        }
    }
}

/// Writes pieces of lines for people, in colour on a terminal unless `NO_COLOR` is set.
pub fn pieces(pieces: &[Piece]) {
    let mut out = anstream::stdout().lock();
    // A reader that went away is no failure.
    let _ = out.write_all(painted(pieces).as_bytes()).and_then(|()| out.flush());
}

fn painted(pieces: &[Piece]) -> String {
    let piece = |(shade, text): &Piece| {
        let style = shade.style();
        format!("{style}{}{style:#}", escape::lines(text))
    };
    pieces.iter().map(piece).collect()
}

/// A reader that went away is no failure.
fn write(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// One JSON document on one line.
pub fn json(document: &impl Serialize) {
    match serde_json::to_string(document) {
        Ok(line) => write(&(line + "\n")),
        Err(error) => {
            failure(&error.to_string());
        }
    }
}

pub fn failure(message: &str) -> Exit {
    let _ = writeln!(std::io::stderr(), "sheetwise: {}", escape::lines(message));
    Exit::Failed
}

/// A word to the person, beside the answer.
pub fn hint(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

pub fn prompt() {
    text("? ");
}

pub fn refusal(refusal: &Refusal) {
    let place = refusal.position.map(|(line, column)| format!(" (line {line}, column {column})")).unwrap_or_default();
    let (message, hint) = (escape::line(&refusal.message), escape::line(&refusal.hint));
    let _ = writeln!(std::io::stderr(), "refused: {message}{place}\n  {hint}");
}

/// An answer: table, notes, statement, sources.
pub fn answer(answer: &Answer) {
    let language = Language::of(&answer.question);
    let mut out = aligned(&escape::lines(&answer.answer));
    out.push('\n');
    for note in &answer.notes {
        out.push_str(&format!("{}: {}\n", language.choose("注意", "note"), sentence(note, language)));
    }
    if let Some(sql) = &answer.sql {
        out.push_str(&format!("SQL: {}\n", sql.asked));
    }
    out.push_str(&sources(answer, language));
    text(&out);
}

/// What a note says and where, on one line, in a language that it has.
pub fn sentence(note: &Note, language: Language) -> String {
    let sentence = match language {
        Language::Chinese => chinese::sentence(note),
        Language::English => note.message.clone(),
    };
    let place = note.place.as_deref().map(|place| format!(" ({place})")).unwrap_or_default();
    escape::line(&(sentence + &place))
}

/// Rows cited in full in the terminal; the JSON has all.
const LISTED: usize = 10;

fn row(row: u64, language: Language) -> String {
    format!("{}{row}{}", language.choose("第", "row "), language.choose(" 行", ""))
}

fn column(letters: &str, language: Language) -> String {
    language.choose("{} 列", "column {}").replace("{}", letters)
}

fn sources(answer: &Answer, language: Language) -> String {
    let chunks = &answer.reference.chunks;
    let mut out = String::new();
    for (n, chunk) in chunks.iter().take(LISTED).enumerate() {
        let file = escape::line(&chunk.docnm_kwd);
        let place = match (&chunk.by_hand, turned_record(&chunk.sheet, chunk.row)) {
            (Some(_), _) => language.choose("手工添加的文字", "a text added by hand").to_owned(),
            (None, Some((sheet, letters))) => format!("{} › {}", escape::line(sheet), column(&letters, language)),
            (None, None) => format!("{} › {}", escape::line(&chunk.sheet), row(chunk.row, language)),
        };
        out.push_str(&format!("[{n}] {file} › {place}\n"));
    }
    let more = answer.reference.total.saturating_sub(chunks.len().min(LISTED) as u64);
    if more > 0 {
        let counts: Vec<String> = answer
            .reference
            .doc_aggs
            .iter()
            .map(|doc| format!("{} ({})", escape::line(&doc.doc_name), doc.count))
            .collect();
        let line = match language {
            Language::Chinese => format!("……另有 {more} 行：{}\n", counts.join("，")),
            Language::English => format!("… and {more} more rows: {}\n", counts.join(", ")),
        };
        out.push_str(&line);
    }
    out
}

/// Markdown with the columns of its tables padded to one width, wide characters counted as two.
pub fn aligned(markdown: &str) -> String {
    let mut out = String::new();
    let mut table: Vec<Vec<String>> = Vec::new();
    for line in markdown.lines() {
        if line.starts_with('|') {
            table.push(cells(line));
        } else {
            flush(&mut table, &mut out);
            out.push_str(line);
            out.push('\n');
        }
    }
    flush(&mut table, &mut out);
    out
}

/// The cells of a table line; an escaped bar does not end one.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        if c == '|' && !escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

fn flush(table: &mut Vec<Vec<String>>, out: &mut String) {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let rule = table.get(1).cloned().unwrap_or_default();
    let right: Vec<bool> = (0..columns).map(|n| rule.get(n).is_some_and(|cell| cell.ends_with(':'))).collect();
    let widths: Vec<usize> = (0..columns).map(|n| width(table, n)).collect();
    for (line, row) in table.drain(..).enumerate() {
        out.push('|');
        for (n, cell) in row.iter().enumerate() {
            let pad = widths[n].saturating_sub(cell.width());
            let padded = match (line == 1, right[n]) {
                (true, true) => format!("{}:", "-".repeat(widths[n].saturating_sub(1))),
                (true, false) => "-".repeat(widths[n]),
                (false, true) => format!("{}{cell}", " ".repeat(pad)),
                (false, false) => format!("{cell}{}", " ".repeat(pad)),
            };
            out.push_str(&format!(" {padded} |"));
        }
        out.push('\n');
    }
}

/// Display width of a column; the rule below the header has none of its own.
fn width(table: &[Vec<String>], column: usize) -> usize {
    let rows = table.iter().enumerate().filter(|(line, _)| *line != 1).map(|(_, row)| row);
    rows.filter_map(|row| row.get(column)).map(|cell| cell.width()).max().unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_marks_steer_the_terminal() {
        let text = painted(&[(Shade::Plain, "a\u{1b}[0m ".to_owned()), (Shade::Doubt, "note".to_owned())]);
        assert_eq!(text, "a\\u{1b}[0m \u{1b}[33mnote\u{1b}[0m");
    }

    #[test]
    fn columns_are_padded_by_display_width() {
        let text = aligned("| 部门 | n |\n| --- | ---: |\n| 研发部 | 12 |\n| a\\|b | 3 |\n");
        let want = ["| 部门   |  n |", "| ------ | -: |", "| 研发部 | 12 |", "| a\\|b   |  3 |"];
        assert_eq!(text.lines().collect::<Vec<_>>(), want);
    }
}
