//! Writes domain values to columns, and reads them back. An error names the row whose value cannot be read.

use crate::StoreError;
use backstory_memory::{Checksum, Digest, Uid};
use std::str::FromStr;

/// Writes a list as a JSON array.
pub(crate) fn list_text(list: &[String]) -> String {
    // A list of strings always has a JSON form.
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
}

/// Reads a list from a JSON array.
pub(crate) fn list(what: &str, text: &str) -> Result<Vec<String>, StoreError> {
    serde_json::from_str(text).map_err(|error| bad(what, error))
}

/// Reads an enum from its name.
pub(crate) fn code<T: FromStr>(what: &str, text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|_| bad(what, format_args!("unknown value `{text}`")))
}

/// Reads a digest from its bytes.
pub(crate) fn digest(what: &str, bytes: &[u8]) -> Result<Digest, StoreError> {
    Digest::from_slice(bytes).ok_or_else(|| bad(what, "a digest has 16 bytes"))
}

/// Reads a checksum from its bytes.
pub(crate) fn checksum(what: &str, bytes: &[u8]) -> Result<Checksum, StoreError> {
    digest(what, bytes).map(Checksum)
}

/// Reads a uid.
pub(crate) fn uid(what: &str, text: &str) -> Result<Uid, StoreError> {
    Uid::parse(text).map_err(|error| bad(what, error))
}

fn bad(what: &str, detail: impl std::fmt::Display) -> StoreError {
    StoreError::BadRow { what: what.to_owned(), detail: detail.to_string() }
}
