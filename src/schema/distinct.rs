//! How many different values a column has, with samples of them, in bounded space and whatever the order.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};

/// Values counted exactly; a column with more has "many".
const MOST_COUNTED: usize = 256;
/// Values kept as text.
pub(super) const MOST_KEPT: usize = 20;
/// Bytes of a value that is kept as text.
const LONGEST_KEPT: usize = 1_000;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Distinct {
    seen: HashSet<u64, BuildHasherDefault<AsIs>>,
    many: bool,
    /// The values with the least hashes: all of a small set, a fair sample of a large one.
    kept: Vec<(u64, String)>,
}

impl Distinct {
    /// Counts a value by its hash; `text` is called where the value is to be kept.
    pub(super) fn add<T: Into<String>>(&mut self, hash: u64, text: impl FnOnce() -> T) {
        if !self.many && self.seen.insert(hash) && self.seen.len() > MOST_COUNTED {
            self.overflow();
        }
        let full = self.kept.len() == MOST_KEPT;
        if full && self.kept.last().is_some_and(|(greatest, _)| hash >= *greatest) {
            return;
        }
        if let Err(at) = self.kept.binary_search_by_key(&hash, |(kept, _)| *kept) {
            self.keep(at, hash, text().into());
        }
    }

    fn keep(&mut self, at: usize, hash: u64, text: String) {
        if text.len() <= LONGEST_KEPT {
            self.kept.insert(at, (hash, text));
            self.kept.truncate(MOST_KEPT);
        }
    }

    fn overflow(&mut self) {
        self.many = true;
        self.seen = HashSet::default();
    }

    pub(super) fn merge(&mut self, other: &Distinct) {
        if other.many {
            self.overflow();
        }
        if !self.many {
            self.seen.extend(&other.seen);
            if self.seen.len() > MOST_COUNTED {
                self.overflow();
            }
        }
        for (hash, text) in &other.kept {
            if let Err(at) = self.kept.binary_search_by_key(hash, |(kept, _)| *kept) {
                self.keep(at, *hash, text.clone());
            }
        }
    }

    /// The exact count; `None` for many.
    pub(super) fn count(&self) -> Option<u64> {
        (!self.many).then_some(self.seen.len() as u64)
    }

    /// Kept values, sorted.
    pub(super) fn samples(&self) -> Vec<String> {
        let mut samples: Vec<String> = self.kept.iter().map(|(_, text)| text.clone()).collect();
        samples.sort();
        samples
    }
}

/// The keys are hashes already.
#[derive(Debug, Clone, Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }
}

/// A hash that is the same on every machine and in every version: it is stored.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = (state ^ u64::from_le_bytes(*word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(state ^ u64::from_le_bytes(last).wrapping_mul(0xC2B2_AE3D_27D4_EB4F))
}

/// Spreads every bit of a word over all.
pub(super) fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    word = (word ^ (word >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    word ^ (word >> 33)
}

/// The hash of a whole number's decimal digits.
pub(super) fn hash_integer(n: i64) -> u64 {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = n.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    hash(&digits[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_text_have_one_hash() {
        for n in [0, 7, -7, 1_234_567_890_123, i64::MIN, i64::MAX] {
            assert_eq!(hash_integer(n), hash(n.to_string().as_bytes()), "{n}");
        }
    }

    #[test]
    fn counts_exactly_up_to_the_cap() {
        let mut few = Distinct::default();
        let mut many = Distinct::default();
        for n in 0..1_000u64 {
            let text = (n % 12).to_string();
            few.add(hash(text.as_bytes()), || text.as_str());
            many.add(mix(n + 1), || n.to_string());
        }
        assert_eq!((few.count(), few.samples().len()), (Some(12), 12));
        assert_eq!((many.count(), many.samples().len()), (None, MOST_KEPT));
    }
}
