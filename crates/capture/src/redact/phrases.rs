//! Passwords of several words, and the names that announce them.
//!
//! Not here: seeds of wallets (`named`), and passwords of one word (`passwords`).

use super::languages;
use super::names::name_class;
use super::passwords::{LONGEST, is_shouted};
use super::random::{find_ignoring_case, is_placeholder};

/// Whether a quoted value of several words in the place of a password is one, and not a label or a message.
pub(super) fn is_phrase(value: &[u8]) -> bool {
    const DESCRIBING: [&str; 31] = [
        "too",
        "short",
        "minimum",
        "least",
        "characters",
        "show",
        "hide",
        "must",
        "should",
        "cannot",
        "required",
        "requires",
        "invalid",
        "incorrect",
        "wrong",
        "enter",
        "choose",
        "forgot",
        "reset",
        "confirm",
        "change",
        "update",
        "new",
        "old",
        "please",
        "least",
        "match",
        "field",
        "text",
        "the",
        "for",
    ];
    let words = || value.split(|byte| *byte == b' ');
    let is_word = |word: &[u8]| {
        !word.is_empty()
            && word.iter().all(|byte| byte.is_ascii_graphic() && !b"(){}[]<>=\"\\/".contains(byte))
    };
    let describes = |word: &[u8]| {
        name_class(word).is_some()
            || DESCRIBING.iter().any(|other| word.eq_ignore_ascii_case(other.as_bytes()))
    };
    // A value such as "is too short" continues the sentence before it.
    let goes_on = words().next().is_some_and(|first| [&b"is"[..], b"are"].contains(&first));
    !goes_on
        && (2..=8).contains(&words().count())
        && (8..=LONGEST).contains(&value.len())
        && words().all(|word| is_word(word) && !describes(word))
        && !is_placeholder(value)
}

pub(super) fn names_a_passphrase(name: &[u8]) -> bool {
    find_ignoring_case(name, b"passphrase").is_some()
}

/// Whether a quoted value is a phrase of any words, where nothing but a passphrase is expected.
pub(super) fn is_long_phrase(value: &[u8]) -> bool {
    let is_message =
        value.iter().any(|byte| b"{}<>%$".contains(byte)) || value.ends_with(b":") || value.ends_with(b".");
    (12..=LONGEST).contains(&value.len())
        && value.split(|byte| *byte == b' ').count() >= 4
        && value.first().is_some_and(u8::is_ascii_lowercase)
        && !is_message
        && !languages::names_a_password(value)
        && find_ignoring_case(value, b"pass").is_none()
}

/// Whether a name is certainly that of a password: it is spelled out, or in capitals. A plain `pass` may count tests that passed.
pub(super) fn names_a_phrase(name: &[u8]) -> bool {
    is_shouted(name)
        || ["passw", "passphrase", "pwd"]
            .iter()
            .any(|part| find_ignoring_case(name, part.as_bytes()).is_some())
}
