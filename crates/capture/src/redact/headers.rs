//! Finds the credentials of a request: what follows the scheme of an `Authorization` header, however short it is.
//!
//! Not here: the name of the header (`names`), and tokens known by their looks (`shapes`, `random`).

use super::SecretMatch;
use super::assignment::{ValueLink, ValueSpot, count};
use super::names::name_class;
use super::passwords::begins_with;
use super::random::is_placeholder;

/// Schemes of the `Authorization` header; the credentials follow them.
const SCHEMES: [&str; 7] = ["basic", "bearer", "token", "apikey", "digest", "negotiate", "ntlm"];

/// Returns the credentials after the name of an `Authorization` header that ends at `at`, however short they are.
pub(super) fn header(text: &[u8], at: usize) -> Option<SecretMatch> {
    let place = ValueSpot::after(text, at, false).filter(|place| place.link == ValueLink::Assigned)?;
    let (from, length) = scheme_and_credentials(text.get(place.start..)?)?;
    let start = place.start + from;
    Some(SecretMatch { rule: "authorization", start, end: start + length })
}

/// Whether the value of an `Authorization` field is a scheme followed by credentials.
pub(super) fn is_header(value: &[u8]) -> bool {
    scheme_and_credentials(value).is_some_and(|(from, length)| from + length == value.len())
}

/// Returns where the credentials begin and how long they are.
fn scheme_and_credentials(rest: &[u8]) -> Option<(usize, usize)> {
    let scheme = SCHEMES.iter().find(|scheme| begins_with(rest, scheme.as_bytes()))?.len();
    let spaces = count(rest, scheme, b" \t", 8);
    let from = scheme + spaces;
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-._~+/=:".contains(*byte);
    let behind = rest.get(from..)?;
    let credentials = behind.get(..behind.iter().take_while(is_part).count())?;
    let inner = credentials.iter().skip(1).any(u8::is_ascii_uppercase)
        && credentials.iter().any(u8::is_ascii_lowercase);
    let closed = rest.get(from + credentials.len()).is_some_and(|byte| b"\"'".contains(byte));
    let certain = closed || inner || credentials.iter().any(|byte| byte.is_ascii_digit() || *byte == b'=');
    (spaces > 0
        && credentials.len() >= 5
        && certain
        && !is_placeholder(credentials)
        && name_class(credentials).is_none())
    .then_some((from, credentials.len()))
}
