//! How a delimited text is written: delimiter, quote, escape and a `sep=` line, found from its first lines.

use csv::{ByteRecord, ReaderBuilder};

use super::kind::{Kind, kind};
use super::quotes::{Most, Quotes, Strays};
use crate::value::Cell;

/// How a delimited text is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dialect {
    pub delimiter: u8,
    pub quote: u8,
    /// Quotes inside quotes are written `\"` (and a backslash `\\`).
    pub backslash: bool,
    /// A delimiter inside a field is written `\,`, without quotes around the field.
    pub escaped: bool,
    /// Bytes of a `sep=` line and of comment lines before the text.
    pub skip: usize,
}

/// Stands for an escaped delimiter between [`Unescaped`] and the cells.
pub(super) const ESCAPED: u8 = 0x1F;

const DELIMITERS: [u8; 5] = [b',', b';', b'\t', b'|', b'#'];

/// Bytes looked at for each way to read them.
const LOOK: usize = 64 << 10;
const MOST: Most = Most { quoted: LOOK, line: usize::MAX };

/// Finds the dialect of a text from its beginning. `whole` says that there is no more.
pub(super) fn sniff(sample: &str, whole: bool) -> Dialect {
    let (declared, skip) = separator_line(sample);
    let comments = comment_lines(&sample[skip..]);
    let dialect = sniff_text(lines(&sample[skip + comments..], whole), declared);
    let kept = headed_by_comment(&sample[skip..skip + comments], &sample[skip + comments..], dialect.delimiter);
    if comments == 0 || dialect.delimiter == b'#' {
        return Dialect { skip, ..sniff_text(lines(&sample[skip..], whole), declared) };
    }
    Dialect { skip: skip + comments - kept, ..dialect }
}

fn sniff_text(text: &str, declared: Option<u8>) -> Dialect {
    let quote = if single_quoted(text) { b'\'' } else { b'"' };
    let backslash = backslash(text, char::from(quote));
    let mut dialect = Dialect { delimiter: b',', quote, backslash, escaped: false, skip: 0 };
    dialect.delimiter = declared.unwrap_or_else(|| best_delimiter(text, dialect));
    dialect.escaped = escapes_delimiters(text, dialect);
    dialect
}

/// Bytes of the lines at the beginning that start with `#`, where other lines follow.
fn comment_lines(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let blank = end > 0 && line.trim().is_empty();
        if !line.starts_with('#') && !blank {
            return end;
        }
        end += line.len();
    }
    0
}

/// Bytes of the last comment line where it has as many fields as the line after it: it is the header.
fn headed_by_comment(comments: &str, text: &str, delimiter: u8) -> usize {
    let fields = |line: &str| line.bytes().filter(|byte| *byte == delimiter).count();
    let last = comments.trim_end_matches(['\n', '\r']).rsplit(['\n', '\r']).next().unwrap_or("");
    let next = text.split(['\n', '\r']).next().unwrap_or("");
    let start = comments.rfind(last).unwrap_or(0);
    if fields(last) > 0 && fields(last) == fields(next) { comments.len() - start } else { 0 }
}

/// Delimiters stand behind a backslash, and rows are of one width only where those part nothing.
fn escapes_delimiters(text: &str, dialect: Dialect) -> bool {
    let pair = ['\\', char::from(dialect.delimiter)].iter().collect::<String>();
    if !text.contains(&pair) || text.contains(char::from(ESCAPED)) {
        return false;
    }
    let spread = |escaped: bool| {
        let mut reader =
            dialect.reader(Unescaped::new(text.as_bytes(), Dialect { escaped, ..dialect }), MOST, Strays::default());
        let mut record = ByteRecord::new();
        let mut widths = Vec::new();
        while widths.len() < 500 && reader.read_byte_record(&mut record).unwrap_or(false) {
            widths.push(record.len());
        }
        widths.sort_unstable();
        widths.chunk_by(|a, b| a == b).map(<[usize]>::len).max().map_or(0, |most| widths.len() - most)
    };
    spread(true) < spread(false)
}

impl Dialect {
    /// A reader of records over UTF-8 after the `sep=` line. The lines of quotes that don't close are put in `strays`.
    pub fn reader<R: std::io::Read>(&self, source: R, most: Most, strays: Strays) -> csv::Reader<Quotes<R>> {
        let source = Quotes::new(source, (self.quote, self.delimiter), most, strays);
        ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .quote(self.quote)
            .buffer_capacity(256 << 10)
            .from_reader(source)
    }
}

/// `sep=;` on the first line, as Excel writes and reads it.
fn separator_line(sample: &str) -> (Option<u8>, usize) {
    let line = sample.split(['\r', '\n']).next().unwrap_or("");
    let bare = line.trim_matches('"');
    let Some([delimiter]) = bare.get(..4).filter(|w| w.eq_ignore_ascii_case("sep=")).map(|_| &bare.as_bytes()[4..])
    else {
        return (None, 0);
    };
    let rest = &sample[line.len()..];
    let ending = if rest.starts_with("\r\n") { 2 } else { rest.len().min(1) };
    (Some(*delimiter), line.len() + ending)
}

/// The part of a sample that is read: whole lines, where it was cut.
fn lines(sample: &str, whole: bool) -> &str {
    let mut end = sample.len().min(LOOK);
    while !sample.is_char_boundary(end) {
        end -= 1;
    }
    if whole && end == sample.len() {
        return sample;
    }
    match sample[..end].rfind(['\n', '\r']) {
        Some(last) => &sample[..=last],
        None => &sample[..end],
    }
}

/// Fields stand in `'…'` and none in `"…"`.
fn single_quoted(text: &str) -> bool {
    let (mut begins, mut ends, mut double, mut fields) = (0, 0, 0, 0);
    for field in text.split(['\n', '\r', ',', ';', '\t', '|']).filter(|field| !field.is_empty()) {
        fields += 1;
        begins += usize::from(field.len() > 1 && field.starts_with('\''));
        ends += usize::from(field.len() > 1 && field.ends_with('\''));
        double += usize::from(field.starts_with('"'));
    }
    let single = begins.min(ends);
    double == 0 && single >= 2 && single * 5 >= fields
}

/// Quotes are escaped by a backslash: `\"` stands where no field can end, and `""` does not stand for a quote.
fn backslash(text: &str, quote: char) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| matches!(c, ',' | ';' | '\t' | '|' | '\n' | '\r' | '#'));
    let before = |at: usize| text[..at].chars().next_back();
    let [pair, twice] = [format!("\\{quote}"), format!("{quote}{quote}")];
    let escaped = text.match_indices(&pair).filter(|(at, pair)| {
        let behind = text[at + pair.len()..].chars().next();
        !ends(behind) && before(*at) != Some(quote)
    });
    let doubled = text.match_indices(&twice).filter(|(at, _)| {
        let before = before(*at);
        !ends(before) && before != Some('\\') && before != Some(quote)
    });
    escaped.count() > doubled.count()
}

fn best_delimiter(text: &str, dialect: Dialect) -> u8 {
    let mut best = (0.2, b',');
    for delimiter in DELIMITERS.into_iter().filter(|d| text.as_bytes().contains(d)) {
        let score = score(text, Dialect { delimiter, ..dialect });
        if score > best.0 + 1e-9 {
            best = (score, delimiter);
        }
    }
    best.1
}

/// How well a delimiter explains a text, 0 to 1: rows of one width, more than one column, cells that look like cells.
fn score(text: &str, dialect: Dialect) -> f64 {
    let source = Unescaped::new(text.as_bytes(), dialect);
    let mut reader = dialect.reader(source, MOST, Strays::default());
    let mut record = ByteRecord::new();
    let mut widths: Vec<usize> = Vec::new();
    let (mut cells, mut clean) = (0_usize, 0_usize);
    while widths.len() < 500 && reader.read_byte_record(&mut record).unwrap_or(false) {
        if record.iter().all(<[u8]>::is_empty) {
            continue;
        }
        widths.push(trimmed_width(&record));
        cells += record.len();
        clean += record.iter().filter(|cell| is_clean(cell, dialect.delimiter)).count();
    }
    let (width, rows) = mode(&widths);
    if width < 2 {
        return 0.0;
    }
    let consistent = rows as f64 / widths.len() as f64;
    let wide = 1.0 - 1.0 / (width as f64 + 1.0);
    let hash = if dialect.delimiter == b'#' { 0.5 } else { 1.0 };
    consistent * wide * hash * (0.2 + 0.8 * clean as f64 / cells.max(1) as f64)
}

/// Columns up to the last that is not empty, but at least two where there is a delimiter.
fn trimmed_width(record: &ByteRecord) -> usize {
    let last = record.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
    last.max(record.len().min(2))
}

/// The most frequent width above one, else one, and its rows; where most rows have no delimiter, that counts against.
fn mode(widths: &[usize]) -> (usize, usize) {
    let mut sorted = widths.to_vec();
    sorted.sort_unstable();
    sorted
        .chunk_by(|a, b| a == b)
        .filter(|run| run[0] > 1)
        .map(|run| (run[0], near(widths, run[0])))
        .max_by_key(|(width, rows)| (*rows, *width))
        .unwrap_or((1, widths.len()))
}

/// Rows of a width; rows a little shorter count half, their last cells may be empty.
fn near(widths: &[usize], width: usize) -> usize {
    let exact = widths.iter().filter(|w| **w == width).count();
    let shorter = widths.iter().filter(|w| **w < width && **w * 2 > width).count();
    exact + shorter / 2
}

fn is_clean(cell: &[u8], delimiter: u8) -> bool {
    let cell = String::from_utf8_lossy(cell);
    let trimmed = cell.trim();
    if trimmed.is_empty() || kind(&Cell::Text(trimmed.into())) != Kind::Text {
        return true;
    }
    let foreign = |c: char| matches!(c, ';' | '|' | '\t') && c as u32 != u32::from(delimiter);
    let packed = delimiter != b',' && trimmed.split(',').count() > 3 && !trimmed.contains(", ");
    !trimmed.contains(foreign) && !trimmed.starts_with('"') && !trimmed.ends_with('"') && !packed
}

/// Rewrites `\"` (or `\'`, as the text is quoted) as `""`, `\\` as `\` and an escaped delimiter as [`ESCAPED`]; other backslashes stay. A reader of a dialect
/// without backslashes passes through.
pub(super) struct Unescaped<R> {
    source: R,
    dialect: Dialect,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The last byte read was a backslash whose meaning the next byte tells.
    pending: bool,
}

impl<R: std::io::Read> Unescaped<R> {
    pub fn new(source: R, dialect: Dialect) -> Self {
        Self { source, dialect, buffer: Vec::new(), start: 0, end: 0, pending: false }
    }

    fn next(&mut self) -> std::io::Result<Option<u8>> {
        if self.start == self.end {
            self.buffer.resize(64 << 10, 0);
            self.start = 0;
            self.end = self.source.read(&mut self.buffer)?;
        }
        let byte = self.buffer[..self.end].get(self.start).copied();
        self.start += usize::from(byte.is_some());
        Ok(byte)
    }
}

impl<R: std::io::Read> std::io::Read for Unescaped<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if !self.dialect.backslash && !self.dialect.escaped {
            return self.source.read(into);
        }
        let mut written = 0;
        while written + 2 <= into.len() {
            if written > 0 && self.start == self.end {
                break;
            }
            let Some(byte) = self.next()? else {
                if std::mem::take(&mut self.pending) {
                    into[written] = b'\\';
                    written += 1;
                }
                break;
            };
            if !std::mem::take(&mut self.pending) {
                self.pending = byte == b'\\';
                if !self.pending {
                    into[written] = byte;
                    written += 1;
                }
                continue;
            }
            match byte {
                _ if self.dialect.escaped && byte == self.dialect.delimiter => {
                    into[written] = ESCAPED;
                    written += 1;
                    continue;
                }
                _ if self.dialect.backslash && byte == self.dialect.quote => into[written..written + 2].fill(byte),
                b'\\' => into[written] = b'\\',
                _ => into[written..written + 2].copy_from_slice(&[b'\\', byte]),
            }
            written += if byte == b'\\' { 1 } else { 2 };
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_found() {
        for (text, delimiter, quote, backslash) in [
            ("a,b,c\n1,2,3\n", b',', b'"', false),
            ("a;b;c\n1,5;2,5;3\n", b';', b'"', false),
            ("a\tb\n1\t2\n", b'\t', b'"', false),
            ("a|b|c\r\n1|2|3\r\n", b'|', b'"', false),
            ("编号#姓名#部门\n1#张三#行政\n2#李四#研发\n", b'#', b'"', false),
            ("name,say\n'a, b',1\n'c, d',2\n", b',', b'\'', false),
            ("\"a\",\"b\"\n\"x \\\"y\\\" z\",\"2\"\n", b',', b'"', true),
            ("\"a\",\"b\"\n\"x \"\"y\"\" z\",\"C:\\\"\n", b',', b'"', false),
            ("id,say\n1,'it\\'s ok'\n2,'that\\'s, y'\n", b',', b'\'', true),
            ("id,say\n1,'it''s \\'\n2,'that''s, y'\n", b',', b'\'', false),
            ("one column\nof, prose\nand more\n", b',', b'"', false),
            ("Report, of May\n\nid;name;sum\n1;x;2\n2;y;3\n3;z;4\n", b';', b'"', false),
            ("a,b\r1,2\r3,4", b',', b'"', false),
        ] {
            let found = sniff(text, true);
            assert_eq!((found.delimiter, found.quote, found.backslash), (delimiter, quote, backslash), "{text}");
        }
    }

    #[test]
    fn comment_lines_are_skipped_but_not_a_header() {
        for (text, begins) in [
            ("# made \"by x\n# second, line\n\nid,name,n\n1,a,2\n", "id,name"),
            ("# made by x\n#id,name,n\n1,a,2\n2,b,3\n", "#id,name"),
            ("#,name\n1,a\n2,b\n", "#,name"),
            ("# all\n# comments\n", "# all"),
        ] {
            assert!(text[sniff(text, true).skip..].starts_with(begins), "{text}");
        }
    }

    #[test]
    fn escaped_delimiters_part_nothing() {
        assert!(sniff("id,name,n\n1,a\\, b,2\n2,c,3\n3,d\\, e,4\n", true).escaped);
        assert!(!sniff("path,n\nC:\\,2\nD:\\,3\n", true).escaped);
    }

    #[test]
    fn a_separator_line_is_believed_and_skipped() {
        let text = "sep=;\r\na;b,c\r\n";
        let found = sniff(text, true);
        assert_eq!((found.delimiter, &text[found.skip..]), (b';', "a;b,c\r\n"));
    }

    #[test]
    fn only_backslashes_before_quotes_and_backslashes_are_taken() {
        let mut text = String::new();
        let source = &br#"a\"b\\c\d\"#[..];
        let dialect = Dialect { delimiter: b',', quote: b'"', backslash: true, escaped: false, skip: 0 };
        std::io::Read::read_to_string(&mut Unescaped::new(source, dialect), &mut text).expect("memory");
        assert_eq!(text, r#"a""b\c\d\"#);
        let (source, dialect) = (&br#"a\'b\"c"#[..], Dialect { quote: b'\'', ..dialect });
        text.clear();
        std::io::Read::read_to_string(&mut Unescaped::new(source, dialect), &mut text).expect("memory");
        assert_eq!(text, r#"a''b\"c"#);
    }
}
