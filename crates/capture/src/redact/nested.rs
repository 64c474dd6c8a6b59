//! Finds values that stand one step away from the name of a credential: inside the block the name opens
//! (`variable "db_password" { default = "…" }`), and behind the arrow of a plan (`password = "…" -> "…"`).
//!
//! Not here: values directly behind their name (`passwords`), and JSON that was parsed (`json`).

use super::SecretMatch;
use super::assignment::{ValueSpot, count};
use super::names::NameClass;
use super::passwords::{CREDENTIAL, is_chosen, is_generated, is_made_up, is_password, value};
use super::random::{Announcement, is_random};
use super::words::RedactorWord;

/// Keys that say nothing of what they hold: the name around them does.
const NEUTRAL: [&str; 11] =
    ["value", "val", "default", "result", "plaintext", "plain", "content", "data", "params", "args", "text"];

/// Whether a key leaves it to the name around it what its value is.
pub(super) fn is_neutral(key: &[u8]) -> bool {
    NEUTRAL.iter().any(|neutral| key.eq_ignore_ascii_case(neutral.as_bytes()))
}

/// Returns the secret in the block that opens shortly behind a name ending at `name_end`.
pub(super) fn in_block(text: &[u8], name_end: usize, name_class: NameClass) -> Option<SecretMatch> {
    const HEADING: usize = 48;
    const LONGEST_BLOCK: usize = 400;
    let rest = text.get(name_end..)?;
    let is_of_a_heading = |byte: &u8| byte.is_ascii_alphanumeric() || b"\"'_- :=\\".contains(byte);
    let heading = rest.iter().take(HEADING).position(|byte| !is_of_a_heading(byte))?;
    if rest.get(heading) != Some(&b'{') || !rest.first().is_some_and(|byte| b"\"' :=\\".contains(byte)) {
        return None;
    }
    let block = rest.get(heading + 1..)?;
    let length = block
        .iter()
        .take(LONGEST_BLOCK)
        .position(|byte| *byte == b'}')
        .unwrap_or(block.len().min(LONGEST_BLOCK));
    let start = name_end + heading + 1;
    NEUTRAL.iter().find_map(|key| value_of(text, (start, start + length), key.as_bytes(), name_class))
}

/// Elements that hold the value of the element or the key before them.
const VALUE_ELEMENTS: [&str; 4] = ["value", "string", "plaintext", "data"];

/// Returns the secret in the element behind a name that ends at `name_end`: `<AdminPassword><Value>…`, `<key>ApiToken</key><string>…`.
pub(super) fn in_next_element(text: &[u8], name_end: usize, name_class: NameClass) -> Option<SecretMatch> {
    const LONGEST: usize = 256;
    let rest = text.get(name_end..)?;
    let opened = if rest.starts_with(b"</key>") { "</key>".len() } else { count(rest, 0, b">", 1) };
    let spaces = count(rest, opened, b" \t\r\n", 80);
    let tag = rest.get(opened + spaces..)?.strip_prefix(b"<").filter(|_| opened > 0)?;
    let name = tag.get(..tag.iter().take(LONGEST).position(|byte| *byte == b'>')?)?;
    VALUE_ELEMENTS.iter().find(|known| name.eq_ignore_ascii_case(known.as_bytes()))?;
    let start = name_end + opened + spaces + name.len() + 2;
    let value = text.get(start..)?;
    let value = value.get(..value.iter().take(LONGEST).position(|byte| *byte == b'<')?)?;
    let is_secret = match name_class {
        NameClass::Password => is_chosen(value),
        NameClass::Key => is_made_up(value) || is_random(value, Announcement::Quoted),
        _ => false,
    };
    is_secret.then(|| SecretMatch { rule: CREDENTIAL, start, end: start + value.len() })
}

/// Returns the value of a name in the registry of Windows: `ProxyPassword    REG_SZ    …`.
pub(super) fn windows_registry_value(
    text: &[u8],
    name_end: usize,
    name_class: NameClass,
) -> Option<SecretMatch> {
    let kind = name_end + count(text, name_end, b" \t", 24);
    let rest = text.get(kind..)?.strip_prefix(b"REG_")?;
    let named = rest.iter().take(16).take_while(|byte| byte.is_ascii_uppercase() || **byte == b'_').count();
    let start = kind + "REG_".len() + named;
    let start = start + count(text, start, b" \t", 24);
    let value = value(text.get(start..)?, None)?;
    let is_secret = matches!(name_class, NameClass::Password) && is_chosen(value) || is_made_up(value);
    is_secret.then(|| SecretMatch { rule: CREDENTIAL, start, end: start + value.len() })
}

/// Returns the secret below a name, among the settings YAML gives it: `DbPassword:`, and on a later line `Default: …`.
pub(super) fn in_yaml_block(
    text: &[u8],
    word: &RedactorWord<'_>,
    name_class: NameClass,
) -> Option<SecretMatch> {
    const MOST_LINES: usize = 8;
    let block = text.get(word.end()..)?.strip_prefix(b":\n").filter(|_| name_class == NameClass::Password)?;
    let before = text.get(..word.start)?;
    let depth = before.iter().rev().take_while(|byte| **byte == b' ').count();
    let mut at = word.end() + 2;
    for line in block.split(|byte| *byte == b'\n').take(MOST_LINES) {
        let indent = count(line, 0, b" ", 80);
        if indent <= depth {
            return None;
        }
        let entry = line.get(indent..)?;
        let colon = entry.iter().position(|byte| *byte == b':')?;
        if is_neutral(entry.get(..colon)?) {
            let behind = entry.get(colon + 1..)?;
            let spaces = count(behind, 0, b" \"'", 3);
            let value = behind.get(spaces..)?.trim_ascii_end();
            let value = value.strip_suffix(b"\"").or_else(|| value.strip_suffix(b"'")).unwrap_or(value);
            let start = at + indent + colon + 1 + spaces;
            return is_password(value).then(|| SecretMatch {
                rule: CREDENTIAL,
                start,
                end: start + value.len(),
            });
        }
        at += line.len() + 1;
    }
    None
}

/// Adds every generated value in the block of a name that says it holds secrets only: `"secrets": { "jwt": "…" }`.
pub(super) fn find_in_container(text: &[u8], name_end: usize, found: &mut Vec<SecretMatch>) {
    const LONGEST_BLOCK: usize = 2_000;
    let gap = count(text, name_end, b"\"' :=", 6);
    let Some(block) = text.get(name_end + gap..).and_then(|rest| rest.strip_prefix(b"{")) else { return };
    let length = block
        .iter()
        .take(LONGEST_BLOCK)
        .position(|byte| b"{}".contains(byte))
        .unwrap_or(block.len().min(LONGEST_BLOCK));
    let mut start = name_end + gap + 1;
    for part in block.get(..length).unwrap_or_default().split(|byte| b"\"'".contains(byte)) {
        if is_random(part, Announcement::Quoted) {
            found.push(SecretMatch { rule: CREDENTIAL, start, end: start + part.len() });
        }
        start += part.len() + 1;
    }
}

fn value_of(
    text: &[u8],
    (start, end): (usize, usize),
    key: &[u8],
    name_class: NameClass,
) -> Option<SecretMatch> {
    let block = text.get(start..end)?;
    let is_apart = |at: usize| {
        at.checked_sub(1)
            .and_then(|before| block.get(before))
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
    };
    let at = block.windows(key.len()).enumerate().position(|(at, part)| part == key && is_apart(at))?;
    let spot = ValueSpot::after(text, start + at + key.len(), false).filter(|spot| spot.start < end)?;
    let value = value(text.get(spot.start..)?, Some(spot.quote?))?;
    let is_secret = match name_class {
        NameClass::Password | NameClass::Key => is_generated(value) || is_random(value, Announcement::Quoted),
        _ => false,
    };
    is_secret.then(|| SecretMatch { rule: CREDENTIAL, start: spot.start, end: spot.start + value.len() })
}

/// Returns what a plan puts in place of the quoted secret that ends at `end`.
pub(super) fn behind_an_arrow(text: &[u8], end: usize) -> Option<SecretMatch> {
    let quote = text.get(end).copied().filter(|byte| b"\"'".contains(byte))?;
    let arrow = end + 1 + count(text, end + 1, b" ", 2);
    let rest = text.get(arrow..)?;
    let rest = rest.strip_prefix(b"->").or_else(|| rest.strip_prefix(b"=>"))?;
    let start = arrow + 2 + count(rest, 0, b" ", 2);
    let value = value(text.get(start..)?.strip_prefix(&[quote])?, Some(quote))?;
    is_chosen(value).then(|| SecretMatch { rule: CREDENTIAL, start: start + 1, end: start + 1 + value.len() })
}
