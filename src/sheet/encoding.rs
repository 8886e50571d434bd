//! From bytes of any encoding to UTF-8.
//!
//! Comes in: a file. Goes out: what it is encoded in, and a reader that gives UTF-8.
//! Must never happen: the whole file in memory; a byte that can't be decoded without a sign of it.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, Decoder, Encoding};

use super::passed::give;

/// How a text is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Code {
    Utf8,
    Utf32 { big: bool },
    Other(&'static Encoding),
}

/// An encoding with the bytes of its byte order mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Coding {
    pub code: Code,
    pub mark: usize,
}

impl Coding {
    /// Its usual name, lower case.
    pub fn name(&self) -> String {
        match self.code {
            Code::Utf8 => "utf-8".to_owned(),
            Code::Utf32 { big: true } => "utf-32be".to_owned(),
            Code::Utf32 { big: false } => "utf-32le".to_owned(),
            Code::Other(encoding) => encoding.name().to_ascii_lowercase(),
        }
    }

    pub fn is_utf16(&self) -> bool {
        matches!(self.code, Code::Other(encoding) if encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE)
    }

    /// A reader of UTF-8 over the bytes after the byte order mark; `broken` is set when bytes can't be decoded.
    pub fn reader<'r>(&self, source: Box<dyn Read + 'r>, broken: Rc<Cell<bool>>) -> Box<dyn Read + 'r> {
        match self.code {
            Code::Utf8 => source,
            Code::Utf32 { big } => Box::new(Utf8Reader::new(source, Step::Utf32 { big }, broken)),
            Code::Other(encoding) => {
                let decoder = Box::new(encoding.new_decoder_without_bom_handling());
                Box::new(Utf8Reader::new(source, Step::Other(decoder), broken))
            }
        }
    }
}

/// Finds the encoding from the first bytes of a file. `whole` says that there are no more.
pub(super) fn detect(sample: &[u8], whole: bool) -> Coding {
    marked(sample).unwrap_or_else(|| Coding { code: unmarked(sample, whole), mark: 0 })
}

/// Bytes in which a page declares its encoding.
const DECLARED: usize = 2_048;

/// The text of a page: as its byte order mark says, or as it declares, or as it looks.
pub(super) fn declared(bytes: &[u8]) -> String {
    let coding = marked(bytes).or_else(|| labelled(bytes)).unwrap_or_else(|| detect(bytes, true));
    let mut text = Vec::new();
    let rest = bytes.get(coding.mark..).unwrap_or_default();
    // Reading memory does not fail.
    let _ = coding.reader(Box::new(rest), Rc::new(Cell::new(false))).read_to_end(&mut text);
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The encoding of `charset=gb2312` or `encoding="gb2312"`, where the bytes may be that.
fn labelled(bytes: &[u8]) -> Option<Coding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARED)]).to_ascii_lowercase();
    let (_, rest) = head.split_once("charset=").or_else(|| head.split_once("encoding="))?;
    let label: String =
        rest.trim_start_matches(['"', '\'', ' ']).chars().take_while(|c| !"\"' ;/>?".contains(*c)).collect();
    let encoding = Encoding::for_label(label.as_bytes())?;
    let utf8 = encoding == encoding_rs::UTF_8;
    if utf8 && std::str::from_utf8(bytes).is_err() {
        return None;
    }
    let chinese = encoding == encoding_rs::GBK;
    let code = if utf8 { Code::Utf8 } else { Code::Other(if chinese { encoding_rs::GB18030 } else { encoding }) };
    Some(Coding { code, mark: 0 })
}

fn marked(sample: &[u8]) -> Option<Coding> {
    let (code, mark) = match sample {
        [0xEF, 0xBB, 0xBF, ..] => (Code::Utf8, 3),
        [0xFF, 0xFE, 0, 0, ..] => (Code::Utf32 { big: false }, 4),
        [0, 0, 0xFE, 0xFF, ..] => (Code::Utf32 { big: true }, 4),
        [0xFF, 0xFE, ..] => (Code::Other(encoding_rs::UTF_16LE), 2),
        [0xFE, 0xFF, ..] => (Code::Other(encoding_rs::UTF_16BE), 2),
        _ => return None,
    };
    Some(Coding { code, mark })
}

fn unmarked(sample: &[u8], whole: bool) -> Code {
    if let Some(code) = wide(sample) {
        return code;
    }
    if mostly_utf8(sample, whole) {
        return Code::Utf8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, whole);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let western = [encoding_rs::WINDOWS_1252, encoding_rs::WINDOWS_1250].contains(&guess);
    if western && has_surrogates(sample) {
        return Code::Utf8;
    }
    let pairs = (western && mostly_pairs(sample)) || (guess.is_single_byte() && common_pairs(sample, whole));
    let chinese = guess == encoding_rs::GBK || pairs;
    Code::Other(if chinese { encoding_rs::GB18030 } else { guess })
}

/// Halves of surrogate pairs, as some programs write them in what is otherwise UTF-8.
fn has_surrogates(sample: &[u8]) -> bool {
    let high = sample.iter().filter(|byte| **byte >= 0x80).count();
    let pairs = sample.windows(3).filter(|w| w[0] == 0xED && w[1] >= 0xA0 && (0x80..=0xBF).contains(&w[2])).count();
    pairs > 0 && pairs * 6 > high
}

/// Chinese with a few broken bytes: letters of the west rarely stand beside each other outside ASCII, and never only so.
fn mostly_pairs(sample: &[u8]) -> bool {
    let runs = || sample.split(|byte| *byte < 0x80).filter(|run| !run.is_empty());
    let common = |pair: &&[u8; 2]| (0xB0..=0xF7).contains(&pair[0]) && pair[1] >= 0xA1;
    let pairs: usize = runs().map(|run| run.as_chunks::<2>().0.iter().filter(|pair| common(pair)).count()).sum();
    let high: usize = runs().map(<[u8]>::len).sum();
    pairs >= 3 && pairs * 2 * 5 >= high * 4
}

/// A little Chinese among ASCII: nothing else but common characters, at least two. Words of single bytes have odd lengths too.
fn common_pairs(sample: &[u8], whole: bool) -> bool {
    let end = if whole { sample.len() } else { sample.iter().rposition(u8::is_ascii).map_or(0, |end| end + 1) };
    let runs = || sample[..end].split(u8::is_ascii).filter(|run| !run.is_empty());
    let common = |pair: &[u8; 2]| (0xB0..=0xD7).contains(&pair[0]) && pair[1] >= 0xA1;
    let all = |run: &[u8]| run.len().is_multiple_of(2) && run.as_chunks::<2>().0.iter().all(common);
    runs().nth(1).is_some() && runs().all(all)
}

/// UTF-16 and UTF-32 without a mark, told by where the NUL bytes are.
fn wide(sample: &[u8]) -> Option<Code> {
    let sample = &sample[..sample.len().min(4096) / 4 * 4];
    let quads = sample.len() / 4;
    if quads == 0 {
        return None;
    }
    let mut nuls = [0_usize; 4];
    for quad in sample.chunks_exact(4) {
        for (count, byte) in nuls.iter_mut().zip(quad) {
            *count += usize::from(*byte == 0);
        }
    }
    let many = |i: usize| nuls[i] * 10 >= quads * 3;
    let none = |i: usize| nuls[i] * 20 <= quads;
    match () {
        () if many(3) && many(2) && none(0) => Some(Code::Utf32 { big: false }),
        () if many(0) && many(1) && none(3) => Some(Code::Utf32 { big: true }),
        () if many(1) && many(3) && none(0) && none(2) => Some(Code::Other(encoding_rs::UTF_16LE)),
        () if many(0) && many(2) && none(1) && none(3) => Some(Code::Other(encoding_rs::UTF_16BE)),
        () => None,
    }
}

/// UTF-8, with at most one sequence in ten that is not.
fn mostly_utf8(sample: &[u8], whole: bool) -> bool {
    let mut good = 0_usize;
    let mut bad = 0_usize;
    let mut chunks = sample.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        let cut = !whole && chunks.peek().is_none() && chunk.invalid().len() < 4;
        bad += usize::from(!chunk.invalid().is_empty() && !cut);
    }
    bad * 10 <= good
}

enum Step {
    Utf32 { big: bool },
    Other(Box<Decoder>),
}

/// Reads UTF-8 from a source in another encoding.
struct Utf8Reader<'r> {
    source: Box<dyn Read + 'r>,
    step: Step,
    broken: Rc<Cell<bool>>,
    raw: Vec<u8>,
    raw_start: usize,
    raw_end: usize,
    text: Vec<u8>,
    text_start: usize,
    text_end: usize,
    ended: bool,
}

const CHUNK: usize = 64 << 10;

impl<'r> Utf8Reader<'r> {
    fn new(source: Box<dyn Read + 'r>, step: Step, broken: Rc<Cell<bool>>) -> Self {
        Self {
            source,
            step,
            broken,
            raw: vec![0; CHUNK],
            raw_start: 0,
            raw_end: 0,
            text: vec![0; CHUNK],
            text_start: 0,
            text_end: 0,
            ended: false,
        }
    }

    /// Reads and decodes until there is text or the source ends.
    fn refill(&mut self) -> io::Result<()> {
        while self.text_start == self.text_end && !self.ended {
            self.raw.copy_within(self.raw_start..self.raw_end, 0);
            self.raw_end -= self.raw_start;
            self.raw_start = 0;
            let read = self.source.read(&mut self.raw[self.raw_end..])?;
            self.raw_end += read;
            self.decode(read == 0);
        }
        Ok(())
    }

    fn decode(&mut self, last: bool) {
        let raw = &self.raw[..self.raw_end];
        let (used, written, bad, done) = match &mut self.step {
            Step::Utf32 { big } => decode_utf32(raw, &mut self.text, *big, last),
            Step::Other(decoder) => {
                let (result, used, written, bad) = decoder.decode_to_utf8(raw, &mut self.text, last);
                (used, written, bad, result == CoderResult::InputEmpty)
            }
        };
        self.raw_start = used;
        self.text_start = 0;
        self.text_end = written;
        self.ended = last && done;
        if bad {
            self.broken.set(true);
        }
    }
}

impl Read for Utf8Reader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.refill()?;
        Ok(give(&self.text[..self.text_end], &mut self.text_start, into))
    }
}

/// Bytes used, bytes written, whether some were no character, whether all input is used.
fn decode_utf32(raw: &[u8], text: &mut [u8], big: bool, last: bool) -> (usize, usize, bool, bool) {
    let (mut used, mut written, mut bad) = (0, 0, false);
    for quad in raw.chunks(4) {
        let quad: Result<[u8; 4], _> = quad.try_into();
        let value = match quad {
            Ok(quad) if big => u32::from_be_bytes(quad),
            Ok(quad) => u32::from_le_bytes(quad),
            Err(_) if last => u32::MAX,
            Err(_) => return (used, written, bad, true),
        };
        let Some(place) = text.get_mut(written..written + 4) else { return (used, written, bad, false) };
        let c = char::from_u32(value);
        bad |= c.is_none();
        written += c.unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(place).len();
        used = raw.len().min(used + 4);
    }
    (used, written, bad, true)
}

/// The bytes of a text up to a place in its lossy form.
pub(super) fn raw_length(bytes: &[u8], lossy: usize) -> usize {
    let (mut raw, mut shown) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        if lossy <= shown + chunk.valid().len() {
            return raw + lossy.saturating_sub(shown);
        }
        let broken = if chunk.invalid().is_empty() { 0 } else { char::REPLACEMENT_CHARACTER.len_utf8() };
        shown += chunk.valid().len() + broken;
        raw += chunk.valid().len() + chunk.invalid().len();
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> (String, String, bool) {
        let coding = detect(bytes, true);
        let broken = Rc::new(Cell::new(false));
        let mut text = Vec::new();
        let mut reader = coding.reader(Box::new(&bytes[coding.mark..]), broken.clone());
        reader.read_to_end(&mut text).expect("reading memory");
        (coding.name(), String::from_utf8_lossy(&text).into_owned(), broken.get())
    }

    fn utf16(text: &str, mark: bool, big: bool) -> Vec<u8> {
        let mark: &[u16] = if mark { &[0xFEFF] } else { &[] };
        let units = mark.iter().copied().chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    fn utf32(text: &str, mark: bool) -> Vec<u8> {
        let mark: &[u32] = if mark { &[0xFEFF] } else { &[] };
        mark.iter().copied().chain(text.chars().map(u32::from)).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn encodings_are_found_and_decoded() {
        let text = "姓名,部门,销售额\n张三,行政管理,12\n李四,研发中心,34\n";
        let plain = "name,town\nZoe,Bath\n";
        let gb = encoding_rs::GB18030.encode(text).0.into_owned();
        let big5 = encoding_rs::BIG5.encode("編號,景點名稱,開放時間\n1,臺北故宮博物院,全年無休\n").0.into_owned();
        let sjis = encoding_rs::SHIFT_JIS.encode("番号,なまえ,カタカナ\n1,たなか,トウキョウ\n").0.into_owned();
        for (bytes, name, begins) in [
            (text.as_bytes().to_vec(), "utf-8", "姓名"),
            ([&b"\xEF\xBB\xBF"[..], text.as_bytes()].concat(), "utf-8", "姓名"),
            (utf16(text, true, false), "utf-16le", "姓名"),
            (utf16(text, true, true), "utf-16be", "姓名"),
            (utf16(plain, false, false), "utf-16le", "name"),
            (utf16(plain, false, true), "utf-16be", "name"),
            (utf32(text, true), "utf-32le", "姓名"),
            (utf32(plain, false), "utf-32le", "name"),
            (gb, "gb18030", "姓名"),
            (encoding_rs::GB18030.encode("列0,列1,列2\n1,2,3\n").0.into_owned(), "gb18030", "列0"),
            (big5, "big5", "編號"),
            (sjis, "shift_jis", "番号"),
            (b"caf\xE9,prix\nth\xE9,3\n".to_vec(), "windows-1252", "café"),
            (b"\xE4\xF6\xFC,\xC4\xD6\n\xDFx,Stra\xDFe Gr\xFC\xDFe\n".to_vec(), "windows-1252", "äöü"),
        ] {
            let (found, text, broken) = decoded(&bytes);
            assert_eq!(found, name, "{text}");
            assert!(text.starts_with(begins) && !broken, "{name}: {text}");
        }
    }

    #[test]
    fn a_few_broken_bytes_do_not_hide_the_encoding() {
        for (bytes, name) in [
            (&b"\xD0\xD5\xC3\xFB,\xBD\xF0\xB6\xEE\n\xD5\xC5\xC8\xFD,10\n\xFF\xFE,1\n"[..], "gb18030"),
            (b"a,b\n\xED\xA0\x80,1\n", "utf-8"),
        ] {
            assert_eq!(decoded(bytes).0, name);
        }
    }

    #[test]
    fn an_odd_last_byte_is_a_sign_and_no_loss() {
        let (_, text, broken) = decoded(b"\xFF\xFEa\0,\0b");
        assert_eq!(text, "a,\u{FFFD}");
        assert!(broken);
    }

    #[test]
    fn long_texts_pass_through_small_buffers() {
        let long = "数据,".repeat(60_000);
        assert_eq!(decoded(&utf16(&long, true, false)).1, long);
        assert_eq!(decoded(&utf32(&long, true)).1, long);
    }
}
