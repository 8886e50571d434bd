//! Bytes that nobody meant: texts, workbooks and cells changed at random, from the fixtures on. A short run each time; with
//! SHEETWISE_FUZZ_SECONDS as many seconds for each target, from a seed of the clock.

use std::collections::HashSet;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sheetwise::config::ReadLimits;
use sheetwise::note::Note;
use sheetwise::schema::{Label, Profile, Typed, decide};
use sheetwise::sheet::{Book, Kept, ReadError, ReadOptions, RowSink};
use sheetwise::value::Cell;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::binary::root;

/// Random numbers by xorshift: the same from the same seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `most`, which is not 0.
    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Runs a target a few times, or as long as is asked for.
fn fuzzed(name: &str, rounds: usize, mut target: impl FnMut(&mut Chance)) {
    let seconds = std::env::var("SHEETWISE_FUZZ_SECONDS").ok().and_then(|n| n.parse().ok());
    let clock =
        || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |now| now.as_nanos() as u64);
    let mut chance = Chance(if seconds.is_some() { clock() | 1 } else { 0x9E37_79B9_7F4A_7C15 });
    let began = Instant::now();
    let mut done = 0;
    while seconds.map_or(done < rounds, |seconds| began.elapsed() < Duration::from_secs(seconds)) {
        let seed = chance.0;
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target(&mut Chance(seed))));
        assert!(outcome.is_ok(), "{name}: seed {seed:#x} in round {done}");
        chance.next();
        done += 1;
    }
    println!("{name}: {done} rounds in {:?}", began.elapsed());
}

const PIECES: [&str; 36] = [
    "\"",
    "'",
    ",",
    ";",
    "\t",
    "|",
    "#",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\u{0}",
    "\\\"",
    "\"\"",
    "sep=;\n",
    "合计",
    "Total",
    "注：",
    "-",
    "N/A",
    "1,200.50",
    "1.200,50",
    "(5)",
    "12%",
    "2024-01-05",
    "5/1/24",
    "10:30",
    "1:02:03",
    "007",
    "110101199003071234",
    "￥3",
    "12万",
    "是",
    "TRUE",
    "1e400",
    "\u{FEFF}",
];

/// Changes a few places.
fn mutated(bytes: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=chance.below(8) {
        let at = chance.below(bytes.len() + 1);
        let end = (at + chance.below(40)).min(bytes.len());
        match chance.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = chance.next() as u8),
            3 => {
                let copy = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            _ => drop(bytes.splice(at..at, chance.pick(&PIECES).bytes())),
        }
    }
    bytes
}

/// The fixtures whose names end like this, with their names.
fn corpus(endings: &[&str]) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(root().join("fixtures")).expect("the fixtures");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let wanted = paths.into_iter().filter(|path| endings.iter().any(|ending| name(path).ends_with(ending)));
    wanted.map(|path| (name(&path), std::fs::read(&path).expect("a fixture"))).collect()
}

/// Rows as they come, each once.
#[derive(Default, PartialEq, Debug)]
struct Rows(Vec<(u64, String)>);

impl RowSink for Rows {
    fn row(&mut self, row: u64, cells: &[Cell<'_>]) -> Result<(), ReadError> {
        self.0.push((row, cells.iter().map(|cell| cell.text().into_owned()).collect::<Vec<_>>().join("\u{1}")));
        Ok(())
    }

    fn kept_apart(&mut self, row: u64, why: Kept, text: &str) -> Result<(), ReadError> {
        self.0.push((row, format!("{why:?} {text}")));
        Ok(())
    }

    fn note(&mut self, _: Note) -> Result<(), ReadError> {
        Ok(())
    }
}

/// A file is refused, or read twice alike: its rows come in order, and no row is in two tables of the same columns.
fn read(path: &Path, name: &str, limits: &ReadLimits) {
    let Ok(book) = Book::open(path, name, &ReadOptions::default(), limits) else { return };
    let mut seen = HashSet::new();
    for (n, region) in book.regions.iter().enumerate() {
        let (mut once, mut again) = (Rows::default(), Rows::default());
        let (first, second) = (book.scan(n, &mut once), book.scan(n, &mut again));
        assert_eq!(first.is_ok(), second.is_ok(), "{name}");
        assert_eq!(once, again, "{name}: two scans differ");
        assert!(once.0.is_sorted_by_key(|(row, _)| *row), "{name}: rows out of order");
        let below = region.header_rows.last().copied().unwrap_or(0);
        for (row, _) in once.0 {
            assert!(row > below, "{name}: row {row} stands above its header");
            assert!(seen.insert((region.sheet.clone(), region.area.clone(), row)), "{name}: row {row} twice");
        }
    }
}

#[test]
fn texts() {
    let corpus = corpus(&[".csv", ".tsv", "入库单.xls", "设备清单.xls"]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f");
    fuzzed("texts", 400, |chance| {
        let (name, bytes) = chance.pick(&corpus);
        std::fs::write(&path, mutated(bytes, chance)).expect("written");
        let limits = ReadLimits {
            sniff_bytes: *chance.pick(&[64, 600, 262_144]),
            max_record_bytes: 500,
            ..ReadLimits::default()
        };
        read(&path, name, &limits);
    });
}

/// The parts of a zip.
fn parts(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    (0..zip.len())
        .map(|n| {
            let mut part = zip.by_index(n).expect("a part");
            let mut content = Vec::new();
            part.read_to_end(&mut content).expect("a whole part");
            (part.name().expect("a name").into_owned(), content)
        })
        .collect()
}

fn zipped(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(name.as_str(), SimpleFileOptions::default().compression_method(CompressionMethod::Stored))
            .expect("a part");
        zip.write_all(content).expect("its content");
    }
    zip.finish().expect("a zip").into_inner()
}

#[test]
fn workbooks() {
    let zips: Vec<_> = corpus(&[".xlsx", ".ods"]).into_iter().map(|(name, bytes)| (name, parts(&bytes))).collect();
    let others = corpus(&["人员.xls"]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f");
    let limits = ReadLimits { max_cells: 200_000, max_unpacked_bytes: 50_000_000, ..ReadLimits::default() };
    fuzzed("workbooks", 120, |chance| {
        let (name, bytes) = if chance.below(5) == 0 {
            let (name, bytes) = chance.pick(&others);
            (name, mutated(bytes, chance))
        } else {
            let (name, parts) = chance.pick(&zips);
            let mut parts = parts.clone();
            let at = chance.below(parts.len());
            parts[at].1 = mutated(&parts[at].1, chance);
            (name, zipped(&parts))
        };
        std::fs::write(&path, bytes).expect("written");
        read(&path, name, &limits);
    });
}

/// Some cells: of the corpus, of the pieces, numbers, and changed ones.
fn cells(words: &[String], chance: &mut Chance) -> Vec<Cell<'static>> {
    let kinds: Vec<usize> = (0..=chance.below(2)).map(|_| chance.below(7)).collect();
    let many = 1 + chance.below(60);
    let mut cell = || match *chance.pick(&kinds) {
        0 => Cell::Integer(chance.next() as i64 >> chance.below(64)),
        1 => Cell::Decimal(f64::from_bits(chance.next())),
        2 => Cell::Flag(chance.below(2) == 0),
        3 => Cell::Duration(chance.below(200_000) as f64),
        4 => Cell::Text((*chance.pick(&PIECES)).into()),
        5 => Cell::Text(chance.pick(words).clone().into()),
        _ => {
            let word = chance.pick(words).clone();
            Cell::Text(String::from_utf8_lossy(&mutated(word.as_bytes(), chance)).into_owned().into())
        }
    };
    (0..many).map(|_| cell()).collect()
}

/// Whatever cells a column has: no order changes its type, what it says does not fit is what it does not convert, and every
/// value that is not its cell's text keeps that text.
#[test]
fn columns() {
    let text = corpus(&[".csv"])
        .into_iter()
        .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
        .collect::<String>();
    let words: Vec<String> = text.split([',', ';', '\n']).map(|word| word.trim().to_owned()).collect();
    let labels =
        ["x", "日期", "电话", "金额（万元）", "编号", "年份", "版本", "时长", "国家", "涨幅%"].map(Label::parse);
    fuzzed("columns", 3_000, |chance| {
        let cells = cells(&words, chance);
        let label = chance.pick(&labels);
        let cut = chance.below(cells.len() + 1);
        let profile = |cells: &[Cell<'_>]| {
            let mut profile = Profile::default();
            cells.iter().for_each(|cell| profile.observe(cell));
            profile
        };
        let (mut forth, mut back) = (profile(&cells[..cut]), profile(&cells[cut..]));
        let rest = back.clone();
        back.merge(&forth);
        forth.merge(&rest);
        let decision = decide(&forth, label, None);
        assert_eq!(decision.conversion(), decide(&back, label, None).conversion(), "{cells:?}");
        let misfits = cells.iter().filter(|cell| decision.convert(cell).value == Typed::Misfit).count() as u64;
        assert_eq!(misfits, decision.unfit(), "{label:?} {decision:?} {cells:?}");
        for cell in &cells {
            let converted = decision.convert(cell);
            let rendered = match &converted.value {
                Typed::Null | Typed::Misfit => continue,
                Typed::Text(text) => text.clone().into_owned(),
                Typed::Integer(n) => n.to_string(),
                Typed::Decimal(x) => sheetwise::value::decimal_text(*x),
                Typed::DateTime(at) => sheetwise::value::datetime_text(at),
                Typed::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
            };
            assert!(!converted.literal || rendered == cell.text(), "{cell:?} is not {rendered} to the letter");
        }
    });
}
