//! How long to wait before a call is tried again.
//!
//! Comes in: the number of the try, the server's `Retry-After`. Goes out: a wait.
//! Must never happen: a wait shorter than the server asked for.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use chrono::{DateTime, Utc};

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(8);

/// The wait after the `failed`-th failed try, 1-based: doubled each time, between half and all of it by chance.
pub fn wait(failed: u32, asked: Option<Duration>) -> Duration {
    let full = FIRST.saturating_mul(1 << failed.saturating_sub(1).min(10)).min(LONGEST);
    let jittered = full.mul_f64(0.5 + chance() / 2.0);
    asked.map_or(jittered, |asked| asked.max(jittered))
}

/// `Retry-After`: seconds, or a date. A date that has passed is no wait.
pub fn retry_after(header: &str, now: DateTime<Utc>) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = DateTime::parse_from_rfc2822(header).ok()?;
    Some((at.with_timezone(&Utc) - now).to_std().unwrap_or_default())
}

/// From 0 to 1, different for callers that failed together.
fn chance() -> f64 {
    let bits = RandomState::new().build_hasher().finish();
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_stay_bounded_and_never_undercut_the_server() {
        for failed in 1..40 {
            let plain = wait(failed, None);
            assert!(plain >= FIRST / 2 && plain <= LONGEST, "{failed}: {plain:?}");
            assert!(wait(failed, Some(Duration::from_secs(30))) >= Duration::from_secs(30));
        }
        assert!(wait(4, None) > wait(1, None));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = DateTime::parse_from_rfc3339("2024-02-29T23:30:00Z").unwrap_or_default().with_timezone(&Utc);
        for (header, seconds) in [
            ("2", Some(2)),
            (" 0 ", Some(0)),
            ("Thu, 29 Feb 2024 23:30:10 GMT", Some(10)),
            ("Thu, 29 Feb 2024 23:00:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
        ] {
            assert_eq!(retry_after(header, now), seconds.map(Duration::from_secs), "{header}");
        }
    }
}
