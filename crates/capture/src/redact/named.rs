//! Finds values by the name before them: `api_key = …`, `SECRET=…`, `"token": "…"`, `Authorization: Bearer …`.
//!
//! One walk over the words: a name of a credential starts a search, a word that looks like a value ends it with a finding, a new line
//! or too many other words end it without. Each word is read once, so the cost is linear in any text.
//!
//! Not here: the names of credentials (`names`), what looks random (`random`), passwords people chose (`passwords`).

use super::names::{NameClass, name_class};
use super::random::{Announcement, is_placeholder, is_random};
use super::shapes::MARKS;
use super::words::{RedactorWord, words};
use super::{SecretMatch, commands, passwords, urls};

/// The rule of values known by their name.
pub(super) const NAMED: &str = "named-secret";
const AUTHORIZATION: &str = "authorization";

/// How far behind its name a value may begin, and how many other words may stand between.
const REACH: usize = 48;
const WORDS_BETWEEN: usize = 3;
/// The same where a sentence leads from the name to the value: "the password for the staging database is …".
const REACH_OF_PROSE: usize = 96;
const WORDS_OF_PROSE: usize = 9;

struct Armed {
    name_class: NameClass,
    /// Where the name began and ended.
    start: usize,
    end: usize,
    /// Words seen since.
    between: usize,
    prose: Prose,
}

/// How far a sentence has come from a name to its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prose {
    /// The name was just read.
    Begun,
    /// "for the staging database"
    GoesOn,
    /// "is": the value comes next.
    Ready,
    /// Something else was said.
    Not,
}

impl Prose {
    fn next(self, word: &[u8], gap: &[u8]) -> Prose {
        const LEADING: [&[u8]; 12] =
            [b"for", b"of", b"on", b"in", b"to", b"at", b"from", b"we", b"i", b"you", b"that", b"there"];
        match self {
            _ if gap != b" " => Prose::Not,
            Prose::Begun | Prose::GoesOn if matches!(word, b"is" | b"was") => Prose::Ready,
            Prose::Begun if LEADING.iter().any(|leading| word.eq_ignore_ascii_case(leading)) => Prose::GoesOn,
            Prose::GoesOn => Prose::GoesOn,
            _ => Prose::Not,
        }
    }

    /// Whether the word behind `gap` is what the sentence says the value is.
    fn leads_to(self, gap: &[u8]) -> bool {
        let sign = gap.trim_ascii_start().first().is_some_and(|byte| b":=".contains(byte));
        let quoted = gap.iter().all(|byte| b" :=`'\"".contains(byte));
        quoted && (self == Prose::Ready || (self == Prose::GoesOn && sign))
    }
}

/// Adds a finding for every value behind the name of a credential.
pub(super) fn find(text: &[u8], found: &mut Vec<SecretMatch>) {
    let mut armed: Option<Armed> = None;
    let mut commands = commands::Commands::default();
    let mut before = 0;
    for word in words(text) {
        let gap = text.get(before..word.start).unwrap_or_default();
        before = word.end();
        found.extend(marked(&word));
        found.extend(urls::tenant_host(&word));
        found.extend(commands.credentials(text, &word, gap));
        armed = armed.filter(|armed| reaches(armed, &word, gap));
        if let Some(name) = &mut armed {
            if let Some((rule, end)) = fires(name, &word, gap, text) {
                found.push(SecretMatch { rule, start: word.start, end });
                if follows_a_pair(text, name.start) {
                    found.extend(passwords::user_before(text, name.start));
                }
                armed = None;
                continue;
            }
            name.between += 1;
            name.prose = name.prose.next(word.bytes, gap);
        }
        if let Some((name_class, end)) = name_class(word.bytes) {
            if name_class == NameClass::Header && end < word.bytes.len() {
                // `AuthorizationCodeGrant` names a type, not a header.
                continue;
            }
            announced(text, &word, (name_class, end), found);
            // "The token for the login page is …" is still about the token.
            let is_aside = name_class == NameClass::Hint
                && armed.as_ref().is_some_and(|armed| armed.prose == Prose::GoesOn);
            if !is_aside {
                let (start, end) = (word.start, word.end());
                armed = Some(Armed { name_class, start, end, between: 0, prose: Prose::Begun });
            }
        }
    }
}

/// Adds what follows a name in the same word or in quotes, where splitting into words would not find it.
fn announced(
    text: &[u8],
    word: &RedactorWord<'_>,
    (name_class, end): (NameClass, usize),
    found: &mut Vec<SecretMatch>,
) {
    if name_class == NameClass::Harmless {
        return;
    }
    if name_class == NameClass::Header {
        found.extend(passwords::header(text, word.end()));
    }
    found.extend(glued(word, end));
    if let Some(chosen) = passwords::after(text, word, end, name_class) {
        found.push(chosen);
        found.extend(passwords::user_before(text, word.start));
    }
}

/// `AccountName=…;AccountKey=…`: the name is part of a connection string.
fn follows_a_pair(text: &[u8], name_start: usize) -> bool {
    let before = text.get(..name_start).unwrap_or_default();
    before.trim_ascii_end().ends_with(b";")
}

/// Returns the rule by which `value` is a secret, given the name of the field that holds it.
pub(super) fn judge(name: &str, value: &str) -> Option<&'static str> {
    let (name_class, _) = name_class(name.as_bytes())?;
    let bytes = value.as_bytes();
    let secret = match name_class {
        NameClass::Password => {
            passwords::is_chosen(bytes)
                || (passwords::names_a_phrase(name.as_bytes()) && passwords::is_phrase(bytes))
        }
        NameClass::Header => passwords::is_header(bytes) || (!value.contains(' ') && is_credential(bytes)),
        NameClass::Key => is_random(bytes, Announcement::Quoted),
        NameClass::Hint => is_random(bytes, Announcement::Near),
        NameClass::Harmless => false,
    };
    secret.then_some(NAMED)
}

fn reaches(armed: &Armed, word: &RedactorWord<'_>, gap: &[u8]) -> bool {
    let same_line =
        !gap.contains(&b'\n') || (armed.between == 0 && gap.iter().any(|byte| b":=".contains(byte)));
    same_line
        && match armed.prose {
            Prose::GoesOn | Prose::Ready => {
                armed.between <= WORDS_OF_PROSE && word.start - armed.end <= REACH_OF_PROSE
            }
            _ => is_near(armed, word),
        }
}

fn is_near(armed: &Armed, word: &RedactorWord<'_>) -> bool {
    armed.between <= WORDS_BETWEEN && word.start - armed.end <= REACH
}

/// Returns the rule by which a word is a secret, and where that ends.
fn fires(armed: &Armed, word: &RedactorWord<'_>, gap: &[u8], text: &[u8]) -> Option<(&'static str, usize)> {
    if armed.prose.leads_to(gap)
        && let Some(end) = value_end(armed.name_class, word, text)
    {
        return Some((NAMED, end));
    }
    if !is_near(armed, word) {
        return None;
    }
    // `login me password winter26`
    if armed.name_class == NameClass::Password
        && armed.between == 0
        && gap == b" "
        && passwords::ends_chosen(word.bytes)
        && let Some(end) = value_end(armed.name_class, word, text)
    {
        return Some((NAMED, end));
    }
    let end = || passwords::tail_end(text, word.end());
    if armed.name_class == NameClass::Header && armed.between <= 1 && is_credential(word.bytes) {
        return Some((AUTHORIZATION, end()));
    }
    let evidence = match armed.name_class {
        NameClass::Harmless => return None,
        NameClass::Key | NameClass::Password if armed.between == 0 => evidence(gap),
        _ => Announcement::Near,
    };
    is_random(word.bytes, evidence).then(|| (NAMED, end()))
}

/// Returns where the secret ends that a sentence leads to, if the word it leads to is one.
fn value_end(name_class: NameClass, word: &RedactorWord<'_>, text: &[u8]) -> Option<usize> {
    let mixed = word.bytes.iter().any(u8::is_ascii_digit) && word.bytes.iter().any(u8::is_ascii_alphabetic);
    let is_made = || mixed && is_random(word.bytes, Announcement::Assigned);
    match name_class {
        NameClass::Password => {
            let head = passwords::value(text.get(word.start..)?, None)?;
            let end = passwords::tail_end(text, word.start + head.len());
            let chosen = text.get(word.start..end)?;
            (passwords::is_password_in_a_sentence(chosen) || is_made()).then_some(end)
        }
        NameClass::Key => is_made().then(|| passwords::tail_end(text, word.end())),
        _ => None,
    }
}

/// Reads the text between a name and the next word, which shows whether it assigns.
fn evidence(gap: &[u8]) -> Announcement {
    let has = |signs: &[u8]| gap.iter().any(|byte| signs.contains(byte));
    if has(b"\"'") {
        Announcement::Quoted
    } else if has(b":=") && gap != b"::" {
        // `Tokenizer::Name` is a path, not an assignment.
        Announcement::Assigned
    } else {
        Announcement::Near
    }
}

/// A value glued to its name: `datadog-token-0024a2…`, `secretkey-0024a2…`.
fn glued(word: &RedactorWord<'_>, name_end: usize) -> Option<SecretMatch> {
    let rest = word.bytes.get(name_end..)?;
    let joint = rest.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let skipped = joint + rest.get(joint..)?.iter().position(u8::is_ascii_alphanumeric)?;
    let value = rest.get(skipped..)?;
    let start = word.start + name_end + skipped;
    (skipped > 0 && is_random(value, Announcement::Near)).then(|| SecretMatch {
        rule: NAMED,
        start,
        end: word.end(),
    })
}

/// What follows `Authorization: Bearer`: not a word of prose and not a name that stands for the value.
fn is_credential(value: &[u8]) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    let mixed = value.iter().any(u8::is_ascii_uppercase) && value.iter().skip(1).any(u8::is_ascii_lowercase);
    let address = value.starts_with(b"//");
    value.len() >= 10
        && !address
        && !is_placeholder(value)
        && (digit || value.ends_with(b"=") || (mixed && is_random(value, Announcement::Quoted)))
}

fn marked(word: &RedactorWord<'_>) -> Option<SecretMatch> {
    // No token with a mark is shorter, and in a long run of base64 every mark occurs by chance.
    if !(36..=256).contains(&word.bytes.len()) {
        return None;
    }
    let holds = |inside: &str| word.bytes.windows(inside.len()).any(|window| window == inside.as_bytes());
    let mark = MARKS.iter().find(|mark| word.bytes.len() >= mark.min && holds(mark.inside))?;
    Some(SecretMatch { rule: mark.rule, start: word.start, end: word.end() })
}
