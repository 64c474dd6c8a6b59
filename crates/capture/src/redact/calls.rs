//! Finds passwords among the arguments of a call, where only the function says what they are:
//! `HTTPBasicAuth("name", "…")`, `DriverManager.getConnection(url, "name", "…")`.
//!
//! Not here: arguments with a name (`passwords`).

use super::SecretMatch;
use super::assignment::count;
use super::passwords::{CREDENTIAL, is_made_up, value};
use super::random::{Announcement, is_random};
use super::words::RedactorWord;

/// Functions that take a user and then the password, perhaps behind an address.
const LOGGING_IN: [&str; 16] = [
    "auth",
    "authenticate",
    "basic_auth",
    "basicauth",
    "connect",
    "createconnection",
    "credential",
    "credentials",
    "getconnection",
    "login",
    "logon",
    "mysqli",
    "pdo",
    "setcredentials",
    "signin",
    "sign_in",
];
/// Functions that take a key.
const KEYED: [&str; 7] =
    ["jwt.sign", "jwt.verify", "jwt.encode", "jwt.decode", "fernet", "createhmac", "hmac.new"];
/// More arguments than such a function takes before the password.
const MOST_ARGUMENTS: usize = 4;

/// Returns the password or the key in a call of the function that `word` names.
pub(super) fn find(text: &[u8], word: &RedactorWord<'_>) -> Option<SecretMatch> {
    // `auth=("name", "…")`
    let is_pair = word.bytes.ends_with(b"auth") || word.bytes.ends_with(b"auth=");
    let mut at = word.end() + if is_pair { count(text, word.end(), b" =:", 3) } else { 0 };
    text.get(at..)?.strip_prefix(b"(")?;
    at += 1;
    let called = word.bytes.strip_suffix(b"=").unwrap_or(word.bytes).to_ascii_lowercase();
    let name = called.rsplit(|byte| b".>-/".contains(byte)).next()?;
    let ends = |ending: &&str| name.ends_with(ending.as_bytes());
    let logs_in = LOGGING_IN.iter().any(|known| name == known.as_bytes())
        || ["auth", "credential", "credentials"].iter().any(ends);
    let is_keyed = KEYED.iter().any(|known| called.ends_with(known.as_bytes()));
    if !logs_in && !is_keyed {
        return None;
    }
    for argument in 0..MOST_ARGUMENTS {
        at += count(text, at, b" \t\n", 24);
        let prefix = usize::from(
            text.get(at) == Some(&b'b') && text.get(at + 1).is_some_and(|byte| b"\"'".contains(byte)),
        );
        at += prefix;
        let quote = text.get(at).copied().filter(|byte| b"\"'".contains(byte));
        let start = at + usize::from(quote.is_some());
        let value = value(text.get(start..)?, quote)?;
        let is_secret = (logs_in && argument > 0 && is_password_of_a_call(value))
            || (is_keyed && is_random(value, Announcement::Quoted));
        if quote.is_some() && is_secret {
            return Some(SecretMatch { rule: CREDENTIAL, start, end: start + value.len() });
        }
        at = start + value.len() + usize::from(quote.is_some());
        at += count(text, at, b" \t\n", 24);
        text.get(at..)?.strip_prefix(b",")?;
        at += 1;
    }
    None
}

/// Names of databases and queues hold digits too, but seldom capitals among them.
fn is_password_of_a_call(value: &[u8]) -> bool {
    is_made_up(value) && value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase)
}
