//! What a file is, told by its first bytes and, in a zip, by the names of its parts.
//!
//! Must never happen: trusting a name; unpacking anything before its declared size is known.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::compound::{Compound, MARK};
use super::{Format, encoding, xml2003};

/// What a file was found to be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found {
    Workbook {
        format: Format,
        /// Bytes that the parts say they unpack to.
        unpacked: u64,
    },
    Text,
    Empty,
    Damaged(String),
    /// What it is, and what to do.
    Other(&'static str, &'static str),
}

/// What is said of a file that is encrypted.
pub(super) const LOCKED: (&str, &str) =
    ("it is protected by a password", "open it, take the password off and save it again");
const SAVE_AS: &str = "save it as xlsx or csv and upload that";

/// Looks at a file's content.
pub(super) fn sniff(file: &mut File, length: u64) -> std::io::Result<Found> {
    let mut start = vec![0; length.min(4096) as usize];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut start)?;
    if start.starts_with(b"PK") {
        return zip(file, length);
    }
    if start.starts_with(&MARK) {
        return compound(file, length);
    }
    Ok(plain(&start, length))
}

fn plain(start: &[u8], length: u64) -> Found {
    if length == 0 || start.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace()) {
        return Found::Empty;
    }
    // BIFF 2 to 5 without a container: a BOF record.
    if matches!(start, [0x09, 0x00 | 0x02 | 0x04 | 0x08, 0x04..=0x10, 0x00, ..]) {
        return Found::Workbook { format: Format::Xls, unpacked: length };
    }
    for (magic, what) in MAGIC {
        if start.starts_with(magic) {
            return Found::Other(what, SAVE_AS);
        }
    }
    let begin = start.trim_ascii_start();
    let begin = begin.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(begin).trim_ascii_start();
    let word: Vec<u8> = begin.iter().take(15).map(u8::to_ascii_lowercase).collect();
    if [&b"<html"[..], b"<!doctype html", b"<table", b"<head", b"<meta", b"<body"].iter().any(|w| word.starts_with(w)) {
        return Found::Workbook { format: Format::Html, unpacked: length };
    }
    let mentions = |mark: &[u8]| start.windows(mark.len()).any(|window| window.eq_ignore_ascii_case(mark));
    if word.starts_with(b"<?xml") || word.starts_with(b"<workbook") {
        if mentions(xml2003::MARK.as_bytes()) {
            return Found::Workbook { format: Format::Xml, unpacked: length };
        }
        if mentions(b"<html") || mentions(b"<table") {
            return Found::Workbook { format: Format::Html, unpacked: length };
        }
        return Found::Other("it is an XML file", "open it in a spreadsheet program and save it as xlsx");
    }
    if matches!(word[..], [b'<', b'a'..=b'z' | b'!', ..]) && mentions(b"<table") {
        return Found::Workbook { format: Format::Html, unpacked: length };
    }
    if word.starts_with(b"mime-version:") {
        return Found::Other("it is a web archive (MHTML)", SAVE_AS);
    }
    if word.starts_with(b"{\\rtf") {
        return Found::Other("it is a rich text document", SAVE_AS);
    }
    if is_json(begin) {
        return Found::Other("it is JSON", SAVE_AS);
    }
    if is_binary(start) {
        return Found::Other("it is no text (binary)", SAVE_AS);
    }
    Found::Text
}

/// `{"name"`, or the same as the first of a list.
fn is_json(begin: &[u8]) -> bool {
    let begin = begin.strip_prefix(b"[").unwrap_or(begin).trim_ascii_start();
    begin.strip_prefix(b"{").is_some_and(|inner| inner.trim_ascii_start().starts_with(b"\""))
}

/// One byte in this many may be a sign that no text has.
const SIGNS_ONE_IN: usize = 50;
const FEW_SIGNS: usize = 2;

/// Signs that no text has, in an encoding of single bytes.
fn is_binary(start: &[u8]) -> bool {
    let signs = start.iter().filter(|byte| matches!(byte, 0x02..=0x08 | 0x0E..=0x1A)).count();
    let coding = || encoding::detect(start, false);
    let wide = || coding().is_utf16() || matches!(coding().code, encoding::Code::Utf32 { .. });
    signs > FEW_SIGNS && signs * SIGNS_ONE_IN > start.len() && !wide()
}

const MAGIC: [(&[u8], &str); 12] = [
    (b"%PDF", "it is a PDF document"),
    (b"\x89PNG", "it is a picture (PNG)"),
    (b"\xFF\xD8\xFF", "it is a picture (JPEG)"),
    (b"GIF8", "it is a picture (GIF)"),
    (b"RIFF", "it is a picture or sound (RIFF)"),
    (b"\x1F\x8B", "it is packed (gzip)"),
    (b"Rar!", "it is packed (rar)"),
    (b"7z\xBC\xAF\x27\x1C", "it is packed (7z)"),
    (b"\xFD7zXZ", "it is packed (xz)"),
    (b"PAR1", "it is a Parquet file"),
    (b"SQLite format 3", "it is a SQLite database"),
    (b"\x7FELF", "it is a program"),
];

/// Compound files: a workbook of Excel 97, or another Office document, or one that is encrypted.
fn compound(file: &mut File, length: u64) -> std::io::Result<Found> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(length.min(64 << 20)).read_to_end(&mut bytes)?;
    let opened = Compound::of(&bytes);
    let has = |name: &str| opened.names().any(|n| n.eq_ignore_ascii_case(name));
    Ok(if has("EncryptedPackage") || has("EncryptionInfo") {
        Found::Other(LOCKED.0, LOCKED.1)
    } else if has("Workbook") || has("Book") {
        Found::Workbook { format: Format::Xls, unpacked: length }
    } else if has("WordDocument") {
        Found::Other("it is a Word document", SAVE_AS)
    } else if has("PowerPoint Document") {
        Found::Other("it is a presentation", SAVE_AS)
    } else {
        Found::Damaged("a compound file without a workbook in it".to_owned())
    })
}

/// Zip files: told by the names of their parts.
fn zip(file: &mut File, length: u64) -> std::io::Result<Found> {
    let Some(parts) = zip_parts(file, length)? else {
        return Ok(Found::Damaged("the end of the zip file is missing".to_owned()));
    };
    let unpacked = parts.iter().map(|part| part.unpacked).fold(0, u64::saturating_add);
    let has = |name: &str| parts.iter().any(|part| part.name.eq_ignore_ascii_case(name));
    let under = |folder: &str| parts.iter().any(|part| part.name.starts_with(folder));
    let format = if parts.iter().any(|part| part.name.ends_with("workbook.bin")) {
        Format::Xlsb
    } else if parts.iter().any(|part| part.name.ends_with("vbaProject.bin")) {
        Format::Xlsm
    } else if has("xl/workbook.xml") || (has("[Content_Types].xml") && under("xl/")) {
        Format::Xlsx
    } else if has("mimetype") && has("content.xml") {
        Format::Ods
    } else if under("word/") {
        return Ok(Found::Other("it is a Word document", SAVE_AS));
    } else if under("ppt/") {
        return Ok(Found::Other("it is a presentation", SAVE_AS));
    } else if parts.iter().any(|part| part.name.ends_with(".iwa")) {
        return Ok(Found::Other("it is an Apple iWork document", "export it as xlsx and upload that"));
    } else if has("[Content_Types].xml") {
        return Ok(Found::Damaged("there is no workbook in it".to_owned()));
    } else {
        return Ok(Found::Other("it is a zip archive", "unpack it and upload the files in it"));
    };
    Ok(Found::Workbook { format, unpacked })
}

struct Part {
    name: String,
    unpacked: u64,
}

/// The central directory of a zip file; `None` where there is none.
fn zip_parts(file: &mut File, length: u64) -> std::io::Result<Option<Vec<Part>>> {
    let tail_start = length.saturating_sub(66_000);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(tail_start))?;
    file.take(66_000).read_to_end(&mut tail)?;
    let Some(end) = tail.windows(4).rposition(|window| window == b"PK\x05\x06") else { return Ok(None) };
    let (size, behind) = match long_end(file, &tail[..end])? {
        Some(long) => long,
        None => (number(&tail, end + 12, 4), tail_start + end as u64),
    };
    let mut directory = Vec::new();
    file.seek(SeekFrom::Start(behind.saturating_sub(size)))?;
    file.take(size.min(64 << 20)).read_to_end(&mut directory)?;
    Ok(Some(directory_parts(&directory)))
}

/// What stands at the end of a zip file with 64-bit sizes, found by its locator: the directory's size and where it ends.
fn long_end(file: &mut File, before: &[u8]) -> std::io::Result<Option<(u64, u64)>> {
    let locator = before.last_chunk::<20>().filter(|locator| locator.starts_with(b"PK\x06\x07"));
    let Some(at) = locator.map(|locator| number(locator, 8, 8)) else { return Ok(None) };
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(48).read_to_end(&mut end)?;
    Ok(end.starts_with(b"PK\x06\x06").then(|| (number(&end, 40, 8), at)))
}

/// A number of up to eight little-endian bytes; bytes that are not there are zero.
fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let mut number = [0; 8];
    bytes.iter().skip(at).take(length).zip(&mut number).for_each(|(from, to)| *to = *from);
    u64::from_le_bytes(number)
}

/// The size that a part unpacks to, of 64 bits where 32 say so: then it is the first of the long sizes.
fn unpacked(header: &[u8], mut extra: &[u8]) -> u64 {
    let short = number(header, 24, 4);
    while short == u64::from(u32::MAX) && extra.len() >= 4 {
        let length = number(extra, 2, 2) as usize;
        if number(extra, 0, 2) == 1 {
            return number(&extra[4..], 0, length.min(8));
        }
        extra = extra.get(4 + length..).unwrap_or_default();
    }
    short
}

fn directory_parts(directory: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = directory;
    while let Some(header) = rest.get(..46).filter(|header| header.starts_with(b"PK\x01\x02")) {
        let u16_at = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let name = rest.get(46..46 + u16_at(28)).unwrap_or_default();
        let extra = rest.get(46 + u16_at(28)..).unwrap_or_default();
        let unpacked = unpacked(header, &extra[..extra.len().min(u16_at(30))]);
        parts.push(Part { name: String::from_utf8_lossy(name).replace('\\', "/"), unpacked });
        rest = rest.get(46 + u16_at(28) + u16_at(30) + u16_at(32)..).unwrap_or_default();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: &[u8]) -> Found {
        let mut file = tempfile::tempfile().expect("a file");
        std::io::Write::write_all(&mut file, bytes).expect("written");
        sniff(&mut file, bytes.len() as u64).expect("read")
    }

    #[test]
    fn pages_are_told_whatever_stands_before_them() {
        for page in
            ["\u{FEFF}\n<html><table>", "\n<HTML><table>", "<div>\n<table><tr><td>1", "<!-- made by x --><p><TABLE>"]
        {
            let want = Found::Workbook { format: Format::Html, unpacked: page.len() as u64 };
            assert_eq!(found(page.as_bytes()), want, "{page}");
        }
        for text in ["<0.01,<table\n1,2\n", "<b>,x\n1,2\n"] {
            assert_eq!(found(text.as_bytes()), Found::Text, "{text}");
        }
    }

    #[test]
    fn what_is_no_table_is_told() {
        let noise: Vec<u8> = (0..5_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
        for (bytes, what) in [
            (&noise[..], "it is no text (binary)"),
            (b"{\"a\": [1, 2]}\n", "it is JSON"),
            (b"[\n  {\"a\": 1},\n  {\"a\": 2}]", "it is JSON"),
        ] {
            assert_eq!(found(bytes), Found::Other(what, SAVE_AS));
        }
        let wide: Vec<u8> =
            "\u{FEFF}\u{0410}\u{0411}\u{0412},\u{0413}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for text in [&b"a\x01b\n1\x012\n"[..], b"a,b\x1A", b"{a},[b]\n1,2\n", b"[a],b\n", &wide] {
            assert_eq!(found(text), Found::Text, "{text:?}");
        }
    }

    /// A directory of one part, with 64-bit sizes.
    fn long_zip(name: &str, unpacked: u64) -> Vec<u8> {
        let mut header = vec![0; 46];
        header[..4].copy_from_slice(b"PK\x01\x02");
        header[24..28].fill(0xFF);
        header[28] = name.len() as u8;
        header[30] = 12 + 5;
        let extra = [&[9, 0, 1, 0, 7][..], &[1, 0, 8, 0], &unpacked.to_le_bytes()].concat();
        let directory = [&header, name.as_bytes(), &extra].concat();
        let at = 4 + directory.len() as u64;
        let mut end = vec![0; 56];
        end[..4].copy_from_slice(b"PK\x06\x06");
        end[40..48].copy_from_slice(&(directory.len() as u64).to_le_bytes());
        let locator = [&b"PK\x06\x07\0\0\0\0"[..], &at.to_le_bytes(), &[1, 0, 0, 0]].concat();
        let short = [&b"PK\x05\x06"[..], &[0xFF; 16], &[0, 0]].concat();
        [&b"PK\x03\x04"[..], &directory, &end, &locator, &short].concat()
    }

    #[test]
    fn a_zip_of_long_sizes_is_known_by_its_parts() {
        let unpacked = 5 << 32;
        let want = Found::Workbook { format: Format::Xlsx, unpacked };
        assert_eq!(found(&long_zip("xl/workbook.xml", unpacked)), want);
    }
}
