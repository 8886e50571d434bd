//! Times as RAGFlow gives them.

use chrono::{DateTime, Utc};

/// `Tue, 11 Mar 2025 13:37:23 GMT`.
pub fn http(milliseconds: i64) -> String {
    let time = DateTime::<Utc>::from_timestamp_millis(milliseconds).unwrap_or_default();
    time.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// `2025-03-11 13:37:23`.
pub fn plain(milliseconds: i64) -> String {
    let time = DateTime::<Utc>::from_timestamp_millis(milliseconds).unwrap_or_default();
    time.format("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_time_is_an_http_date() {
        assert_eq!(super::plain(1_741_700_243_000), "2025-03-11 13:37:23");
        assert_eq!(super::http(1_741_700_243_000), "Tue, 11 Mar 2025 13:37:23 GMT");
    }
}
