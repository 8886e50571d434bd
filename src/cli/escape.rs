//! Text of files on a terminal: what would steer it, or turn the order of what is read, is shown as its escape.

/// Marks that turn the direction of text, and those that end a line unseen.
const UNSEEN: [char; 14] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}',
    '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// Lines of text.
pub fn lines(text: &str) -> String {
    escaped(text, |c| c == '\n')
}

/// One line: a name, a message.
pub fn line(text: &str) -> String {
    escaped(text, |_| false)
}

/// One cell of a Markdown table.
pub fn cell(text: &str) -> String {
    line(text).replace('|', "\\|")
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let steers = c.is_control() || UNSEEN.contains(&c);
        if steers && !is_kept(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let hostile = "a\u{1b}[31mred\u{7}\u{9b}2J\u{202e}fdp\u{2066}|\r\n部门 é 👩\u{200d}💻";
        let want = "a\\u{1b}[31mred\\u{7}\\u{9b}2J\\u{202e}fdp\\u{2066}|\\r\n部门 é 👩\u{200d}💻";
        assert_eq!(lines(hostile), want);
        assert_eq!(line(hostile), want.replace('\n', "\\n"));
        assert_eq!(cell("a|b"), "a\\|b");
    }
}
