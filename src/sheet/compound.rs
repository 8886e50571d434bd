//! Streams of a compound file, the container of xls workbooks.
//!
//! Comes in: the bytes of a file, perhaps only the first of them. Goes out: the names and the bytes of its streams.
//! Must never happen: a chain of sectors that is followed in circles; more bytes than the file has.

/// What every compound file begins with.
pub(super) const MARK: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// Bytes of a directory entry, of a small sector, and of the first stream that is not in small sectors.
const ENTRY: usize = 128;
const SMALL: usize = 64;
const LARGE: usize = 4_096;
/// Sectors of the allocation table that the header lists.
const LISTED: usize = 109;

/// A compound file.
pub(super) struct Compound<'b> {
    bytes: &'b [u8],
    /// Bytes of a sector.
    size: usize,
    /// The sector after each sector.
    next: Vec<u32>,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    start: u32,
    length: usize,
}

impl<'b> Compound<'b> {
    /// A file without a directory has no streams.
    pub fn of(bytes: &'b [u8]) -> Self {
        let size = 1_usize << bytes.get(30).copied().unwrap_or(9).clamp(7, 16);
        let mut file = Self { bytes, size, next: Vec::new(), entries: Vec::new() };
        file.next = file.table_sectors().into_iter().flat_map(|sector| numbers(file.sector(sector))).collect();
        let directory = file.chain(number(bytes, 48), usize::MAX);
        file.entries = directory.as_chunks::<ENTRY>().0.iter().map(entry).collect();
        file
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The bytes of a stream; as many as there are.
    pub fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))?;
        if entry.length >= LARGE {
            return Some(self.chain(entry.start, entry.length));
        }
        let root = self.entries.first()?;
        let small = self.chain(root.start, root.length);
        let next: Vec<u32> = numbers(&self.chain(number(self.bytes, 60), usize::MAX)).collect();
        let sector = |number: u32| piece(&small, (number as usize).saturating_mul(SMALL), SMALL);
        Some(follow(&next, sector, entry.start, entry.length.min(small.len())))
    }

    fn sector(&self, number: u32) -> &'b [u8] {
        piece(self.bytes, (number as usize).saturating_add(1).saturating_mul(self.size), self.size)
    }

    fn chain(&self, start: u32, length: usize) -> Vec<u8> {
        follow(&self.next, |number| self.sector(number), start, length.min(self.bytes.len()))
    }

    /// The sectors of the allocation table: those in the header, and those in the sectors behind it.
    fn table_sectors(&self) -> Vec<u32> {
        let mut sectors: Vec<u32> = (0..LISTED).map(|n| number(self.bytes, 76 + 4 * n)).collect();
        let mut more = number(self.bytes, 68);
        let most = self.bytes.len() / self.size;
        while !self.sector(more).is_empty() && sectors.len() <= most {
            let listed: Vec<u32> = numbers(self.sector(more)).collect();
            let Some((after, listed)) = listed.split_last() else { break };
            sectors.extend_from_slice(listed);
            more = *after;
        }
        sectors.retain(|sector| !self.sector(*sector).is_empty());
        sectors.truncate(most);
        sectors
    }
}

/// The bytes of the sectors from `start` on, at most `length`.
fn follow<'s>(next: &[u32], sector: impl Fn(u32) -> &'s [u8], start: u32, length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = start;
    for _ in 0..=next.len() {
        let piece = sector(at);
        if piece.is_empty() || bytes.len() >= length {
            break;
        }
        bytes.extend_from_slice(piece);
        let Some(after) = next.get(at as usize) else { break };
        at = *after;
    }
    bytes.truncate(length);
    bytes
}

fn piece(bytes: &[u8], start: usize, length: usize) -> &[u8] {
    let end = start.saturating_add(length).min(bytes.len());
    bytes.get(start..end).unwrap_or_default()
}

fn number(bytes: &[u8], at: usize) -> u32 {
    numbers(piece(bytes, at, 4)).next().unwrap_or(u32::MAX)
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four))
}

fn entry(bytes: &[u8; ENTRY]) -> Entry {
    let length = usize::from(u16::from_le_bytes([bytes[64], bytes[65]])).saturating_sub(2).min(62);
    let units: Vec<u16> = bytes[..length].as_chunks::<2>().0.iter().map(|two| u16::from_le_bytes(*two)).collect();
    Entry { name: String::from_utf16_lossy(&units), start: number(bytes, 116), length: number(bytes, 120) as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_give_no_more_than_the_file_has() {
        for shift in [7, 9, 12, 16] {
            // Every sector is followed by the first, which is also the directory and the allocation table.
            let mut bytes = vec![0; 300_000];
            bytes[..8].copy_from_slice(&MARK);
            bytes[30] = shift;
            let file = Compound::of(&bytes);
            assert!(file.chain(0, usize::MAX).len() <= bytes.len(), "{shift}");
            assert!(file.names().all(str::is_empty) && file.stream("Workbook").is_none());
        }
        assert_eq!(Compound::of(&MARK).names().count(), 0);
    }
}
