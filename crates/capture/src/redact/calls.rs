//! Finds secrets among the arguments of a call, where only the function says what they are: `HTTPBasicAuth("name", "…")`,
//! `DriverManager.getConnection(url, "name", "…")`, `Hash::make("…")`, `jwt.sign(payload, "…")`.
//!
//! Not here: arguments with a name (`passwords`).

use super::SecretMatch;
use super::assignment::count;
use super::names::name_class;
use super::passwords::{CREDENTIAL, is_chosen, is_joined, is_made_up, value};
use super::phrases::is_phrase;
use super::random::{Announcement, is_random};
use super::words::RedactorWord;

/// What the function of a call does with a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecretUse {
    /// Takes a user, then the password.
    LogIn,
    /// Takes an address or a name, a user, then the password.
    Connect,
    /// Takes a password, to hash or to hide it.
    Hash,
    /// Takes a key somewhere.
    Sign,
    /// Makes the client of a service, which takes a generated key.
    Client,
}

/// Functions by the end of their name, in small letters, and what they do.
#[rustfmt::skip]
const FUNCTIONS: &[(&[&str], SecretUse)] = &[
    (&["hash::make", "bcrypt.hash", "bcrypt.hashsync", "password_hash", "make_password", "set_password", "setpassword", "hashpw", "checkpw", "password"], SecretUse::Hash),
    (&["jwt.sign", "jwt.verify", "jwt.encode", "jwt.decode", "fernet", "createhmac", "hmac.new", "createcipheriv", "signwith", "signer", "serializer", "cookieparser"], SecretUse::Sign),
    (&["connect", "createconnection", "getconnection", "mysqli", "mysqli_connect", "pdo", "sequelize", "create_user", "create_superuser", "createuser"], SecretUse::Connect),
    (&["login", "logon", "auth", "authenticate", "basicauth", "basic_auth", "credential", "credentials", "signin", "sign_in", "log_in"], SecretUse::LogIn),
    (&["client", "client.run", "bot.run", "translator", "sdk", "twilio", "algoliasearch"], SecretUse::Client),
];
/// More arguments than such a function takes before the password.
const MOST_ARGUMENTS: usize = 4;

/// Returns the password or the key in a call of the function that `word` names.
pub(super) fn find(text: &[u8], word: &RedactorWord<'_>) -> Option<SecretMatch> {
    // `auth=("name", "…")`, `ConvertTo-SecureString "…"`
    let is_pair = word.bytes.ends_with(b"auth") || word.bytes.ends_with(b"auth=");
    let at = word.end() + if is_pair { count(text, word.end(), b" =:", 3) } else { 0 };
    let is_cmdlet = word.bytes.eq_ignore_ascii_case(b"convertto-securestring") && text.get(at) == Some(&b' ');
    // Ruby calls without brackets: `basic_auth 'name', '…'`.
    let is_bare = matches!(text.get(word.end()..), Some([b' ', b'"' | b'\'', ..]));
    let at = if is_bare { word.end() } else { at };
    if text.get(at) != Some(&b'(') && !is_cmdlet && !is_bare {
        return None;
    }
    let secret_use = if is_cmdlet { SecretUse::Hash } else { use_of(text, word)? };
    if is_bare && !is_cmdlet && secret_use != SecretUse::LogIn {
        return None;
    }
    let mut arguments = CallArguments { text, at: at + 1 };
    let mut secrets = (0..MOST_ARGUMENTS).filter_map(|index| {
        let (start, value) = arguments.next()??;
        let found = SecretMatch { rule: CREDENTIAL, start, end: start + value.len() };
        is_secret(secret_use, index, value).then_some(found)
    });
    // A client takes the name of an account before the key.
    if secret_use == SecretUse::Client { secrets.last() } else { secrets.next() }
}

fn use_of(text: &[u8], word: &RedactorWord<'_>) -> Option<SecretUse> {
    const LONGEST: usize = 24;
    let end = word.end() - usize::from(word.bytes.ends_with(b"="));
    let called = text.get(end.saturating_sub(LONGEST)..end)?.to_ascii_lowercase();
    let called = called.strip_suffix(b"async").unwrap_or(&called);
    let ends = |known: &&str| -> bool {
        let before = called.len().checked_sub(known.len() + 1).and_then(|at| called.get(at));
        let begins = before.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        called.ends_with(known.as_bytes()) && begins
    };
    let is_named = |ending: &&str| called.ends_with(ending.as_bytes());
    let known = FUNCTIONS.iter().find(|(names, _)| names.iter().any(ends));
    known
        .map(|(_, secret_use)| *secret_use)
        .or_else(|| ["auth", "credential", "credentials"].iter().any(is_named).then_some(SecretUse::LogIn))
}

fn is_secret(secret_use: SecretUse, index: usize, value: &[u8]) -> bool {
    match secret_use {
        SecretUse::LogIn => index > 0 && (is_word_of_a_person(value) || is_phrase(value)),
        SecretUse::Connect => {
            (index == 2 && is_word_of_a_person(value)) || (index > 0 && is_password_of_a_call(value))
        }
        SecretUse::Hash => index == 0 && is_chosen(value),
        SecretUse::Sign => {
            let is_key =
                is_chosen(value) && value.len() > 12 && !value.iter().any(|byte| b"./:".contains(byte));
            (index == 1 && is_key)
                || is_random(value, Announcement::Quoted)
                || is_made_up(value)
                || (is_joined(value) && value.len() > 12)
        }
        SecretUse::Client => is_random(value, Announcement::Near),
    }
}

/// Whether a value in the place of a password is neither a host, an address nor a file.
fn is_word_of_a_person(value: &[u8]) -> bool {
    let is_place = value.iter().any(|byte| b"/\\:.".contains(byte)) || name_class(value).is_some();
    (is_chosen(value) && value.len() >= 6 && !is_place) || is_password_of_a_call(value)
}

/// Names of databases and queues hold digits too, but seldom capitals among them.
fn is_password_of_a_call(value: &[u8]) -> bool {
    is_made_up(value) && value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase)
}

/// The arguments of a call from a place on: where a quoted one begins and what it says, `None` for any other.
struct CallArguments<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for CallArguments<'a> {
    type Item = Option<(usize, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        const LONGEST: usize = 160;
        let spaces = count(self.text, self.at, b" \t\n", 24);
        let start = self.at + spaces;
        let rest = self.text.get(start..)?;
        let prefix = usize::from(matches!(rest, [b'b' | b'f' | b'r', b'"' | b'\'', ..]));
        let quote = rest.get(prefix).copied().filter(|byte| b"\"'`".contains(byte));
        let said = quote.and_then(|quote| {
            let begins = start + prefix + 1;
            Some((begins, value(self.text.get(begins..)?, Some(quote))?))
        });
        let from = said.map_or(start, |(begins, said)| begins + said.len() + 1);
        let mut depth = 0usize;
        for (length, byte) in self.text.get(from..)?.iter().take(LONGEST).enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => {
                    // The call ends here: there is no other argument.
                    self.at = self.text.len();
                    return Some(said);
                }
                b')' | b']' | b'}' => depth -= 1,
                b',' if depth == 0 => {
                    self.at = from + length + 1;
                    return Some(said);
                }
                _ => {}
            }
        }
        self.at = self.text.len();
        Some(said)
    }
}
