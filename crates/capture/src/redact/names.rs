//! The words that announce a secret: `password`, `apiKey`, `SECRET_TOKEN` and their like.
//!
//! Not here: what is done about it (`named` in text, `json` in values with a key).

/// What the name of a credential announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameClass {
    /// A word people choose: its value need not look random.
    Password,
    /// The credentials of a request: a scheme, then the value.
    Header,
    /// A value made by a machine.
    Key,
    /// Perhaps a value made by a machine: it has to look random beyond doubt.
    Hint,
    /// A random value that is no secret: a digest, a revision, the public half of a key.
    Harmless,
}

/// Returns the names that begin with two letters. At one place the first that fits wins: `password` over `pass`.
const fn names(first: u8, second: u8) -> &'static [(&'static str, NameClass)] {
    use NameClass::{Harmless, Header, Hint, Key, Password};
    match [first, second] {
        [b'a', b'c'] => &[("access_id", Key), ("accessid", Key), ("access", Hint)],
        [b'a', b'p'] => {
            &[("apikey", Key), ("application_id", Key), ("app_id", Key), ("appid", Key), ("api_hash", Key)]
        }
        [b'a', b'd'] => &[("adminpass", Password), ("adgangskode", Password)],
        [b'a', b'u'] => &[("authorization", Header), ("auth", Key)],
        [b'b', b'e'] => &[("bearer", Header)],
        [b'b', b'i'] => &[("bindpw", Password)],
        [b'b', b'l'] => &[("blob", Harmless)],
        [b'b', b'o'] => &[("bot_id", Key)],
        [b'c', b'h'] => &[("checksum", Harmless)],
        [b'c', b'l'] => &[("clientid", Key), ("client_id", Key), ("clave", Password)],
        [b'c', b'o'] => {
            &[("cookie", Hint), ("codeclimate", Hint), ("commit", Harmless), ("contrasena", Password)]
        }
        [b'c', b'r'] => &[("credential", Key), ("creds", Key), ("crumb", Hint)],
        [b'd', b'b'] => &[("dbpass", Password)],
        [b'd', b'i'] => &[("digest", Harmless)],
        [b'd', b's'] => &[("dsn", Hint)],
        [b'e', b't'] => &[("etag", Harmless)],
        [b'f', b'a'] => &[("facebook", Hint)],
        [b'f', b'i'] => &[("fingerprint", Harmless)],
        [b'f', b't'] => &[("ftppass", Password)],
        [b'h', b'a'] => &[("hash", Harmless)],
        [b'h', b'e'] => &[("heroku", Hint), ("heslo", Password)],
        [b'i', b'd'] => &[("idempotency", Harmless), ("identifiant", Hint)],
        [b'i', b'n'] => &[("integrity", Harmless)],
        [b'j', b's'] => &[("jsessionid", Key)],
        [b'k', b'e'] => {
            &[("keypass", Password), ("keymaterial", Password), ("kennwort", Password), ("key", Key)]
        }
        [b'l', b'i'] => &[("license", Hint)],
        [b'l', b'o'] => &[("login", Hint)],
        [b'm', b'a'] => &[("mailchimp", Hint), ("mailgun", Hint), ("mailjet", Hint)],
        [b'm', b'd'] => &[("md5", Harmless)],
        [b'n', b't'] => &[("ntlm", Key), ("nthash", Key)],
        [b'o', b't'] => &[("otp", Hint)],
        [b'o', b'p'] => &[("openweather", Hint)],
        [b'p', b'a'] => &[
            ("password", Password),
            ("passwd", Password),
            ("passwort", Password),
            ("passphrase", Password),
            ("passcode", Password),
            ("passord", Password),
            ("parola", Password),
            ("pass", Password),
            ("pat", Hint),
        ],
        [b'p', b'e'] => &[("pepper", Key)],
        [b'p', b'g'] => &[("pgpass", Password)],
        [b'p', b'h'] => &[("phpsessid", Key)],
        [b'p', b'o'] => &[("postmark", Hint)],
        [b'p', b'r'] => &[("private", Hint)],
        [b'p', b's'] => &[("psk", Password)],
        [b'p', b'u'] => &[("public", Harmless), ("pubkey", Harmless)],
        [b'p', b'w'] => &[("pwd", Password), ("pw", Password)],
        [b'r', b'e'] => {
            &[("reporter_id", Hint), ("requirepass", Password), ("revision", Harmless), ("rev", Harmless)]
        }
        [b's', b'a'] => &[("salasana", Password)],
        [b's', b'e'] => &[("secret", Key), ("sendgrid", Hint), ("senha", Password)],
        [b's', b'h'] => &[("sha256", Harmless), ("sha512", Harmless), ("sha1", Harmless), ("sha", Harmless)],
        [b'r', b'o'] => &[("rootpass", Password)],
        [b's', b'm'] => &[("smtppass", Password)],
        [b's', b'o'] => &[("sourcegraph", Hint)],
        [b's', b't'] => &[("storepass", Password)],
        [b't', b'o'] => &[("token", Key), ("totp", Hint)],
        [b't', b'w'] => &[("twilio", Hint), ("twitter", Hint)],
        [b'u', b'n'] => &[("unseal", Hint)],
        [b'u', b's'] => &[("userpass", Password)],
        [b'v', b'e'] => &[("version", Harmless)],
        [b'w', b'a'] => &[("wachtwoord", Password), ("wandb", Hint)],
        [b'w', b'e'] => &[("webhook", Hint)],
        [b'z', b'u'] => &[("zugang", Hint)],
        // Bundler keeps the credentials of a gem host under the name of the host.
        [b'_', b'_'] => &[("__com", Password)],
        _ => &[],
    }
}

/// For each first letter, the second letters of names as bits: nearly every pair is ruled out by one look.
const PAIRS: [u32; LETTERS as usize] = pairs();
/// `_` to `z`, in the order of their bytes.
const LETTERS: u8 = b'z' - b'_' + 1;

#[expect(clippy::indexing_slicing, reason = "the compiler runs it")]
const fn pairs() -> [u32; LETTERS as usize] {
    let mut pairs = [0; LETTERS as usize];
    let mut first = 0;
    while first < LETTERS {
        let mut second = 0;
        while second < LETTERS {
            if !names(b'_' + first, b'_' + second).is_empty() {
                pairs[first as usize] |= 1 << second;
            }
            second += 1;
        }
        first += 1;
    }
    pairs
}

fn may_begin_a_name(first: u8, second: u8) -> bool {
    let bits = PAIRS.get(usize::from(first.wrapping_sub(b'_')));
    let second = second.wrapping_sub(b'_');
    second < LETTERS && bits.is_some_and(|bits| bits >> second & 1 != 0)
}

/// What a name may end with that makes it the name of something else: `key_name`, `tokenType`, `Tokenizer`.
const OTHERWISE: &[&str] = &[
    "name",
    "type",
    "path",
    "file",
    "izer",
    "izers",
    "chars",
    "pair",
    "size",
    "credentialsid",
    "secretsid",
    "recv-keys",
    "request_id",
    "less",
];

/// Names this short are also parts of ordinary words (`monkey`, `pattern`, `author`): they must stand alone.
const SHORT: usize = 4;

/// Returns what the last name of a credential inside `word` announces, and where that name ends.
pub(super) fn name_class(word: &[u8]) -> Option<(NameClass, usize)> {
    let mut last: Option<(NameClass, usize)> = None;
    // In a path only the last part names anything.
    let from = word.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    for (at, (first, second)) in word.iter().zip(word.iter().skip(1)).enumerate().skip(from) {
        let (first, second) = (first.to_ascii_lowercase(), second.to_ascii_lowercase());
        if !may_begin_a_name(first, second) {
            continue;
        }
        let candidates = names(first, second);
        let Some((name, name_class)) =
            candidates.iter().find(|(name, _)| names_at(word, at, name.as_bytes()))
        else {
            continue;
        };
        let end = at + name.len();
        match last {
            // What is public or a digest stays so, whatever else the word says.
            Some((NameClass::Harmless, _)) => {}
            Some((_, known)) if known >= end => {}
            _ => last = Some((*name_class, end)),
        }
    }
    last.filter(|_| !is_otherwise(word))
}

fn is_otherwise(word: &[u8]) -> bool {
    OTHERWISE.iter().any(|ending| {
        let start = word.len().saturating_sub(ending.len());
        word.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(ending.as_bytes()))
    })
}

fn names_at(word: &[u8], at: usize, name: &[u8]) -> bool {
    let end = at + name.len();
    let Some(part) = word.get(at..end) else { return false };
    // Two letters stand alone somewhere in every run of base64.
    let is_seen = name.len() > 2 || word.len() == name.len() || is_last_of_a_name(word, at, end);
    part.eq_ignore_ascii_case(name) && is_seen && (name.len() > SHORT || stands_alone(word, at, end))
}

/// Whether a part ends a name of plain words: `bind_pw`, `ADMIN_PW`.
fn is_last_of_a_name(word: &[u8], at: usize, end: usize) -> bool {
    const LONGEST: usize = 24;
    let joint = at.checked_sub(1).and_then(|before| word.get(before));
    end == word.len()
        && word.len() <= LONGEST
        && joint.is_some_and(|byte| b"_-./".contains(byte))
        && word.iter().all(|byte| byte.is_ascii_alphabetic() || b"_-./".contains(byte))
}

/// The part begins and ends where a person would see a word begin and end, in snake, kebab or camel case.
fn stands_alone(word: &[u8], at: usize, end: usize) -> bool {
    let first = word.get(at).copied().unwrap_or_default();
    let last = word.get(end - 1).copied().unwrap_or_default();
    let begins = at.checked_sub(1).and_then(|before| word.get(before)).is_none_or(|before| {
        !before.is_ascii_alphabetic() || (before.is_ascii_lowercase() && first.is_ascii_uppercase())
    });
    let ends = match word.get(end..).unwrap_or_default() {
        [b's' | b'S'] => true,
        [b's' | b'S', after, ..] | [after, ..] => {
            !after.is_ascii_alphabetic() || (last.is_ascii_lowercase() && after.is_ascii_uppercase())
        }
        [] => true,
    };
    begins && ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: Option<NameClass>) {
        assert_eq!(name_class(word.as_bytes()).map(|(name_class, _)| name_class), expected, "{word}");
    }

    #[test]
    fn names_of_credentials_are_recognised_in_every_case_style() {
        check("API_KEY", Some(NameClass::Key));
        check("awsSecretAccessKey", Some(NameClass::Key));
        check("boxKEY", Some(NameClass::Key));
        check("ssh-keys", Some(NameClass::Key));
        check("dbPassword", Some(NameClass::Password));
        check("REACT_APP_PASS", Some(NameClass::Password));
        check("ldap.bind_pw", Some(NameClass::Password));
    }

    #[test]
    fn ordinary_words_that_contain_a_credential_name_are_not_recognised() {
        for word in ["monkey", "keyboard", "pattern", "author", "compass", "passing", "Keyword"] {
            check(word, None);
        }
    }
}
