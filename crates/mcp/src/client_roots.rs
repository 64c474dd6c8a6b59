//! The folders a client works in (`roots/list`). Some clients start every server in the user's home; the roots then say which
//! project the session is about.
//!
//! They are requested only if the environment does not name the project and the protocol version still has the request.

use serde_json::{Value, json};
use std::path::PathBuf;

/// The id of our own request, by which its response is recognised.
const REQUEST_ID: &str = "backstory-roots";

/// The folders of the client, as far as it said.
#[derive(Debug, Default)]
pub(crate) struct ClientRoots {
    /// Whether the client answers `roots/list`.
    pub(crate) is_supported: bool,
    /// The first folder that exists.
    pub(crate) first: Option<PathBuf>,
}

impl ClientRoots {
    /// Returns the request for the folders, if the client supports it.
    pub(crate) fn request(&self) -> Option<Value> {
        self.is_supported.then(|| json!({"jsonrpc": "2.0", "id": REQUEST_ID, "method": "roots/list"}))
    }

    /// Reads the response to our request. One without a usable folder keeps the folder from before.
    pub(crate) fn read_response(&mut self, id: &Value, result: &Value) {
        if id != REQUEST_ID {
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
