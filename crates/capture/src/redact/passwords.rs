//! Finds passwords that people chose. They need not look random, so only unambiguous places count.
//!
//! Those are a quoted or environment-style value directly after its name, a connection string, a request header, and a plain
//! sentence. The user name beside a password is redacted with it. Not here: passwords in URLs (`urls`) and on command lines
//! (`commands`).

use super::SecretMatch;
use super::assignment::{ValueLink, ValueSpot};
use super::named::NAMED;
use super::names::{NameClass, name_class};
use super::phrases::{is_long_phrase, is_phrase, names_a_passphrase, names_a_phrase};
use super::random::{Announcement, find_ignoring_case, is_placeholder, is_random, is_scrambled};
use super::words::RedactorWord;
use super::{languages, literals};

pub(super) const CREDENTIAL: &str = "credential";
/// The length of the longest value that counts as a password.
pub(super) const LONGEST: usize = 128;

/// Returns the chosen secret that directly follows a name ending at `name_end` in `word`.
pub(super) fn after(
    text: &[u8],
    word: &RedactorWord<'_>,
    name_end: usize,
    name_class: NameClass,
) -> Option<SecretMatch> {
    // `password_file` and `passwordHash` are not names of passwords.
    let tail = word.bytes.get(name_end..)?;
    if !ends_a_name(tail) {
        return None;
    }
    let name = word.bytes.get(..name_end)?;
    if name_class == NameClass::Password
        && let Some(element) = element(text, word)
    {
        return Some(element);
    }
    let name_end = word.start + name_end + if tail.starts_with(b"=") { 0 } else { tail.len() };
    let place = ValueSpot::after(text, name_end, name.starts_with(b"-"))?;
    let rest = text.get(place.start..)?;
    if let Some(length) = setting_length(text, word, name, &place) {
        return Some(SecretMatch { rule: NAMED, start: place.start, end: place.start + length });
    }
    // A text of millions of `key=` has no value behind any of them.
    if place.quote.is_none() && is_chain(rest) {
        return None;
    }
    let head = value(rest, place.quote)?;
    let whole = rest.get(..if place.quote.is_some() { head.len() } else { tail_end(rest, head.len()) })?;
    let is_typed_in = tail.iter().any(u8::is_ascii_alphabetic);
    let begins_a_line = begins_a_line(text, word.start);
    let span = (place.start, place.start + whole.len());
    let is_data = place.quote.is_none() && literals::is_data(text, word.start, span);
    let is_keyword = word.start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b':');
    let setting = PlaceOfValue { begins_a_line, is_typed_in, is_data, is_keyword };
    let announced = AnnouncedValue { name, name_class, place: &place, setting };
    let goes_on = whole.len() > head.len();
    let next = rest.get(head.len());
    let is_secret = announced.is_secret(head, next) || (goes_on && announced.is_secret(whole, None));
    let end = place.start + whole.len();
    let rule = if name_class == NameClass::Key { NAMED } else { CREDENTIAL };
    is_secret.then_some(SecretMatch { rule, start: place.start, end })
}

/// Whether one name is assigned to the next: `a=b=c=`.
fn is_chain(rest: &[u8]) -> bool {
    const LONGEST_NAME: usize = 16;
    let name = |from: usize| {
        let letters =
            rest.get(from..)?.iter().take(LONGEST_NAME).take_while(|byte| byte.is_ascii_alphabetic());
        let length = letters.count();
        (length > 0 && rest.get(from + length) == Some(&b'=')).then_some(from + length + 1)
    };
    name(0).and_then(name).and_then(name).is_some()
}

/// Returns how long the generated key is that fills the line of a settings file: `SECRET_KEY=…`, with any signs in it.
fn setting_length(text: &[u8], word: &RedactorWord<'_>, name: &[u8], place: &ValueSpot) -> Option<usize> {
    let is_setting =
        place.quote.is_none() && place.tight && is_shouted(name) && begins_a_line(text, word.start);
    let rest = text.get(place.start..).filter(|_| is_setting)?;
    let length =
        rest.iter().take(LONGEST).position(|byte| b"\r\n".contains(byte)).unwrap_or(rest.len().min(LONGEST));
    let line = rest.get(..length)?;
    let is_code = || line.iter().any(|byte| b"(){}".contains(byte)) || is_placeholder(line);
    (is_dense(line) && !is_code()).then_some(length)
}

/// Whether what follows a name inside of its word still leaves it the name of a value: `secret_string`, `password2`.
fn ends_a_name(tail: &[u8]) -> bool {
    const STILL: [&[u8]; 6] = [b"_string", b"_value", b"_text", b"value", b"string", b"_plain"];
    tail.iter().all(|byte| *byte == b'=' || byte.is_ascii_digit())
        || STILL.iter().any(|still| tail.eq_ignore_ascii_case(still))
}

/// A value with all that announces it.
struct AnnouncedValue<'a> {
    name: &'a [u8],
    name_class: NameClass,
    place: &'a ValueSpot,
    setting: PlaceOfValue,
}

/// What the text around a name says about its value.
#[derive(Clone, Copy)]
struct PlaceOfValue {
    begins_a_line: bool,
    /// The name goes on with a word for text: `secret_string`.
    is_typed_in: bool,
    /// No code stands there: a bare word is a literal.
    is_data: bool,
    /// The name is a keyword of a Lisp or Ruby: `:password "…"`.
    is_keyword: bool,
}

impl AnnouncedValue<'_> {
    fn is_secret(&self, value: &[u8], next: Option<&u8>) -> bool {
        match self.name_class {
            NameClass::Password => !is_same(self.name, value) && self.is_password(value, next),
            NameClass::Key => self.is_key(value),
            _ => false,
        }
    }

    fn is_password(&self, value: &[u8], next: Option<&u8>) -> bool {
        let is_quoted = self.place.quote.is_some();
        match self.place.link {
            ValueLink::Assigned if is_quoted => {
                is_chosen(value)
                    || (names_a_phrase(self.name) && is_phrase(value))
                    || (names_a_passphrase(self.name) && is_long_phrase(value))
            }
            ValueLink::Assigned => {
                let setting = self.setting;
                let plain = self.place.tight
                    && (is_shouted(self.name) || next == Some(&b';') || setting.begins_a_line);
                let is_literal = setting.is_data
                    || literals::is_argument(self.name, value, self.place.tight)
                    || is_joined(value);
                is_chosen(value) && (is_strong(value) || plain || is_drawn(value) || is_literal)
            }
            // `ALTER ROLE app PASSWORD '…'`, `#define MQTT_PASSWORD "…"`, `:password "…"`
            ValueLink::Spaced if is_quoted && names_a_passphrase(self.name) && is_long_phrase(value) => true,
            ValueLink::Spaced
                if is_quoted && (is_shouted(self.name) || self.setting.is_keyword || self.name == b"PSK") =>
            {
                is_chosen(value)
            }
            // `define('DB_PASSWORD', '…')`, `["--password", "…"]`
            ValueLink::Listed if is_quoted && (is_shouted(self.name) || self.name.starts_with(b"-")) => {
                is_chosen(value) && value.iter().any(u8::is_ascii_lowercase) && name_class(value).is_none()
            }
            // `.type("…{enter}")`
            ValueLink::Called if is_quoted => {
                let typed = value.split(|byte| *byte == b'{').next().unwrap_or_default();
                is_made_up(typed)
                    || is_joined(typed)
                    || (is_strong(typed) && is_chosen(typed) && typed.len() < value.len())
            }
            _ => is_quoted && is_made_up(value),
        }
    }

    fn is_key(&self, value: &[u8]) -> bool {
        let (name, place) = (self.name, self.place);
        let is_quoted = place.quote.is_some();
        let is_assigned = matches!(place.link, ValueLink::Assigned | ValueLink::Wrapped);
        // People choose secrets as they choose passwords: `API_SECRET = "…"`.
        let is_made = || is_mixed_up(value) || (is_joined(value) && value.iter().any(u8::is_ascii_digit));
        let is_said = || is_made() || (is_phrase(value) && value.len() > 12);
        if is_assigned && is_quoted && ends_with(name, b"secret") && is_said() {
            return true;
        }
        if is_assigned
            && is_quoted
            && (names_a_secret(name) || ends_with(name, b"_auth"))
            && is_made()
            && !value.contains(&b'+')
        {
            return true;
        }
        let is_set = place.tight && (is_shouted(name) || self.setting.begins_a_line);
        let clear = name.starts_with(b"-") || begins_with(name, b"x-") || is_set;
        let is_tied = !matches!(place.link, ValueLink::Spaced | ValueLink::Called);
        // `("SECRET_KEY", "…")`: what a program falls back to.
        let is_salted =
            || value.len() >= 32 && value.iter().filter(|byte| byte.is_ascii_punctuation()).count() >= 8;
        if place.link == ValueLink::Listed
            && is_quoted
            && is_shouted(name)
            && (is_made_up(value) || is_salted())
        {
            return true;
        }
        // `SESSION_SECRET=…` in a file of settings: whatever the person chose.
        let is_plain =
            || is_chosen(value) && value.len() >= 8 && !holds_code(value) && name_class(value).is_none();
        if place.tight
            && is_shouted(name)
            && [&b"secret"[..], b"pepper"].iter().any(|end| ends_with(name, end))
            && is_plain()
        {
            return true;
        }
        // `secret_string = "…"` holds what a person typed.
        if self.setting.is_typed_in && is_quoted && place.link == ValueLink::Assigned {
            return is_made_up(value);
        }
        is_tied
            && ((is_assigned && is_quoted && is_salted_with_signs(value))
                || (is_dense(value) && (is_quoted || (place.tight && !holds_code(value))))
                || (place.is_below && is_random(value, Announcement::Assigned))
                || (clear && place.link == ValueLink::Assigned && names_a_secret(name) && is_typed(value)))
    }
}

/// `<password>…</password>`, `<ns:Password Type="…">…</ns:Password>`, `<property name="db.password">…</property>`
fn element(text: &[u8], word: &RedactorWord<'_>) -> Option<SecretMatch> {
    const LONGEST_TAG: usize = 120;
    let before = text.get(word.start.saturating_sub(LONGEST_TAG)..word.start)?;
    let tag_start = before.iter().rposition(|byte| *byte == b'<')?;
    let prefix = before.get(tag_start + 1..)?;
    let is_element = prefix.is_empty()
        || (prefix.ends_with(b":")
            && prefix.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b':'));
    let is_attribute = prefix.ends_with(b"=\"") && !prefix.contains(&b'>');
    let behind = text.get(word.end()..)?;
    let attributes = behind.iter().take(LONGEST_TAG).position(|byte| b"<>\n".contains(byte))?;
    let rest = behind.get(attributes..)?.strip_prefix(b">").filter(|_| is_element || is_attribute)?;
    let length = rest.iter().take(LONGEST).position(|byte| *byte == b'<')?;
    rest.get(length + 1..)?.strip_prefix(b"/")?;
    let value = rest.get(..length)?;
    let is_plain = is_element && attributes == 0 && is_chosen(value);
    let start = word.end() + attributes + 1;
    (is_plain || is_made_up(value)).then_some(SecretMatch { rule: CREDENTIAL, start, end: start + length })
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
    let before = window.get(..at)?;
    let dashes = before.iter().rev().take_while(|byte| **byte == b'-').count();
    let is_flag =
        dashes > 0 && before.len().checked_sub(dashes + 1).is_none_or(|at| window.get(at) == Some(&b' '));
    let place = ValueSpot::after(text, name_end + more, is_flag)?;
    if place.link != ValueLink::Assigned {
        return None;
    }
    let value = value(text.get(place.start..name_start)?, place.quote)?;
    let named = value.len() >= 3 && !is_placeholder(value) && !value.contains(&b'(');
    named.then(|| SecretMatch { rule: CREDENTIAL, start: place.start, end: place.start + value.len() })
}

/// Whether a value in the place of a password is one, and not prose, a placeholder or code.
pub(super) fn is_chosen(value: &[u8]) -> bool {
    let code = value.windows(2).any(|pair| pair == b"::" || pair == b"->") || value.contains(&b'(');
    let prose = value.iter().any(u8::is_ascii_whitespace);
    let reference =
        value.first().is_some_and(|first| b"/#.,:".contains(first)) || is_tag(value) || is_borrowed(value);
    let is_type =
        literals::is_stand_in(value) || matches!(value, b"Int!" | b"Float!") || literals::is_rule(value);
    (4..=LONGEST).contains(&value.len())
        && !prose
        && !code
        && !reference
        && !is_type
        && !value.windows(3).any(|part| part == b"://")
        && !languages::names_a_password(value)
        && !is_placeholder(value)
}

/// Whether a value is a variable or a type behind the sign of a language: `@password`, `&SecretString`.
fn is_borrowed(value: &[u8]) -> bool {
    let name = value.strip_prefix(b"@").or_else(|| value.strip_prefix(b"&"));
    name.is_some_and(|name| {
        name.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_') && name_class(name).is_some()
    })
}

/// Whether a value is made of parts that are joined as no name in code is: `mess-latte`, `two.words-9`.
pub(super) fn is_joined(value: &[u8]) -> bool {
    let is_part = |part: &[u8]| part.iter().all(u8::is_ascii_alphanumeric);
    let is_host = value.iter().filter(|byte| **byte == b'.').count() > 1;
    value.len() >= 8
        && !is_host
        && value.contains(&b'-')
        && value.split(|byte| b"-._".contains(byte)).all(|part| !part.is_empty() && is_part(part))
        && name_class(value).is_none()
}

/// Whether a value is a tag of YAML: `!vault`.
fn is_tag(value: &[u8]) -> bool {
    value.strip_prefix(b"!").is_some_and(|tag| tag.iter().all(u8::is_ascii_lowercase))
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

/// Returns the password that a sentence leads to at `start`.
pub(super) fn in_a_sentence(text: &[u8], start: usize) -> Option<SecretMatch> {
    let end = end_in_a_sentence(text, start)?;
    is_password_in_a_sentence(text.get(start..end)?).then_some(SecretMatch { rule: CREDENTIAL, start, end })
}

/// Returns the word at `start` if it looks like a password by itself.
pub(super) fn made_up_at(text: &[u8], start: usize) -> Option<SecretMatch> {
    let end = end_in_a_sentence(text, start)?;
    is_made_up(text.get(start..end)?).then_some(SecretMatch { rule: CREDENTIAL, start, end })
}

/// Returns the word at `start` if it looks like a password that a program or a careful person made.
pub(super) fn generated_at(text: &[u8], start: usize) -> Option<SecretMatch> {
    let end = end_in_a_sentence(text, start)?;
    is_generated(text.get(start..end)?).then_some(SecretMatch { rule: CREDENTIAL, start, end })
}

/// Returns where the word of a sentence that begins at `start` ends.
pub(super) fn end_in_a_sentence(text: &[u8], start: usize) -> Option<usize> {
    let head = value(text.get(start..)?, None)?;
    let end = tail_end(text, start + head.len());
    // The period ends the sentence.
    let period = text.get(start..end)?.ends_with(b".");
    Some(end - usize::from(period))
}

/// Whether the last word of "the password for staging is …" is the password and not an ordinary word.
fn is_password_in_a_sentence(value: &[u8]) -> bool {
    let has = |expected: fn(&u8) -> bool| value.iter().any(expected);
    let odd = ends_chosen(value)
        || has(u8::is_ascii_uppercase)
        || value.iter().any(|byte| b"!@#$%^&*".contains(byte));
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && odd;
    let is_code = || holds_code(value) && !is_padded_with_signs(value);
    value.len() >= 7 && is_chosen(value) && !is_code() && (is_mixed || is_drawn(value))
}

/// Whether the only signs of code in a value are `=` that assign nothing, because what stands before is no name.
fn is_padded_with_signs(value: &[u8]) -> bool {
    let others: Vec<u8> = value.iter().copied().filter(|byte| *byte != b'=').collect();
    let name = value.split(|byte| *byte == b'=').next().unwrap_or_default();
    let has = |expected: fn(&u8) -> bool| name.iter().any(expected);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)) && !is_mixed;
    !is_name && !holds_code(&others)
}

/// Whether a value without a digit is a password all the same: a phrase of words, or letters that no name is written with.
fn is_drawn(value: &[u8]) -> bool {
    is_words_and_dashes(value) || is_scrambled(value)
}

/// Whether a value is a password in a place where nothing else stands: a column of passwords, the answer to a prompt.
pub(super) fn is_password(value: &[u8]) -> bool {
    is_made_up(value) || is_drawn(value)
}

/// Whether a value that may be a password is no name with a number in it: it looks random, or mixes more than names do.
pub(super) fn is_unlike_a_name(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let has = |expected: fn(&u8) -> bool| value.iter().any(expected);
    let is_mixed = digits >= 2 && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    is_random(value, Announcement::Assigned)
        || is_scrambled(value)
        || (is_made_up(value) && (digits >= 3 || is_mixed))
}

/// Whether a value is a phrase as programs propose them: `correct-horse-battery`.
pub(super) fn is_words_and_dashes(value: &[u8]) -> bool {
    let is_word = |word: &[u8]| (4..=9).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase);
    value.split(|byte| *byte == b'-').all(is_word) && value.iter().filter(|byte| **byte == b'-').count() >= 2
}

/// Whether a value looks like a password wherever it stands: letters and digits, and not the name of an algorithm, a field or a file.
pub(super) fn is_made_up(value: &[u8]) -> bool {
    is_mixed_up(value) && name_class(value).is_none()
}

/// Whether a value is made up, or mixes letters with the signs that generators of passwords put between them.
pub(super) fn is_generated(value: &[u8]) -> bool {
    const SHORTEST: usize = 10;
    let signs = value.iter().filter(|byte| b"!@#$%^&*~?".contains(byte)).count();
    let has = |expected: fn(&u8) -> bool| value.iter().any(expected);
    let kinds = [has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase), has(u8::is_ascii_digit)];
    let is_signed = value.len() >= SHORTEST
        && kinds.iter().filter(|kind| **kind).count() + signs.min(2) >= 4
        && signs > 0
        && has(u8::is_ascii_alphabetic)
        && is_chosen(value)
        && !holds_code(value)
        && !is_format(value)
        && !value.iter().any(|byte| b"/\\ ".contains(byte));
    is_signed || is_password(value)
}

/// The same of a value that may speak of itself: `my-super-secret-42`.
fn is_mixed_up(value: &[u8]) -> bool {
    const ALGORITHMS: [&str; 14] = [
        "sha1", "sha2", "sha-", "sha5", "argon", "pbkdf", "bcrypt", "scrypt", "md5", "aes", "utf", "base64",
        "oauth", "http",
    ];
    let has = |expected: fn(&u8) -> bool| value.iter().any(expected);
    let is_algorithm = || ALGORITHMS.iter().any(|part| find_ignoring_case(value, part.as_bytes()).is_some());
    let is_code =
        || value.iter().any(|byte| b"/\\ ,;|".contains(byte)) || holds_code(value) || is_format(value);
    value.len() >= 7
        && has(u8::is_ascii_digit)
        && value.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 2
        && is_chosen(value)
        && !is_code()
        && !is_algorithm()
        && !is_identifier(value)
}

/// Whether a `%` in a value stands for something else: `%s`, `%(name)`, `%2F`.
fn is_format(value: &[u8]) -> bool {
    value.ends_with(b"%")
        || value.windows(2).any(|pair| match pair {
            [b'%', next] => next.is_ascii_digit() || b"sdvqxf(%".contains(next),
            _ => false,
        })
}

/// Whether a value is the name of something in code, or of a file: `db2_fetch_row`, `sqlite3`, `input3.json`.
fn is_identifier(value: &[u8]) -> bool {
    const LONGEST_ENDING: usize = 5;
    let is_lower =
        value.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.-".contains(byte));
    let parts = || value.split(|byte| b"_.-".contains(byte));
    let begins_with_a_letter = |part: &[u8]| part.first().is_some_and(u8::is_ascii_lowercase);
    let is_joined = is_lower && parts().count() > 1 && parts().all(begins_with_a_letter);
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_versioned = is_lower && digits == 1 && value.last().is_some_and(u8::is_ascii_digit);
    let is_file = value.iter().rposition(|byte| *byte == b'.').is_some_and(|dot| {
        let ending = value.get(dot + 1..).unwrap_or_default();
        (2..=LONGEST_ENDING).contains(&ending.len()) && ending.iter().all(u8::is_ascii_lowercase)
    });
    is_joined || is_versioned || is_file
}

/// Whether a value ends in a digit or a sign, as `winter26` does; names in code that hold a digit mostly do not.
pub(super) fn ends_chosen(value: &[u8]) -> bool {
    let joined = value.iter().any(|byte| b"-_./:".contains(byte));
    !joined && value.last().is_some_and(|last| last.is_ascii_digit() || b"!@#$%^&*".contains(last))
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

/// Whether a quoted value is long, and generated with signs in it.
fn is_salted_with_signs(value: &[u8]) -> bool {
    const SHORTEST: usize = 14;
    let has_signs = value.iter().any(|byte| b"!@#$%^&*~?".contains(byte));
    value.len() >= SHORTEST && has_signs && is_generated(value)
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
pub(super) fn is_shouted(name: &[u8]) -> bool {
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
    // `"a\"b"` goes on behind the quote; in a text that is escaped as a whole, what closes a value is followed by a sign.
    let is_escaped = |at: usize| {
        at.checked_sub(1).and_then(|before| rest.get(before)) == Some(&b'\\')
            && rest.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)
    };
    let closes = |(at, byte): (usize, &u8)| ends(byte) && !(quote == Some(*byte) && is_escaped(at));
    let length =
        rest.iter().take(LONGEST + 1).enumerate().position(closes).unwrap_or(rest.len().min(LONGEST + 1));
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

/// Whether `text` ends with `end`, ignoring case.
fn ends_with(text: &[u8], end: &[u8]) -> bool {
    text.len()
        .checked_sub(end.len())
        .and_then(|at| text.get(at..))
        .is_some_and(|part| part.eq_ignore_ascii_case(end))
}

/// Whether `text` begins with `start`, ignoring case.
pub(super) fn begins_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|part| part.eq_ignore_ascii_case(start))
}
