//! Text on its way from one reader to the next.

/// Gives as much of what waits behind `given` as there is room for; says how much.
pub(super) fn give(out: &[u8], given: &mut usize, into: &mut [u8]) -> usize {
    let waits = out.get(*given..).unwrap_or_default();
    let count = into.len().min(waits.len());
    into[..count].copy_from_slice(&waits[..count]);
    *given += count;
    count
}
