//! What a decided column holds, for its field and its report.

use serde::{Deserialize, Serialize};

use super::class::{Class, classify};
use super::distinct::MOST_KEPT;
use super::profile::Profile;
use crate::value::FieldType;

/// Samples given of a column with more values than are all kept.
const FEW: usize = 8;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) cells: u64,
    /// Cells that have a value of the type.
    pub(super) fits: u64,
    /// Cells that are neither blank, marker nor error and have no value of the type.
    pub(super) unfit: u64,
    pub(super) errors: u64,
    pub(super) distinct: Option<u64>,
    pub(super) samples: Vec<String>,
    pub(super) decimals: u8,
    pub(super) range: Option<(String, String)>,
    /// Rows that repeat a merged number.
    #[serde(default)]
    pub(super) spread: u64,
}

impl Summary {
    pub(super) fn new(profile: &Profile, kind: FieldType, fits: u64) -> Self {
        let text = kind == FieldType::Text;
        Self {
            cells: profile.cells,
            fits,
            unfit: if text { 0 } else { profile.telling().saturating_sub(fits) },
            errors: profile.errors,
            distinct: distinct(profile, kind, fits),
            samples: samples(profile, text),
            decimals: 0,
            range: None,
            spread: profile.spread,
        }
    }
}

/// Different values, where each was seen as one text only.
fn distinct(profile: &Profile, kind: FieldType, fits: u64) -> Option<u64> {
    let one_text_each = profile.cells - profile.blank - profile.errors == fits && profile.numbers.marked.is_empty();
    match kind {
        FieldType::Text => profile.distinct.count().filter(|_| profile.typed == 0 || profile.texts == 0),
        FieldType::Flag => Some(u64::from(profile.yes > 0) + u64::from(profile.no > 0)),
        FieldType::Integer => profile.distinct.count().filter(|_| one_text_each && profile.numbers.bare.separated == 0),
        FieldType::Decimal | FieldType::DateTime => {
            profile.distinct.count().filter(|_| one_text_each && profile.typed == fits)
        }
    }
}

fn samples(profile: &Profile, text: bool) -> Vec<String> {
    let mut samples = profile.distinct.samples();
    if !text {
        samples.retain(|sample| classify(sample.trim()) != Class::Marker);
    }
    if profile.distinct.count().is_none_or(|count| count > MOST_KEPT as u64) {
        samples.truncate(FEW);
    }
    samples
}
