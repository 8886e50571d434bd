//! Text from files as data: JSON lines between marks that no line can hold.
//!
//! Comes in: labels, cells, names. Goes out: lines in which `<` and `>` are escaped, so that nothing closes the block.

use serde::Serialize;
use serde_json::{Value, json};

use crate::engine::{Likeness, Mention};
use crate::sql::Refusal;

/// Characters of one label, name or cell in a prompt.
pub(super) const TEXT_CHARS: usize = 120;

/// Characters of the marks around a block.
const MARKS: usize = 40;

/// Characters around a row's content in its line.
const ROW_FRAME: usize = 40;

/// JSON on one line, without `<` and `>`.
pub(super) fn json(value: &impl Serialize) -> String {
    // Only maps with keys that are no text could fail, and there are none.
    let text = serde_json::to_string(value).unwrap_or_default();
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Lines between `<name>` and `</name>`; nothing where there is no line.
pub(super) fn block(name: &str, lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("\n<{name}>\n{}\n</{name}>", lines.join("\n")) }
}

/// At most `chars` characters, `…` at the end where some are left out.
pub(super) fn clip(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The same for text from a file, on one line of a prompt.
pub(super) fn short(text: &str) -> String {
    clip(text, TEXT_CHARS)
}

/// Cells that the question names, closest first as given, within `room` characters. A cell that is too long to be written to
/// the letter is left out.
pub(super) fn mentions(question: &str, mentions: &[Mention], room: usize) -> Vec<String> {
    let mut used = 0;
    let fitting = mentions.iter().filter(|mention| mention.cell.chars().count() <= TEXT_CHARS);
    let lines = fitting.map(|mention| json(&mention_line(question, mention)));
    lines
        .take_while(|line| {
            used += line.chars().count() + 1;
            used <= room
        })
        .collect()
}

fn mention_line(question: &str, mention: &Mention) -> Value {
    let said = question.get(mention.start..mention.end).unwrap_or_default();
    json!({
        "cell": mention.cell,
        "column": mention.field,
        "table": mention.table,
        "question_says": said,
        "match": likeness(mention.how),
    })
}

fn likeness(how: Likeness) -> &'static str {
    match how {
        Likeness::Exact => "exact",
        Likeness::Folded => "same letters",
        Likeness::Partial => "part of the cell",
        Likeness::Fuzzy => "similar",
    }
}

/// Why a statement was refused, its hint whole: it is what the model acts on.
pub(super) fn refusal(refusal: &Refusal) -> String {
    json(refusal)
}

/// Rows with their numbers, each clipped to an equal share of `room` characters.
pub(super) fn rows(rows: &[(usize, String)], room: usize) -> Vec<String> {
    let share = (room.saturating_sub(MARKS) / rows.len().max(1)).saturating_sub(ROW_FRAME + 1);
    rows.iter().map(|(id, content)| row(*id, content, share)).collect()
}

/// Escapes make a text longer: it is clipped in proportion until its line fits, at most a few times.
fn row(id: usize, content: &str, share: usize) -> String {
    let mut chars = share;
    loop {
        let line = json(&json!({"id": id, "row": clip(content, chars)}));
        let length = line.chars().count();
        if length <= share + ROW_FRAME || chars == 0 {
            return line;
        }
        chars = (chars * (share + ROW_FRAME) / length).min(chars - 1);
    }
}
