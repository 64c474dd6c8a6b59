//! JSON over HTTP, within a deadline. No redirect is followed, so that a key goes only where it was configured to go.

use crate::{MOST_ANSWER_BYTES, ModelError};
use serde_json::Value;
use std::time::Duration;
use ureq::Agent;

/// A server that answers JSON with JSON.
#[derive(Debug)]
pub(crate) struct JsonEndpoint {
    agent: Agent,
    url: String,
}

impl JsonEndpoint {
    pub(crate) fn new(url: String, deadline: Duration) -> JsonEndpoint {
        let mut config = Agent::config_builder()
            .timeout_global(Some(deadline))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent("backstory");
        // A proxy for the internet cannot reach a model on this machine.
        if is_loopback(&url) {
            config = config.proxy(None);
        }
        JsonEndpoint { agent: Agent::new_with_config(config.build()), url }
    }

    /// Posts a body with a header that holds the key, if there is one.
    pub(crate) fn post(
        &self,
        key: Option<(&str, &str)>,
        more: &[(&str, &str)],
        body: &Value,
    ) -> Result<Value, ModelError> {
        if key.is_some() && !self.url.starts_with("https://") && !is_loopback(&self.url) {
            return Err(ModelError::UnencryptedKey);
        }
        let mut request = self.agent.post(&self.url).content_type("application/json");
        for (name, value) in more.iter().chain(key.as_ref()) {
            request = request.header(*name, *value);
        }
        let mut response = request.send(body.to_string().as_bytes()).map_err(|error| reason(&error))?;
        match response.status().as_u16() {
            200..=299 => {}
            status => return Err(ModelError::Refused(status)),
        }
        let limit = MOST_ANSWER_BYTES as u64;
        let bytes = response.body_mut().with_config().limit(limit).read_to_vec();
        serde_json::from_slice(&bytes.map_err(|error| reason(&error))?).map_err(|_| ModelError::Unreadable)
    }
}

/// Whether a URL leads to this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // The part before an `@` is user information, however much it looks like a host.
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.strip_prefix('[') {
        Some(host) => host.split(']').next() == Some("::1"),
        None => {
            let name = host.split(':').next().unwrap_or_default();
            let address = name.parse::<std::net::Ipv4Addr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
    }
}

/// Maps an error to our own words: theirs may repeat a header.
pub(crate) fn reason(error: &ureq::Error) -> ModelError {
    match error {
        ureq::Error::Timeout(_) => ModelError::TimedOut,
        ureq::Error::BodyExceedsLimit(_) | ureq::Error::LargeResponseHeader(..) => ModelError::TooLarge,
        ureq::Error::HostNotFound => ModelError::Unreachable("no such host"),
        ureq::Error::ConnectionFailed => ModelError::Unreachable("no connection"),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => ModelError::Unreachable("no safe connection"),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => ModelError::Unreachable("not an address"),
        ureq::Error::Io(_) => ModelError::Unreachable("the connection broke"),
        _ => ModelError::Unreachable("it does not speak HTTP"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_loopback_addresses_are_local() {
        for url in ["http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]:8080", "http://127.9.9.9"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in [
            "http://127.0.0.1.example.org/",
            "http://localhost.example.org",
            "http://example.org/127.0.0.1",
            "http://127.0.0.1@example.org/",
            "http://localhost:80@example.org",
            "http://[::2]/",
            "",
        ] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
