//! Secrets in addresses: the user and password of a URL, and hosts that name one tenant of a provider.
//!
//! Not here: webhook addresses, which are tokens of the table (`shapes`).

use super::SecretMatch;
use super::random::{Announcement, is_random};
use super::words::RedactorWord;

/// Longer than any user and password.
const LONGEST: usize = 256;

/// Adds a finding for every `user:password` between `://` and `@`.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    find_thin(text, found);
    let bytes = text.as_bytes();
    for (at, separator) in text.match_indices("://") {
        let start = at + separator.len();
        let authority = authority(bytes.get(start..).unwrap_or_default());
        let Some(length) = authority.iter().rposition(|byte| *byte == b'@') else { continue };
        let userinfo = authority.get(..length).unwrap_or_default();
        if is_credential(userinfo) || is_random(userinfo, Announcement::Near) {
            found.push(SecretMatch { rule: "url-credential", start, end: start + length });
        }
    }
}

/// Parameters by which an address is signed: who has the address has what it leads to.
const SIGNATURES: [&str; 7] =
    ["sig", "signature", "x-amz-signature", "x-goog-signature", "x-amz-security-token", "hmac", "code"];

/// Returns the signature behind `word`, if that is the parameter of an address.
pub(super) fn signature(text: &[u8], word: &RedactorWord<'_>) -> Option<SecretMatch> {
    const SHORTEST: usize = 16;
    let before = word.start.checked_sub(1).and_then(|at| text.get(at))?;
    if !b"?&;".contains(before) || text.get(word.end()) != Some(&b'=') {
        return None;
    }
    let is_named = |name: &&str| word.bytes.eq_ignore_ascii_case(name.as_bytes());
    SIGNATURES.iter().find(|name| is_named(name))?;
    let start = word.end() + 1;
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"%_~.+/=-".contains(*byte);
    let length = text.get(start..)?.iter().take_while(is_part).count();
    // A `code` may also be that of a country or a coupon.
    let is_made = word.bytes != b"code" || is_random(text.get(start..start + length)?, Announcement::Quoted);
    (length >= SHORTEST && is_made).then_some(SecretMatch {
        rule: "url-signature",
        start,
        end: start + length,
    })
}

/// Parts of a path behind which stands what opens it: whoever has such a link may use it.
#[rustfmt::skip]
const OPENING: [&str; 14] = [
    "invite", "invites", "invitation", "join", "reset", "reset-password", "password-reset", "verify", "confirm", "activate", "magic", "magic-link", "share",
    "unsubscribe",
];

/// Returns what opens a link: `//forum.example/invites/…`.
pub(super) fn in_path(word: &RedactorWord<'_>) -> Option<SecretMatch> {
    if !word.bytes.starts_with(b"//") {
        return None;
    }
    let mut start = word.start;
    let mut opens = false;
    for part in word.bytes.split(|byte| *byte == b'/') {
        if opens && is_random(part, Announcement::Near) {
            return Some(SecretMatch { rule: "url-signature", start, end: start + part.len() });
        }
        opens = OPENING.iter().any(|known| part.eq_ignore_ascii_case(known.as_bytes()));
        start += part.len() + 1;
    }
    None
}

/// Returns the credentials before the network that `word` names: `user:password@tcp(host)/database`.
pub(super) fn before_a_network(text: &[u8], word: &RedactorWord<'_>) -> Option<SecretMatch> {
    let is_network = matches!(word.bytes, b"tcp" | b"unix") && text.get(word.end()) == Some(&b'(');
    let end = word.start.checked_sub(1).filter(|at| is_network && text.get(*at) == Some(&b'@'))?;
    let before = text.get(end.saturating_sub(LONGEST)..end)?;
    let is_part = |byte: &&u8| !byte.is_ascii_whitespace() && !b"\"'`".contains(*byte);
    let start = end - before.iter().rev().take_while(is_part).count();
    is_credential(text.get(start..end)?).then_some(SecretMatch { rule: "url-credential", start, end })
}

/// `jdbc:oracle:thin:user/password@host`
fn find_thin(text: &str, found: &mut Vec<SecretMatch>) {
    const PREFIX: &str = "jdbc:oracle:thin:";
    for (at, _) in text.match_indices(PREFIX) {
        let start = at + PREFIX.len();
        let rest = text.as_bytes().get(start..).unwrap_or_default();
        let Some(length) = rest.iter().take(LONGEST).position(|byte| *byte == b'@') else { continue };
        let userinfo = rest.get(..length).unwrap_or_default();
        let is_pair = userinfo.contains(&b'/') && !userinfo.iter().any(|byte| b" ${}\"'\n".contains(byte));
        if is_pair {
            found.push(SecretMatch { rule: "url-credential", start, end: start + length });
        }
    }
}

/// What stands between `://` and the path, not looking further than credentials are long.
fn authority(rest: &[u8]) -> &[u8] {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'`<>\\".contains(byte);
    let length = rest.iter().take(LONGEST).position(ends).unwrap_or(rest.len().min(LONGEST));
    rest.get(..length).unwrap_or_default()
}

fn is_credential(userinfo: &[u8]) -> bool {
    let Some(colon) = userinfo.iter().position(|byte| *byte == b':') else { return false };
    let password = userinfo.get(colon + 1..).unwrap_or_default();
    let stand_ins = ["pass", "passwd", "password", "pwd", "xyz"];
    let stands_for_one = stand_ins.iter().any(|known| password.eq_ignore_ascii_case(known.as_bytes()));
    // What programs are shipped with: `postgres:postgres`.
    let is_shipped = userinfo.get(..colon) == Some(password);
    password.len() >= 3
        && !is_shipped
        && !stands_for_one
        && !userinfo.iter().any(|byte| b"${}*()[]|".contains(byte))
}

/// Hosts under which each customer has a name of its own.
const TENANTS: &[&str] = &[
    ".apps.googleusercontent.com",
    ".atlassian.net",
    ".auth0.com",
    ".azconfig.io",
    ".azuredatabricks.net",
    ".cloud.databricks.com",
    ".gcp.databricks.com",
    ".iam.gserviceaccount.com",
    ".jfrog.io",
    ".my.salesforce.com",
    ".myshopify.com",
    ".okta.com",
    ".openai.azure.com",
    ".snowflakecomputing.com",
];

/// Returns the host of one tenant in `word`, with or without a path behind it.
pub(super) fn tenant_host(word: &RedactorWord<'_>) -> Option<SecretMatch> {
    const SHORTEST: usize = "x.jfrog.io".len();
    if word.bytes.len() < SHORTEST {
        return None;
    }
    let slashes = word.bytes.iter().take_while(|byte| **byte == b'/').count();
    let host = word.bytes.get(slashes..)?.split(|byte| *byte == b'/').next()?;
    let tenant = host.contains(&b'.') && TENANTS.iter().any(|suffix| host.ends_with(suffix.as_bytes()));
    let start = word.start + slashes;
    tenant.then(|| SecretMatch { rule: "tenant-host", start, end: start + host.len() })
}
