//! Quotes that open a field and never close it, made characters of their line.
//!
//! Comes in: delimited text in UTF-8. Goes out: the same text, in which a stray opening quote is written as a quoted quote
//! and each line outside quotes, the last one too, ends with a line feed.
//! Must never happen: a row that a stray quote swallows; more than the bound looked ahead.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Read;
use std::rc::Rc;

use super::passed::give;

/// Lines (line feeds before them) with stray quotes that no record was found for yet.
pub(super) type Strays = Rc<RefCell<VecDeque<u64>>>;

/// Bytes of one quoted field, and of one line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    pub quoted: usize,
    pub line: usize,
}

/// Bytes read at once.
const CHUNK: usize = 64 << 10;

/// Passes text on. A quoted field must end within `most` bytes and before a delimiter or the end of its line; one that spans
/// lines and does not is no quoted field.
pub(super) struct Quotes<R> {
    source: R,
    quote: u8,
    delimiter: u8,
    most: Most,
    strays: Strays,
    /// Text that was read; what stands before `at` is passed on.
    chunk: Vec<u8>,
    at: usize,
    ended: bool,
    /// Text to give, from `given`.
    out: Vec<u8>,
    given: usize,
    /// A field begins at `at`.
    begins: bool,
    /// `at` is in a field whose quotes are characters.
    literal: bool,
    lines: u64,
    /// Bytes of the line so far, those of quoted fields too.
    line: usize,
    /// A carriage return was passed on as a line feed: one that follows it is of the same line end.
    returned: bool,
}

impl<R: Read> Quotes<R> {
    pub fn new(source: R, (quote, delimiter): (u8, u8), most: Most, strays: Strays) -> Self {
        let (chunk, out) = (Vec::new(), Vec::new());
        let (at, given, lines, line) = (0, 0, 0, 0);
        let (ended, begins, literal, returned) = (false, true, false, false);
        Self {
            source,
            quote,
            delimiter,
            most,
            strays,
            chunk,
            at,
            ended,
            out,
            given,
            begins,
            literal,
            lines,
            line,
            returned,
        }
    }

    /// The byte at a place, reading on where it must; `None` at the end of the text.
    fn byte(&mut self, place: usize) -> std::io::Result<Option<u8>> {
        while place >= self.chunk.len() && !self.ended {
            let end = self.chunk.len();
            self.chunk.resize(end + CHUNK, 0);
            let read = self.source.read(&mut self.chunk[end..])?;
            self.chunk.truncate(end + read);
            self.ended = read == 0;
        }
        Ok(self.chunk.get(place).copied())
    }

    fn ends_field(&self, byte: u8) -> bool {
        byte == self.delimiter || matches!(byte, b'\n' | b'\r')
    }

    /// Moves some text to `out`; there is none at the end.
    fn advance(&mut self) -> std::io::Result<()> {
        self.chunk.drain(..self.at);
        self.at = 0;
        self.out.clear();
        self.given = 0;
        while self.out.len() < CHUNK {
            let Some(byte) = self.byte(self.at)? else {
                if std::mem::take(&mut self.literal) {
                    self.out.push(self.quote);
                }
                if std::mem::take(&mut self.line) > 0 {
                    self.out.push(b'\n');
                }
                return Ok(());
            };
            if self.literal {
                self.literal_byte(byte);
            } else if self.begins && byte == self.quote {
                self.open()?;
            } else {
                self.pass_run();
            }
            if self.line > self.most.line {
                return Err(std::io::ErrorKind::FileTooLarge.into());
            }
        }
        Ok(())
    }

    /// Passes what was read up to the next quote that may open a field.
    fn pass_run(&mut self) {
        let rest = &self.chunk[self.at..];
        let quote = rest.iter().skip(1).position(|byte| *byte == self.quote).map(|at| at + 1);
        let end = self.at + quote.unwrap_or(rest.len()).min(CHUNK);
        self.pass_to(end);
    }

    fn pass_to(&mut self, end: usize) {
        let run = &self.chunk[self.at..end];
        let start = self.out.len();
        let mut from = usize::from(self.returned && run.first() == Some(&b'\n'));
        let returns = run.contains(&b'\r');
        while returns && let Some(at) = run[from..].iter().position(|byte| *byte == b'\r').map(|at| from + at) {
            self.out.extend_from_slice(&run[from..at]);
            self.out.push(b'\n');
            from = at + 1 + usize::from(run.get(at + 1) == Some(&b'\n'));
        }
        self.out.extend_from_slice(&run[from..]);
        self.returned = run.last() == Some(&b'\r');
        let out = &self.out[start..];
        self.lines += line_feeds(out);
        let ended = out.iter().rposition(|byte| *byte == b'\n');
        self.line = ended.map_or(self.line + out.len(), |end| out.len() - end - 1);
        self.begins = run.last().is_some_and(|byte| self.ends_field(*byte));
        self.at = end;
    }

    /// Passes a quoted field as it stands: its line goes on behind it.
    fn pass_quoted(&mut self, end: usize) {
        let field = &self.chunk[self.at..end];
        self.lines += line_feeds(field);
        self.line += field.len();
        self.out.extend_from_slice(field);
        (self.begins, self.at) = (false, end);
    }

    /// A quote at the beginning of a field.
    fn open(&mut self) -> std::io::Result<()> {
        self.returned = false;
        match self.closing()? {
            Some(closing) => self.pass_quoted(closing + 1),
            None => {
                self.strays.borrow_mut().push_back(self.lines);
                self.out.extend_from_slice(&[self.quote; 3]);
                self.at += 1;
                self.line += 1;
                self.literal = true;
            }
        }
        Ok(())
    }

    fn literal_byte(&mut self, byte: u8) {
        if self.ends_field(byte) {
            self.out.push(self.quote);
            (self.literal, self.begins) = (false, false);
            return self.pass_to(self.at + 1);
        }
        self.out.push(byte);
        if byte == self.quote {
            self.out.push(byte);
        }
        self.at += 1;
        self.line += 1;
    }

    /// Where the quoted field that opens at `at` is closed, if it is.
    fn closing(&mut self) -> std::io::Result<Option<usize>> {
        let mut place = self.at + 1;
        let mut spans = false;
        while place - self.at <= self.most.quoted {
            let Some(byte) = self.byte(place)? else { return Ok(None) };
            spans |= matches!(byte, b'\n' | b'\r');
            if byte == self.quote {
                match self.byte(place + 1)? {
                    Some(next) if next == self.quote => place += 1,
                    _ => return Ok(self.ends_well(place, spans)?.then_some(place)),
                }
            }
            place += 1;
        }
        Ok(None)
    }

    /// A quote on the line of the opening one closes whatever follows it, as readers take it.
    fn ends_well(&mut self, quote: usize, spans: bool) -> std::io::Result<bool> {
        let mut place = quote + 1;
        while spans && place - quote < 64 && self.byte(place)? == Some(b' ') {
            place += 1;
        }
        Ok(!spans || self.byte(place)?.is_none_or(|byte| self.ends_field(byte)))
    }
}

fn line_feeds(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.out.len() {
            self.advance()?;
        }
        Ok(give(&self.out, &mut self.given, into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(text: &str, most: usize) -> (String, Vec<u64>) {
        let strays = Strays::default();
        let mut out = String::new();
        let most = Most { quoted: most, line: usize::MAX };
        let mut quotes = Quotes::new(text.as_bytes(), (b'"', b','), most, strays.clone());
        quotes.read_to_string(&mut out).expect("memory");
        let lines = strays.borrow().iter().copied().collect();
        (out, lines)
    }

    #[test]
    fn closed_quotes_pass_and_stray_ones_become_characters() {
        for same in [
            "a,\"b\nc\",d\n",
            "\"a\"\"\nb\" ,c\n",
            "\"5\" nails\",3\n",
            "a \"b\nc\" d\n",
            "",
            "\"\",\"\"\n\"\"\n",
            "\"a\r\nb\"\n",
        ] {
            assert_eq!(passed(same, 1000), (same.to_owned(), Vec::new()));
        }
        for (text, want, line) in [
            ("a,b\n6,\"oops,6\n7,x,8\n", "a,b\n6,\"\"\"oops\",6\n7,x,8\n", 1),
            ("6,\"oops,6\r\n7,\"Smith, J\",8\n", "6,\"\"\"oops\",6\n7,\"Smith, J\",8\n", 0),
            ("1,2\n\"oops", "1,2\n\"\"\"oops\"\n", 1),
            ("\"say \"\"x\n2,\"\",\n", "\"\"\"say \"\"\"\"x\"\n2,\"\",\n", 0),
        ] {
            assert_eq!(passed(text, 1000), (want.to_owned(), vec![line]), "{text}");
        }
        assert_eq!(passed("\"ab\ncd\",x", 4).0, "\"\"\"ab\"\ncd\",x\n");
        assert_eq!(passed("\"ab\ncd\",x", 6).0, "\"ab\ncd\",x\n");
    }

    #[test]
    fn all_lines_end_alike() {
        for (text, want) in [
            ("a\r\nb\rc\n\r\n\rd", "a\nb\nc\n\n\nd\n"),
            ("a,\r\n\"b\rc\r\n\"\r\n\"d\r\ne\n", "a,\n\"b\rc\r\n\"\n\"\"\"d\"\ne\n"),
            ("a\r\n\r\n", "a\n\n"),
        ] {
            assert_eq!(passed(text, 1000).0, want, "{text:?}");
            let limits = Most { quoted: 1000, line: usize::MAX };
            let mut quotes = Quotes::new(Bytewise(text.as_bytes()), (b'"', b','), limits, Strays::default());
            let mut out = String::new();
            quotes.read_to_string(&mut out).expect("memory");
            assert_eq!(out, want, "{text:?} byte by byte");
        }
    }

    /// Gives one byte at a time.
    struct Bytewise<'t>(&'t [u8]);

    impl Read for Bytewise<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let one = into.len().min(1);
            self.0.read(&mut into[..one])
        }
    }

    #[test]
    fn quoted_line_ends_do_not_make_a_line_short() {
        let text = "\"\n\",".repeat(1_000);
        let mut quotes =
            Quotes::new(text.as_bytes(), (b'"', b','), Most { quoted: 10, line: 1_000 }, Strays::default());
        let failed = std::io::copy(&mut quotes, &mut std::io::sink()).expect_err("it is too long");
        assert_eq!(failed.kind(), std::io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_line_without_end_ends_the_reading() {
        let most = Most { quoted: 10, line: 1_000 };
        let mut quotes = Quotes::new(std::io::repeat(b'a'), (b'"', b','), most, Strays::default());
        let failed = std::io::copy(&mut quotes, &mut std::io::sink()).expect_err("it is too long");
        assert_eq!(failed.kind(), std::io::ErrorKind::FileTooLarge);
    }
}
