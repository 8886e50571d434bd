//! What a file is, told by its first bytes and, in a zip, by the names of its parts.
//!
//! Must never happen: trusting a name; unpacking anything before its declared size is known.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::compound::{Compound, MARK};
use super::{Format, xml2003};

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
    let begin = start.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let begin = start[begin..].strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start[begin..]);
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
    if word.starts_with(b"mime-version:") {
        return Found::Other("it is a web archive (MHTML)", SAVE_AS);
    }
    if word.starts_with(b"{\\rtf") {
        return Found::Other("it is a rich text document", SAVE_AS);
    }
    Found::Text
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
    let number =
        |at: usize| tail.get(end + at..end + at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let size = u64::from(number(12));
    let at = (tail_start + end as u64).saturating_sub(size);
    let mut directory = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(size.min(64 << 20)).read_to_end(&mut directory)?;
    Ok(Some(directory_parts(&directory)))
}

fn directory_parts(directory: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = directory;
    while let Some(header) = rest.get(..46).filter(|header| header.starts_with(b"PK\x01\x02")) {
        let u16_at = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let unpacked = u32::from_le_bytes([header[24], header[25], header[26], header[27]]);
        let name = rest.get(46..46 + u16_at(28)).unwrap_or_default();
        parts.push(Part { name: String::from_utf8_lossy(name).replace('\\', "/"), unpacked: unpacked.into() });
        rest = rest.get(46 + u16_at(28) + u16_at(30) + u16_at(32)..).unwrap_or_default();
    }
    parts
}
