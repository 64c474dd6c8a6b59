//! Passwords people chose: they need not look random, so only clear places count.
//!
//! Those are a quoted or environment-style value directly after its name, a connection string, and the
//! credentials of a command line (`curl -u name:password`). The user a found password belongs to goes with
//! it. Not here: passwords in URLs (`urls`).

use super::Finding;
use super::names::Telling;
use super::random::is_placeholder;
use super::words::Word;

const CREDENTIAL: &str = "credential";
/// The longest password anybody chose.
const LONGEST: usize = 128;

/// Returns the chosen secret that directly follows a name ending at `name_end` in `word`.
pub(super) fn after(text: &[u8], word: &Word<'_>, name_end: usize, telling: Telling) -> Option<Finding> {
    // `password_file` and `passwordHash` are not names of passwords.
    let tail = word.bytes.get(name_end..)?;
    if tail.iter().any(|byte| *byte != b'=' && !byte.is_ascii_digit()) {
        return None;
    }
    let name = word.bytes.get(..name_end)?;
    let place = Place::after(text, word.start + name_end, name.starts_with(b"-"))?;
    if telling != Telling::Password && place.quote.is_none() {
        return None;
    }
    let value = value(text.get(place.start..)?, place.quote)?;
    let certain = match (telling, place.quote) {
        (Telling::Password, _) if place.listed || is_same(name, value) => false,
        (Telling::Password, Some(_)) => is_chosen(value),
        (Telling::Password, None) => {
            let next = text.get(place.start + value.len());
            let plain =
                place.tight && (is_shouted(name) || next == Some(&b';') || begins_a_line(text, word.start));
            is_chosen(value) && (is_strong(value) || plain)
        }
        (Telling::Key, Some(_)) => is_dense(value),
        _ => false,
    };
    certain.then(|| Finding { rule: CREDENTIAL, start: place.start, end: place.start + value.len() })
}

/// Where the value of an assignment stands.
struct Place {
    start: usize,
    quote: Option<u8>,
    /// No space on either side of the sign.
    tight: bool,
    /// After a comma, which lists more often than it assigns.
    listed: bool,
}

impl Place {
    /// Reads what lies between a name ending at `at` and its value: `": "`, ` = `, `=`, ` => '`, `" value="`.
    fn after(text: &[u8], mut at: usize, is_flag: bool) -> Option<Place> {
        let closing = count(text, at, b"\"'`\\)]", 3);
        at += closing;
        let before = count(text, at, b" \t", 8);
        at += before;
        if text.get(at..)?.starts_with(b"value=") {
            at += "value".len();
        }
        let sign = if text.get(at) == Some(&b'>') { 0 } else { count(text, at, b":=>?", 3) };
        // `get("KEY", "…")` gives a default; in `user, password, host` nothing is assigned.
        let listed = sign == 0 && closing > 0 && text.get(at) == Some(&b',');
        if sign == 0 && !listed && !(is_flag && before > 0) {
            return None;
        }
        at += usize::from(listed);
        at += sign;
        let behind = count(text, at, b" \t", 8);
        at += behind;
        at += count(text, at, b"\\", 3);
        let quote = text.get(at).copied().filter(|byte| b"\"'`".contains(byte));
        Some(Place { start: at + usize::from(quote.is_some()), quote, tight: before + behind == 0, listed })
    }
}

/// Returns the name of the user that stands shortly before a secret's own name at `name_start`.
pub(super) fn user_before(text: &[u8], name_start: usize) -> Option<Finding> {
    const NEAR: usize = 160;
    const USERS: [&[u8]; 5] = [b"user", b"uid", b"login", b"accountname", b"keyname"];
    let from = name_start.saturating_sub(NEAR);
    let window = text.get(from..name_start)?;
    let (at, length) = (0..window.len()).rev().find_map(|at| {
        let rest = window.get(at..)?;
        let user = USERS.iter().find(|user| begins_with(rest, user))?;
        Some((at, user.len()))
    })?;
    let name_end = from + at + length;
    let rest = text.get(name_end..name_start)?;
    let more = [b" id".as_slice(), b"_id", b"name", b"id"]
        .iter()
        .find(|more| begins_with(rest, more))
        .map_or(0, |more| more.len());
    let place = Place::after(text, name_end + more, true).filter(|place| !place.listed)?;
    let value = value(text.get(place.start..name_start)?, place.quote)?;
    let named = value.len() >= 3 && !is_placeholder(value) && !value.contains(&b'(');
    named.then(|| Finding { rule: CREDENTIAL, start: place.start, end: place.start + value.len() })
}

/// Tells whether a text in the place of a password is one: not prose, not a stand-in, not code.
pub(super) fn is_chosen(value: &[u8]) -> bool {
    let code = value.windows(2).any(|pair| pair == b"::" || pair == b"->") || value.contains(&b'(');
    let prose = value.iter().any(u8::is_ascii_whitespace);
    let reference = value.first().is_some_and(|first| b"/#.,:".contains(first));
    (4..=LONGEST).contains(&value.len()) && !prose && !code && !reference && !is_placeholder(value)
}

/// The credentials given to `curl -u` and its like.
#[derive(Default)]
pub(super) struct Commands {
    /// Where the last command that takes credentials was named.
    named: Option<usize>,
}

impl Commands {
    /// Returns the credentials that follow `word`, if it is the flag of a command seen shortly before.
    pub(super) fn credentials(&mut self, text: &[u8], word: &Word<'_>) -> Option<Finding> {
        const NEAR: usize = 512;
        if matches!(word.bytes, b"curl" | b"wget" | b"http") {
            self.named = Some(word.start);
        }
        if !matches!(word.bytes, b"-u" | b"--user")
            || self.named.is_none_or(|named| word.start - named > NEAR)
        {
            return None;
        }
        let mut at = word.end();
        at += count(text, at, b" =\t", 4);
        let quotes = count(text, at, b"\"'", 1);
        let quote = if quotes > 0 { text.get(at).copied() } else { None };
        at += quotes;
        let value = value(text.get(at..)?, quote)?;
        let pair = value.contains(&b':')
            && value.len() >= 5
            && !value.starts_with(b"user")
            && !is_placeholder(value);
        pair.then(|| Finding { rule: CREDENTIAL, start: at, end: at + value.len() })
    }
}

/// Has letters and something else, as no name in code does.
fn is_strong(value: &[u8]) -> bool {
    let letters = value.iter().any(u8::is_ascii_alphabetic);
    let others = value.iter().any(|byte| byte.is_ascii_digit() || b"!@#%^&+".contains(byte));
    value.len() >= 6 && letters && others
}

/// Has signs strewn among letters and digits, as generated keys do and no text, path or pattern does.
fn is_dense(value: &[u8]) -> bool {
    let signs = value.iter().filter(|byte| b"!@#$%^&*~?;".contains(byte)).count();
    let letters = value.iter().any(u8::is_ascii_alphabetic);
    let digits = value.iter().any(u8::is_ascii_digit);
    let text = value.iter().any(u8::is_ascii_whitespace) || value.windows(3).any(|part| part == b"://");
    value.len() >= 16 && signs >= 3 && letters && digits && !text
}

/// `password: "Password"`: a label or a field, not a password.
fn is_same(name: &[u8], value: &[u8]) -> bool {
    let letters = |text: &[u8]| -> Vec<u8> {
        text.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect()
    };
    letters(name) == letters(value)
}

/// As in a file of settings; code is indented or begins otherwise.
fn begins_a_line(text: &[u8], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.get(before)).is_none_or(|before| *before == b'\n')
}

/// `DB_PASSWORD`: the name of an environment variable.
fn is_shouted(name: &[u8]) -> bool {
    name.contains(&b'_') && !name.iter().any(u8::is_ascii_lowercase)
}

/// The text up to the closing quote, or, without one, up to what ends a bare value; never a long one.
fn value(rest: &[u8], quote: Option<u8>) -> Option<&[u8]> {
    let ends = |byte: &u8| match quote {
        Some(quote) => *byte == quote || *byte == b'\n',
        None => byte.is_ascii_whitespace() || b"\"'`,;)}&".contains(byte),
    };
    let length = rest.iter().take(LONGEST + 1).position(ends).unwrap_or(rest.len().min(LONGEST + 1));
    if quote.is_some() && rest.get(length).copied() != quote {
        return None;
    }
    let value = rest.get(..length)?;
    // A quote inside an escaped text closes with its backslash before it.
    Some(if quote.is_some() { value.strip_suffix(b"\\").unwrap_or(value) } else { value })
}

/// Tells whether `text` begins with `start`, letters compared without case.
fn begins_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|part| part.eq_ignore_ascii_case(start))
}

/// How many bytes from `at` on are any of `these`, at most `limit`.
fn count(text: &[u8], at: usize, these: &[u8], limit: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().take(limit).take_while(|byte| these.contains(byte)).count()
}
