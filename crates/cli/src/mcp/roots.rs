//! The folders a client says it works in. Some start every server in the user's home: then this is how the project is known.
//!
//! Only asked for where neither the environment names the project nor the era has done away with the question.

use serde_json::{Value, json};
use std::path::PathBuf;

const QUESTION: &str = "backstory-roots";

/// What is known of the client's folders.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    /// Whether the client can be asked.
    pub(crate) can_be_asked: bool,
    /// The first of them.
    pub(crate) first: Option<PathBuf>,
}

impl Roots {
    /// Returns the question, where it can be asked.
    pub(crate) fn question(&self) -> Option<Value> {
        self.can_be_asked.then(|| json!({"jsonrpc": "2.0", "id": QUESTION, "method": "roots/list"}))
    }

    /// Takes an answer in. One that cannot be used leaves everything as it is.
    pub(crate) fn hear(&mut self, id: &Value, result: &Value) {
        if id != QUESTION {
            return;
        }
        let roots = result.get("roots").and_then(Value::as_array);
        let folders = roots.into_iter().flatten().filter_map(|root| folder(root.get("uri")?.as_str()?));
        self.first = folders.into_iter().find(|folder| folder.is_dir()).or_else(|| self.first.take());
    }
}

/// Returns the folder a `file:` address names.
fn folder(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(match byte {
            b'%' => u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?,
            byte => byte,
        });
    }
    let folder = backstory_platform::path_from_bytes(bytes);
    folder.is_absolute().then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_folder_or_nothing() {
        let check =
            |uri, expected: Option<&str>| assert_eq!(folder(uri), expected.map(PathBuf::from), "{uri}");
        check("file:///home/me/a%20b%C3%A9", Some("/home/me/a bé"));
        check("file://localhost/srv/x", Some("/srv/x"));
        check("https://example.org/x", None);
        check("file://relative", None);
        check("file:///half%2", None);
        check("file:///%zz", None);
    }
}
