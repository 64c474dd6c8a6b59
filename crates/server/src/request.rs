//! A request and a reply of the API, free of HTTP: what `respond` hands to `api`, and what comes back.

use crate::ApiOperation;
use backstory_app::caller::Caller;
use serde_json::Value;
use std::time::Instant;

/// A request that passed access control and is well formed.
#[derive(Clone, Debug)]
pub struct ApiRequest {
    /// What to do.
    pub operation: ApiOperation,
    /// Who asks.
    pub caller: Caller,
    /// The number in the path, where the route has one.
    pub id: Option<i64>,
    /// The query string.
    pub query: Query,
    /// The body; null where there is none.
    pub body: Value,
    /// The deadline of the client.
    pub until: Instant,
}

/// Through which listener a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestSource {
    /// The unix socket: a process of this user.
    Socket,
    /// Loopback: anyone on this machine, a browser with a stranger's page included.
    Loopback,
}

/// A decoded query string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Reads `a=1&b=two+words`.
    #[must_use]
    pub fn parse(text: &str) -> Query {
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name), decode(value))
        };
        Query { pairs: text.split('&').filter(|part| !part.is_empty()).map(pair).collect() }
    }

    /// Returns a value that is there and not blank.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.trim().is_empty())
    }
}

/// Decodes `%41` and `+`. What is no text after that is made one.
fn decode(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let digits = bytes.clone().next().zip(bytes.clone().nth(1));
        let hex = |(high, low): (u8, u8)| Some(nibble(high)? << 4 | nibble(low)?);
        match (byte, digits.and_then(hex)) {
            (b'%', Some(escaped)) => {
                bytes.nth(1);
                decoded.push(escaped);
            }
            (b'+', _) => decoded.push(b' '),
            _ => decoded.push(byte),
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiReply {
    /// JSON, written already.
    Json(Vec<u8>),
    /// Plain text.
    Text(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_decoded() {
        let query = Query::parse("q=two+words%2C+a%26b&empty=&flag&bad=%zz%4&caf%C3%A9=%E2%9C%93&last=%41");
        assert_eq!(query.get("q"), Some("two words, a&b"));
        assert_eq!((query.get("empty"), query.get("flag"), query.get("none")), (None, None, None));
        assert_eq!(query.get("bad"), Some("%zz%4"));
        assert_eq!(query.get("café"), Some("✓"));
        assert_eq!(query.get("last"), Some("A"));
    }
}
