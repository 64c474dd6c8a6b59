//! What stands in place of a secret, and how to know it again.

use super::Piece;
use std::fmt::Write as _;

const OPEN: &str = "[REDACTED:";
/// Hexadecimal digits of the keyed hash that are shown.
const DIGITS: usize = 6;
/// Longer than any rule's name.
const LONGEST_RULE: usize = 40;

/// Appends the marker of `secret`.
pub(super) fn push(text: &mut String, rule: &str, secret: &str, key: &[u8; 32]) {
    let hash = blake3::keyed_hash(key, secret.as_bytes()).to_hex();
    let digits = hash.get(..DIGITS).unwrap_or_default();
    write!(text, "{OPEN}{rule}:{digits}]").expect("a String takes every text");
}

/// Returns the parts of `text` between the markers it already holds.
pub(super) fn pieces_between_markers(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (start, _) in text.match_indices(OPEN) {
        if let Some(length) = marker_length(text.get(start..).unwrap_or_default()) {
            pieces.extend(Piece::between(at, start));
            at = start + length;
        }
    }
    pieces.extend(Piece::between(at, text.len()));
    pieces
}

fn marker_length(text: &str) -> Option<usize> {
    let rest = text.as_bytes().strip_prefix(OPEN.as_bytes())?;
    let rule = rest.iter().take(LONGEST_RULE).position(|byte| *byte == b':')?;
    let name = rest.get(..rule)?;
    let digits = rest.get(rule + 1..rule + 1 + DIGITS)?;
    let known = name.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-');
    let closed = rest.get(rule + 1 + DIGITS) == Some(&b']');
    (known && closed && digits.iter().all(u8::is_ascii_hexdigit)).then_some(OPEN.len() + rule + DIGITS + 2)
}
