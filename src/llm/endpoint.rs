//! From the base address that a user writes to the address that is called.
//!
//! Comes in: `https://host`, `https://host/v1/`, `https://host/api/v3`, with or without the whole path.
//! Goes out: the address of `chat/completions`. Must never happen: a scheme other than http and https.

use reqwest::Url;

use super::LlmError;

/// The chat address of a base address: `/v1` is added where no version is in its path.
pub(super) fn chat_url(base: &str) -> Result<Url, LlmError> {
    let mut url = Url::parse(base.trim()).map_err(|error| unusable(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(unusable("an address begins with http:// or https://".to_owned()));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if path.ends_with("/chat/completions") {
        url.set_path(&path);
    } else {
        let version = if path.split('/').any(is_version) { "" } else { "/v1" };
        url.set_path(&format!("{path}{version}/chat/completions"));
    }
    Ok(url)
}

/// This machine: it is called directly, whatever proxy the environment names.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// `v1`, `v3`, `v1beta`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn unusable(detail: String) -> LlmError {
    LlmError::Setting { name: "base_url", detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_may_have_a_version_and_a_slash_or_not() {
        for (base, called) in [
            ("http://h:1", "http://h:1/v1/chat/completions"),
            ("http://h:1/", "http://h:1/v1/chat/completions"),
            (" http://h/v1 ", "http://h/v1/chat/completions"),
            ("http://h/v1/", "http://h/v1/chat/completions"),
            ("https://h/api/v3", "https://h/api/v3/chat/completions"),
            ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
            ("https://h/compatible-mode", "https://h/compatible-mode/v1/chat/completions"),
            ("https://h/v1/chat/completions/", "https://h/v1/chat/completions"),
            ("https://h/d?api-version=2", "https://h/d/v1/chat/completions?api-version=2"),
        ] {
            assert_eq!(chat_url(base).map(String::from), Ok(called.to_owned()), "{base}");
        }
    }

    #[test]
    fn what_is_no_web_address_is_refused() {
        for base in ["h:1", "localhost", "ftp://h", "file:///etc/passwd", "http://", "v1"] {
            assert!(chat_url(base).is_err(), "{base}");
        }
    }

    #[test]
    fn loopback_is_known_by_its_host_alone() {
        for (base, loopback) in [
            ("http://localhost:1", true),
            ("http://127.0.0.9", true),
            ("http://[::1]:1", true),
            ("http://127.0.0.1.example", false),
        ] {
            assert_eq!(chat_url(base).map(|url| is_loopback(&url)), Ok(loopback), "{base}");
        }
    }
}
