//! `engine.url` and what opens its door.

use reqwest::Url;

use crate::engine::EngineError;

/// The hosts of `http(s)://[user:password@]host:port[,…]`.
pub(super) fn hosts(text: &str) -> Result<Vec<Url>, EngineError> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let hosts = parts.map(host).collect::<Result<Vec<_>, _>>()?;
    if hosts.is_empty() { Err(setting("url", "it names no host")) } else { Ok(hosts) }
}

fn host(part: &str) -> Result<Url, EngineError> {
    let url = Url::parse(part).map_err(|error| setting("url", error))?;
    match url.scheme() {
        "http" | "https" if url.host_str().is_some() => Ok(url),
        _ => Err(setting("url", "it is `embedded`, or an address that begins with http:// or https://")),
    }
}

/// A host without what may be secret.
pub(super) fn named(host: &Url) -> String {
    format!("{}:{}", host.host_str().unwrap_or_default(), host.port_or_known_default().unwrap_or_default())
}

/// This machine is called directly, whatever proxy the environment names.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A setting of the engine that can't be used.
pub(super) fn setting(name: &str, detail: impl ToString) -> EngineError {
    EngineError::Failed(format!("the setting engine.{name} can't be used: {}", detail.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_name_several_hosts() {
        let hosts = hosts("https://user:geheim@a:9200, https://b").expect("two hosts");
        assert_eq!(hosts.iter().map(named).collect::<Vec<_>>(), ["a:9200", "b:443"]);
    }

    #[test]
    fn what_is_no_address_is_refused_without_its_secrets() {
        for text in ["", "localhost:9200", "ftp://user:geheim@h", "http://"] {
            let error = hosts(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains("engine.url") && !error.contains("geheim"), "{text}: {error}");
        }
    }
}
