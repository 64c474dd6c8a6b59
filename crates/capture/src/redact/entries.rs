//! Finds the value of an entry that says its name under one key and its value under another:
//! `- name: DB_PASSWORD` above `value: …`, `{"name": "API_TOKEN", "value": "…"}`, `SET value = '…' WHERE name = '…'`.
//!
//! Not here: the block a name opens (`nested`), and values behind their name (`passwords`).

use super::SecretMatch;
use super::assignment::ValueSpot;
use super::names::NameClass;
use super::nested::is_neutral;
use super::passwords::{CREDENTIAL, is_chosen, is_generated, value};
use super::random::{Announcement, is_random};
use super::words::RedactorWord;

/// Keys under which an entry says what it is called.
const NAMING: [&str; 9] =
    ["name", "key", "variable", "parameter", "field", "id", "setting", "option", "property"];
/// How far from its name an entry may have its value.
const NEAR: usize = 120;

/// Returns the value of the entry that `word` names.
pub(super) fn find(text: &[u8], word: &RedactorWord<'_>, name_class: NameClass) -> Option<SecretMatch> {
    let is_credential = matches!(name_class, NameClass::Password | NameClass::Key);
    // A text of millions of `key=` names no entry.
    let is_key = matches!(text.get(word.end()), Some(b'=' | b':'));
    if !is_credential || is_key || !is_a_name(text, word.start) {
        return None;
    }
    let behind = text.get(word.end()..text.len().min(word.end() + NEAR))?;
    let closed = behind.iter().position(|byte| b"{}".contains(byte)).unwrap_or(behind.len());
    let before = text.get(word.start.saturating_sub(NEAR)..word.start)?;
    let opened = before.iter().rposition(|byte| b"{};".contains(byte)).map_or(0, |at| at + 1);
    let begins = word.start - before.len() + opened;
    value_between(text, (word.end(), word.end() + closed), name_class)
        .or_else(|| value_between(text, (begins, word.start), name_class))
}

/// Whether what stands before a word says that the word is the name of an entry.
fn is_a_name(text: &[u8], start: usize) -> bool {
    const LONGEST_KEY: usize = 24;
    let before = text.get(start.saturating_sub(LONGEST_KEY)..start).unwrap_or_default();
    let without = |text: &[u8], signs: &[u8]| {
        text.len() - text.iter().rev().take_while(|byte| signs.contains(byte)).count()
    };
    let signs = before.get(..without(before, b" \"'\\")).unwrap_or_default();
    let Some(key) = signs.strip_suffix(b":").or_else(|| signs.strip_suffix(b"=")) else { return false };
    let key = key.get(..without(key, b" \"'\\")).unwrap_or_default();
    let key = key.rsplit(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    NAMING.iter().any(|naming| key.eq_ignore_ascii_case(naming.as_bytes()))
}

/// Returns the secret behind the first key of a part of the text that leaves it to the name what its value is.
fn value_between(text: &[u8], (start, end): (usize, usize), name_class: NameClass) -> Option<SecretMatch> {
    let part = text.get(start..end)?;
    let mut at = 0;
    for word in part.split(|byte| !byte.is_ascii_alphanumeric() && !b"_-".contains(byte)) {
        let key_end = start + at + word.len();
        at += word.len() + 1;
        // The next entry of the list.
        if NAMING.iter().any(|naming| word.eq_ignore_ascii_case(naming.as_bytes())) {
            return None;
        }
        if !is_neutral(word) {
            continue;
        }
        let spot = ValueSpot::after(text, key_end, false)?;
        let value = value(text.get(spot.start..)?, spot.quote)?;
        let is_secret = match name_class {
            NameClass::Password if spot.quote.is_some() => is_chosen(value),
            NameClass::Password => is_generated(value),
            _ => is_generated(value) || is_random(value, Announcement::Quoted),
        };
        return is_secret.then(|| SecretMatch {
            rule: CREDENTIAL,
            start: spot.start,
            end: spot.start + value.len(),
        });
    }
    None
}
