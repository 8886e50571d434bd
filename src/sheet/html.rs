//! Web pages that are called spreadsheets: the tables of a page, one below the other, as one sheet.
//!
//! Comes in: the text of the page. Goes out: its cells in a grid. Text outside the tables stands as rows of one cell.
//! Must never happen: a cell of a table that is lost; a script or a style taken for text.

use super::grid::{Grid, GridBuilder, Merge, Stored};
use super::workbook::COLUMNS;

/// Spans that a program would write; larger ones are cut.
const MOST_SPAN: u32 = 1_000;

/// The tables of a page; `None` where there is none, an error where there are more cells than `most`.
pub(super) fn grid(page: &str, most: u64) -> Result<Option<Grid>, u64> {
    let mut walk = Walk::default();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        walk.text(&rest[..start]);
        rest = walk.tag(&rest[start..]);
        if walk.written > most {
            return Err(most);
        }
    }
    walk.text(rest);
    while !walk.open.is_empty() {
        walk.close_table();
    }
    walk.flush_line();
    Ok(walk.tables.then(|| walk.finish()))
}

/// A cell in the making.
#[derive(Debug, Default)]
struct Td {
    text: String,
    columns: u32,
    rows: u32,
}

#[derive(Debug, Default)]
struct Table {
    rows: Vec<Vec<Td>>,
    inside: bool,
}

#[derive(Debug, Default)]
struct Walk {
    /// Tables within tables.
    open: Vec<Table>,
    /// Text between tables.
    line: String,
    grid: GridBuilder,
    merges: Vec<Merge>,
    row: u32,
    written: u64,
    tables: bool,
}

impl Walk {
    /// Takes the tag that `rest` begins with; gives what follows it.
    fn tag<'t>(&mut self, rest: &'t str) -> &'t str {
        if rest.starts_with("<!--") {
            return rest.find("-->").map_or("", |end| &rest[end + 3..]);
        }
        if !rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            self.text("<");
            return &rest[1..];
        }
        let Some(end) = rest.find('>') else { return "" };
        let (tag, behind) = (&rest[1..end], &rest[end + 1..]);
        let name_end = tag.find(|c: char| c.is_whitespace() || c == '/').filter(|at| *at > 0).unwrap_or(tag.len());
        let name = tag[..name_end].to_ascii_lowercase();
        if matches!(name.as_str(), "script" | "style" | "title" | "xml") {
            return skipped(behind, &name);
        }
        self.element(&name, tag);
        behind
    }

    fn element(&mut self, name: &str, tag: &str) {
        match name {
            "table" => self.open_table(),
            "/table" => self.close_table(),
            "tr" => self.open.last_mut().into_iter().for_each(|table| {
                table.rows.push(Vec::new());
                table.inside = false;
            }),
            "td" | "th" => self.open_cell(tag),
            "/td" | "/th" | "/tr" => self.open.last_mut().into_iter().for_each(|table| table.inside = false),
            "br" | "br/" | "p" | "/p" | "div" | "/div" | "li" | "/li" => self.break_line(),
            "h1" | "h2" | "h3" | "h4" | "/h1" | "/h2" | "/h3" | "/h4" | "/caption" => self.break_line(),
            _ => {}
        }
    }

    fn open_table(&mut self) {
        self.flush_line();
        self.tables = true;
        self.open.push(Table::default());
    }

    fn open_cell(&mut self, tag: &str) {
        let span = |name| attribute(tag, name).and_then(|n| n.parse().ok()).unwrap_or(1).clamp(1, MOST_SPAN);
        let Some(table) = self.open.last_mut() else { return };
        if table.rows.is_empty() {
            table.rows.push(Vec::new());
        }
        let cell = Td { text: String::new(), columns: span("colspan"), rows: span("rowspan") };
        if let Some(row) = table.rows.last_mut() {
            row.push(cell);
        }
        table.inside = true;
    }

    /// Text of the cell that is open, or between the tables.
    fn text(&mut self, text: &str) {
        match self.cell() {
            Some(cell) => append(&mut cell.text, text),
            None => append(&mut self.line, text),
        }
    }

    /// The cell that is open.
    fn cell(&mut self) -> Option<&mut Td> {
        self.open.last_mut().filter(|table| table.inside)?.rows.last_mut()?.last_mut()
    }

    fn break_line(&mut self) {
        match self.cell() {
            Some(cell) => append(&mut cell.text, " "),
            None => self.flush_line(),
        }
    }

    /// The text between tables is a row of one cell.
    fn flush_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.trim().is_empty() {
            self.push(self.row, 0, line.trim());
            self.row += 1;
        }
    }

    /// Writes the rows of the innermost table below what is there.
    fn close_table(&mut self) {
        let Some(table) = self.open.pop() else { return };
        self.flush_line();
        // For each column the first row that no cell above reaches into.
        let mut free: Vec<u32> = Vec::new();
        for cells in table.rows {
            let mut column = 0_u32;
            for cell in cells {
                while free.get(column as usize).is_some_and(|free| *free > self.row) {
                    column += 1;
                }
                // A span beyond the last column spans nothing.
                let columns = if column + cell.columns > COLUMNS { 1 } else { cell.columns };
                self.place(&Td { columns, ..cell }, column, &mut free);
                column += columns;
            }
            self.row += 1;
        }
        self.row += 1;
    }

    fn place(&mut self, cell: &Td, column: u32, free: &mut Vec<u32>) {
        let (last_row, last_column) = (self.row + cell.rows - 1, column + cell.columns - 1);
        if free.len() <= last_column as usize {
            free.resize(last_column as usize + 1, 0);
        }
        free[column as usize..=last_column as usize].fill(last_row + 1);
        if cell.rows > 1 || cell.columns > 1 {
            self.merges.push(Merge { first_row: self.row, last_row, first_column: column, last_column });
        }
        self.push(self.row, column, cell.text.trim());
    }

    fn push(&mut self, row: u32, column: u32, text: &str) {
        if let Some(number) = self.grid.texts().keep(text).filter(|_| !text.is_empty()) {
            self.grid.push(row, column, Stored::Text(number));
            self.written += 1;
        }
    }

    fn finish(self) -> Grid {
        let mut grid = self.grid.build();
        grid.set_merges(self.merges);
        grid
    }
}

/// What follows the end of an element whose content is no text.
fn skipped<'t>(rest: &'t str, name: &str) -> &'t str {
    let end = format!("</{name}");
    let mut at = 0;
    while let Some(found) = rest[at..].find("</") {
        at += found;
        if rest.get(at..at + end.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(&end)) {
            return rest[at..].find('>').map_or("", |close| &rest[at + close + 1..]);
        }
        at += 2;
    }
    ""
}

/// An attribute's value in the text of a tag, quoted or bare.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once('=') {
        let is_it = before.trim_end().rsplit(char::is_whitespace).next().is_some_and(|n| n.eq_ignore_ascii_case(name));
        let after = after.trim_start();
        let (value, behind) = match after.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            Some(quote) => after[1..].split_once(quote)?,
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        if is_it {
            return Some(value.trim_end_matches('/'));
        }
        rest = behind;
    }
    None
}

/// Appends text with its white space as single spaces and its entities as characters.
fn append(into: &mut String, text: &str) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_whitespace() {
            if !into.is_empty() && !into.ends_with(' ') {
                into.push(' ');
            }
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
            continue;
        }
        let (character, behind) = entity(rest).unwrap_or((c, &rest[c.len_utf8()..]));
        into.push(character);
        rest = behind;
    }
}

/// Bytes of an entity's name at most.
const LONGEST_ENTITY: usize = 10;

/// The character that `&nbsp;` or `&#65;` at the beginning is, and what follows it.
fn entity(text: &str) -> Option<(char, &str)> {
    let inner = text.strip_prefix('&')?;
    let end = inner.bytes().take(LONGEST_ENTITY).position(|byte| byte == b';')?;
    let (name, behind) = (&inner[..end], &inner[end + 1..]);
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let character = match name {
        "nbsp" => ' ',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "yen" => '¥',
        "euro" => '€',
        "pound" => '£',
        "times" => '×',
        "middot" => '·',
        "ndash" => '–',
        "mdash" => '—',
        _ => match name.strip_prefix('#')? {
            digits if digits.starts_with(['x', 'X']) => number(&digits[1..], 16)?,
            digits => number(digits, 10)?,
        },
    };
    Some((character, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(page: &str) -> Vec<String> {
        let grid = grid(page, 1_000).expect("few cells").expect("a table");
        let line = |i| grid.filled(i).map(|(c, cell)| format!("{c}={}", cell.text())).collect::<Vec<_>>().join(" ");
        (0..grid.len()).map(line).collect()
    }

    #[test]
    fn cells_stand_where_a_browser_shows_them() {
        let page = "<html><head><title>x</title><style>td{a:b}</style></head><body><h1>月报</h1><TABLE border=1>
            <tr><th rowspan=2>部门<th colspan='2'>金额&nbsp;（元）</tr><tr><td>一月</td><td>二月</td></tr>
            <tr><td>A &amp; B<br>C</td><td>1,200</td><td style='mso-number-format:\"\\@\"'>007</td></tr></TABLE>
            <!-- <tr> --><script>if (a<b) {}</script>done</body></html>";
        assert_eq!(
            lines(page),
            ["0=月报", "0=部门 1=金额 （元）", "1=一月 2=二月", "0=A & B C 1=1,200 2=007", "0=done"]
        );
    }

    #[test]
    fn a_sign_that_opens_no_tag_is_text() {
        let page = "<table><tr><td><0.01</td><td>a < b</td><td>1 <= 2 << 3</td><td><</td><td>x</td></tr></table>";
        assert_eq!(lines(page), ["0=<0.01 1=a < b 2=1 <= 2 << 3 3=< 4=x"]);
    }

    #[test]
    fn spans_do_not_reach_beyond_the_last_column() {
        let page = format!("<table><tr>{}</table>", "<td colspan=1000>x</td>".repeat(40));
        let grid = grid(&page, 1_000).expect("few cells").expect("a table");
        assert_eq!((grid.used(0).len(), grid.filled(0).last().map(|(column, _)| column)), (40, Some(16_023)));
    }

    #[test]
    fn open_and_nested_tables_lose_nothing() {
        assert_eq!(lines("<table><tr><td>a<td>b<tr><td>c&#65;&unknown;"), ["0=a 1=b", "0=cA&unknown;"]);
        assert_eq!(lines("<table><tr><td>o<table><tr><td>i</table></table>"), ["0=i", "0=o"]);
        assert!(grid("<html>no table</html>", 10).expect("few").is_none());
        assert_eq!(grid("<table><tr><td>1<td>2<td>3</table><p>x", 2).err(), Some(2));
    }
}
