//! What is asked, and who answers: the seam between the transport and everything that is known.

use crate::{Refusal, Route};
use serde_json::Value;
use std::time::Instant;

/// Whoever knows the answers. Blocking: every question is asked on a thread where waiting hurts nobody.
pub trait Answers: Send + Sync + 'static {
    /// Answers a request.
    fn answer(&self, asked: &Asked) -> Result<Answer, Refusal>;

    /// Returns the newest of everything that can be listened for; asked a few times a second, only while somebody listens.
    fn newest(&self) -> Option<Newest>;
}

/// A request that may be answered: who asks is known, and what is asked is well formed.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What is asked.
    pub route: Route,
    /// The number in the path, where the route has one.
    pub id: Option<i64>,
    /// What stands after the question mark.
    pub query: Query,
    /// The body; null where there is none.
    pub body: Value,
    /// When nobody waits for the answer any more.
    pub until: Instant,
    /// Through which door.
    pub by: Asker,
    /// The host that asks for itself, as the header `X-Backstory-Host` says. A browser cannot come through the socket, so it is
    /// heard only there.
    pub host: Option<String>,
}

/// Through which door a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// The unix socket: a process of this user.
    Socket,
    /// Loopback: anyone on this machine, a browser with a stranger's page included.
    Loopback,
}

/// What stands after the question mark, decoded.
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

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// JSON, written already.
    Json(Vec<u8>),
    /// Plain text.
    Text(String),
}

/// The newest number of everything that can be listened for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Newest {
    /// Of memories.
    pub memory: i64,
    /// Of events.
    pub event: i64,
    /// Of injections.
    pub injection: i64,
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
