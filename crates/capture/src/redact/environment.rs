//! Which variables of the environment hold secrets: their values are redacted wherever they occur.
//!
//! Not here: reading the environment (`cli`), and secrets whose form says what they are (`shapes`).

use super::names::{NameClass, name_class};
use super::random::{Announcement, is_random};

/// Shorter values are more likely words than secrets.
const SHORTEST_VALUE: usize = 8;
/// Parts of names that announce a secret only together with a value that looks like one.
#[rustfmt::skip]
const HOLDERS: [&str; 27] = [
    "anthropic", "aws", "azure", "cloudflare", "conn", "connection", "dsn", "gemini", "github", "gitlab", "google", "hook", "jwt", "npm",
    "openai", "openrouter", "pat", "salt", "sentry", "session", "sid", "sk", "slack", "stripe", "uri", "url", "webhook",
];
/// Endings of names of passwords, and names that end so and are none.
const PASSWORDS: [&str; 4] = ["pass", "passwd", "pwd", "pw"];
const NO_PASSWORDS: [&str; 4] = ["askpass", "bypass", "compass", "oldpwd"];

/// Returns the texts that must not be stored because of a variable: its value, and the password in it.
pub(super) fn secrets(name: &str, value: &str) -> Vec<String> {
    let value = value.trim();
    if value.len() < SHORTEST_VALUE || is_path(value) || is_number(value) {
        return Vec::new();
    }
    let password = password_of_url(value).filter(|password| password.len() >= SHORTEST_VALUE);
    let is_secret = password.is_some() || password_of_url(value).is_some() || is_named(name, value);
    let whole = is_secret.then(|| value.to_owned());
    whole.into_iter().chain(password.map(str::to_owned)).collect()
}

fn is_named(name: &str, value: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    let is_address = value.contains("://");
    match name_class(name.as_bytes()) {
        Some((NameClass::Harmless, _)) => false,
        Some((NameClass::Password | NameClass::Key | NameClass::Header, _)) if !is_address => true,
        _ if ends(&PASSWORDS) && !ends(&NO_PASSWORDS) => true,
        Some(_) => holds_random(value),
        None => lower.split('_').any(|part| HOLDERS.contains(&part)) && holds_random(value),
    }
}

/// Whether a part of a value looks random, as that of a webhook's address does.
fn holds_random(value: &str) -> bool {
    let mut parts = value.split(['/', '?', '&', '=', ':']);
    is_random(value.as_bytes(), Announcement::Quoted)
        || parts
            .any(|part| part.len() >= SHORTEST_VALUE * 2 && is_random(part.as_bytes(), Announcement::Quoted))
}

/// `scheme://user:password@host`
fn password_of_url(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password).filter(|password| !password.is_empty())
}

fn is_path(value: &str) -> bool {
    let drive = value.as_bytes().get(1..3).is_some_and(|colon| matches!(colon, b":\\" | b":/"));
    value.starts_with(['/', '~', '.']) || drive
}

fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || b".,-+".contains(&byte))
}
