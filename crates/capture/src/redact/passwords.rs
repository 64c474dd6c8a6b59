//! Finds passwords that people chose. They need not look random, so only unambiguous places count.
//!
//! Those are a quoted or environment-style value directly after its name, a connection string, a request header, and a plain
//! sentence. The user name beside a password is redacted with it. Not here: passwords in URLs (`urls`) and on command lines
//! (`commands`).

use super::SecretMatch;
use super::named::NAMED;
use super::names::{NameClass, name_class};
use super::random::{find_ignoring_case, is_placeholder};
use super::words::RedactorWord;

pub(super) const CREDENTIAL: &str = "credential";
/// The length of the longest value that counts as a password.
const LONGEST: usize = 128;

/// Returns the chosen secret that directly follows a name ending at `name_end` in `word`.
pub(super) fn after(
    text: &[u8],
    word: &RedactorWord<'_>,
    name_end: usize,
    name_class: NameClass,
) -> Option<SecretMatch> {
    // `password_file` and `passwordHash` are not names of passwords.
    let tail = word.bytes.get(name_end..)?;
    if tail.iter().any(|byte| *byte != b'=' && !byte.is_ascii_digit()) {
        return None;
    }
    let name = word.bytes.get(..name_end)?;
    if name_class == NameClass::Password
        && let Some(element) = element(text, word)
    {
        return Some(element);
    }
    let place = ValueSpot::after(text, word.start + name_end, name.starts_with(b"-"))?;
    let rest = text.get(place.start..)?;
    let head = value(rest, place.quote)?;
    let whole = rest.get(..if place.quote.is_some() { head.len() } else { tail_end(rest, head.len()) })?;
    let is_certain = |value: &[u8]| match (name_class, place.quote) {
        (NameClass::Password, _) if place.listed || is_same(name, value) => false,
        (NameClass::Password, Some(_)) => is_chosen(value) || (names_a_phrase(name) && is_phrase(value)),
        (NameClass::Password, None) => {
            let next = rest.get(value.len());
            let plain =
                place.tight && (is_shouted(name) || next == Some(&b';') || begins_a_line(text, word.start));
            is_chosen(value) && (is_strong(value) || plain)
        }
        (NameClass::Key, quote) => {
            let clear =
                name.starts_with(b"-") || begins_with(name, b"x-") || (place.tight && is_shouted(name));
            (is_dense(value) && (quote.is_some() || (place.tight && !holds_code(value))))
                || (clear && !place.listed && names_a_secret(name) && is_typed(value))
        }
        _ => false,
    };
    let end = place.start + whole.len();
    let rule = if name_class == NameClass::Key { NAMED } else { CREDENTIAL };
    let goes_on = whole.len() > head.len();
    (is_certain(head) || (goes_on && is_certain(whole))).then_some(SecretMatch {
        rule,
        start: place.start,
        end,
    })
}

/// `<password>…</password>`
fn element(text: &[u8], word: &RedactorWord<'_>) -> Option<SecretMatch> {
    let start = word.end() + 1;
    let opens = word.start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'<');
    let rest = text.get(start..).filter(|_| opens && text.get(word.end()) == Some(&b'>'))?;
    let length = rest.iter().take(LONGEST).position(|byte| *byte == b'<')?;
    let closes = rest.get(length + 1..)?.strip_prefix(b"/")?.starts_with(word.bytes);
    (closes && is_chosen(rest.get(..length)?)).then_some(SecretMatch {
        rule: CREDENTIAL,
        start,
        end: start + length,
    })
}

/// Where the value of an assignment stands.
struct ValueSpot {
    start: usize,
    quote: Option<u8>,
    /// No space on either side of the sign.
    tight: bool,
    /// Follows a comma, which separates items more often than it assigns.
    listed: bool,
}

impl ValueSpot {
    /// Reads what lies between a name ending at `at` and its value: `": "`, ` = `, `=`, ` => '`, `" value="`.
    fn after(text: &[u8], mut at: usize, is_flag: bool) -> Option<ValueSpot> {
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
        Some(ValueSpot {
            start: at + usize::from(quote.is_some()),
            quote,
            tight: before + behind == 0,
            listed,
        })
    }
}

/// Returns the name of the user that stands shortly before a secret's own name at `name_start`.
pub(super) fn user_before(text: &[u8], name_start: usize) -> Option<SecretMatch> {
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
    let place = ValueSpot::after(text, name_end + more, true).filter(|place| !place.listed)?;
    let value = value(text.get(place.start..name_start)?, place.quote)?;
    let named = value.len() >= 3 && !is_placeholder(value) && !value.contains(&b'(');
    named.then(|| SecretMatch { rule: CREDENTIAL, start: place.start, end: place.start + value.len() })
}

/// Whether a value in the place of a password is one, and not prose, a placeholder or code.
pub(super) fn is_chosen(value: &[u8]) -> bool {
    let code = value.windows(2).any(|pair| pair == b"::" || pair == b"->") || value.contains(&b'(');
    let prose = value.iter().any(u8::is_ascii_whitespace);
    let reference = value.first().is_some_and(|first| b"/#.,:".contains(first));
    (4..=LONGEST).contains(&value.len()) && !prose && !code && !reference && !is_placeholder(value)
}

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

/// Whether a name is certainly that of a password: it is spelled out, or in capitals. A plain `pass` may count tests that passed.
pub(super) fn names_a_phrase(name: &[u8]) -> bool {
    is_shouted(name)
        || ["passw", "passphrase", "pwd"]
            .iter()
            .any(|part| find_ignoring_case(name, part.as_bytes()).is_some())
}

/// Whether a name says that its key is secret; other keys look up a map or sort a list.
fn names_a_secret(name: &[u8]) -> bool {
    let parts = ["secret", "token", "api_key", "api-key", "apikey", "access_key", "access-key"];
    parts.iter().any(|part| find_ignoring_case(name, part.as_bytes()).is_some())
}

/// Whether a value mixes letters and digits as no path, version, address or code does.
fn is_typed(value: &[u8]) -> bool {
    let plain = !holds_code(value) && !value.iter().any(|byte| b"/.:@$%`\\".contains(byte));
    is_strong(value) && value.iter().any(u8::is_ascii_digit) && plain && is_chosen(value)
}

/// Whether the last word of "the password for staging is …" is the password and not an ordinary word.
pub(super) fn is_password_in_a_sentence(value: &[u8]) -> bool {
    let has = |expected: fn(&u8) -> bool| value.iter().any(expected);
    let odd = ends_chosen(value)
        || has(u8::is_ascii_uppercase)
        || value.iter().any(|byte| b"!@#$%^&*".contains(byte));
    value.len() >= 7
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && odd
        && is_chosen(value)
        && !holds_code(value)
}

/// Whether a value ends in a digit or a sign, as `winter26` does; names in code that hold a digit mostly do not.
pub(super) fn ends_chosen(value: &[u8]) -> bool {
    let joined = value.iter().any(|byte| b"-_./:".contains(byte));
    !joined && value.last().is_some_and(|last| last.is_ascii_digit() || b"!@#$%^&*".contains(last))
}

/// Schemes of the `Authorization` header; the credentials follow them.
const SCHEMES: [&str; 7] = ["basic", "bearer", "token", "apikey", "digest", "negotiate", "ntlm"];

/// Returns the credentials after the name of an `Authorization` header that ends at `at`, however short they are.
pub(super) fn header(text: &[u8], at: usize) -> Option<SecretMatch> {
    let place = ValueSpot::after(text, at, false).filter(|place| !place.listed)?;
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

/// Whether a value has letters and also digits or signs, as hardly any name in code does.
fn is_strong(value: &[u8]) -> bool {
    let letters = value.iter().any(u8::is_ascii_alphabetic);
    let others = value.iter().any(|byte| byte.is_ascii_digit() || b"!@#%^&+".contains(byte));
    value.len() >= 6 && letters && others
}

/// Whether signs are scattered among letters and digits, as in generated keys but not in text, paths or patterns.
fn is_dense(value: &[u8]) -> bool {
    let is_sign = |byte: &&u8| {
        matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'~' | b'?' | b';')
    };
    let is_text = || value.iter().any(u8::is_ascii_whitespace) || value.windows(3).any(|part| part == b"://");
    value.len() >= 16
        && value.iter().filter(is_sign).count() >= 3
        && value.iter().any(u8::is_ascii_alphabetic)
        && value.iter().any(u8::is_ascii_digit)
        && !is_text()
}

/// Whether a value only repeats its name, as in `password: "Password"`: a label or a field, not a password.
fn is_same(name: &[u8], value: &[u8]) -> bool {
    let letters = |text: &[u8]| -> Vec<u8> {
        text.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect()
    };
    letters(name) == letters(value)
}

/// Whether a line begins at `at`, as in a settings file; code is indented or begins with another word.
fn begins_a_line(text: &[u8], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.get(before)).is_none_or(|before| *before == b'\n')
}

/// Whether a name is that of an environment variable, as `DB_PASSWORD` or `PGPASSWORD`.
fn is_shouted(name: &[u8]) -> bool {
    (name.contains(&b'_') || name.len() > 4) && !name.iter().any(u8::is_ascii_lowercase)
}

/// Whether a value has characters that call, index, compare or assign, as code without spaces does.
fn holds_code(value: &[u8]) -> bool {
    value.iter().any(|byte| b"()[]{}<>=,;|\"'".contains(byte)) || value.windows(2).any(|pair| pair == b"&&")
}

/// Returns the text up to the closing quote, or up to the character that ends a bare value. None if the quote does not close.
pub(super) fn value(rest: &[u8], quote: Option<u8>) -> Option<&[u8]> {
    let ends = |byte: &u8| match quote {
        Some(quote) => *byte == quote || *byte == b'\n',
        None => {
            byte.is_ascii_whitespace()
                || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b')' | b'}' | b'&')
        }
    };
    let length = rest.iter().take(LONGEST + 1).position(ends).unwrap_or(rest.len().min(LONGEST + 1));
    if quote.is_some() && rest.get(length).copied() != quote {
        return None;
    }
    let value = rest.get(..length)?;
    // Inside an escaped text, a backslash stands before the closing quote.
    Some(if quote.is_some() { value.strip_suffix(b"\\").unwrap_or(value) } else { value })
}

/// Returns where a bare value ends. A sign at `end` may still belong to it, although `&`, `;` and `,` also separate values.
pub(super) fn tail_end(text: &[u8], mut end: usize) -> usize {
    let limit = end + LONGEST;
    while end < limit && text.get(end).is_some_and(|byte| b"&;,$!^*".contains(byte)) && goes_on(text, end + 1)
    {
        end += 1;
        let rest = text.get(end..).unwrap_or_default();
        end += value(rest.get(..LONGEST).unwrap_or(rest), None).map_or(0, <[u8]>::len);
    }
    end
}

/// Whether a value continues at `at`; a space, a bracket or the name of another value ends it.
fn goes_on(text: &[u8], at: usize) -> bool {
    const LONGEST_NAME: usize = 40;
    let rest = text.get(at..).unwrap_or_default();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(*byte);
    let name = rest.iter().take(LONGEST_NAME).take_while(is_name).count();
    name > 0
        && !rest.get(name).is_some_and(|after| b"=:(".contains(after))
        && !rest.get(name..).is_some_and(|rest| rest.starts_with(b" = "))
}

/// Whether `text` begins with `start`, ignoring case.
fn begins_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|part| part.eq_ignore_ascii_case(start))
}

/// Counts the bytes from `at` on that are among `these`, up to `limit`.
pub(super) fn count(text: &[u8], at: usize, these: &[u8], limit: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().take(limit).take_while(|byte| these.contains(byte)).count()
}
