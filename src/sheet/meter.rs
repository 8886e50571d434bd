//! How much the parts of a workbook really unpack to, whatever its directory says.
//!
//! Must never happen: a part that is unpacked on and on because it said that it is small.

use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts unpacked bytes over all parts.
#[derive(Debug)]
pub(super) struct Meter {
    limit: u64,
    bytes: AtomicU64,
}

impl Meter {
    pub fn new(limit: u64) -> Self {
        Self { limit, bytes: AtomicU64::new(0) }
    }

    pub fn is_over(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > self.limit
    }

    /// A reader that counts; it ends where the limit is passed.
    pub fn read<R: Read>(&self, part: R) -> Metered<'_, R> {
        Metered { part, meter: self }
    }
}

pub(super) struct Metered<'m, R> {
    part: R,
    meter: &'m Meter,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.meter.is_over() {
            return Ok(0);
        }
        let read = self.part.read(into)?;
        self.meter.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_ends_behind_the_limit() {
        let meter = Meter::new(10);
        let mut read = Vec::new();
        meter.read(&[7_u8; 8][..]).read_to_end(&mut read).expect("memory");
        assert!(!meter.is_over());
        let mut endless = meter.read(std::io::repeat(1));
        let mut chunk = [0; 4];
        while endless.read(&mut chunk).expect("memory") > 0 {
            read.extend_from_slice(&chunk);
        }
        assert!(meter.is_over() && read.len() < 20);
    }
}
